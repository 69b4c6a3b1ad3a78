//! TCP and lossy RDMA under applications.

use fabricsim::Simulation;
use fabricsim::core::network::Stop;
use fabricsim::core::packet::Priority;
use fabricsim::core::plugin::Application;
use fabricsim::core::units::{Bytes, Duration, Time};

use crate::player::{Game, Player, Seen, play, seen, whisper};

fn game(priority: u8) -> Game {
    Game {
        ping: Bytes::new(20_000),
        pong: Bytes::new(100_000),
        think: Duration::from_us(3),
        rounds: 20,
        priority: Priority::new(priority),
    }
}

/// Runs two pairs that share a link; what they have seen and when the run ended.
fn run(root: &str, cc: &str, threads: usize, priority: u8) -> (Vec<Vec<Seen>>, Time) {
    let dumbbell = "kind = \"leaf-spine\"\nleaves = 2\nhosts_per_leaf = 2\nspines = 1\nfabric_rate = \"100Gbps\"";
    let mut simulation = Simulation::new(&whisper(root, dumbbell, cc), threads).unwrap();
    play(&mut simulation, 0, 2, game(priority));
    play(&mut simulation, 1, 3, game(priority));
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished, "{cc}");
    let players = simulation.applications::<Player>();
    assert!(
        players
            .map(|(_, player)| player.waits_for())
            .all(|left| left.is_none())
    );
    let counters = simulation.endpoint_counters();
    assert_eq!(counters.delivered, Bytes::new(2 * 20 * 120_000 + 4), "{cc}");
    assert_eq!(counters.delivered, counters.acknowledged, "{cc}");
    let seen = seen(&simulation)
        .into_iter()
        .map(|(_, seen)| seen)
        .collect();
    (seen, simulation.ended())
}

#[test]
fn messages_arrive_once_over_every_transport_and_on_any_number_of_threads() {
    for (cc, priority) in [
        ("[cc]\nkind = \"hpcc\"", 3),
        ("[cc]\nkind = \"dctcp\"", 3),
        ("[cc]\nkind = \"cubic\"", 1),
        ("[cc]\nkind = \"hpcc\"\n[rdma]\nrecovery = \"selective\"", 3),
        ("[cc]\nkind = \"dcqcn\"", 3),
    ] {
        let one = run("", cc, 1, priority);
        for received in &one.0 {
            let received = received
                .iter()
                .filter(|seen| matches!(seen, Seen::Received(..)));
            assert_eq!(received.count(), 20, "{cc}");
        }
        for threads in [2, 8] {
            assert_eq!(run("", cc, threads, priority), one, "{cc}");
        }
    }
}

#[test]
fn messages_arrive_in_the_order_of_events_of_the_reference_simulator_too() {
    let root = "profile = \"ns3-hpcc\"";
    let cc = "[cc]\nkind = \"hpcc\"";
    let one = run(root, cc, 1, 3);
    assert_eq!(run(root, cc, 2, 3), one);
}

/// Messages between named NICs, and between NICs in turn: the receiver knows of which flow each is.
#[test]
fn messages_arrive_at_named_nics() {
    for routing in [
        "nics = [{ class = 0, from = 1, to = 0 }]",
        "nic = \"round-robin\"",
    ] {
        for (cc, priority) in [("hpcc", 3), ("cubic", 1)] {
            let more = format!("[cc]\nkind = \"{cc}\"\n[routing]\n{routing}\n");
            let run = |threads| {
                let scenario = whisper("", "kind = \"testbed\"", &more);
                let mut simulation = Simulation::new(&scenario, threads).unwrap();
                play(&mut simulation, 0, 2, game(priority));
                play(&mut simulation, 1, 7, game(priority));
                assert_eq!(simulation.run_until(Time::MAX), Stop::Finished, "{more}");
                seen(&simulation)
            };
            let one = run(1);
            for (_, seen) in &one {
                let received = seen
                    .iter()
                    .filter(|seen| matches!(seen, Seen::Received(..)));
                assert_eq!(received.count(), 20, "{more}");
            }
            assert_eq!(run(3), one, "{more}");
        }
    }
}
