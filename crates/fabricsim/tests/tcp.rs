//! Hosts that run TCP, alone and beside RDMA: every byte arrives, lossless priorities stay lossless, lossy
//! ones pause nobody, and threads do not matter.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

use std::fmt::Write as _;
use std::fs;

use fabricsim::{Scenario, Simulation};
use fabricsim_core::flow::{Completion, FlowRequest};
use fabricsim_core::id::{ClassId, NodeId};
use fabricsim_core::network::Stop;
use fabricsim_core::packet::Priority;
use fabricsim_core::units::{Bytes, Duration, Time};
use fabricsim_scenario::cc::registry::{CONGESTION_CONTROLS, CcEntry, Transport};
use proptest::prelude::*;

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
    assert!(ends.sent.get() >= ends.arrived.get() + network.lost_payload);
    let again: u64 = done.iter().map(|done| done.retransmitted.get()).sum();
    assert_eq!(again, ends.retransmitted.get());
}

/// What the flows of `class` sent again.
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

/// A larger share lets queues grow further before packets are dropped.
#[test]
fn the_lossy_share_bounds_queues() {
    let queue = |alpha: &str| {
        let text = format!(
            "{FABRIC}[switch]\nbuffer = \"2MiB\"\nlossy_alpha = {alpha}\n[cc]\nkind = \"newreno\"\n\
             [[workload]]\nkind = \"incast\"\nreceiver = 7\nfan_in = 7\nsize = \"2MB\"\nat = \"0s\"\n"
        );
        run(&text, 1).1.counters().max_queue
    };
    let (small, usual, large) = (queue("0.125"), queue("1"), queue("8"));
    assert!(
        small * 2 < usual && usual < large,
        "{small} {usual} {large}"
    );
}

/// DCTCP asks for marks at K and keeps the queue there; CUBIC, which asks for none, fills the buffer.
#[test]
fn marks_keep_queues_of_dctcp_short() {
    let queue = |cc: &str| {
        let text = format!(
            "[topology]\nkind = \"star\"\nhosts = 3\n[cc]\nkind = \"{cc}\"\n\
             [[workload]]\nkind = \"incast\"\nreceiver = 2\nfan_in = 2\nsize = \"10MB\"\nat = \"0s\"\n"
        );
        let (_, mut simulation) = run(&text, 1);
        let marked: u64 = simulation.ports().iter().map(|port| port.marked).sum();
        (simulation.counters().max_queue, marked)
    };
    let (dctcp, marks) = queue("tcp-dctcp");
    let (newreno, none) = queue("newreno");
    // K is 300 KB at 100 Gbps; slow start goes beyond it once.
    assert!(
        dctcp < 1_500_000 && newreno > 2 * dctcp,
        "{dctcp} {newreno}"
    );
    assert!(marks > 100 && none == 0, "{marks} {none}");
}

/// What queues with a rule say of themselves is what the switches have counted.
fn assert_reported(simulation: &Simulation, ruled: bool) {
    let reports = simulation.queue_reports();
    // Algorithms that want marks have a rule at other ports, too.
    assert!(!ruled || !reports.is_empty());
    let mut dropped = 0;
    for (node, port, report) in &reports {
        let gone = report.dequeued + report.aqm_drops + report.overload_drops;
        assert!(
            gone <= report.enqueued + report.aqm_drops,
            "{node} {port:?} {report:?}"
        );
        assert!(report.marked <= report.dequeued);
        assert_eq!(report.sojourn.is_some(), report.dequeued > 0);
        if let Some([p50, p95, p99]) = report.sojourn {
            assert!(p50 <= p95 && p95 <= p99);
        }
        dropped += report.tail_drops + report.aqm_drops + report.overload_drops;
    }
    assert!(dropped <= simulation.counters().queue_drops, "{dropped}");
}

