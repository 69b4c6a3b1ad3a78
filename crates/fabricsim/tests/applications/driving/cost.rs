//! The CPU time of hearing of every message, compared with the same traffic from a list.

use cpu_time::ProcessTime;
use fabricsim::driver::{Actions, Driver, Event, EventKind, Message};
use fabricsim::prelude::*;

use crate::driving::simulation;

const NETWORK: &str = r#"
    [topology]
    kind = "leaf-spine"
    leaves = 24
    hosts_per_leaf = 16
    spines = 8
    [cc]
    kind = "dcqcn"
"#;
const HOSTS: u32 = 384;
const MESSAGES: u32 = 30_000;

/// Keeps messages going: a host that receives one sends the next one.
struct Loops {
    sent: u32,
    heard: u64,
}

impl Loops {
    fn next(&mut self, src: NodeId) -> Message {
        let jump = self.sent.wrapping_mul(2_654_435_761) >> 8;
        self.sent += 1;
        let dst = (src.0 + 1 + jump % (HOSTS - 1)) % HOSTS;
        Message::new(src, NodeId(dst), Bytes::new(32_000))
    }
}

impl Driver for Loops {
    fn on_event(&mut self, event: &Event, actions: &mut Actions<'_>) {
        self.heard += 1;
        if let EventKind::Delivered(message) = event.kind
            && self.sent < MESSAGES
        {
            let next = self.next(message.dst);
            actions.send(&next).unwrap();
        }
    }
}

/// Returns the CPU seconds of a run for each packet-hop.
fn run(simulation: &mut Simulation) -> f64 {
    let begun = ProcessTime::now();
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    let seconds = begun.elapsed().as_secs_f64();
    assert_eq!(simulation.flows_finished(), u64::from(MESSAGES));
    seconds / simulation.counters().packet_hops as f64
}

#[test]
#[ignore = "takes seconds"]
fn a_hundred_events_a_microsecond_cost_less_than_a_quarter() {
    let mut best = [f64::MAX; 3];
    for _ in 0..7 {
        let mut starts = Vec::new();
        for (place, hearing) in ["everything", "deliveries"].into_iter().enumerate() {
            let mut driven = simulation(NETWORK, 1);
            let mut loops = Loops { sent: 0, heard: 0 };
            for host in (0..3 * HOSTS).map(|index| NodeId(index % HOSTS)) {
                driven.send(&loops.next(host)).unwrap();
            }
            driven.attach(loops);
            if hearing == "deliveries" {
                driven.ignore_acknowledgements();
            }
            best[place] = best[place].min(run(&mut driven));
            let heard = driven.with_driver(|loops: &mut Loops| loops.heard).unwrap();
            let span = driven.ended().as_ps() as f64 / 1e6;
            println!("{hearing}: {:.0} events a microsecond", heard as f64 / span);
            let completions = driven.take_completions();
            starts = completions.iter().map(|done| done.flow.request).collect();
        }
        let mut listed = simulation(NETWORK, 1);
        for request in starts {
            listed.inject(request).unwrap();
        }
        best[2] = best[2].min(run(&mut listed));
    }
    let [everything, deliveries, list] = best;
    println!(
        "{:.1} ns a packet-hop from a list; {:.3} times as much with deliveries, {:.3} with all events",
        list * 1e9,
        deliveries / list,
        everything / list
    );
    assert!(everything / list < 1.25);
}
