//! Hosts that run TCP, alone and beside RDMA: every byte arrives, lossless priorities stay
//! lossless, lossy ones pause nobody, and threads do not matter.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

mod fetch;
mod hpcc;
mod queues;
mod random;

use fabricsim::{Scenario, Simulation};
use fabricsim_core::flow::{Completion, FlowRequest};
use fabricsim_core::id::{ClassId, NodeId};
use fabricsim_core::network::Stop;
use fabricsim_core::packet::Priority;
use fabricsim_core::units::{Bytes, Duration, Time};
use fabricsim_scenario::cc::registry::{CONGESTION_CONTROLS, CcEntry, Transport};

fn tcp_congestion_controls() -> impl Iterator<Item = &'static CcEntry> {
    CONGESTION_CONTROLS
        .iter()
        .filter(|cc| cc.transport == Transport::Tcp)
}

fn scenario(text: &str) -> Scenario {
    Scenario::from_toml(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Runs `text` to its end.
fn run(text: &str, threads: usize) -> (Vec<Completion>, Simulation) {
    let mut simulation = Simulation::new(&scenario(text), threads).unwrap();
    let stop = simulation.run_until(Time::MAX);
    assert_eq!(
        stop,
        Stop::Finished,
        "{text}\n{:?}",
        simulation.unfinished()
    );
    assert!(simulation.unfinished().is_empty());
    (simulation.take_completions(), simulation)
}

/// Every byte is acknowledged and delivered, and what was sent and is not there was lost.
fn assert_conserved(done: &[Completion], simulation: &Simulation) {
    let (network, ends) = (simulation.counters(), simulation.endpoint_counters());
    let asked: u64 = done.iter().map(|done| done.flow.request.size.get()).sum();
    assert_eq!(ends.acknowledged.get(), asked);
    assert_eq!(ends.delivered.get(), asked);
    assert!(ends.arrived >= ends.delivered);
    assert_eq!(ends.sent.get(), asked + ends.retransmitted.get());
    // Copies may still be under way when the last flow ends.
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

const FABRIC: &str =
    "[topology]\nkind = \"leaf-spine\"\nleaves = 2\nhosts_per_leaf = 4\nspines = 2\n";

/// An incast of each transport onto one host, through buffers that are too small for both.
fn contended(cc: &str, switch: &str) -> String {
    format!(
        "{FABRIC}[switch]\n{switch}\n[cc]\nkind = \"dcqcn\"\n\
         [[workload]]\nkind = \"incast\"\nreceiver = 7\nfan_in = 7\nsize = \"300KB\"\nat = \"0s\"\n\
         [[workload]]\nkind = \"incast\"\nreceiver = 7\nfan_in = 7\nsize = \"300KB\"\nat = \"0s\"\n\
         cc = {{ kind = \"{cc}\" }}\n"
    )
}

#[test]
fn lossless_flows_lose_nothing_beside_tcp_that_loses() {
    let mut dropped = 0;
    for cc in tcp_congestion_controls() {
        let (done, simulation) = run(&contended(cc.name, "buffer = \"2MiB\""), 1);
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
        let text = contended(cc.name, "buffer = \"2MiB\"") + "[output]\npauses = true\n";
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

/// A scenario with TCP alone has no reason for a pause, whatever its queues do.
#[test]
fn tcp_alone_is_dropped_and_not_paused() {
    let text = format!(
        "{FABRIC}[switch]\nbuffer = \"200KB\"\n[cc]\nkind = \"newreno\"\n\
         [[workload]]\nkind = \"incast\"\nreceiver = 7\nfan_in = 7\nsize = \"1MB\"\nat = \"0s\"\n"
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
                "{FABRIC}[cc]\nkind = \"{cc}\"\n\
                 [[workload]]\nkind = \"permutation\"\nsize = \"200KB\"\n\
                 [[workload]]\nkind = \"permutation\"\nsize = \"200KB\"\n\
                 priority = {}\ncc = {{ kind = \"{other}\" }}\n\
                 [[workload]]\nkind = \"permutation\"\nsize = \"200KB\"\npriority = 2\n\
                 cc = {{ kind = \"prague\" }}\n",
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
            "[topology]\nkind = \"star\"\nhosts = 2\n[tcp]\nack_every = 1\n\
             [cc]\nkind = \"newreno\"\nopening = \"{opening}\"\n\
             [[workload]]\nkind = \"incast\"\nfan_in = 1\nsize = \"14480B\"\nat = \"0s\"\n"
        );
        let (done, simulation) = run(&text, 1);
        let record = simulation.record(&done[0]);
        (done[0].fct(), record.ideal, record.slowdown())
    };
    let (handshake, long, one) = fct("handshake");
    let (open, short, two) = fct("open");
    // Two links of 1 us and ten segments of 1,538 bytes at 100 Gbps; the base round trip has one
    // payload for each of the links.
    let base = Duration::from_ps(4 * 1_000_000 + 2 * 1_448 * 80);
    assert_eq!(short, base + Duration::from_ps(10 * 1_538 * 80));
    assert_eq!(long, short + base);
    assert!(handshake > open);
    assert!(
        (0.9..1.1).contains(&one) && (0.9..1.1).contains(&two),
        "{one} {two}"
    );
}

/// A program cannot put a flow into a priority of the other transport.
#[test]
fn injected_flows_keep_to_the_priorities_of_their_transport() {
    let text = contended("cubic", "buffer = \"4MiB\"");
    let mut simulation = Simulation::new(&scenario(&text), 1).unwrap();
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
