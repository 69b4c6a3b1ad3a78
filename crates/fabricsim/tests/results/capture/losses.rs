//! Every loss and every mark counts once: random scenarios, compared with their captures.

use proptest::prelude::*;

use crate::capture::file::{Frame, read};
use crate::capture::{run, table};

/// A byte long after all other traffic, which finds the network quiet, so that no packet is on its
/// way when the run ends.
const LAST: &str = r#"
    [[workload]]
    kind = "incast"
    fan_in = 1
    size = "1B"
    at = "9s"
    cc = { kind = "none" }
"#;

/// The `[cc]` keys of an algorithm, and `true` for an algorithm of TCP.
fn algorithms() -> impl Strategy<Value = (&'static str, bool)> {
    prop::sample::select(vec![
        (r#"kind = "none""#, false),
        (r#"kind = "dcqcn""#, false),
        (r#"kind = "dctcp""#, false),
        (r#"kind = "hpcc""#, false),
        (r#"kind = "cubic""#, true),
        (
            r#"kind = "newreno"
            ecn = "classic""#,
            true,
        ),
        (r#"kind = "tcp-dctcp""#, true),
        (r#"kind = "prague""#, true),
    ])
}

/// Tables that decide which packets a switch drops, trims and marks.
fn switches(tcp: bool) -> BoxedStrategy<String> {
    const ECN: &str = r#"ecn = { kmin = "5KB", kmax = "30KB", pmax = 0.5 }"#;
    if tcp {
        let queue = prop::sample::select(vec![
            r#""pfifo limit 10""#,
            r#""codel limit 20 target 20us interval 100us ecn""#,
            r#"{ kind = "step", packets = 5 }"#,
            r#""fq_codel limit 40 target 20us interval 100us""#,
            r#"{ kind = "dualpi2", target = "50us" }"#,
            r#"{ kind = "red", kmin = "5KB", kmax = "20KB" }"#,
        ]);
        let queue = queue.prop_map(|rule| format!("[[queue]]\ndiscipline = {rule}\n"));
        let limit = Just(
            r#"
            [switch]
            lossy_limit = "20KB"
        "#
            .to_owned(),
        );
        return prop_oneof![4 => queue, 1 => limit].boxed();
    }
    prop_oneof![
        Just(format!("[switch]\n{ECN}\n")),
        (60u32..200).prop_map(|kb| format!(
            r#"
            [switch]
            pfc = false
            buffer = "{kb}KB"
            {ECN}
        "#
        )),
        (4u32..30).prop_map(|kb| format!(
            r#"
                [switch]
                pfc = false
                trim_above = "{kb}KB"
                {ECN}
            "#
        )),
    ]
    .boxed()
}

/// A network, and events of the links of its first switch.
fn networks() -> impl Strategy<Value = (&'static str, String)> {
    let star = r#"kind = "star"
        hosts = 6
    "#;
    let fabric = r#"kind = "leaf-spine"
        leaves = 2
        hosts_per_leaf = 3
        spines = 2
    "#;
    let loss = |at: u32, link: &str| {
        let event = |at: &str, loss: &str| {
            format!(
                r#"
                    [[event]]
                    at = "{at}"
                    kind = "link-loss"
                    link = {link}
                    loss = {loss}
                "#
            )
        };
        event(&format!("{at}us"), "0.03") + &event("8s", "0.0")
    };
    let fails = |at: u32, wait: u32| {
        let event = |at: u32, kind: &str| {
            format!(
                r#"
                [[event]]
                at = "{at}us"
                kind = "link-{kind}"
                link = [6, 8]
            "#
            )
        };
        event(at, "down") + &event(at + wait, "up")
    };
    prop_oneof![
        Just((star, String::new())),
        (0u32..20).prop_map(move |at| (star, loss(at, "[0, 6]"))),
        Just((fabric, String::new())),
        (0u32..20).prop_map(move |at| (fabric, loss(at, "[6, 9]"))),
        (1u32..40, 1u32..200).prop_map(move |(at, wait)| (fabric, fails(at, wait))),
    ]
}

fn scenarios() -> impl Strategy<Value = String> {
    (algorithms(), networks(), 1u32..1_000).prop_flat_map(|((cc, tcp), (network, events), seed)| {
        switches(tcp).prop_map(move |switch| {
            format!(
                r#"seed = {seed}
                    [topology]
                    {network}
                    [cc]
                    {cc}
                    {switch}
                    [rdma]
                    rto_min = "300us"
                    [capture]
                    snap_length = "64B"
                    [observe]
                    links = true
                    interval = "1s"
                    [[workload]]
                    kind = "all-to-all"
                    size = "20KB"
                    {LAST}{events}"#
            )
        })
    })
}

/// Returns `true` for data of RDMA. The opcode of acknowledgements is 17, and trimmed headers may
/// be too short for an opcode.
fn is_rdma_data(frame: &Frame) -> bool {
    let bytes = &frame.bytes;
    !frame.is_pause()
        && bytes[23] == 17
        && bytes[36..38] == [0x12, 0xb7]
        && bytes.get(42) != Some(&17)
}

fn check(text: &str) {
    let dir = tempfile::tempdir().unwrap();
    let summary = run(text, dir.path(), 2);
    assert_eq!(
        (summary.flows.unfinished, summary.flows.unreachable),
        (0, 0),
        "{text}"
    );
    let (names, frames) = read(dir.path());
    let count = |takes: &dyn Fn(&Frame) -> bool| {
        let frames = frames.iter().filter(|frame| !frame.is_pause());
        frames.filter(|frame| takes(frame)).count() as u64
    };
    let at_host = |frame: &Frame| names[frame.interface].starts_with("host");

    // Packets that hosts have sent and not received were lost, in exactly one way.
    let sent = count(&|frame| at_host(frame) && frame.sent);
    let received = count(&|frame| at_host(frame) && !frame.sent);
    let lost = summary.buffer_drops
        + summary.queue_drops
        + summary.link_losses
        + summary.link_down_drops
        + summary.no_route_drops;
    assert_eq!(sent - received, lost, "{summary:#?}\n{text}");
    // A switch that received more than it sent dropped the rest, or its link failed.
    let in_switches = count(&|frame| !at_host(frame) && !frame.sent)
        - count(&|frame| !at_host(frame) && frame.sent);
    let dropped = summary.buffer_drops + summary.queue_drops + summary.no_route_drops;
    let most = dropped + summary.link_down_drops;
    assert!(
        (dropped..=most).contains(&in_switches),
        "{in_switches}: {summary:#?}\n{text}"
    );

    // The headers of trimmed packets arrive, or are lost as well.
    let headers =
        count(&|frame| at_host(frame) && !frame.sent && is_rdma_data(frame) && frame.wire < 200);
    let last = 1;
    let trimmed = summary.trimmed_packets - summary.trimmed_headers_lost;
    assert_eq!(headers - last, trimmed, "{summary:#?}\n{text}");

    // A dropped packet belongs to a port, unless it was trimmed or had no route.
    let of_links = |column: &str| -> u64 {
        let rows = table(dir.path(), "links.csv");
        rows.iter()
            .map(|row| row[column].parse::<u64>().unwrap())
            .sum()
    };
    if summary.trimmed_packets == 0 && summary.no_route_drops == 0 {
        assert_eq!(of_links("dropped_packets"), lost, "{text}");
    }

    // A mark counts where a packet gets it, and acknowledgements get none.
    assert_eq!(of_links("marked_packets"), summary.marked_packets, "{text}");
    let marked = |sent| count(&|frame| !at_host(frame) && frame.sent == sent && frame.is_marked());
    let came = marked(false);
    let marks = marked(true) - came;
    if in_switches == 0 || came == 0 {
        assert_eq!(marks, summary.marked_packets, "{text}");
    } else {
        // Some packets that arrived with a mark were dropped.
        assert!(marks <= summary.marked_packets, "{text}");
        assert!(marks + in_switches >= summary.marked_packets, "{text}");
    }
    let rdma = |frame: &Frame| frame.bytes[23] == 17 && frame.bytes[36..38] == [0x12, 0xb7];
    let acknowledgements = count(&|frame| rdma(frame) && frame.is_marked() && !is_rdma_data(frame));
    assert_eq!(acknowledgements, 0, "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn losses_and_marks_add_up(text in scenarios()) {
        check(&text);
    }
}

/// Both directions of a marked path carry data and acknowledgements.
#[test]
fn acknowledgements_are_not_marked_and_no_packet_twice() {
    for cc in ["dctcp", "dcqcn"] {
        check(&format!(
            r#"
                [topology]
                kind = "leaf-spine"
                leaves = 2
                hosts_per_leaf = 3
                spines = 1
                [cc]
                kind = "{cc}"
                [switch]
                ecn = {{ kmin = "2KB", kmax = "2KB", pmax = 1.0 }}
                [capture]
                [observe]
                links = true
                interval = "1s"
                [[workload]]
                kind = "all-to-all"
                size = "100KB"
                {LAST}"#
        ));
    }
}

/// More headers arrive at once than the queue of control packets holds.
#[test]
fn headers_that_are_lost_are_told_apart() {
    let text = format!(
        r#"
            [topology]
            kind = "star"
            hosts = 30
            [cc]
            kind = "none"
            [switch]
            pfc = false
            trim_above = "2KB"
            [rdma]
            rto_min = "300us"
            [capture]
            [observe]
            links = true
            interval = "1s"
            [[workload]]
            kind = "incast"
            fan_in = 29
            size = "100KB"
            at = "0s"
            {LAST}"#
    );
    check(&text);
    let dir = tempfile::tempdir().unwrap();
    let summary = run(&text, dir.path(), 1);
    assert!(summary.trimmed_headers_lost > 100, "{summary:#?}");
    assert_eq!(summary.queue_drops, summary.trimmed_headers_lost);
    assert!(summary.timeouts > 0);
}
