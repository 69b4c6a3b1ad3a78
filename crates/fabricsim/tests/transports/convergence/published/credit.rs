//! Credit of receivers, compared with the public simulator of Ultra Ethernet: 32 hosts in eight
//! racks, sprayed over four spines, packets of 4,150 bytes on the wire, and trimming above queues
//! of 120.35 KB.

use fabricsim_base::id::NodeId;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::plugin::LiveFlow;

use super::{Watched, compare, fairness, largest, mean};

const FABRIC: &str = r#"
    [topology]
    kind = "leaf-spine"
    hosts_per_leaf = 4
    leaves = 8
    spines = 4
    fabric_rate = "100Gbps"
    [switch]
    pfc = false
    buffer = "16MB"
    trim_above = "120350B"
    [rdma]
    mtu = "4102B"
    [routing]
    policy = "random"
    [cc]
    kind = "rccc"
"#;
const SIZE: Bytes = Bytes::new(2_000_000);

/// The port of the first switch to host 0.
const LAST_HOP: (usize, usize) = (32, 0);

/// Returns the time in microseconds at which the last flow of 2 MB ends.
fn last(flows: &[(usize, usize, u64)]) -> f64 {
    let mut fabric = Watched::of_flows(FABRIC, flows, SIZE, LAST_HOP);
    fabric.simulation.run_until(Time::from_ns(10_000_000));
    let done = fabric.simulation.take_completions();
    assert_eq!(done.len(), flows.len());
    let last = done.iter().map(|flow| flow.finish).max().unwrap();
    last.as_secs_f64() * 1e6
}

fn incast(senders: usize) -> Vec<(usize, usize, u64)> {
    (8..8 + senders).map(|src| (src, 0, 0)).collect()
}

#[test]
fn the_queue_of_an_incast_is_that_of_the_public_simulator() {
    let mut fabric = Watched::new(FABRIC, &incast(8), LAST_HOP);
    let shares = fabric.shares(1_000, 2_000);
    let samples = fabric.queues(2_000, 4_000, 1);
    compare("rccc", "mean queue of 8 flows", mean(&samples));
    compare("rccc", "largest queue of 8 flows", largest(&samples).1);
    compare("rccc", "Jain's index of 8 flows", fairness(&shares));
    let trimmed = fabric.simulation.counters().trimmed;
    compare(
        "rccc",
        "packets of 8 flows that are trimmed",
        trimmed as f64,
    );
}

#[test]
fn incasts_end_when_those_of_the_public_simulator_do() {
    compare("rccc", "end of 8 flows of 2 MB", last(&incast(8)));
    compare("rccc", "end of 15 flows of 2 MB", last(&incast(15)));
}

#[test]
fn a_permutation_ends_when_that_of_the_public_simulator_does() {
    let flows: Vec<_> = (0..32).map(|src| (src, (src + 12) % 32, 0)).collect();
    compare("rccc", "end of a permutation of 2 MB", last(&flows));
}

/// Host 8 sends to host 0, which receives from three other hosts as well, and alone to host 1.
#[test]
fn a_sender_of_two_receivers_gives_what_one_cannot_take_to_the_other() {
    let flows = [(8, 0, 0), (12, 0, 0), (16, 0, 0), (20, 0, 0), (8, 1, 0)];
    let mut fabric = Watched::new(FABRIC, &flows, LAST_HOP);
    fabric.run(4_000);
    let live = fabric.simulation.live_flows();
    let acknowledged = |dst: usize| {
        let ends = |live: &&LiveFlow| {
            let request = live.flow.request;
            (request.src, request.dst) == (NodeId::from_index(8), NodeId::from_index(dst))
        };
        live.iter().find(ends).unwrap().acknowledged.as_f64() / 4_102.0
    };
    compare(
        "rccc",
        "packets to the receiver of four flows",
        acknowledged(0),
    );
    compare(
        "rccc",
        "packets of the same sender to the other",
        acknowledged(1),
    );
}
