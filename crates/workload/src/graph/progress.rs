//! The progress of computations and messages that slow each other down.

use std::collections::{BTreeMap, VecDeque};

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::id::FlowId;
use fabricsim_base::units::{Duration, Time};
use fabricsim_core::plugin::PortFactor;

use super::overlap::{ONE, Slowdown};

/// A computation under way.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(plain)]
struct Running {
    /// Its time at full speed that was left at `since`, in picoseconds times the factor. The rest
    /// falls by the factor in a picosecond at full speed, and by [`ONE`] in a slow one.
    left: u128,
    since: Time,
}

/// The progress of the computations of a rank, and its messages under way.
#[derive(Debug, Stored)]
#[checkpoint(plain)]
pub(super) struct Progress {
    slowdown: Slowdown,
    /// Messages that the rank has sent and that have not been acknowledged, in the order of their
    /// numbers.
    sent: VecDeque<FlowId>,
    running: BTreeMap<u32, Running>,
    /// Whether computations are slow.
    is_slow: bool,
    /// Whether the rank computes between two iterations.
    is_between: bool,
    /// Whether the rank has slowed the ports of its host.
    slows_ports: bool,
}

impl Progress {
    pub(super) const fn new(slowdown: Slowdown) -> Self {
        Self {
            slowdown,
            sent: VecDeque::new(),
            running: BTreeMap::new(),
            is_slow: false,
            is_between: false,
            slows_ports: false,
        }
    }

    /// Returns the progress of a computation in a picosecond, in the unit of [`Running::left`].
    fn speed(&self) -> u128 {
        u128::from(if self.is_slow {
            ONE
        } else {
            self.slowdown.factor
        })
    }

    /// Records the start of a message.
    pub(super) fn sends(&mut self, message: FlowId) {
        if !self.slowdown.is_of_computations() {
            return;
        }
        // A host numbers its flows upwards.
        debug_assert!(self.sent.back().is_none_or(|last| *last < message));
        self.sent.push_back(message);
    }

    /// Records the acknowledgement of a message, if it is one of the rank.
    pub(super) fn acknowledged(&mut self, message: FlowId) {
        if let Ok(place) = self.sent.binary_search(&message) {
            self.sent.remove(place);
        }
    }

    /// Records that `operation` begins to compute at `now` for `span` at full speed. Returns the
    /// time until its end at the current speed.
    pub(super) fn begin(&mut self, operation: u32, span: Duration, now: Time) -> Duration {
        let left = u128::from(span.as_ps()) * u128::from(self.slowdown.factor);
        let since = now;
        self.running.insert(operation, Running { left, since });
        self.until(left)
    }

    /// Records that `operation` has computed.
    pub(super) fn end(&mut self, operation: u32) {
        self.running.remove(&operation);
    }

    /// Records the beginning or the end of a computation between two iterations.
    pub(super) const fn is_between(&mut self, is_between: bool) {
        self.is_between = is_between;
    }

    /// Returns the new factor of the host's ports if the rank has begun or ended to compute since
    /// the last call. A computation without time does not count.
    pub(super) fn change_ports(&mut self) -> Option<PortFactor> {
        let ports = self.slowdown.ports;
        let computes = self.is_between || self.running.values().any(|one| one.left > 0);
        let slows = computes && ports > PortFactor::ONE;
        let has_changed = std::mem::replace(&mut self.slows_ports, slows) != slows;
        has_changed.then_some(if slows { ports } else { PortFactor::ONE })
    }

    /// Adapts the speed to the messages at `now`, of which receipts wait for `awaited`. Returns
    /// `true` if the speed changes.
    pub(super) fn follow(&mut self, awaited: u32, now: Time) -> bool {
        let is_slow = !self.sent.is_empty() || (self.slowdown.receipts && awaited > 0);
        if is_slow == self.is_slow || !self.slowdown.is_of_computations() {
            return false;
        }
        let speed = self.speed();
        for one in self.running.values_mut() {
            let done = u128::from(now.since(one.since).as_ps()) * speed;
            // An end is rounded up to a picosecond, so more may have been done than was left.
            one.left = one.left.saturating_sub(done);
            one.since = now;
        }
        self.is_slow = is_slow;
        true
    }

