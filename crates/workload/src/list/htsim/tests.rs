//! Connection matrices, by the rules of htsim's own generators, and errors in them.

use super::*;
use crate::context::testing::context;
use crate::list::{ListFormat, detect};

fn parse(text: &str) -> Result<FlowList, InputError> {
    parse_connection_matrix(text, &context(4, 1))
}

fn waits(list: &FlowList, flow: u32) -> (usize, Vec<u32>) {
    let waits = list.waits.as_ref().expect("flows wait");
    (waits.needed(flow), waits.after(flow).to_vec())
}

#[test]
fn a_permutation_is_a_list_of_flows() {
    let text = "Nodes 4\nConnections 2\n3->1 id 1 start 2000 size 2000000\n0->2 id 2 start 500.5 size 9 prio 3\n";
    assert_eq!(detect(text), ListFormat::ConnectionMatrix);
    let list = parse(text).unwrap();
    assert!(!list.has_waits());
    let flows: Vec<_> = list
        .flows()
        .iter()
        .map(|it| (it.src.0, it.size.get(), it.start.as_ps()))
        .collect();
    assert_eq!(flows, [(0, 9, 500), (3, 2_000_000, 2_000)]);
}

/// As written by gen_allreduce.py: a step around a ring is triggered by the end of the previous
/// step at its sender.
#[test]
fn a_ring_is_a_chain_of_flows() {
    let text = "Nodes 4\nConnections 3\nTriggers 2\n\
                0->1 id 1 start 0 size 100 send_done_trigger 1\n\
                1->2 id 2 trigger 1 size 100 send_done_trigger 2\n\
                2->3 id 3 trigger 2 size 100\n\
                trigger id 1 oneshot\ntrigger id 2 oneshot\n";
    let list = parse(text).unwrap();
    assert_eq!(waits(&list, 0), (0, vec![]));
    assert_eq!(waits(&list, 1), (1, vec![0]));
    assert_eq!(waits(&list, 2), (1, vec![1]));
}

/// As written by gen_serialn_alltoall.py: each ended flow of a host starts a new one.
#[test]
fn a_multishot_trigger_starts_a_flow_for_each_end() {
    let text = "Nodes 4\nConnections 5\nTriggers 1\n\
                0->1 id 1 start 0 size 9 send_done_trigger 7\n\
                0->2 id 2 start 0 size 9 send_done_trigger 7\n\
                3->0 id 3 start 0 size 9 recv_done_trigger 7\n\
                0->3 id 4 trigger 7 size 9\n0->1 id 5 trigger 7 size 9\n\
                trigger id 7 multishot\n";
    let list = parse(text).unwrap();
    assert_eq!(waits(&list, 3), (1, vec![0, 1, 2]));
    assert_eq!(waits(&list, 4), (2, vec![0, 1, 2]));
    let barrier = text.replace("multishot", "barrier count 3");
    let list = parse(&barrier).unwrap();
    assert_eq!(waits(&list, 3), (3, vec![0, 1, 2]));
    assert_eq!(waits(&list, 4), (3, vec![0, 1, 2]));
}

/// Returns the text at the position of the error, and the message.
fn refused(text: &str) -> (String, String) {
    let error = parse(text).expect_err("refused");
    (text[error.span.clone()].to_owned(), error.to_string())
}

const CHAIN: &str = "Nodes 4\nConnections 2\nTriggers 1\n\
                     0->1 id 1 start 0 size 100 send_done_trigger 1\n\
                     1->2 id 2 trigger 1 size 100\ntrigger id 1 oneshot\n";

#[test]
fn errors_are_pointed_at() {
    for (right, wrong, place, message) in [
        ("Nodes 4", "Nodes 16", "16", "16 nodes, the network has 4"),
        ("Nodes 4", "Nodes", "Nodes", "the number is missing"),
        ("Connections 2", "Connections 3", "3", "and there are 2"),
        ("Triggers 1", "Triggers 2", "2", "and there are 1"),
        ("Triggers 1", "Triggers 1\nFailures 1", "1", "Failures is 1"),
        ("Triggers 1\n", "", "", "no line `Triggers ..`"),
        ("0->1", "0->9", "9", "no node 9"),
        ("0->1", "x->1", "x", "is not the number of a node"),
        ("0->1", "1->1", "1", "sends to itself"),
        ("start 0", "start -1", "-1", "before the start"),
        ("start 0", "begin 0", "begin", "there is no `begin`"),
        ("start 0", "", "0->1", "nothing starts this flow"),
        (
            "start 0",
            "start 0 trigger 1",
            "start",
            "a start and a trigger",
        ),
        ("start 0", "start 0 addon", "addon", "not simulated"),
        ("start 0", "msg 3 start 0", "msg", "share the connection"),
        ("start 0", "msg start 0", "msg", "share the connection"),
        ("size 100 send", "size 0 send", "0", "zero bytes"),
        (
            "size 100 send_done_trigger 1",
            "size",
            "size",
            "value is missing",
        ),
        ("id 1 start", "id 0 start", "0", "means none"),
        ("id 2", "id 1", "1", "a second flow 1"),
        ("id 2 ", "", "1", "has no id"),
        ("trigger 1 size", "trigger 5 size", "5", "no trigger 5"),
        ("send_done_trigger 1", "", "1", "fires 0 times"),
        (
            "1->2",
            "2->3",
            "1",
            "of whose end its source learns nothing",
        ),
        ("oneshot", "twice", "twice", "there is no `twice`"),
        ("oneshot", "", "trigger id 1", "has no kind"),
        ("oneshot", "barrier", "barrier", "has a count"),
        (
            "oneshot",
            "barrier count 2",
            "1",
            "waits for 2 flows, and 1 fire it",
        ),
        ("oneshot", "oneshot count 2", "2", "only a barrier"),
        (
            "trigger id 1",
            "failure switch_type AGG",
            "failure",
            "do not fail",
        ),
        (
            "trigger id 1",
            "tigger id 1",
            "tigger",
            "does not begin with",
        ),
    ] {
        // The changed text must differ, so that no row of the table is without effect.
        let text = CHAIN.replacen(right, wrong, 1);
        assert_ne!(text, CHAIN, "{right}");
        let found = refused(&text);
        assert_eq!(found.0, place, "{right} -> {wrong}: {found:?}");
        assert!(found.1.contains(message), "{right} -> {wrong}: {found:?}");
    }
}

#[test]
fn flows_that_trigger_one_another_are_refused() {
    let text = "Nodes 4\nConnections 2\nTriggers 2\n\
                0->1 id 1 trigger 2 size 9 send_done_trigger 1\n\
                1->0 id 2 trigger 1 size 9 send_done_trigger 2\n\
                trigger id 1 oneshot\ntrigger id 2 oneshot\n";
    let (place, message) = refused(text);
    assert_eq!(place, "2");
    assert!(message.contains("wait for one another"), "{message}");
    let twice = CHAIN.replace(
        "trigger 1 size 100",
        "trigger 1 size 100 send_done_trigger 1",
    );
    assert!(refused(&twice).1.contains("fired more often"));
}
