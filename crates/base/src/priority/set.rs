//! Sets of priorities.

use super::Priority;
use crate::checkpoint::Stored;

/// A set of the eight priorities.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
pub struct PrioritySet(u8);

impl PrioritySet {
    /// No priority.
    pub const EMPTY: Self = Self(0);

    /// All eight priorities.
    pub const ALL: Self = Self(u8::MAX);

    /// The priorities of flows: all except control.
    pub const DATA: Self = Self(u8::MAX - 1);

    /// Adds `priority`.
    #[inline]
    pub const fn insert(&mut self, priority: Priority) {
        self.0 |= 1 << priority.index();
    }

    /// Removes `priority`.
    #[inline]
    pub const fn remove(&mut self, priority: Priority) {
        self.0 &= !(1 << priority.index());
    }

    /// Returns `true` if `priority` is in the set.
    #[inline]
    #[must_use]
    pub const fn contains(self, priority: Priority) -> bool {
        self.0 >> priority.index() & 1 != 0
    }

    /// Returns `true` if the set is empty.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the number of priorities in the set.
    #[inline]
    #[must_use]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns the priority if there is exactly one in the set.
    #[inline]
    #[must_use]
    pub const fn only(self) -> Option<Priority> {
        if self.0.is_power_of_two() {
            Some(lowest(self.0))
        } else {
            None
        }
    }

    /// Returns the priorities in this set that are not in `others`.
    #[inline]
    #[must_use]
    pub const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// Returns the priorities in this set or in `other`.
    #[inline]
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the priorities that are in both sets.
    #[inline]
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns the first priority above `last`; if there is none, the lowest one; `None` if the set
    /// is empty.
    #[inline]
    #[must_use]
    pub const fn next_after(self, last: Priority) -> Option<Priority> {
        if self.0 == 0 {
            return None;
        }
        let after = self.0 & !((2u8 << last.index()).wrapping_sub(1));
        let from = if after != 0 { after } else { self.0 };
        Some(lowest(from))
    }

    /// Returns the priorities in ascending order.
    #[inline]
    #[must_use]
    pub const fn iter(self) -> PriorityIter {
        PriorityIter(self.0)
    }
}

/// Returns the lowest priority of `mask`, which must not be empty.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "at most 7 zeros before a set bit of a u8"
)]
const fn lowest(mask: u8) -> Priority {
    Priority::from_bits(mask.trailing_zeros() as u8)
}

/// The priorities of a [`PrioritySet`] in ascending order.
#[derive(Clone, Debug)]
pub struct PriorityIter(u8);

impl Iterator for PriorityIter {
    type Item = Priority;

    #[inline]
    fn next(&mut self) -> Option<Priority> {
        if self.0 == 0 {
            return None;
        }
        let next = lowest(self.0);
        self.0 &= self.0 - 1;
        Some(next)
    }
}

impl IntoIterator for PrioritySet {
    type Item = Priority;
    type IntoIter = PriorityIter;

    #[inline]
    fn into_iter(self) -> PriorityIter {
        self.iter()
    }
}

impl FromIterator<Priority> for PrioritySet {
    fn from_iter<I: IntoIterator<Item = Priority>>(priorities: I) -> Self {
        let mut set = Self::EMPTY;
        for priority in priorities {
            set.insert(priority);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(numbers: &[u8]) -> PrioritySet {
        numbers.iter().copied().map(Priority::new).collect()
    }

    #[test]
    fn sets_hold_what_was_put_into_them() {
        let mut some = set(&[7, 0, 3]);
        let numbers: Vec<u8> = some.iter().map(Priority::get).collect();
        assert_eq!((numbers, some.len()), (vec![0, 3, 7], 3));
        some.remove(Priority::new(3));
        some.remove(Priority::new(4));
        assert_eq!(some, set(&[0, 7]));
        assert!(some.contains(Priority::CONTROL) && !some.contains(Priority::new(3)));
        assert_eq!(some.without(set(&[0, 1])), set(&[7]));
        assert_eq!(some.intersection(PrioritySet::DATA), set(&[7]));
        assert_eq!(set(&[7]).only(), Some(Priority::new(7)));
        assert_eq!([some.only(), PrioritySet::EMPTY.only()], [None, None]);
        assert_eq!(Priority::all().collect::<PrioritySet>(), PrioritySet::ALL);
        assert!(PrioritySet::EMPTY.is_empty() && PrioritySet::default().is_empty());
    }

    #[test]
    fn turns_go_round() {
        let next = |set: PrioritySet, last| set.next_after(Priority::new(last)).map(Priority::get);
        let some = set(&[1, 4, 7]);
        let turns = [0, 1, 4, 6, 7].map(|last| next(some, last));
        assert_eq!(turns, [Some(1), Some(4), Some(7), Some(7), Some(1)]);
        assert_eq!(next(set(&[4]), 4), Some(4));
        assert_eq!(next(PrioritySet::EMPTY, 4), None);
    }
}