/// CoDel's drops where each packet that leaves has waited for longer than the target and leaves one other
/// behind: 1,538 bytes, a slot of which takes 12.304 us at 1 Gbps.
fn drops_of_one_that_waits(mtu: &str) -> u64 {
    let text = format!(
        "[topology]\nkind = \"star\"\nhosts = 4\nrate = \"1Gbps\"\n\
         [cc]\nkind = \"newreno\"\nopening = \"open\"\n\
         [[queue]]\ndiscipline = {{ kind = \"codel\", target = \"10us\", interval = \"100us\"{mtu} }}\n\
         [[workload]]\nkind = \"incast\"\nreceiver = 3\nfan_in = 1\nsize = \"1448B\"\nat = \"1s\"\n"
    );
    let mut simulation = Simulation::new(&scenario(&text), 1).unwrap();
    let slot = Duration::from_ps(1_538 * 8_000);
    // Two at once, then one in the middle of each slot.
    let mut starts = vec![(0, 0), (1, 0)];
    starts.extend((0..200u64).map(|number| ((number + 2) % 3, 2 * number + 1)));
    for (src, half_slots) in starts {
        let request = FlowRequest {
            src: NodeId(u32::try_from(src).unwrap()),
            dst: NodeId(3),
            size: Bytes::new(1_448),
            start: Time::from_ps(slot.as_ps() / 2 * half_slots),
            class: ClassId(0),
            priority: Priority::new(1),
            src_port: None,
            dst_port: 100,
        };
        simulation.inject(request).unwrap();
    }
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    // Two packets wait at most, beside the one that leaves.
    let longest = simulation.counters().max_queue;
    assert!((2 * 1_538..=3 * 1_538).contains(&longest), "{longest}");
    let reports = simulation.queue_reports();
    reports.iter().map(|(_, _, report)| report.aqm_drops).sum()
}

/// One packet that waits is left alone, whatever its size on the wire.
#[test]
fn codel_leaves_a_backlog_of_one_packet_of_the_datacenter_alone() {
    assert_eq!(drops_of_one_that_waits(""), 0);
    // Once one is dropped none waits behind another any more.
    assert!(drops_of_one_that_waits(", mtu = \"1514B\"") > 0);
}

/// Any discipline at any port of a fabric, for every algorithm, next to RDMA.
#[test]
fn any_queue_can_be_at_any_port() {
    let queues = [
        "\"fq_codel\"",
        "\"dualpi2\"",
        "\"codel limit 100 target 100us interval 1ms ecn\"",
        "\"bfifo limit 100KB\"",
        "\"red min 30KB max 90KB probability 0.1 ecn\"",
        "{ kind = \"step\", packets = 20 }",
        "\"shared-buffer\"",
    ];
    for cc in tcp_congestion_controls() {
        for queue in queues {
            for place in [
                "towards = \"switches\"",
                "towards = \"hosts\"",
                "rate = \"100Gbps\"",
                "",
            ] {
                let text = format!(
                    "{}[[queue]]\ndiscipline = {queue}\n{place}\n",
                    contended(cc.name, "buffer = \"4MiB\"").replace("300KB", "60KB")
                );
                let (done, simulation) = run(&text, 1);
                assert_conserved(&done, &simulation);
                assert_eq!(again(&done, 0), 0, "{text}");
                assert_reported(&simulation, queue != "\"shared-buffer\"");
            }
        }
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

/// A lone flow takes as long as the idle network lets it: a handshake, its segments, and their headers.
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
    // Two links of 1 us and ten segments of 1,538 bytes at 100 Gbps; the base round trip has one payload
    // for each of the links.
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
        let answer = simulation.inject(request);
        assert_eq!(answer.is_ok(), good, "class {class}, priority {priority}");
    }
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    assert_eq!(simulation.flows_finished(), 16);
}

/// A network that loses packets of all kinds, with equal paths, whose links fail and come back.
#[derive(Clone, Debug)]
struct Harsh {
    loss: f64,
    cc: &'static str,
    keys: &'static str,
    rdma: bool,
    seed: u32,
    size: u64,
    flaps: Vec<(u64, u64, u32, u32)>,
    queue: &'static str,
    threads: usize,
}

fn harsh() -> impl Strategy<Value = Harsh> {
    let algorithms: Vec<&'static str> = tcp_congestion_controls().map(|cc| cc.name).collect();
    let keys = vec![
        "",
        "ecn = \"classic\"",
        "ecn = \"accurate\"",
        "opening = \"open\"",
    ];
    let queues = vec![
        "",
        "pfifo limit 20",
        "fq_codel",
        "dualpi2",
        "codel ecn limit 30",
    ];
    (
        (
            0.0..0.05f64,
            prop::sample::select(algorithms),
            prop::sample::select(keys),
        ),
        (any::<bool>(), 0u32..1_000, 1u64..200_000),
        prop::collection::vec((0u64..300, 1u64..2_000, 8u32..10, 10u32..13), 0..5),
        prop::sample::select(queues),
        1usize..4,
    )
        .prop_map(
            |((loss, cc, keys), (rdma, seed, size), flaps, queue, threads)| Harsh {
                loss,
                cc,
                keys,
                rdma,
                seed,
                size,
                flaps,
                queue,
                threads,
            },
        )
}

