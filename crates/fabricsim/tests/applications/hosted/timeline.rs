//! The exact timeline of request and response on an idle star.

use fabricsim::Simulation;
use fabricsim_base::id::FlowId;
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::network::Stop;
use proptest::prelude::*;

use crate::hosted::player::{Game, Means, Player, Seen, play, seen, silent};

/// A star with links of 100 Gbps, 80 ps for each byte, and a delay of 1 us.
const PS_PER_BYTE: u64 = 80;
const LINK_DELAY: u64 = 1_000_000;
/// Header bytes of a data packet, and bytes of a whole acknowledgement.
const HEADER: u64 = 48;
const ACK: u64 = 60;
const MTU: u64 = 1_000;

fn star(hosts: usize, recovery: &str) -> fabricsim::Scenario {
    silent(
        &format!(
            r#"kind = "star"
            hosts = {hosts}
            rate = "100Gbps"
            delay = "1us""#
        ),
        &format!(
            r#"
            [cc]
            kind = "dcqcn"
            [rdma]
            recovery = "{recovery}""#
        ),
    )
}

const fn game(ping: u64, pong: u64, think_ps: u64, rounds: u64) -> Game {
    Game {
        ping: Bytes::new(ping),
        pong: Bytes::new(pong),
        think: Duration::from_ps(think_ps),
        rounds,
        priority: Priority::new(3),
        means: Means::Flows,
    }
}

/// Returns the transmission times of the packets of a flow.
fn packets(size: u64) -> Vec<u64> {
    let full = size / MTU;
    let rest = size % MTU;
    let payloads = (0..full).map(|_| MTU).chain((rest > 0).then_some(rest));
    payloads
        .map(|payload| (payload + HEADER) * PS_PER_BYTE)
        .collect()
}

/// Returns when the last byte of a flow arrives if its first packet leaves at `first`.
fn arrival(first: u64, size: u64) -> u64 {
    let mut sent = first;
    let mut forwarded = 0;
    for packet in packets(size) {
        sent += packet;
        // The switch stores a packet, and sends it when the packet before has left.
        forwarded = (sent + LINK_DELAY).max(forwarded) + packet;
    }
    forwarded + LINK_DELAY
}

/// Returns when the sender has the acknowledgement of a last byte that arrives at `arrival`.
fn acknowledged(arrival: u64) -> u64 {
    arrival + 2 * (ACK * PS_PER_BYTE + LINK_DELAY)
}

/// Returns the events that the two players should see, computed without a network. A host sends its
/// ACK before the data of a flow that it starts at the same instant.
fn expected(game: &Game, hosts: u32, (one, other): (u32, u32)) -> [Vec<Seen>; 2] {
    let (mut near, mut far) = (Vec::new(), Vec::new());
    let ack = ACK * PS_PER_BYTE;
    let at = Time::from_ps;
    let mut start = 0;
    // When the link of the player who pings is free.
    let mut free = 0;
    // A connection takes the first number.
    let connections = u32::from(game.means == Means::Connection);
    for round in 0..u32::try_from(game.rounds).unwrap() {
        let ping = FlowId((1 << 31) + (round + connections) * hosts + one);
        let pong = FlowId((1 << 31) + round * hosts + other);
        near.push((start, Seen::Started(ping, at(start))));
        let there = arrival(start.max(free), game.ping.get());
        far.push((there, Seen::Received(ping, at(there), round.into())));
        far.push((there, Seen::Started(pong, at(there))));
        near.push((
            acknowledged(there),
            Seen::Finished(ping, at(acknowledged(there))),
        ));
        let back = arrival(there + ack, game.pong.get());
        near.push((back, Seen::Received(pong, at(back), round.into())));
        far.push((
            acknowledged(back),
            Seen::Finished(pong, at(acknowledged(back))),
        ));
        free = back + ack;
        start = back + game.think.as_ps();
    }
    [near, far].map(|mut events| {
        events.sort_by_key(|(time, _)| *time);
        events.into_iter().map(|(_, seen)| seen).collect()
    })
}

/// Returns a size with a last packet no shorter than an acknowledgement. A shorter packet would
/// wait for the acknowledgement at the switch.
const fn no_sliver(size: u64) -> u64 {
    match size % MTU {
        1..12 => size + 12,
        _ => size,
    }
}

#[test]
fn request_response_and_think_time_add_up_to_the_picosecond() {
    // Request: 1,000 bytes of payload are 1,048 on the wire, 83,840 ps, twice, and 2 us of delay.
    // Response: the acknowledgement first, 4,800 ps, then two packets of 1,048 and one of 548
    // bytes, which waits at the switch for the second one.
    let request = 2 * 83_840 + 2_000_000;
    let response = 4_800 + 3 * 83_840 + 43_840 + 2_000_000;
    let think = 5_000_000;
    let round = request + response + think;
    let mut simulation = Simulation::new(&star(2, "go-back-n"), 1).unwrap();
    play(&mut simulation, 0, 1, game(1_000, 2_500, think, 3));
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    let seen = seen(&simulation);
    let received: Vec<u64> = (seen[0].1.iter())
        .filter_map(|seen| match seen {
            Seen::Received(_, at, _) => Some(at.as_ps()),
            _ => None,
        })
        .collect();
    let first = request + response;
    assert_eq!(received, [first, first + round, first + 2 * round]);
    assert_eq!(simulation.flows_started(), 6);
    assert_eq!(simulation.flows_finished(), 6);
    // The run ends with the last acknowledgement.
    let over = first + 2 * round + 2 * (4_800 + 1_000_000);
    assert_eq!(simulation.ended(), Time::from_ps(over));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn pairs_play_as_worked_out_on_any_number_of_threads(
        games in prop::collection::vec(
            (12u64..30_000, 12u64..30_000, prop_oneof![Just(0u64), 1u64..20_000_000], 1u64..6),
            1..5,
        ),
        means in prop::sample::select(vec![Means::Flows, Means::Connection]),
        recovery in prop::sample::select(vec!["go-back-n", "selective", "any-order"]),
        step in prop_oneof![Just(u64::MAX), 100_000u64..3_000_000],
    ) {
        let pairs: Vec<(Game, (u32, u32))> = games
            .iter()
            .zip(0u32..)
            .map(|(&(ping, pong, think, rounds), i)| {
                let (ping, pong) = (no_sliver(ping), no_sliver(pong));
                let game = game(ping, pong, think, rounds);
                (Game { means, ..game }, (2 * i, 2 * i + 1))
            })
            .collect();
        let hosts = 2 * u32::try_from(pairs.len()).unwrap();
        for threads in [1, 2, 8] {
            let mut simulation = Simulation::new(&star(hosts as usize, recovery), threads).unwrap();
            for &(game, (one, other)) in &pairs {
                play(&mut simulation, one, other, game);
            }
            let mut until = Time::ZERO;
            let stop = loop {
                until = until.saturating_add(Duration::from_ps(step));
                let stop = simulation.run_until(until);
                if stop != Stop::TimeReached {
                    break stop;
                }
            };
            prop_assert_eq!(stop, Stop::Finished);
            for (&(ref game, ends), pair) in pairs.iter().zip(seen(&simulation).chunks(2)) {
                let [near, far] = expected(game, hosts, ends);
                prop_assert_eq!(&pair[0].1, &near);
                prop_assert_eq!(&pair[1].1, &far);
            }
            prop_assert!(simulation.applications::<Player>().all(|(_, player)| player.rounds <= 5));
        }
    }
}
