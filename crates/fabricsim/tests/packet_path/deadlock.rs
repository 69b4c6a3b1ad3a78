//! Pauses that wait for one another, and pauses that do not.

use std::path::PathBuf;

use fabricsim::{Scenario, Simulation};
use fabricsim_base::units::Time;
use fabricsim_core::network::Stop;

/// Five switches (10 to 14) in a ring with two hosts each, switch i with hosts 2i and 2i + 1. The
/// buffers are small and no sender slows down. `flows` are pairs of hosts.
fn ring(flows: &[(u32, u32)], threads: usize) -> Simulation {
    let examples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/deadlock");
    let folder = tempfile::tempdir().unwrap();
    let name = "ring.topology.txt";
    std::fs::copy(examples.join(name), folder.path().join(name)).unwrap();
    let mut list = "src,dst,size_bytes,start_ns\n".to_owned();
    for (src, dst) in flows {
        list.push_str(&format!("{src},{dst},2000000,0\n"));
    }
    std::fs::write(folder.path().join("ring.flows.csv"), list).unwrap();
    let text = std::fs::read_to_string(examples.join("deadlock-ring.toml")).unwrap();
    let scenario = Scenario::from_text("ring", &text, folder.path(), &[]).unwrap();
    Simulation::new(&scenario, threads).unwrap()
}

/// Returns a flow from each host to the same-numbered host of the switch `switches` further
/// clockwise.
fn clockwise(from: impl Iterator<Item = u32>, switches: u32) -> Vec<(u32, u32)> {
    from.map(|host| (host, (host + 2 * switches) % 10))
        .collect()
}

#[test]
fn a_ring_in_which_all_go_on_to_the_second_switch_is_a_deadlock() {
    let flows = clockwise(0..10, 2);
    let mut circles = Vec::new();
    for threads in [1, 3] {
        let mut simulation = ring(&flows, threads);
        assert_eq!(simulation.run_until(Time::MAX), Stop::Deadlocked);
        circles.push((simulation.deadlock(), simulation.now()));
    }
    assert_eq!(circles[0], circles[1], "threads do not matter");
    let (circle, end) = &circles[0];
    let switches: Vec<u32> = circle.iter().map(|port| port.node.0).collect();
    assert_eq!(switches, [10, 11, 12, 13, 14]);
    assert!(
        *end < Time::from_ns(1_000_000_000),
        "found before the run counts as stalled: {end}"
    );
}

/// The links carry the same load, but no packet needs more than one of them, so pauses end.
#[test]
fn a_ring_in_which_nobody_goes_on_is_none() {
    let mut simulation = ring(&clockwise(0..10, 1), 2);
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    assert!(simulation.counters().pauses > 0, "the ring was full");
    assert!(simulation.deadlock().is_empty());
    assert_eq!(simulation.paused_ports(), 0);
}

/// Two consecutive switches are full, and the circle is open at one switch.
#[test]
fn a_ring_that_is_open_at_one_switch_is_none() {
    let mut simulation = ring(&clockwise(0..6, 2), 2);
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    let frames = simulation.pause_events();
    let switches = frames.iter().filter(|frame| frame.node.0 >= 10).count();
    assert!(switches > 0, "a switch was paused");
    assert!(simulation.deadlock().is_empty());
}
