//! Schedule of the checks whether a network still makes progress.

use super::Overload;
use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::units::{Bytes, Duration, Time};

/// The longest time between two looks, until that is a thousandth of the time that has passed.
const LONGEST_STEP: Duration = Duration::from_ms(1);
const SHORTEST_STEP: Duration = Duration::from_us(1);
const SHARE: u64 = 1_024;

/// Looks at all nodes at instants that depend on nothing but the settings, so that a run that gets
/// stuck ends at the same time however it is divided into epochs.
#[derive(Checkpointed, Debug)]
pub(super) struct Health {
    #[checkpoint(rebuilt)]
    step: Duration,
    /// The instant of the next look.
    due: Time,
    /// Finding of the last check, as long as no epoch has been run since.
    found: Option<Finding>,
    /// Events executed until the last look.
    events: u64,
}

/// Result of a check of all nodes.
#[derive(Clone, Copy, Debug, Stored)]
pub(super) struct Finding {
    /// Payload bytes that have been acknowledged.
    pub(super) acknowledged: Bytes,
    /// Since when some switch port has been paused.
    pub(super) paused_since: Time,
    /// Events executed.
    pub(super) events: u64,
    /// Limit that has been exceeded, if any.
    pub(super) overload: Option<Overload>,
}

impl Finding {
    /// That of the nodes of two ranks.
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
    /// Looks that suit a run that is given up after `stall_after` without progress.
    pub(super) fn new(stall_after: Duration) -> Self {
        let step = stall_after.clamp(SHORTEST_STEP, LONGEST_STEP);
        Self {
            step,
            due: Time::ZERO.saturating_add(step),
            found: None,
            events: 0,
        }
    }

    /// The instant of the next look.
    pub(super) const fn due(&self) -> Time {
        self.due
    }

    /// Tells that an epoch is run: what has been found is out of date.
    pub(super) const fn forget(&mut self) {
        self.found = None;
    }

    /// Returns the finding of the last check, if nothing has happened since.
    pub(super) const fn found(&self) -> Option<Finding> {
        self.found
    }

    /// Remembers what was found at the instant that was due, and goes on to the next one. Returns
    /// whether anything at all has happened since the last look.
    pub(super) fn looked(&mut self, finding: Finding) -> bool {
        let has_moved = finding.events != self.events;
        self.events = finding.events;
        self.found = Some(finding);
        let share = Duration::from_ps(self.due.as_ps() / SHARE);
        self.due = self.due.saturating_add(self.step.max(share));
        has_moved
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
        // One for each of 1,024 milliseconds, then 1,024 for each time that the age grows by e.
        let expected = 1_024.0 * (1.0 + (60_000.0f64 / 1_024.0).ln());
        assert!((looks as f64 - expected).abs() < 10.0, "{looks}");
    }
}
