//! Random games.

use fabricsim_base::rng::mix;
use fabricsim_base::units::{Duration, Time};

use super::dice::{Dice, index, small};
use super::juggler::{Change, Channel, Game, Juggler};

const PS: u64 = 1;
const NS: u64 = 1_000;
const US: u64 = 1_000 * NS;
const MS: u64 = 1_000 * US;

/// Sets of delays; a game draws from one of them.
const DELAYS: &[&[u64]] = &[
    &[100 * NS],
    &[100 * NS, US],
    &[100 * NS, US, 10 * MS],
    &[100 * NS, 350 * NS, US, 3 * US, 10 * US],
    &[PS, 7 * PS, NS],
    &[PS, 100 * NS, 10 * MS],
    // Near the longest span that a key can store, 2^35 ps.
    &[(1 << 35) - 2, (1 << 35) - 1, 1 << 35, (1 << 35) + 1],
    &[US, (1 << 35) - 1, 1 << 35, 3_000 * MS],
    &[1 << 45, 1 << 36],
];

/// Connects two processes by a channel in each direction, with these delays.
fn join(jugglers: &mut [Juggler], (a, b): (usize, usize), (there, back): (u64, u64)) {
    let channels = [jugglers[a].channels.len(), jugglers[b].channels.len()];
    for (own, far, far_channel, delay) in [(a, b, channels[1], there), (b, a, channels[0], back)] {
        jugglers[own].channels.push(Channel {
            far,
            far_channel,
            delay: Duration::from_ps(delay),
        });
        jugglers[own].last.push(Time::ZERO);
    }
}

/// Returns a change at `at`: channels from which balls are recalled, and timers to set.
fn change(dice: &mut Dice, jugglers: &[Juggler], at: Time, quantum: u64) -> Change {
    let size = jugglers.len();
    Change {
        at,
        recalled: (0..dice.roll(4))
            .map(|_| {
                let own = index(dice.roll(size as u64));
                let channels: &[Channel] = &jugglers[own].channels;
                (own, index(dice.roll(channels.len() as u64)))
            })
            .collect(),
        set: (0..dice.roll(3))
            .map(|_| {
                let own = index(dice.roll(size as u64));
                let hold = Duration::from_ps(dice.roll(3) * quantum);
                (own, at + hold, dice.roll(u64::MAX))
            })
            .collect(),
    }
}

/// Returns a random game of `size` processes.
pub(crate) fn game(dice: &mut Dice, size: usize, apart: bool) -> Game {
    let delays = dice.pick(DELAYS);
    let quantum = match dice.roll(4) {
        0 => 1,
        1 => dice.pick(delays),
        2 => dice.pick(delays).div_ceil(10),
        _ => 10 * NS,
    };
    let most_hold = dice.pick(&[0, 1, 5, 40]);
    let burst = dice.pick(&[1, 3, 7, 40]);
    let origin = dice.pick(&[0, 0, 12_345, 1 << 61]);
    let budget = 6_000 / size + 2;
    let juggler = |state| Juggler {
        channels: Vec::new(),
        last: Vec::new(),
        state,
        budget: small(budget),
        quantum,
        most_hold,
        burst,
        apart,
        log: Vec::new(),
    };
    // Equal times are the hard case, so all times are multiples of `quantum`.
    let mut jugglers: Vec<Juggler> = (0..size).map(|own| juggler(mix(own as u64))).collect();
    // A tree, a star, or stars on a chain; further links are added below.
    let shape = dice.roll(3);
    let both_ways = dice.roll(2) == 0;
    // In some games all links connect one side with the other, so that sides can take turns.
    let has_sides = dice.roll(2) == 0;
    let mut sides = vec![false; size];
    for own in 1..size {
        let far = match shape {
            0 => dice.roll(own as u64),
            1 => 0,
            _ => (own as u64 - 1) / 9 * 9 / 2,
        };
        let there = dice.pick(delays);
        let back = if both_ways { there } else { dice.pick(delays) };
        sides[own] = !sides[index(far)];
        join(&mut jugglers, (own, index(far)), (there, back));
    }
    // Further links close cycles, but keep the two sides if there are any.
    for _ in 0..dice.roll(size as u64) {
        let (a, b) = (dice.roll(size as u64), dice.roll(size as u64));
        let delay = dice.pick(delays);
        if a != b && !(has_sides && sides[index(a)] == sides[index(b)]) {
            join(&mut jugglers, (index(a), index(b)), (delay, delay));
        }
    }
    // Lazy processes exclude long epochs with turns, so a game has only one of the two.
    let lagging = if has_sides { 0 } else { dice.roll(4) };
    let time = |dice: &mut Dice, span: u64| {
        Time::from_ps(origin + dice.roll(span.max(1)) / quantum * quantum)
    };
    let span = dice.pick(delays).max(US) * 30;
    let starts = 1 + dice.roll(3 * size as u64);
    let first = (0..starts)
        .map(|_| {
            let own = index(dice.roll(size as u64));
            (own, time(dice, span / 4), dice.roll(u64::MAX))
        })
        .collect();
    let mut times: Vec<Time> = (0..dice.roll(12)).map(|_| time(dice, span)).collect();
    // Pairs of changes in quick succession.
    for at in times.clone() {
        if dice.roll(2) == 0 {
            let most = dice.roll(3) * dice.pick(delays);
            let later = dice.roll(most + 1);
            times.push(at + Duration::from_ps(later));
        }
    }
    times.sort_unstable();
    times.dedup();
    let changes = times
        .into_iter()
        .map(|at| change(dice, &jugglers, at, quantum))
        .collect();
    Game {
        lazy: (0..size).map(|_| dice.roll(4) < lagging).collect(),
        weights: (0..size).map(|_| 1 + dice.roll(1 << (size % 20))).collect(),
        jugglers,
        first,
        changes,
    }
}

/// Returns a game of a process with the maximum number of channels. The leaves at these channels
/// all throw balls at it, which arrive in two epochs.
pub(crate) fn crowd(dice: &mut Dice) -> Game {
    let (leaves, delay) = (1 << 16, Duration::from_ns(100));
    let juggler = |channels: Vec<Channel>| Juggler {
        last: vec![Time::ZERO; channels.len()],
        channels,
        state: 0,
        budget: 6,
        quantum: 30 * NS,
        most_hold: 0,
        burst: 3,
        apart: false,
        log: Vec::new(),
    };
    let channel = |far, far_channel| Channel {
        far,
        far_channel,
        delay,
    };
    let hub = juggler((1..=leaves).map(|leaf| channel(leaf, 0)).collect());
    let leaf = |own| juggler(vec![channel(0, own)]);
    let mut first = Vec::new();
    for own in 1..=leaves {
        for _ in 0..3 {
            let at = Time::from_ps(dice.roll(10) * 10 * NS);
            first.push((own, at, dice.roll(u64::MAX)));
        }
    }
    Game {
        lazy: vec![false; leaves + 1],
        weights: vec![1; leaves + 1],
        jugglers: std::iter::once(hub).chain((0..leaves).map(leaf)).collect(),
        first,
        changes: Vec::new(),
    }
}
