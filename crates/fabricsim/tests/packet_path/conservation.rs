//! Tests of conservation: bytes, packets, buffers and pauses add up on random small networks.

mod cases;
mod floods;

use std::fs;

use fabricsim::{Scenario, Simulation};
use fabricsim_base::flow::FlowKey;
use fabricsim_base::flow::{Completion, FlowRequest};
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::network::Stop;
use fabricsim_topology::Port;
use proptest::prelude::*;

use crate::conservation::cases::{Case, Losses, cases};

const MTU: u64 = 1_000;

/// The least number of complete flows that a receiver remembers.
const REMEMBERED: usize = 64;

/// Longer than any traffic remains in the network after the last flow ends.
const QUIET: Duration = Duration::from_ms(100);

fn simulation(case: &Case) -> Simulation {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("topology.txt"), &case.topology).unwrap();
    let scenario = Scenario::from_text("case", &case.scenario, dir.path(), &[]);
    Simulation::new(&scenario.unwrap(), case.threads).unwrap()
}

/// Runs to the end of all flows, and then sends one byte through the quiet network. By then the
/// remaining duplicates, ACKs and pause frames have left the network as well.
fn run_until_quiet(simulation: &mut Simulation) -> Vec<Completion> {
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    let [first, .., last] = *simulation.routes().topology().hosts() else {
        panic!("a network has two hosts");
    };
    let byte = FlowRequest {
        src: first,
        dst: last,
        size: Bytes::new(1),
        start: simulation.now() + QUIET,
        class: ClassId(9),
        priority: Priority::new(3),
        src_port: None,
        dst_port: 100,
    };
    simulation.inject(byte).unwrap();
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    simulation.take_completions()
}

/// Returns the ports through which the first packets of a flow pass.
fn path(simulation: &Simulation, completion: &Completion) -> Vec<Port> {
    let request = &completion.flow.request;
    let nodes: Vec<NodeId> = simulation.routes().trace(&FlowKey {
        src: request.src,
        dst: request.dst,
        src_port: request.src_port.unwrap(),
        dst_port: request.dst_port,
    });
    let ports = |node| simulation.routes().topology().ports(node);
    nodes
        .windows(2)
        .map(|pair| {
            *ports(pair[0])
                .iter()
                .find(|port| port.peer == pair[1])
                .unwrap()
        })
        .collect()
}

/// Returns the least time until a flow can be acknowledged: the time of its bytes on the slowest
/// link, and the propagation delay both ways.
fn physical_minimum(path: &[Port], size: Bytes) -> Duration {
    let slowest: Rate = path.iter().map(|port| port.rate).min().unwrap();
    let delays = path
        .iter()
        .fold(Duration::ZERO, |sum, port| sum + port.delay);
    slowest.transmission(size) + delays + delays
}

fn check(case: &Case) {
    let mut simulation = simulation(case);
    let completions = run_until_quiet(&mut simulation);
    let (network, ends) = (simulation.counters(), simulation.endpoint_counters());
    let sum = |bytes: &dyn Fn(&Completion) -> Bytes| {
        completions
            .iter()
            .fold(Bytes::ZERO, |sum, done| sum + bytes(done))
    };
    let asked = sum(&|done| done.flow.request.size);
    let retransmitted = sum(&|done| done.retransmitted);

    // Every flow ends exactly once.
    let mut numbers: Vec<u32> = completions.iter().map(|done| done.flow.id.0).collect();
    numbers.sort_unstable();
    let started = u32::try_from(simulation.flows_started()).unwrap();
    assert_eq!(numbers, (0..started).collect::<Vec<_>>());
    assert!(simulation.unfinished().is_empty());
    assert!(simulation.unreachable().is_empty());

    // Every byte is acknowledged once, and delivered once as long as receivers remember their past
    // flows.
    assert_eq!(ends.acknowledged, asked);
    assert!(ends.delivered >= asked);
    if completions.len() <= REMEMBERED || ends.retransmitted == Bytes::ZERO {
        assert_eq!(ends.delivered, asked);
    }
    assert!(ends.arrived >= ends.delivered);
    assert_eq!(ends.sent, asked + ends.retransmitted);
    assert_eq!(ends.retransmitted, retransmitted);

    // Bytes that did not arrive were dropped or lost.
    let gone = network.buffer_drops + network.queue_drops + network.link_losses;
    let missing = ends.sent.get() - ends.arrived.get();
    assert!(missing <= gone * MTU, "{missing} bytes in {gone} packets");
    assert_eq!(missing, network.lost_payload.get());
    assert_eq!(network.link_down_drops, 0);
    assert_eq!((network.queue_drops, network.no_route), (0, 0));
    assert!(case.losses == Losses::OnLinks || network.link_losses == 0);

    // No packet, pause or byte stays behind.
    assert_eq!(simulation.queued_bytes(), Bytes::ZERO);
    assert_eq!(network.pauses, network.resumes);
    assert_eq!(simulation.paused_ports(), 0);

    // No flow is faster than its links.
    let paths: Vec<Vec<Port>> = completions
        .iter()
        .map(|done| path(&simulation, done))
        .collect();
    for (done, path) in completions.iter().zip(&paths) {
        let least = physical_minimum(path, done.flow.request.size);
        assert!(
            done.fct() > least,
            "{} took {}, not {least}",
            done.flow.id,
            done.fct()
        );
    }

    // Without losses the counts are exact, so needless packets would show as well.
    if case.losses == Losses::Never {
        assert_eq!((network.buffer_drops, ends.timeouts), (0, 0));
        assert_eq!(ends.retransmitted, Bytes::ZERO);
        assert_eq!(ends.arrived, asked);
        let packets = |done: &Completion| done.flow.request.size.get().div_ceil(MTU);
        assert_eq!(ends.packets, completions.iter().map(packets).sum::<u64>());
        // Each packet and its ACK cross the path, and each pause frame one link.
        let crossings = completions.iter().zip(&paths);
        let there = crossings.map(|(done, path)| packets(done) * path.len() as u64);
        let frames = network.pauses + network.resumes;
        assert_eq!(network.packet_hops, 2 * there.sum::<u64>() + frames);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bytes_packets_and_pauses_add_up(case in cases()) {
        check(&case);
    }
}
