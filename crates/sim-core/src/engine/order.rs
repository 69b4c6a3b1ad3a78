//! Sorting what arrives in one window.

/// Buckets that the window is divided into.
const BUCKETS: usize = 256;
/// Fewer keys are sorted by comparison.
const FEW: usize = 24;

/// Sorts keys whose times are spread over a window: into buckets by time, then within each bucket.
#[derive(Clone, Debug, Default)]
pub(super) struct WindowSort {
    scattered: Vec<u64>,
}

impl WindowSort {
    /// Sorts `keys`, whose values lie below `limit`. Keys that are evenly spread cost a few steps
    /// each; those that are not, what comparing them costs.
    pub(super) fn sort(&mut self, keys: &mut Vec<u64>, limit: u64) {
        if keys.len() < FEW {
            keys.sort_unstable();
            return;
        }
        let shift = (u64::BITS - limit.leading_zeros()).saturating_sub(BUCKETS.ilog2());
        let bucket = |key: u64| (key >> shift) as usize % BUCKETS;
        let mut ends = [0u32; BUCKETS];
        for &key in &*keys {
            ends[bucket(key)] += 1;
        }
        let mut start = 0;
        for end in &mut ends {
            start += std::mem::replace(end, start);
        }
        self.scattered.clear();
        self.scattered.resize(keys.len(), 0);
        for &key in &*keys {
            let place = &mut ends[bucket(key)];
            self.scattered[*place as usize] = key;
            *place += 1;
        }
        std::mem::swap(keys, &mut self.scattered);
        let mut start = 0;
        for end in ends {
            let end = end as usize;
            if end - start > 1 {
                keys[start..end].sort_unstable();
            }
            start = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn agrees_with_comparing(limit in 1u64..u64::MAX, keys in proptest::collection::vec(0u64..u64::MAX, 0..400), narrow in 0u32..40) {
            let mut keys: Vec<u64> = keys.into_iter().map(|key| key % (limit >> narrow).max(1)).collect();
            let mut expected = keys.clone();
            expected.sort_unstable();
            WindowSort::default().sort(&mut keys, limit);
            proptest::prop_assert_eq!(keys, expected);
        }
    }
}
