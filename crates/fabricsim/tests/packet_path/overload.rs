//! A run that would need unbounded memory ends and reports the cause.

use crate::support;
use std::path::Path;

use fabricsim::{Scenario, Simulation};
use fabricsim_base::flow::FlowRequest;
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::limits::MAX_SIZE;
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::network::{Overload, Room, Stop};

/// Three flows each picosecond at one host: an epoch would hold three million.
const STORM: &str = r#"
    [topology]
    kind = "star"
    hosts = 4
    [[workload]]
    kind = "incast"
    fan_in = 3
    size = "1KB"
    period = "1ps"
    duration = "1ms"
    [cc]
    kind = "hpcc"
"#;

#[test]
fn flows_that_start_faster_than_they_end_stop_the_run() {
    let mut simulation = support::simulation(STORM, 1);
    simulation.set_room(Room {
        live_flows: 5_000,
        ..Room::default()
    });
    let stop = simulation.run_until(Time::MAX);
    assert_eq!(stop, Stop::Overloaded(Overload::Flows(5_000)));
    assert_eq!(simulation.flows_started(), 5_000);
    assert_eq!(simulation.unfinished().len(), 5_000);
    // With more room the run continues from there.
    simulation.set_room(Room {
        live_flows: 6_000,
        ..Room::default()
    });
    let stop = simulation.run_until(Time::MAX);
    assert_eq!(stop, Stop::Overloaded(Overload::Flows(6_000)));
}

/// Two links join host 0 and the switch, a fast one and one on which an acknowledgement takes most
/// of a second. If data use the fast link and acknowledgements the slow one, acknowledgements pile
/// up at the receiver.
#[test]
fn acknowledgements_that_pile_up_stop_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let topology = "3 1 3\n2\n0 2 100Gbps 1us 0\n0 2 1Kbps 1us 0\n1 2 100Gbps 1us 0\n";
    std::fs::write(folder.path().join("t.txt"), topology).expect("written");
    let text = r#"
        [topology]
        kind = "file"
        path = "t.txt"
        [[workload]]
        kind = "incast"
        fan_in = 1
        size = "1GB"
        receiver = 1
        at = "0s"
        [cc]
        kind = "none"
        window_bdp = 0.0
        [rdma]
        base_rtt = "pair"
    "#;
    let mut piled = 0;
    for port in 1..=40 {
        let change = [format!("workload.0.dst_port={port}")];
        let scenario = Scenario::from_text("t.toml", text, Path::new(folder.path()), &change);
        let scenario = scenario.expect("a scenario");
        let mut simulation = Simulation::new(&scenario, 1).expect("a simulation");
        simulation.set_room(Room {
            waiting_acks: 2_000,
            ..Room::default()
        });
        match simulation.run_until(Time::from_ns(20_000_000)) {
            Stop::Overloaded(overload @ Overload::Acks { host, waiting }) => {
                piled += 1;
                assert_eq!(host, NodeId(1));
                // The limit is checked after a million steps or 256 epochs, of at most 83 packets
                // each.
                assert!((2_001..60_000).contains(&waiting), "{waiting}");
                assert!(
                    overload.to_string().contains("wait at host 1"),
                    "{overload}"
                );
            }
            stop => assert_eq!(stop, Stop::TimeReached),
        }
    }
    assert!((2..38).contains(&piled), "{piled} of 40");
}

#[test]
fn injected_flows_are_held_to_the_limits() {
    let mut simulation = support::simulation(STORM, 1);
    let flow = |size, start| FlowRequest {
        src: NodeId(0),
        dst: NodeId(1),
        size,
        start,
        class: ClassId(0),
        priority: Priority::new(3),
        src_port: None,
        dst_port: 1,
    };
    let over = Bytes::new(MAX_SIZE.get() + 1);
    for (size, start, says) in [
        (over, Time::ZERO, "flows up to 1000000GB"),
        (Bytes::new(1), Time::MAX, "53 days"),
    ] {
        let error = simulation.inject(flow(size, start)).expect_err("refused");
        assert!(error.to_string().contains(says), "{error}");
    }
    assert!(simulation.inject(flow(MAX_SIZE, Time::HORIZON)).is_ok());
}