    /// Returns the computations under way, each with the time until its end. The speed has changed
    /// just now.
    pub(super) fn ends(&self) -> impl Iterator<Item = (u32, Duration)> + '_ {
        let end = |(&operation, one): (&u32, &Running)| (operation, self.until(one.left));
        self.running.iter().map(end)
    }

    /// Returns the time in which `left` is done, rounded up to a picosecond.
    fn until(&self, left: u128) -> Duration {
        let ps = left.div_ceil(self.speed());
        Duration::from_ps(u64::try_from(ps).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Overlap;

    fn slowdown(compute: f64) -> Slowdown {
        let keys = Overlap::of_compute(compute);
        keys.slowdown(true).unwrap().unwrap()
    }

    /// Of 100 ns, 40 ns pass at full speed. In the next 30 ns, two thirds of 30 ns are done: 20 ns.
    /// The other 40 ns take 40 ns without a message, or 60 ns with another one.
    #[test]
    fn progress_is_by_intervals() {
        let mut progress = Progress::new(slowdown(1.5));
        let at = |ns: u64| Time::from_ps(ns * 1_000);
        let left = |progress: &Progress| -> Vec<(u32, u64)> {
            let ends = progress.ends();
            ends.map(|(operation, left)| (operation, left.as_ps()))
                .collect()
        };
        let first = progress.begin(7, Duration::from_ns(100), at(0));
        assert_eq!(first, Duration::from_ns(100));
        progress.sends(FlowId(3));
        assert!(progress.follow(0, at(40)));
        assert_eq!(left(&progress), [(7, 90_000)]);
        // A second message does not make it slower.
        progress.sends(FlowId(5));
        assert!(!progress.follow(1, at(50)));
        progress.acknowledged(FlowId(3));
        progress.acknowledged(FlowId(4));
        assert!(!progress.follow(0, at(60)));
        progress.acknowledged(FlowId(5));
        assert!(progress.follow(0, at(70)));
        assert_eq!(left(&progress), [(7, 40_000)]);
        assert!(progress.follow(1, at(70)));
        assert_eq!(left(&progress), [(7, 60_000)]);
        // Another stream begins during the message.
        assert_eq!(
            progress.begin(8, Duration::from_ns(10), at(70)).as_ps(),
            15_000
        );
        progress.end(7);
        assert!(progress.follow(0, at(76)));
        assert_eq!(left(&progress), [(8, 6_000)]);
    }

    /// However often the speed changes, only the end is rounded: 1,000 ps at 1/1.1 of the speed
    /// take 1,100 ps, and each of 1,000 changes does not lose a fraction.
    #[test]
    fn changes_of_the_speed_lose_nothing() {
        let mut progress = Progress::new(slowdown(1.1));
        progress.begin(0, Duration::from_ps(1_000), Time::ZERO);
        for ps in 0..1_000 {
            // Slow in even picoseconds: 500 / 1.1 + 500 = 954.5 are done after 1,000.
            assert!(progress.follow(u32::from(ps % 2 == 0), Time::from_ps(ps)));
        }
        assert!(progress.follow(1, Time::from_ps(1_000)));
        // 1,000 - 954.54.. are 45.45.., which take 50 ps at that speed.
        assert_eq!(progress.ends().next(), Some((0, Duration::from_ps(50))));
    }

    #[test]
    fn receipts_count_unless_they_are_left_out() {
        let keys = Overlap {
            receipts: false,
            ..Overlap::of_compute(2.0)
        };
        let mut progress = Progress::new(keys.slowdown(true).unwrap().unwrap());
        assert!(!progress.follow(3, Time::ZERO));
        progress.sends(FlowId(1));
        assert!(progress.follow(3, Time::ZERO));
    }

    /// The ports are slow while some computation with a time is under way, on any stream, and
    /// between iterations.
    #[test]
    fn ports_are_slow_while_the_rank_computes() {
        let keys = Overlap {
            communication: Some(1.3),
            ..Overlap::default()
        };
        let mut progress = Progress::new(keys.slowdown(true).unwrap().unwrap());
        let slow = PortFactor::from_millionths(1_300_000);
        progress.begin(1, Duration::ZERO, Time::ZERO);
        assert_eq!(progress.change_ports(), None);
        progress.begin(2, Duration::from_ns(10), Time::ZERO);
        progress.begin(3, Duration::from_ns(20), Time::ZERO);
        assert_eq!(progress.change_ports(), slow);
        progress.sends(FlowId(1));
        assert!(!progress.follow(1, Time::ZERO));
        progress.end(1);
        progress.end(2);
        assert_eq!(progress.change_ports(), None);
        progress.end(3);
        assert_eq!(progress.change_ports(), Some(PortFactor::ONE));
        progress.is_between(true);
        assert_eq!(progress.change_ports(), slow);
        progress.is_between(false);
        assert_eq!(progress.change_ports(), Some(PortFactor::ONE));
    }
}
