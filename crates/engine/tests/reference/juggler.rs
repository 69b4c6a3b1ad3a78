//! A model in which every step depends on all previous steps, in their order.

use fabricsim_base::rng::mix;
use fabricsim_base::units::{Duration, Time};

use super::dice::{Dice, index};

/// An observation of a process.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Sample {
    Ball(usize),
    Timer,
    Lost,
}

/// One side of a link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Channel {
    pub(crate) far: usize,
    pub(crate) far_channel: usize,
    pub(crate) delay: Duration,
}

/// A process of the game. Its reaction to an observation depends on all earlier observations, in
/// order.
#[derive(Clone, Debug)]
pub(crate) struct Juggler {
    pub(crate) channels: Vec<Channel>,
    /// Arrival time of the last ball of each channel.
    pub(crate) last: Vec<Time>,
    pub(crate) state: u64,
    /// Number of balls that it may still throw.
    pub(crate) budget: u32,
    /// Times are multiples of this, so that many are equal.
    pub(crate) quantum: u64,
    pub(crate) most_hold: u64,
    pub(crate) burst: u64,
    /// `true` if no two balls of a channel arrive at the same time.
    pub(crate) apart: bool,
    pub(crate) log: Vec<(Time, Sample, u64)>,
}

impl Juggler {
    pub(crate) fn note(&mut self, now: Time, sample: Sample, value: u64) {
        let channel = match sample {
            Sample::Ball(channel) => channel as u64,
            Sample::Timer => 1 << 32,
            Sample::Lost => 1 << 33,
        };
        self.state = mix(self.state ^ mix(value ^ now.as_ps()) ^ channel);
        self.log.push((now, sample, value));
    }

    /// Catches a ball. Returns the time at which to throw it, and the value.
    pub(crate) fn catch(&mut self, now: Time, channel: usize, value: u64) -> (Time, u64) {
        self.note(now, Sample::Ball(channel), value);
        let hold = self.state % (self.most_hold + 1) * self.quantum;
        (now + Duration::from_ps(hold), mix(self.state))
    }

    /// Throws balls: calls `send` with their channels, times and values.
    pub(crate) fn throw(&mut self, now: Time, value: u64, mut send: impl FnMut(usize, Time, u64)) {
        self.note(now, Sample::Timer, value);
        let count = match self.state % 8 {
            0 => 0,
            1..=5 => 1,
            6 => 2,
            _ => self.burst,
        };
        let mut dice = Dice(self.state);
        let favourite = dice.roll(self.channels.len() as u64);
        for _ in 0..count {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            let channel = match dice.roll(3) {
                0 => index(dice.roll(self.channels.len() as u64)),
                _ => index(favourite),
            };
            let extra = Duration::from_ps(dice.roll(4) * self.quantum);
            let least = self.last[channel].saturating_add(Duration::from_ps(u64::from(self.apart)));
            let at = (now + self.channels[channel].delay + extra).max(least);
            self.last[channel] = at;
            send(channel, at, dice.roll(u64::MAX));
        }
    }
}

/// A change made between epochs.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) at: Time,
    /// Processes and channels from which balls are recalled.
    pub(crate) recalled: Vec<(usize, usize)>,
    /// Timers to set.
    pub(crate) set: Vec<(usize, Time, u64)>,
}

/// A game, to be played by the engine and by the list.
#[derive(Clone, Debug)]
pub(crate) struct Game {
    pub(crate) jugglers: Vec<Juggler>,
    pub(crate) lazy: Vec<bool>,
    pub(crate) weights: Vec<u64>,
    pub(crate) first: Vec<(usize, Time, u64)>,
    pub(crate) changes: Vec<Change>,
}

/// Observations made in a game: their number for each process at each change, and all of them at
/// the end.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct Seen {
    pub(crate) looks: Vec<Vec<usize>>,
    pub(crate) logs: Vec<Vec<(Time, Sample, u64)>>,
}