impl Harsh {
    /// Two leaves with four hosts each, three spines at different distances: a flow whose path changes has
    /// its packets reordered.
    fn topology(&self) -> String {
        let mut links = String::new();
        for host in 0..8 {
            writeln!(
                links,
                "{host} {} 25Gbps 1us {:.4}",
                8 + host / 4,
                self.loss / 4.0
            )
            .unwrap();
        }
        for leaf in [8, 9] {
            for spine in [10, 11, 12] {
                let delay = 1 + 7 * (spine - 10);
                writeln!(links, "{leaf} {spine} 100Gbps {delay}us {:.4}", self.loss).unwrap();
            }
        }
        format!("13 5 {}\n8 9 10 11 12\n{links}", links.lines().count())
    }

    fn scenario(&self) -> String {
        let Self {
            cc,
            keys,
            seed,
            size,
            ..
        } = self;
        let mut text = format!(
            "seed = {seed}\n[topology]\nkind = \"file\"\npath = \"topology.txt\"\n\
             [routing]\nconvergence = \"50us\"\n[tcp]\nmax_rto = \"50ms\"\n\
             [rdma]\nrto_min = \"300us\"\n[cc]\nkind = \"{cc}\"\n{keys}\n\
             [[workload]]\nkind = \"permutation\"\nsize = \"{size}B\"\n\
             [[workload]]\nkind = \"incast\"\nreceiver = 0\nfan_in = 7\nsize = \"{size}B\"\nat = \"30us\"\n"
        );
        if self.rdma {
            text += "[[workload]]\nkind = \"permutation\"\nsize = \"50KB\"\ncc = { kind = \"dcqcn\" }\n";
        }
        if !self.queue.is_empty() {
            writeln!(text, "[[queue]]\ndiscipline = \"{}\"", self.queue).unwrap();
        }
        for (at, span, leaf, spine) in &self.flaps {
            let link = format!("link = [{leaf}, {spine}]");
            writeln!(
                text,
                "[[event]]\nat = \"{at}us\"\nkind = \"link-down\"\n{link}"
            )
            .unwrap();
            let up = at + span;
            writeln!(
                text,
                "[[event]]\nat = \"{up}us\"\nkind = \"link-up\"\n{link}"
            )
            .unwrap();
        }
        text
    }

    fn run(&self, threads: usize) -> (Vec<Completion>, Simulation) {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("topology.txt"), self.topology()).unwrap();
        let text = self.scenario();
        let scenario = Scenario::from_text("harsh", &text, dir.path(), &[]);
        let scenario = scenario.unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut simulation = Simulation::new(&scenario, threads).unwrap();
        let stop = simulation.run_until(Time::MAX);
        assert_eq!(
            stop,
            Stop::Finished,
            "{text}\n{:?}",
            simulation.unfinished()
        );
        (simulation.take_completions(), simulation)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Data and acknowledgements are lost, paths change under flows and packets overtake one another: every
    /// flow that had a route ends, every byte of it is delivered once, and threads do not matter.
    #[test]
    fn every_flow_of_tcp_finishes_or_had_no_route(harsh in harsh()) {
        let (done, simulation) = harsh.run(1);
        prop_assert_eq!(done.len() as u64, simulation.flows_started());
        let ends = simulation.endpoint_counters();
        let asked: u64 = done.iter().map(|done| done.flow.request.size.get()).sum();
        prop_assert_eq!(ends.acknowledged, Bytes::new(asked));
        prop_assert_eq!(ends.delivered, Bytes::new(asked));
        prop_assert_eq!(ends.sent.get(), asked + ends.retransmitted.get());
        let (others, other) = harsh.run(harsh.threads + 1);
        prop_assert_eq!(others, done);
        prop_assert_eq!(other.counters(), simulation.counters());
    }
}
