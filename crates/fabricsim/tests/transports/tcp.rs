//! Hosts that run TCP, alone and together with RDMA: every byte arrives, lossless priorities stay
//! lossless, lossy priorities cause no pauses, and threads do not matter.

mod download;
mod fetch;
mod first_window;
mod hpcc;
mod outside_rule;
mod queues;
mod random;

use crate::support;
use fabricsim::{Scenario, Simulation};
use fabricsim_base::flow::{Completion, FlowRequest};
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::network::Stop;
use fabricsim_scenario::cc::registry::{CONGESTION_CONTROLS, CcEntry, Transport};
use proptest::prelude::*;

fn tcp_congestion_controls() -> impl Iterator<Item = &'static CcEntry> {
    CONGESTION_CONTROLS
        .iter()
        .filter(|cc| cc.transport == Transport::Tcp)
}

/// Runs `text` to its end.
fn run(text: &str, threads: usize) -> (Vec<Completion>, Simulation) {
    let mut simulation = support::run(text, threads);
    assert!(simulation.unfinished().is_empty());
    (simulation.take_completions(), simulation)
}

/// Checks that every byte is acknowledged and delivered, and that missing bytes were lost.
fn assert_conserved(done: &[Completion], simulation: &Simulation) {
    let (network, ends) = (simulation.counters(), simulation.endpoint_counters());
    let asked: u64 = done.iter().map(|done| done.flow.request.size.get()).sum();
    assert_eq!(ends.acknowledged.get(), asked);
    assert_eq!(ends.delivered.get(), asked);
    assert!(ends.arrived >= ends.delivered);
    assert_eq!(ends.sent.get(), asked + ends.retransmitted.get());
    // Copies may still be on their way when the last flow ends.
    assert!(ends.sent.get() >= ends.arrived.get() + network.lost_payload.get());
    let again: u64 = done.iter().map(|done| done.retransmitted.get()).sum();
    assert_eq!(again, ends.retransmitted.get());
}

/// Returns the number of bytes that the flows of `class` retransmitted.
fn again(done: &[Completion], class: u16) -> u64 {
    let own = done
        .iter()
        .filter(|done| done.flow.request.class.0 == class);
    own.map(|done| done.retransmitted.get()).sum()
}

const FABRIC: &str = r#"
    [topology]
    kind = "leaf-spine"
    leaves = 2
    hosts_per_leaf = 4
    spines = 2
"#;

/// An incast of each transport onto one host, through buffers that are too small for both.
fn contended(cc: &str, switch: &str) -> String {
    format!(
        r#"
            {FABRIC}
            [switch]
            {switch}
            [cc]
            kind = "dcqcn"
            [[workload]]
            kind = "incast"
            receiver = 7
            fan_in = 7
            size = "300KB"
            at = "0s"
            [[workload]]
            kind = "incast"
            receiver = 7
            fan_in = 7
            size = "300KB"
            at = "0s"
            cc = {{ kind = "{cc}" }}
        "#
    )
}

