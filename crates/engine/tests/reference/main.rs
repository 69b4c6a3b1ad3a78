//! Tests the engine against a plain list of events: the observations of each process, their order,
//! and the state at each change. The games use random graphs with very different delays, and often
//! with two sides.

mod dice;
mod engine;
mod games;
mod juggler;
mod list;

use std::ops::Range;

use dice::{Dice, index};
use engine::play_by_engine;
use fabricsim_base::rng::mix;
use games::{crowd, game};
use juggler::{Game, Seen};
use list::play_by_list;

/// Plays a random game.
fn check<const ORDERED: bool>(seed: u64) -> u64 {
    let mut dice = Dice(mix(seed));
    let most = dice.pick(&[3, 10, 70, 200, 1_300]);
    let size = 2 + index(dice.roll(most - 1));
    let game = game(&mut dice, size, ORDERED);
    let threads = [1, 2 + index(dice.roll(7))];
    play::<ORDERED>(&game, seed, &threads)
}

/// Plays a game by the list, with `threads`, and with a probe. Returns the number of observations.
fn play<const ORDERED: bool>(game: &Game, seed: u64, threads: &[usize]) -> u64 {
    let expected = play_by_list(game, ORDERED);
    let mut epochs = None;
    for &threads in threads {
        let (seen, count) = play_by_engine::<ORDERED>(game, threads, seed, false);
        compare(&seen, &expected, seed, threads);
        assert_eq!(*epochs.get_or_insert(count), count, "seed {seed}");
    }
    let (seen, _) = play_by_engine::<ORDERED>(game, 3, mix(seed), true);
    compare(&seen, &expected, seed, 0);
    expected.logs.iter().map(|log| log.len() as u64).sum()
}

fn compare(seen: &Seen, expected: &Seen, seed: u64, threads: usize) {
    let pairs = seen.logs.iter().zip(&expected.logs);
    for (own, (log, other)) in pairs.enumerate() {
        if let Some(at) = (0..log.len().max(other.len())).find(|&at| log.get(at) != other.get(at)) {
            panic!(
                "seed {seed}, {threads} threads: process {own} sees {:?} and not {:?}",
                log.get(at),
                other.get(at)
            );
        }
    }
    assert_eq!(seen.looks, expected.looks, "seed {seed}, {threads} threads");
}

/// Plays random games.
fn check_all(games: Range<u64>) {
    let least = 3_000 * (games.end - games.start);
    let events: u64 = games
        .map(|seed| check::<false>(seed) + check::<true>(seed))
        .sum();
    assert!(events > least, "{events}");
}

#[test]
fn the_engine_does_what_a_list_of_events_does() {
    check_all(0..100);
}

/// Recalls the balls that would have arrived next. The new next event must not depend on threads,
/// although they decide which balls wait in mailboxes.
#[test]
fn epochs_begin_at_the_next_event_after_balls_are_taken_back() {
    check::<false>(1_022);
}

/// Partitions of many blocks, on several threads, lazily or not, with changes between epochs.
#[test]
fn the_same_in_large_games() {
    for seed in 0..3 {
        let mut game = game(&mut Dice(mix(seed)), 6_600, false);
        game.jugglers
            .iter_mut()
            .for_each(|juggler| juggler.budget = 20);
        let events = play::<false>(&game, seed, &[1, 2]);
        assert!(events > 20_000, "{events}");
    }
}

/// Returns the seeds from `FABRICSIM_SEEDS`, such as `30000..90000`, or `usual`.
fn seeds(usual: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var("FABRICSIM_SEEDS") else {
        return usual;
    };
    let (from, to) = text.split_once("..").expect("FABRICSIM_SEEDS is FROM..TO");
    let number = |text: &str| text.parse().expect("FABRICSIM_SEEDS is FROM..TO");
    number(from)..number(to)
}

#[test]
#[ignore = "takes minutes"]
fn the_engine_does_what_a_list_of_events_does_in_many_games() {
    check_all(seeds(1_000..30_000));
}

#[test]
fn as_many_channels_as_there_can_be() {
    let events = play::<false>(&crowd(&mut Dice(1)), 0, &[2]);
    assert!(events > 4 << 16, "{events}");
}
