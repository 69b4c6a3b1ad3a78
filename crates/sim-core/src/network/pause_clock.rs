//! Pause times of ports.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::priority::PrioritySet;
use fabricsim_base::units::{Duration, Time};

/// The pauses of one port, over all priorities.
#[derive(Clone, Copy, Debug, Stored)]
pub(super) struct PauseClock {
    /// Start of the current pause of any priority; [`Time::MAX`] if none is paused.
    since: Time,
    #[checkpoint(counter)]
    total: Duration,
}

impl Default for PauseClock {
    fn default() -> Self {
        Self {
            since: Time::MAX,
            total: Duration::ZERO,
        }
    }
}

impl PauseClock {
    /// Updates the clock with the priorities that are paused as of `now`.
    pub(super) fn update(&mut self, now: Time, paused: PrioritySet) {
        if self.since == Time::MAX {
            if !paused.is_empty() {
                self.since = now;
            }
        } else if paused.is_empty() {
            self.total = self.total + now.since(self.since);
            self.since = Time::MAX;
        }
    }

    /// Returns the start of the current pause of any priority; [`Time::MAX`] if none is paused.
    pub(super) const fn since(&self) -> Time {
        self.since
    }

    /// Returns the total length of all ended pauses.
    pub(super) const fn ended(&self) -> Duration {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabricsim_base::priority::Priority;

    #[test]
    fn overlapping_pauses_count_once() {
        let mut clock = PauseClock::default();
        let mut paused = PrioritySet::default();
        for (ns, priority, stop) in [(10, 3, true), (20, 4, true), (30, 3, false), (50, 4, false)] {
            let priority = Priority::new(priority);
            if stop {
                paused.insert(priority);
            } else {
                paused.remove(priority);
            }
            clock.update(Time::from_ns(ns), paused);
        }
        assert_eq!(clock.ended(), Duration::from_ns(40));
        assert_eq!(clock.since(), Time::MAX);
    }
}
