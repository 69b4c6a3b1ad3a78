//! The operations of a rank that have ended.

use std::collections::BTreeMap;
use std::ops::Range;

use fabricsim_base::checkpoint::Stored;

/// A set of numbers of operations: all below a limit, and runs of consecutive ones above it.
///
/// Operations end roughly in their order, so the set stays small however long a program is.
#[derive(Debug, Default, Stored)]
#[checkpoint(plain)]
pub(super) struct Ended {
    /// All operations below have ended.
    below: u32,
    /// The runs above `below`: the first operation, and the one after the last. Runs are not
    /// adjacent.
    above: BTreeMap<u32, u32>,
}

impl Ended {
    /// Adds `operation`, which is not in the set. Returns the run that contains it now.
    pub(super) fn insert(&mut self, operation: u32) -> Range<u32> {
        debug_assert!(!self.contains(operation), "an operation ends once");
        if operation == self.below {
            self.below += 1;
            if let Some(first) = self.above.first_entry()
                && *first.key() == self.below
            {
                self.below = first.remove();
            }
            return 0..self.below;
        }
        let end = self.above.remove(&(operation + 1)).unwrap_or(operation + 1);
        if let Some((&begin, before)) = self.above.range_mut(..operation).next_back()
            && *before == operation
        {
            *before = end;
            return begin..end;
        }
        self.above.insert(operation, end);
        operation..end
    }

    /// Returns `true` if `operation` has ended.
    pub(super) fn contains(&self, operation: u32) -> bool {
        let run = || self.above.range(..=operation).next_back();
        operation < self.below || run().is_some_and(|(_, &end)| operation < end)
    }

    /// Returns the limit below which all operations have ended.
    pub(super) const fn below(&self) -> u32 {
        self.below
    }

    /// Returns the number of operations that have ended.
    pub(super) fn count(&self) -> usize {
        let above = self.above.iter().map(|(&begin, &end)| end - begin);
        (self.below + above.sum::<u32>()) as usize
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn runs_are_as_long_as_possible(
            order in Just((0..40u32).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            let mut ended = Ended::default();
            let mut expected = [false; 40];
            for (count, &operation) in order.iter().enumerate() {
                prop_assert_eq!(ended.count(), count);
                expected[operation as usize] = true;
                let run = ended.insert(operation);
                prop_assert!(run.contains(&operation));
                for at in 0..40 {
                    prop_assert_eq!(ended.contains(at), expected[at as usize]);
                    prop_assert!(expected[at as usize] || !run.contains(&at));
                }
                for outside in [run.start.checked_sub(1), Some(run.end)].into_iter().flatten() {
                    prop_assert!(!ended.contains(outside));
                }
            }
            prop_assert_eq!((ended.below(), ended.above.len()), (40, 0));
        }
    }
}
