//! A ring of messages through a driver equals the same ring in a scenario, exact to the picosecond.

use std::fmt::Write;

use fabricsim::driver::{Actions, Driver, Event, EventKind, Message};
use fabricsim::prelude::*;

use crate::driving::log::{flows, run_by_events};
use crate::driving::simulation;

const HOSTS: u32 = 16;
const STEPS: u64 = 64;
const SIZE: Bytes = Bytes::new(40_000);

const NETWORK: &str = r#"
    [topology]
    kind = "leaf-spine"
    leaves = 4
    hosts_per_leaf = 4
    spines = 2
    [cc]
    kind = "dcqcn"
"#;

/// The ring as a scenario's graph, in GOAL.
fn goal() -> String {
    let mut text = format!("num_ranks {HOSTS}\n");
    for rank in 0..HOSTS {
        let (next, last) = ((rank + 1) % HOSTS, (rank + HOSTS - 1) % HOSTS);
        writeln!(text, "rank {rank} {{").unwrap();
        for step in 0..STEPS {
            let size = SIZE.get();
            writeln!(text, "s{step}: send {size}b to {next} tag {step}").unwrap();
            writeln!(text, "r{step}: recv {size}b from {last} tag {step}").unwrap();
            if step > 0 {
                writeln!(text, "s{step} requires r{}", step - 1).unwrap();
            }
        }
        writeln!(text, "}}").unwrap();
    }
    text
}

/// The message of step `step` from `src`, as the graph sends it.
fn message(src: NodeId, step: u64) -> Message {
    Message {
        dst_port: 400,
        ..Message::new(src, NodeId((src.0 + 1) % HOSTS), SIZE).labeled(step, 0)
    }
}

/// Returns the message to send in reaction to `event`.
fn reply(event: &Event) -> Option<Message> {
    match event.kind {
        EventKind::Delivered(message) if message.tag + 1 < STEPS => {
            Some(self::message(message.dst, message.tag + 1))
        }
        _ => None,
    }
}

struct Ring;

impl Driver for Ring {
    fn on_event(&mut self, event: &Event, actions: &mut Actions<'_>) {
        if let EventKind::Timer(_) = event.kind {
            for host in (0..HOSTS).map(NodeId) {
                actions.send(&message(host, 0)).unwrap();
            }
        }
        if let Some(next) = reply(event) {
            actions.send(&next).unwrap();
        }
    }
}

#[test]
fn a_ring_of_64_steps_on_16_hosts_is_that_of_a_scenario_to_the_picosecond() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ring.goal");
    std::fs::write(&path, goal()).unwrap();
    let text = format!(
        r#"
            {NETWORK}
            [[workload]]
            kind = "graph"
            path = "{}"
            connections = "per-message"
        "#,
        path.display()
    );
    let mut scenario = simulation(&text, 1);
    assert_eq!(scenario.run_until(Time::MAX), Stop::Finished);
    let expected = flows(&mut scenario);
    assert_eq!(expected.len(), 16 * 64);

    for threads in [1, 3] {
        let mut called = simulation(NETWORK, threads);
        called.attach(Ring);
        called.set_timer(Time::ZERO, 0).unwrap();
        assert_eq!(called.run_until(Time::MAX), Stop::Finished);
        assert_eq!(flows(&mut called), expected, "{threads} threads");

        let mut stepped = simulation(NETWORK, threads);
        for host in (0..HOSTS).map(NodeId) {
            stepped.send(&message(host, 0)).unwrap();
        }
        let events = run_by_events(&mut stepped, |simulation, event| {
            if let Some(next) = reply(event) {
                simulation.send(&next).unwrap();
            }
        });
        assert_eq!(events.len(), 2 * 16 * 64);
        assert_eq!(flows(&mut stepped), expected, "{threads} threads");
    }
}
