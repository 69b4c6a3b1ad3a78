//! Frequent values of a stream, in a fixed number of counters.

use fabricsim_base::checkpoint::Stored;

/// A value and an estimate of its frequency.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(absolute)]
pub struct Frequent<T> {
    /// The value.
    pub value: T,
    /// Upper bound for the number of occurrences.
    pub count: u64,
    /// Maximum error: the value occurred at least `count` - `error` times.
    pub error: u64,
}

/// The most frequent values of a stream (Metwally, Agrawal and El Abbadi, ICDT 2005: Space-Saving).
///
/// A value without a counter takes over the counter with the lowest count, and among equal counts
/// the counter of the smallest value. For a stream of n values and m counters, a count is never too
/// small and at most n/m too large, and every value that occurs more than n/m times has a counter.
///
/// An insertion takes about log2 m steps if the value has a counter, otherwise m.
#[derive(Clone, Debug, Stored)]
#[checkpoint(absolute)]
pub struct SpaceSaving<T> {
    limit: u32,
    /// The counters, sorted by value.
    counters: Vec<Frequent<T>>,
    count: u64,
}

impl<T: Ord + Copy> SpaceSaving<T> {
    /// Returns an empty set of at most `limit` counters (at least 1).
    ///
    /// # Panics
    /// Panics if `limit` is zero.
    #[must_use]
    pub const fn new(limit: u32) -> Self {
        assert!(limit > 0, "counting takes a counter");
        Self {
            limit,
            counters: Vec::new(),
            count: 0,
        }
    }

    /// Adds a value of the stream.
    pub fn insert(&mut self, value: T) {
        self.count += 1;
        let place = match self.place(value) {
            Ok(place) => {
                self.counters[place].count += 1;
                return;
            }
            Err(place) => place,
        };
        let new = |error| Frequent {
            value,
            count: error + 1,
            error,
        };
        if self.counters.len() < self.limit as usize {
            self.counters.insert(place, new(0));
            return;
        }
        let (least, before) = self
            .counters
            .iter()
            .enumerate()
            .min_by_key(|(_, counter)| counter.count)
            .map(|(least, counter)| (least, counter.count))
            .expect("at least one counter");
        // Only the counters between the two positions move, by one place.
        if least < place {
            self.counters[least..place].rotate_left(1);
            self.counters[place - 1] = new(before);
        } else {
            self.counters[place..=least].rotate_right(1);
            self.counters[place] = new(before);
        }
    }

    /// Returns the values that may have a share of `theta` (above 0, up to 1) of the stream: the
    /// most frequent first, and the smaller of two equally frequent ones first. The result includes
    /// every value with that share, and none with a share below `theta` - 1/m.
    #[must_use]
    pub fn frequent(&self, theta: f64) -> Vec<Frequent<T>> {
        most_frequent(self.counters.clone(), theta, self.count)
    }

    /// Returns the estimate for `value`, or `None` if it has no counter.
    #[must_use]
    pub fn estimate(&self, value: T) -> Option<Frequent<T>> {
        self.place(value).ok().map(|place| self.counters[place])
    }

    /// Returns the number of values in the stream.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Returns the number of values with a counter.
    #[must_use]
    pub const fn stored(&self) -> usize {
        self.counters.len()
    }

    /// Returns the index of the counter of `value`, or the index at which to insert one.
    fn place(&self, value: T) -> Result<usize, usize> {
        self.counters
            .binary_search_by_key(&value, |counter| counter.value)
    }
}

/// Returns the `counters` that may have a share of `theta` of `count` values.
pub(super) fn most_frequent<T: Ord + Copy>(
    mut counters: Vec<Frequent<T>>,
    theta: f64,
    count: u64,
) -> Vec<Frequent<T>> {
    let least = theta * count as f64;
    counters.retain(|counter| counter.count as f64 >= least);
    counters.sort_unstable_by(|a, b| b.count.cmp(&a.count).then(a.value.cmp(&b.value)));
    counters
}

