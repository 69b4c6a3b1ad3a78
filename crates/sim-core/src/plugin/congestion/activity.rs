//! Counts of the reactions of congestion control.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use super::{RateTimes, SendLimits};
use fabricsim_base::checkpoint::Stored;
use fabricsim_base::id::ClassId;
use fabricsim_base::units::Rate;

/// Counts of the reactions of one controller, as its sender sees them.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
#[checkpoint(counter)]
pub struct CcEvents {
    /// Packets that acknowledgements reported as marked.
    pub marked: u64,
    /// Acknowledgements that the controller read, with their telemetry if its algorithm uses some.
    pub acks: u64,
    /// Acknowledgements, losses, grants and timers after which the rate or the window was lower
    /// than before.
    pub decreases: u64,
}

impl CcEvents {
    /// Counts an acknowledgement that reported `marked` packets, and changed the limits `before` to
    /// `after`.
    #[inline]
    pub fn note_ack(&mut self, marked: u32, before: &SendLimits, after: &SendLimits) {
        if marked > 0 {
            self.marked += u64::from(marked);
        }
        self.acks += 1;
        self.note_event(before, after);
    }

    /// Counts an event that changed the limits `before` to `after`.
    #[inline]
    pub fn note_event(&mut self, before: &SendLimits, after: &SendLimits) {
        let has_lower_window =
            (after.window).is_some_and(|window| before.window.is_none_or(|before| window < before));
        let has_lower_rate =
            (after.rate).is_some_and(|rate| before.rate.is_none_or(|before| rate < before));
        self.decreases += u64::from(has_lower_window | has_lower_rate);
    }
}

/// Sums over the controllers of a class.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
#[checkpoint(counter)]
pub struct CcActivity {
    /// Senders: flows of RDMA, and connections.
    pub senders: u64,
    /// Senders with a decrease.
    pub slowed: u64,
    /// Senders with a rate below the rate of their NIC port at the end, or now.
    pub below_line_rate: u64,
    /// Sums of [`CcEvents::marked`].
    pub marked: u64,
    /// Sums of [`CcEvents::acks`].
    pub acks: u64,
    /// Sums of [`CcEvents::decreases`].
    pub decreases: u64,
    /// Times at rates.
    pub times: RateTimes,
}

impl CcActivity {
    /// Returns the activity of one sender with `events` and `times` so far, which may send at `rate`
    /// now, over a NIC port of the rate `line`.
    #[must_use]
    pub fn new(events: CcEvents, times: RateTimes, rate: Option<Rate>, line: Rate) -> Self {
        let CcEvents {
            marked,
            acks,
            decreases,
        } = events;
        Self {
            senders: 1,
            slowed: u64::from(decreases > 0),
            below_line_rate: u64::from(rate.is_some_and(|rate| rate < line)),
            marked,
            acks,
            decreases,
            times,
        }
    }
}

impl AddAssign for CcActivity {
    fn add_assign(&mut self, other: Self) {
        self.senders += other.senders;
        self.slowed += other.slowed;
        self.below_line_rate += other.below_line_rate;
        self.marked += other.marked;
        self.acks += other.acks;
        self.decreases += other.decreases;
        self.times += other.times;
    }
}

/// The activity of congestion control in each class that had flows: it tells if an algorithm acted at
/// all.
#[derive(Clone, Debug, Default, Eq, PartialEq, Stored)]
pub struct ClassActivity(BTreeMap<ClassId, CcActivity>);

impl ClassActivity {
    /// Adds the activity of a sender of `class`.
    pub fn add(&mut self, class: ClassId, activity: CcActivity) {
        *self.0.entry(class).or_default() += activity;
    }

    /// Returns this and the activity of the senders in progress, with their classes.
    #[must_use]
    pub fn with(&self, live: impl Iterator<Item = (ClassId, CcActivity)>) -> Self {
        let mut all = self.clone();
        live.for_each(|(class, activity)| all.add(class, activity));
        all
    }

    /// Yields the classes with their activity, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = (ClassId, CcActivity)> {
        self.0.iter().map(|(class, activity)| (*class, *activity))
    }
}

impl AddAssign for ClassActivity {
    fn add_assign(&mut self, other: Self) {
        for (class, activity) in other.0 {
            self.add(class, activity);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabricsim_base::units::{Bytes, Duration};

    fn limits(window: u64, rate: Option<u64>) -> SendLimits {
        SendLimits {
            window: Some(Bytes::new(window)),
            rate: rate.map(Rate::from_gbps),
            ..SendLimits::NONE
        }
    }

    #[test]
    fn a_lower_rate_or_window_is_a_decrease() {
        let mut events = CcEvents::default();
        for (before, after, decreases) in [
            (limits(50, Some(100)), limits(50, Some(100)), 0),
            (limits(50, Some(100)), limits(50, Some(60)), 1),
            (limits(50, Some(60)), limits(50, Some(70)), 1),
            (limits(50, Some(60)), limits(49, Some(60)), 2),
            (limits(50, None), limits(50, None), 2),
            (limits(50, None), limits(49, None), 3),
            (limits(49, None), limits(50, None), 3),
            (SendLimits::NONE, limits(50, None), 4),
            (limits(50, None), SendLimits::NONE, 4),
            (SendLimits::NONE, SendLimits::NONE, 4),
        ] {
            events.note_event(&before, &after);
            assert_eq!(events.decreases, decreases, "{before:?} {after:?}");
        }
        events.note_ack(2, &limits(50, Some(2)), &limits(50, Some(1)));
        let expected = CcEvents {
            marked: 2,
            acks: 1,
            decreases: 5,
        };
        assert_eq!(events, expected);
    }

    #[test]
    fn senders_add_up() {
        let line = Rate::from_gbps(100);
        let slowed = CcEvents {
            marked: 2,
            acks: 7,
            decreases: 3,
        };
        let times = RateTimes {
            paced: Duration::from_us(10),
            at_line: Duration::from_us(4),
            at_floor: Duration::from_us(1),
        };
        let mut sum = ClassActivity::default();
        for (class, events, gbps) in [
            (1, slowed, 40),
            (0, CcEvents::default(), 100),
            (1, slowed, 100),
        ] {
            let rate = Some(Rate::from_gbps(gbps));
            sum.add(ClassId(class), CcActivity::new(events, times, rate, line));
        }
        let sum: Vec<(ClassId, CcActivity)> = sum.iter().collect();
        assert_eq!(sum[0].1.senders, 1);
        let expected = CcActivity {
            senders: 2,
            slowed: 2,
            below_line_rate: 1,
            marked: 4,
            acks: 14,
            decreases: 6,
            times: RateTimes {
                paced: Duration::from_us(20),
                at_line: Duration::from_us(8),
                at_floor: Duration::from_us(2),
            },
        };
        assert_eq!(sum[1], (ClassId(1), expected));
    }
}
