//! TCP and lossy RDMA under applications.

use fabricsim::Simulation;
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::network::Stop;
use fabricsim_core::plugin::Application;

use crate::hosted::player::{Game, Means, Player, Seen, play, seen, whisper};

fn game(means: Means, priority: u8) -> Game {
    Game {
        ping: Bytes::new(20_000),
        pong: Bytes::new(100_000),
        think: Duration::from_us(3),
        rounds: 20,
        priority: Priority::new(priority),
        means,
    }
}

/// Runs two pairs that share a link. Returns the events that the players saw, and the end of the
/// run.
fn run(root: &str, cc: &str, means: Means, threads: usize, priority: u8) -> (Vec<Vec<Seen>>, Time) {
    let dumbbell = r#"kind = "leaf-spine"
        leaves = 2
        hosts_per_leaf = 2
        spines = 1
        fabric_rate = "100Gbps""#;
    let mut simulation = Simulation::new(&whisper(root, dumbbell, cc), threads).unwrap();
    play(&mut simulation, 0, 2, game(means, priority));
    play(&mut simulation, 1, 3, game(means, priority));
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

/// Every algorithm of RDMA and TCP, RDMA with both recovery schemes, and the priority of its flows.
fn transports() -> Vec<(String, u8)> {
    let rdma = ["hpcc", "hpcc-pint", "dcqcn", "dctcp", "timely", "none"];
    let selective = ["hpcc", "dcqcn"];
    let tcp = ["newreno", "cubic", "tcp-dctcp", "prague"];
    let kind = |name: &str| {
        format!(
            r#"
        [cc]
        kind = "{name}""#
        )
    };
    let rdma = rdma.map(|name| (kind(name), 3)).into_iter();
    let selective = selective.map(|name| {
        let recovery = r#"
            [rdma]
            recovery = "selective""#;
        (kind(name) + recovery, 3)
    });
    rdma.chain(selective)
        .chain(tcp.map(|name| (kind(name), 1)))
        .collect()
}

#[test]
fn messages_arrive_once_over_every_transport_and_on_any_number_of_threads() {
    for means in [Means::Flows, Means::Connection] {
        for (cc, priority) in transports() {
            let one = run("", &cc, means, 1, priority);
            for received in &one.0 {
                let received = received
                    .iter()
                    .filter(|seen| matches!(seen, Seen::Received(..)));
                assert_eq!(received.count(), 20, "{cc}");
            }
            for threads in [2, 3, 8] {
                assert_eq!(run("", &cc, means, threads, priority), one, "{cc}");
            }
        }
    }
}

#[test]
fn messages_arrive_in_the_order_of_events_of_the_reference_simulator_too() {
    let root = r#"profile = "ns3-hpcc""#;
    for cc in ["hpcc", "dcqcn", "timely", "dctcp"] {
        let cc = format!(
            r#"
            [cc]
            kind = "{cc}""#
        );
        for means in [Means::Flows, Means::Connection] {
            let one = run(root, &cc, means, 1, 3);
            assert_eq!(run(root, &cc, means, 2, 3), one);
        }
    }
}

/// Messages between named NICs, and between NICs in turn: the receiver recognizes the flow of each.
#[test]
fn messages_arrive_at_named_nics() {
    for routing in [
        "nics = [{ class = 0, from = 1, to = 0 }]",
        r#"nic = "round-robin""#,
    ] {
        for (cc, priority, means) in [
            ("hpcc", 3, Means::Flows),
            ("cubic", 1, Means::Flows),
            ("hpcc", 3, Means::Connection),
            ("cubic", 1, Means::Connection),
        ] {
            let more = format!(
                r#"
                [cc]
                kind = "{cc}"
                [routing]
                {routing}
            "#
            );
            let run = |threads| {
                let scenario = whisper("", r#"kind = "testbed""#, &more);
                let mut simulation = Simulation::new(&scenario, threads).unwrap();
                play(&mut simulation, 0, 2, game(means, priority));
                play(&mut simulation, 1, 7, game(means, priority));
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
