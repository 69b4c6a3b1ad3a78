//! Schedule of the checks for progress of a network.

use super::Overload;
use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::units::{Bytes, Duration, Time};

/// The longest time between two checks, until that is a thousandth of the simulated time.
const LONGEST_STEP: Duration = Duration::from_ms(1);
const SHORTEST_STEP: Duration = Duration::from_us(1);
const SHARE: u64 = 1_024;

/// Schedules checks of all nodes at times that depend only on the settings. So a run that is stuck
/// ends at the same time for every division into epochs.
#[derive(Checkpointed, Debug)]
#[checkpoint(plain)]
pub(super) struct Health {
    #[checkpoint(rebuilt)]
    step: Duration,
    /// Time of the next check.
    due: Time,
    /// Result of the last check, unless an epoch has run since.
    found: Option<Finding>,
    /// Events executed until the last check.
    events: u64,
}

/// Result of a check of all nodes.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(plain)]
pub(super) struct Finding {
    /// Acknowledged payload bytes.
    pub(super) acknowledged: Bytes,
    /// Start of the longest current pause of a switch port; [`Time::MAX`] if no port is paused.
    pub(super) paused_since: Time,
    /// Events executed.
    pub(super) events: u64,
    /// Limit that was exceeded, if any.
    pub(super) overload: Option<Overload>,
}

impl Finding {
    /// Combines the results of the nodes of two ranks.
    pub(super) fn and(self, other: Self) -> Self {
        let first = self.overload.into_iter().chain(other.overload).min();
        Self {
            acknowledged: self.acknowledged + other.acknowledged,
            paused_since: self.paused_since.min(other.paused_since),
            events: self.events + other.events,
            overload: first,
        }
    }
}

impl Health {
    /// Returns a schedule for a run that ends after `stall_after` without progress.
    pub(super) fn new(stall_after: Duration) -> Self {
        let step = stall_after.clamp(SHORTEST_STEP, LONGEST_STEP);
        Self {
            step,
            due: Time::ZERO.saturating_add(step),
            found: None,
            events: 0,
        }
    }

    /// Returns the shortest time between two checks.
    pub(super) const fn step(&self) -> Duration {
        self.step
    }

    /// Returns the time of the next check.
    pub(super) const fn due(&self) -> Time {
        self.due
    }

    /// Discards the last result, because an epoch runs.
    pub(super) const fn forget(&mut self) {
        self.found = None;
    }

    /// Returns the result of the last check if nothing has happened since.
    pub(super) const fn found(&self) -> Option<Finding> {
        self.found
    }

    /// Records the result of the due check and schedules the next one. Returns `true` if any event
    /// was executed since the previous check.
    pub(super) fn looked(&mut self, finding: Finding) -> bool {
        let has_moved = finding.events != self.events;
        self.events = finding.events;
        self.found = Some(finding);
        self.due = self.after(self.due);
        has_moved
    }

    /// Returns the time of the check after the one at `due`.
    fn after(&self, due: Time) -> Time {
        let share = Duration::from_ps(due.as_ps() / SHARE);
        due.saturating_add(self.step.max(share))
    }
}

impl Health {
    /// Returns `true` if `span` is so short that no run can stall in it after `stall_after`, if it
    /// makes progress by the end.
    pub(super) fn is_short(&self, span: Duration, stall_after: Duration) -> bool {
        let step = self.after(self.due).since(self.due);
        span.saturating_add(step).saturating_mul(2) < stall_after
    }

    /// Returns `true` if a check is due after `from` and before `to`.
    pub(super) fn is_due_within(&self, from: Time, to: Time) -> bool {
        let mut due = self.due;
        while due <= from {
            due = self.after(due);
        }
        due < to
    }

    /// Skips the checks before `now`, between which flows have made progress. Returns the time of
    /// the last one.
    pub(super) fn pass(&mut self, now: Time) -> Option<Time> {
        let mut last = None;
        while self.due < now {
            last = Some(self.due);
            self.due = self.after(self.due);
            // No check finds as many.
            self.events = u64::MAX;
        }
        self.found = None;
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_become_rarer_as_time_passes() {
        let mut health = Health::new(Duration::from_ms(1_000));
        let mut looks = 0u64;
        while health.due() < Time::ZERO + Duration::from_ms(60_000) {
            let finding = Finding {
                acknowledged: Bytes::ZERO,
                paused_since: Time::MAX,
                events: looks / 2,
                overload: None,
            };
            let silent = !health.looked(finding);
            assert_eq!(silent, looks % 2 == 1 || looks == 0, "look {looks}");
            looks += 1;
        }
        // One check for each of 1,024 milliseconds, then 1,024 each time that the age grows by a
        // factor of e.
        let expected = 1_024.0 * (1.0 + (60_000.0f64 / 1_024.0).ln());
        assert!((looks as f64 - expected).abs() < 10.0, "{looks}");
    }
}