/// Returns the exact number of occurrences of each value, sorted by value.
pub(super) fn exact_counts<T: Ord + Copy>(mut values: Vec<T>) -> Vec<Frequent<T>> {
    values.sort_unstable();
    let runs = values.chunk_by(|a, b| a == b);
    runs.map(|run| Frequent {
        value: run[0],
        count: run.len() as u64,
        error: 0,
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use fabricsim_base::rng::{Purpose, Stream};
    use proptest::prelude::*;

    use super::*;

    fn filled(limit: u32, values: &[u16]) -> SpaceSaving<u16> {
        let mut counters = SpaceSaving::new(limit);
        for &value in values {
            counters.insert(value);
        }
        counters
    }

    #[test]
    fn a_new_value_takes_over_the_least_counter() {
        let counters = filled(2, &[5, 5, 9, 3]);
        let entry = |value, count, error| Frequent {
            value,
            count,
            error,
        };
        assert_eq!(counters.frequent(0.01), [entry(3, 2, 1), entry(5, 2, 0)]);
        // Both have a count of 2: the smaller value gives up its counter.
        let counters = filled(2, &[5, 5, 9, 3, 7]);
        assert_eq!(counters.frequent(0.01), [entry(7, 3, 2), entry(5, 2, 0)]);
        assert_eq!(counters.estimate(3), None);
        assert_eq!(counters.estimate(5), Some(entry(5, 2, 0)));
        assert_eq!((counters.count(), counters.stored()), (5, 2));
    }

    #[test]
    fn nothing_is_frequent_in_nothing() {
        let counters = SpaceSaving::<u16>::new(4);
        assert_eq!(counters.frequent(0.5), []);
        assert_eq!((counters.count(), counters.stored()), (0, 0));
    }

    /// If few codes are frequent, 1/theta counters are enough to find them.
    #[test]
    fn skewed_values_are_found() {
        let mut stream = Stream::new(1, 0, Purpose::Sampling);
        let values: Vec<u16> = (0..50_000)
            .map(|_| match stream.below(10) {
                0..3 => 200,
                3..5 => 17,
                _ => u16::try_from(stream.below(250)).expect("below 250"),
            })
            .collect();
        let counters = filled(20, &values);
        let found = counters.frequent(0.15);
        assert_eq!(found.iter().map(|f| f.value).collect::<Vec<_>>(), [200, 17]);
        for counter in found {
            let times = values.iter().filter(|&&v| v == counter.value).count() as u64;
            assert!(counter.count >= times && counter.count - times <= counter.error);
        }
    }

    proptest! {
        #[test]
        fn the_guarantees_hold(
            values in proptest::collection::vec((0u16..30, 0u16..30), 1..600), limit in 1u32..40,
        ) {
            // The minimum of two numbers is skewed towards small values.
            let values: Vec<u16> = values.into_iter().map(|(a, b)| a.min(b)).collect();
            let counters = filled(limit, &values);
            let total = values.len() as u64;
            prop_assert!(counters.stored() <= limit as usize);
            prop_assert!(counters.counters.is_sorted_by(|a, b| a.value < b.value));
            let sum: u64 = counters.counters.iter().map(|counter| counter.count).sum();
            prop_assert_eq!(sum, total);
            for truth in exact_counts(values) {
                match counters.estimate(truth.value) {
                    Some(found) => {
                        prop_assert!(found.count >= truth.count);
                        prop_assert!(found.count - found.error <= truth.count);
                        prop_assert!(found.error * u64::from(limit) <= total);
                    }
                    None => prop_assert!(truth.count * u64::from(limit) <= total),
                }
            }
        }

        #[test]
        fn frequent_values_are_not_missed(
            values in proptest::collection::vec(0u16..12, 1..300), limit in 5u32..20, theta in 0.25..1.0,
        ) {
            let found = filled(limit, &values).frequent(theta);
            let total = values.len() as f64;
            for truth in exact_counts(values) {
                let count = truth.count as f64;
                let listed = found.iter().any(|frequent| frequent.value == truth.value);
                if count >= theta * total {
                    prop_assert!(listed);
                }
                if count < (theta - 1.0 / f64::from(limit)) * total - 1e-9 {
                    prop_assert!(!listed);
                }
            }
        }
    }
}
