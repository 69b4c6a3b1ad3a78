//! The local events of one domain: a small heap of plain keys.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::units::Time;

/// A local event. The derived order is the order of execution and is meant to be: by time, then by
/// the rank of the kind, then by the port or slot it concerns.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Timer {
    /// When.
    pub at: Time,
    /// When it was set, where a model orders events of one time by that; 0 elsewhere.
    pub set: u32,
    /// The rank of its kind among events of the same time.
    pub rank: u16,
    /// The port or slot.
    pub index: u16,
}

/// Timers in order. Cancelled ones stay until they come up and are then recognised by whoever set
/// them (its deadline has moved).
#[derive(Clone, Debug, Default)]
pub struct Timers {
    heap: BinaryHeap<Reverse<Timer>>,
}

impl Timers {
    /// Sets a timer.
    #[inline]
    pub fn set(&mut self, timer: Timer) {
        self.heap.push(Reverse(timer));
    }

    /// The next timer.
    #[inline]
    #[must_use]
    pub fn peek(&self) -> Option<&Timer> {
        self.heap.peek().map(|Reverse(timer)| timer)
    }

    /// The time of the next timer, or [`Time::MAX`].
    #[inline]
    #[must_use]
    pub fn next_time(&self) -> Time {
        self.heap
            .peek()
            .map_or(Time::MAX, |Reverse(timer)| timer.at)
    }

    /// Takes the next timer.
    #[inline]
    pub fn pop(&mut self) -> Option<Timer> {
        self.heap.pop().map(|Reverse(timer)| timer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn timers_come_up_in_sorted_order(times in proptest::collection::vec((0u64..20, 0u16..3, 0u16..4), 0..60)) {
            let mut timers = Timers::default();
            let mut expected = Vec::new();
            for (at, rank, index) in times {
                let timer = Timer { at: Time::from_ps(at), set: 0, rank, index };
                timers.set(timer);
                expected.push(timer);
            }
            expected.sort();
            let mut popped = Vec::new();
            while let Some(timer) = timers.pop() {
                popped.push(timer);
            }
            proptest::prop_assert_eq!(popped, expected);
        }
    }
}
