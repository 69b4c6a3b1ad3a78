//! Receivers that grant credit to their senders while packets and grants are lost, and the settings
//! that do not work with credit.

use crate::support;
use fabricsim::{Scenario, Simulation};
use fabricsim_base::flow::Completion;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::network::Stop;

const TRIM: &str = r#"
    [switch]
    pfc = false
    trim_above = "100KB""#;

fn finished(text: &str, threads: usize) -> (Vec<Completion>, Simulation) {
    let mut simulation = support::simulation(text, threads);
    let stop = simulation.run_until(Time::ZERO + Duration::from_ms(500));
    assert_eq!(
        stop,
        Stop::Finished,
        "{text}: {:?}",
        simulation.unfinished()
    );
    let mut done = simulation.take_completions();
    done.sort_by_key(|completion| completion.flow.id);
    (done, simulation)
}

/// Seven senders of 500 KB over a leaf-spine in which six links lose the share `loss`, among them
/// the link of a sender, the link of the receiver and all links to spines.
fn lossy(loss: f64, more: &str) -> String {
    let mut text = format!(
        r#"
            [topology]
            kind = "leaf-spine"
            leaves = 2
            hosts_per_leaf = 4
            spines = 2
            {more}
            [cc]
            kind = "rccc"
            [[workload]]
            kind = "incast"
            fan_in = 7
            receiver = 7
            size = "500KB"
            at = "0s"
        "#
    );
    for link in [[0, 8], [7, 9], [8, 10], [8, 11], [9, 10], [9, 11]] {
        text += &format!(
            r#"
                [[event]]
                kind = "link-loss"
                at = "0s"
                link = {link:?}
                loss = {loss}
            "#
        );
    }
    text
}

#[test]
fn flows_end_where_data_acknowledgements_grants_and_requests_are_lost() {
    for recovery in ["go-back-n", "selective", "any-order"] {
        for loss in [0.001, 0.02] {
            let rdma = format!(
                r#"
                [rdma]
                recovery = "{recovery}"
                rto_min = "100us""#
            );
            let mut cases = vec![format!("{rdma}\n[switch]\npfc = false")];
            if recovery == "any-order" {
                cases.push(format!(
                    r#"
                    {rdma}
                    {TRIM}
                    [routing]
                    policy = "random""#
                ));
            }
            for more in cases {
                let (done, simulation) = finished(&lossy(loss, &more), 1);
                assert_eq!(done.len(), 7, "{more}");
                assert!(simulation.counters().link_losses > 0, "{more}");
                let delivered = simulation.endpoint_counters().delivered;
                assert_eq!(delivered, Bytes::new(7 * 500_000), "{more}");
            }
        }
    }
}

#[test]
fn threads_do_not_change_who_is_granted_what() {
    let text = lossy(
        0.001,
        &format!(
            r#"
        {TRIM}
        [routing]
        policy = "random""#
        ),
    );
    let one = finished(&text, 1).0;
    for threads in [2, 3, 8] {
        assert_eq!(finished(&text, threads).0, one, "on {threads} threads");
    }
}

/// The receiver's link is down until all of its grants are lost. Nothing is in flight then, and
/// only a request of the sender makes it continue.
#[test]
fn a_sender_whose_grants_were_all_lost_asks_again() {
    let text = r#"
        [topology]
        kind = "star"
        hosts = 2
        [switch]
        pfc = false
        [rdma]
        rto_min = "100us"
        [cc]
        kind = "rccc"
        [[event]]
        kind = "link-down"
        link = [1, 2]
        at = "100us"
        [[event]]
        kind = "link-up"
        link = [1, 2]
        at = "1ms"
        [[workload]]
        kind = "incast"
        fan_in = 1
        receiver = 1
        size = "5MB"
        at = "0s"
    "#;
    let (done, simulation) = finished(text, 1);
    assert_eq!(done.len(), 1);
    assert!(simulation.counters().link_down_drops > 0);
}

/// Messages of connections, so receivers never know of a last byte.
#[test]
fn connections_are_granted_credit_message_after_message() {
    for more in [
        TRIM,
        "",
        r#"
        [routing]
        policy = "random""#,
    ] {
        let text = format!(
            r#"
                [topology]
                kind = "leaf-spine"
                leaves = 2
                hosts_per_leaf = 4
                spines = 2
                {more}
                [cc]
                kind = "rccc"
                [[workload]]
                kind = "collective"
                operation = "all-to-all"
                size = "8MB"
                iterations = 3
            "#
        );
        let (_, simulation) = finished(&text, 2);
        assert_eq!(simulation.queued_bytes(), Bytes::ZERO);
    }
}

/// Receivers grant the bandwidth of their port. A large incast of flows that end in their first
/// windows therefore finishes by turns, in the order of trimmed packets.
#[test]
fn an_incast_of_short_flows_ends_near_the_ideal() {
    let text = format!(
        r#"
            [topology]
            kind = "star"
            hosts = 101
            {TRIM}
            [rdma]
            mtu = "4096B"
            [cc]
            kind = "rccc"
            [[workload]]
            kind = "incast"
            fan_in = 100
            receiver = 100
            size = "100KB"
            at = "0s"
        "#
    );
    let (done, simulation) = finished(&text, 1);
    let last = done.iter().map(|flow| flow.finish).max().unwrap();
    // 10 MB and headers take 810 us at 100 Gbps.
    let us = last.as_secs_f64() * 1e6;
    let counters = simulation.counters();
    println!("{us:.1} us, {} trimmed", counters.trimmed);
    assert!(counters.trimmed > 1_000, "{counters:?}");
    assert!(us < 860.0, "{us}");
}

#[test]
fn what_has_no_room_for_credit_is_refused() {
    let base = r#"
        [topology]
        kind = "star"
        hosts = 3
        [cc]
        kind = "rccc"
        [[workload]]
        kind = "permutation"
        size = "1MB"
    "#;
    let refused = |text: &str| match Scenario::from_toml(text) {
        Ok(_) => panic!("{text} was taken"),
        Err(error) => format!("{error:?}"),
    };
    for text in [
        format!(
            r#"profile = "ns3-hpcc"
            {base}"#
        ),
        format!(
            r#"
            {base}
            [[query]]
            value = "hop-latency"
        "#
        ),
    ] {
        let message = refused(&text);
        assert!(message.contains("room for credit"), "{message}");
    }
    let own = r#"
        [[workload]]
        kind = "permutation"
        size = "1MB"
        cc = { kind = "rccc", grant_rate = 0.5 }
    "#;
    let message = refused(&format!("{base}{own}"));
    assert!(message.contains("one pacer"), "{message}");
    for (key, value) in [
        ("grant_rate", "1.5"),
        ("grant_packets", "0"),
        ("max_window_bdp", "0.0"),
    ] {
        let message = refused(&base.replace(r#""rccc""#, &format!("\"rccc\"\n{key} = {value}")));
        assert!(message.contains(key), "{message}");
    }
}
