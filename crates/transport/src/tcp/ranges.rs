//! Sets of byte numbers as disjoint ranges.

use fabricsim_base::checkpoint::Stored;
use std::ops::Range;

/// Disjoint, non-adjacent ranges in ascending order. There are only as many as gaps in a window, so
/// a sorted vector is enough.
#[derive(Clone, Debug, Default, Stored)]
#[checkpoint(absolute)]
pub(super) struct Ranges(Vec<Range<u64>>);

impl Ranges {
    /// The empty set.
    pub(super) const EMPTY: Self = Self(Vec::new());

    /// Adds `range`. Calls `added` with the parts that were not yet in the set, in ascending order.
    pub(super) fn insert(&mut self, range: Range<u64>, mut added: impl FnMut(Range<u64>)) {
        if range.is_empty() {
            return;
        }
        // The ranges that overlap or touch.
        let first = self.0.partition_point(|held| held.end < range.start);
        let last = first + self.0[first..].partition_point(|held| held.start <= range.end);
        let mut from = range.start;
        for held in &self.0[first..last] {
            if from < held.start {
                added(from..held.start);
            }
            from = from.max(held.end);
        }
        if from < range.end {
            added(from..range.end);
        }
        if first == last {
            self.0.insert(first, range);
        } else {
            let end = self.0[last - 1].end.max(range.end);
            let start = self.0[first].start.min(range.start);
            self.0[first] = start..end;
            self.0.drain(first + 1..last);
        }
    }

    /// Removes all numbers below `bound`.
    pub(super) fn remove_below(&mut self, bound: u64) {
        let gone = self.0.partition_point(|held| held.end <= bound);
        self.0.drain(..gone);
        if let Some(first) = self.0.first_mut() {
            first.start = first.start.max(bound);
        }
    }

    /// Returns the range that contains `byte`.
    pub(super) fn around(&self, byte: u64) -> Option<Range<u64>> {
        let next = self.0.partition_point(|held| held.end <= byte);
        self.0.get(next).filter(|held| held.start <= byte).cloned()
    }

    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ranges_are_a_set_of_numbers(
            steps in proptest::collection::vec((0u64..100, 0u64..12, any::<bool>()), 1..60),
        ) {
            let mut ranges = Ranges::default();
            let mut set = BTreeSet::new();
            for (start, len, insert) in steps {
                if insert {
                    let mut new = Vec::new();
                    ranges.insert(start..start + len, |gap| new.extend(gap));
                    let expected: Vec<u64> =
                        (start..start + len).filter(|byte| set.insert(*byte)).collect();
                    prop_assert_eq!(new, expected);
                } else if len == 0 {
                    ranges.remove_below(start);
                    set = set.split_off(&start);
                }
                prop_assert!(ranges.0.windows(2).all(|pair| pair[0].end < pair[1].start));
                let held: Vec<u64> = ranges.0.iter().cloned().flatten().collect();
                prop_assert_eq!(&held, &set.iter().copied().collect::<Vec<_>>());
                prop_assert_eq!(ranges.around(start).is_some(), set.contains(&start));
                prop_assert_eq!(ranges.is_empty(), set.is_empty());
            }
        }
    }
}
