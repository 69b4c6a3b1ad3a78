//! The entropy values of a flow's packets: drawn at random, and reused if they were good.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::id::FlowId;
use fabricsim_base::rng::{Purpose, Stream};
use fabricsim_base::units::{Duration, Time};
use fabricsim_core::plugin::EntropyRecycling;

/// Number of values to draw, regardless of stored ones, after a freeze ends (`explore_counter` of
/// `UecMpReps::processEv`, `htsim/sim/uec_mp.cpp` of uet-htsim).
const EXPLORED_AFTER_FREEZING: u32 = 16;

/// A stored entropy value.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(absolute)]
struct Kept {
    value: u16,
    /// `true` if the value has returned since it was last used.
    fresh: bool,
}

/// Mode of selecting values.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(absolute)]
enum Mode {
    /// Draws a value if no stored one is fresh.
    Recycling,
    /// Draws this many more values, regardless of stored ones.
    Exploring(u32),
    /// Cycles through stored values, fresh or not, until a good value returns after this time.
    Frozen(Time),
}

/// The entropy values of one flow (REPS: Bonato et al., arXiv 2407.21625). The rules follow
/// `UecMpReps` (`htsim/sim/uec_mp.cpp` of uet-htsim) and its circular buffer
/// (`htsim/sim/buffer_reps.cpp`).
#[derive(Clone, Debug, Stored)]
#[checkpoint(absolute)]
pub(super) struct Entropies {
    values: u64,
    room: usize,
    freeze: Duration,
    /// A ring, after it has grown to `room` values.
    kept: Vec<Kept>,
    /// Index for the next value to store.
    head: usize,
    /// Number of fresh values. They are directly before `head`, unless the flow was frozen.
    fresh: usize,
    /// Index of the next value to use while frozen.
    turn: usize,
    mode: Mode,
    draws: Stream,
}

impl Entropies {
    /// Returns the values of `flow` in a run with `seed`.
    pub(super) fn new(rule: &EntropyRecycling, seed: u64, flow: FlowId) -> Self {
        Self {
            values: u64::from(rule.values),
            room: usize::from(rule.buffer),
            freeze: rule.freeze,
            kept: Vec::new(),
            head: 0,
            fresh: 0,
            turn: 0,
            mode: Mode::Recycling,
            draws: Stream::new(seed, u64::from(flow.0), Purpose::Entropy),
        }
    }

    /// Returns the value of the next packet.
    #[cold]
    pub(super) fn next(&mut self) -> u16 {
        match self.mode {
            Mode::Exploring(left) => {
                self.mode = match left {
                    0 | 1 => Mode::Recycling,
                    _ => Mode::Exploring(left - 1),
                };
                self.draw()
            }
            Mode::Frozen(_) if !self.kept.is_empty() => self.take_in_turn(),
            Mode::Recycling if self.fresh > 0 => self.take_oldest(),
            Mode::Frozen(_) | Mode::Recycling => self.draw(),
        }
    }

    /// Records that a packet with `value` was acknowledged `now`, without a mark.
    #[cold]
    pub(super) fn note_good(&mut self, now: Time, value: u16) {
        if let Mode::Frozen(until) = self.mode
            && now > until
        {
            self.kept.clear();
            (self.head, self.fresh, self.turn) = (0, 0, 0);
            self.mode = Mode::Exploring(EXPLORED_AFTER_FREEZING);
        }
        let kept = Kept { value, fresh: true };
        if self.kept.len() < self.room {
            self.kept.push(kept);
            self.fresh += 1;
        } else {
            let before = std::mem::replace(&mut self.kept[self.head], kept);
            self.fresh += usize::from(!before.fresh);
        }
        self.head = (self.head + 1) % self.room;
    }

    /// Freezes the values, because nothing was acknowledged for a timeout: a path may have failed.
    pub(super) fn note_timeout(&mut self, now: Time) {
        if self.mode == Mode::Recycling {
            self.mode = Mode::Frozen(now.saturating_add(self.freeze));
        }
    }

    fn draw(&mut self) -> u16 {
        u16::try_from(self.draws.below(self.values)).expect("there are at most 65,536 values")
    }

    /// Takes the oldest fresh value. There must be one.
    fn take_oldest(&mut self) -> u16 {
        let first = self.head + self.room - self.fresh;
        let mut places = (first..first + self.room).map(|place| place % self.room);
        let place = places.find(|&place| self.kept.get(place).is_some_and(|kept| kept.fresh));
        let kept = &mut self.kept[place.expect("as many values are fresh as are counted")];
        kept.fresh = false;
        self.fresh -= 1;
        kept.value
    }

    /// Takes the value with the turn, fresh or not.
    fn take_in_turn(&mut self) -> u16 {
        let place = self.turn % self.kept.len();
        self.turn = place + 1;
        let kept = &mut self.kept[place];
        self.fresh -= usize::from(kept.fresh);
        kept.fresh = false;
        kept.value
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const RULE: EntropyRecycling = EntropyRecycling {
        values: 65_536,
        buffer: 4,
        freeze: Duration::from_ms(10),
    };

    fn entropies() -> Entropies {
        Entropies::new(&RULE, 1, FlowId(7))
    }

    const fn at(us: u64) -> Time {
        Time::from_ns(us * 1_000)
    }

    #[test]
    fn good_values_are_taken_again_in_their_order_and_then_new_ones_are_drawn() {
        let mut flow = entropies();
        let drawn: Vec<u16> = (0..3).map(|_| flow.next()).collect();
        for &value in &drawn {
            flow.note_good(at(1), value);
        }
        let again: Vec<u16> = (0..3).map(|_| flow.next()).collect();
        assert_eq!(again, drawn);
        assert!(!drawn.contains(&flow.next()));
    }

    #[test]
    fn the_oldest_values_give_way_to_new_ones() {
        let mut flow = entropies();
        (10..16).for_each(|value| flow.note_good(at(1), value));
        let taken: Vec<u16> = (0..4).map(|_| flow.next()).collect();
        assert_eq!(taken, [12, 13, 14, 15]);
        assert_eq!(flow.fresh, 0);
    }

    #[test]
    fn after_a_timeout_kept_values_take_turns_until_the_freeze_is_over() {
        let mut flow = entropies();
        (10..13).for_each(|value| flow.note_good(at(1), value));
        flow.note_timeout(at(100));
        let taken: Vec<u16> = (0..6).map(|_| flow.next()).collect();
        assert_eq!(taken, [10, 11, 12, 10, 11, 12]);
        flow.note_good(at(200), 13);
        let taken: BTreeSet<u16> = (0..4).map(|_| flow.next()).collect();
        assert_eq!(taken, BTreeSet::from([10, 11, 12, 13]));
        // A timeout during the freeze does not extend it.
        flow.note_timeout(at(10_000));
        flow.note_good(at(10_101), 20);
        let taken: BTreeSet<u16> = (0..16).map(|_| flow.next()).collect();
        assert!(taken.len() > 12, "{taken:?}");
        assert_eq!(flow.next(), 20);
    }

    #[test]
    fn flows_draw_from_streams_of_their_own_among_the_values_there_are() {
        let few = EntropyRecycling { values: 3, ..RULE };
        let of = |flow| {
            let mut flow = Entropies::new(&few, 1, FlowId(flow));
            (0..50).map(|_| flow.next()).collect::<Vec<u16>>()
        };
        assert_ne!(of(1), of(2));
        assert_eq!(of(1), of(1));
        assert_eq!(of(3).into_iter().collect::<BTreeSet<u16>>().len(), 3);
        assert!(of(4).iter().all(|&value| value < 3));
    }
}