#[test]
fn lossless_flows_lose_nothing_beside_tcp_that_loses() {
    let mut dropped = 0;
    for cc in tcp_congestion_controls() {
        let (done, simulation) = run(&contended(cc.name, r#"buffer = "2MiB""#), 1);
        assert_conserved(&done, &simulation);
        assert_eq!(again(&done, 0), 0, "{}", cc.name);
        dropped += simulation.counters().buffer_drops;
        assert!(
            simulation.counters().pauses > 0,
            "RDMA is paused: {}",
            cc.name
        );
    }
    assert!(dropped > 100, "the buffer holds it all: {dropped}");
}

#[test]
fn pauses_are_never_for_tcp() {
    for cc in tcp_congestion_controls() {
        let text = contended(cc.name, r#"buffer = "2MiB""#) + "[output]\npauses = true\n";
        let (_, simulation) = run(&text, 1);
        let events = simulation.pause_events();
        assert!(!events.is_empty());
        assert!(
            events
                .iter()
                .all(|event| event.priority == Priority::new(3)),
            "{}",
            cc.name
        );
    }
}

/// A scenario with TCP alone has no reason for a pause, however long its queues are.
#[test]
fn tcp_alone_is_dropped_and_not_paused() {
    let text = format!(
        r#"
            {FABRIC}
            [switch]
            buffer = "200KB"
            [cc]
            kind = "newreno"
            [[workload]]
            kind = "incast"
            receiver = 7
            fan_in = 7
            size = "1MB"
            at = "0s"
        "#
    );
    let (done, simulation) = run(&text, 1);
    assert_conserved(&done, &simulation);
    let counters = simulation.counters();
    assert!(
        counters.buffer_drops > 10 && counters.pauses == 0,
        "{counters:?}"
    );
    for threads in [2, 3, 8] {
        assert_eq!(run(&text, threads).0, done, "{threads} threads");
    }
}

#[test]
fn algorithms_of_all_kinds_of_telemetry_run_beside_tcp() {
    for cc in ["hpcc", "hpcc-pint", "timely"] {
        for other in ["hpcc", "hpcc-pint", "cubic"] {
            let text = format!(
                r#"
                    {FABRIC}
                    [cc]
                    kind = "{cc}"
                    [[workload]]
                    kind = "permutation"
                    size = "200KB"
                    [[workload]]
                    kind = "permutation"
                    size = "200KB"
                    priority = {}
                    cc = {{ kind = "{other}" }}
                    [[workload]]
                    kind = "permutation"
                    size = "200KB"
                    priority = 2
                    cc = {{ kind = "prague" }}
                "#,
                if other == "cubic" { 1 } else { 4 }
            );
            let (done, simulation) = run(&text, 1);
            assert_eq!(done.len(), 24);
            assert_conserved(&done, &simulation);
            for threads in [2, 8] {
                assert_eq!(
                    run(&text, threads).0,
                    done,
                    "{cc}, {other}, {threads} threads"
                );
            }
        }
    }
}

/// A lone flow takes as long as the idle network lets it: a handshake, its segments, and their
/// headers.
#[test]
fn the_ideal_time_of_a_flow_has_its_handshake_and_its_headers() {
    let fct = |opening: &str| {
        let text = format!(
            r#"
                [topology]
                kind = "star"
                hosts = 2
                [tcp]
                ack_every = 1
                [cc]
                kind = "newreno"
                opening = "{opening}"
                [[workload]]
                kind = "incast"
                fan_in = 1
                size = "14480B"
                at = "0s"
            "#
        );
        let (done, simulation) = run(&text, 1);
        let record = simulation.record(&done[0]);
        (done[0].fct(), record.ideal, record.slowdown())
    };
    let (handshake, long, one) = fct("handshake");
    let (open, short, two) = fct("open");
    // Two links of 1 us at 100 Gbps: ten segments of 1,538 bytes, the last of them at the other
    // link as well, and its ACK of 90 bytes at both.
    let delays = 4 * 1_000_000;
    assert_eq!(
        short,
        Duration::from_ps(delays + (11 * 1_538 + 2 * 90) * 80)
    );
    // A SYN of 98 bytes both ways, and the ACK of the handshake before the first segment.
    assert_eq!(long, short + Duration::from_ps(delays + (4 * 98 + 90) * 80));
    assert_eq!((handshake, open), (long, short));
    assert!((one, two) == (1.0, 1.0), "{one} {two}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// For any algorithm, window and ACK policy: no lone flow beats the idle network. A flow takes
    /// exactly that time if it fits the first window and its last segment is acknowledged
    /// immediately, except if the last segment is so short that its ACK waits for the previous ACK.
    #[test]
    fn no_lone_flow_beats_its_ideal(
        topology in prop::sample::select(vec![
            "star\"\nhosts = 2",
            "leaf-spine\"\nleaves = 2\nhosts_per_leaf = 1\nspines = 1\nhost_rate = \"25Gbps\"\nfabric_rate = \"100Gbps\"",
            "dumbbell\"\nhosts_per_side = 1\nhost_rate = \"100Gbps\"\nbottleneck_rate = \"10Gbps\"\nbottleneck_delay = \"3us\"",
            "dumbbell\"\nhosts_per_side = 1\nhost_rate = \"10Gbps\"\nbottleneck_rate = \"100Gbps\"\nbottleneck_delay = \"30ns\"",
        ]),
        cc in prop::sample::select(vec!["newreno", "cubic", "bbr", "prague", "tcp-dctcp", "tcp-hpcc"]),
        opening in prop::sample::select(vec!["handshake", "open"]),
        profile in prop::sample::select(vec!["datacenter", "linux-wan", "user-space"]),
        size in prop_oneof![1u64..2_000, 1u64..14_480, 1u64..300_000],
        ack_every in 1u32..4,
    ) {
        let text = format!(
            r#"
                [topology]
                kind = "{topology}
                [tcp]
                profile = "{profile}"
                ack_every = {ack_every}
                [cc]
                kind = "{cc}"
                opening = "{opening}"
                [[workload]]
                kind = "incast"
                fan_in = 1
                size = "{size}B"
                at = "0s"
            "#
        );
        let (done, simulation) = run(&text, 1);
        prop_assert!(!done.is_empty());
        for completion in &done {
            let record = simulation.record(completion);
            prop_assert!(record.fct >= record.ideal, "{:?}", record);
            let is_at_once = ack_every == 1 && size <= 14_480;
            if is_at_once && cc == "newreno" {
                // If the last segment is short, it arrives less than the time of an ACK after the
                // previous one, and its ACK waits for at most an ACK of 90 bytes at 10 Gbps.
                let late = Duration::from_ps(if size > 1_400 { 90 * 800 } else { 0 });
                prop_assert!(record.fct <= record.ideal.saturating_add(late), "{:?}", record);
            }
        }
    }
}

/// A program cannot put a flow into a priority of the other transport.
#[test]
fn injected_flows_keep_to_the_priorities_of_their_transport() {
    let text = contended("cubic", r#"buffer = "4MiB""#);
    let mut simulation = support::simulation(&text, 1);
    for (class, priority, good) in [(0, 3, true), (0, 1, false), (1, 1, true), (1, 3, false)] {
        let request = FlowRequest {
            src: NodeId(0),
            dst: NodeId(5),
            size: Bytes::new(1_000),
            start: Time::ZERO,
            class: ClassId(class),
            priority: Priority::new(priority),
            src_port: None,
            dst_port: 100,
        };
        let injected = simulation.inject(request);
        assert_eq!(injected.is_ok(), good, "class {class}, priority {priority}");
    }
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    assert_eq!(simulation.flows_finished(), 16);
}
