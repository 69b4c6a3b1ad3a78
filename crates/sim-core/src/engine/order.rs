//! Sorting what arrives in one epoch.

/// The most buckets that the epoch is divided into.
const BUCKETS: usize = 256;
/// The most buckets that groups are divided into.
const GROUPED_BUCKETS: usize = 512;
/// Fewer keys are sorted by insertion: they are those of a few channels, each of which is in order.
const FEW: usize = 24;
/// With as many keys in one bucket, a power of two, they are not evenly spread.
const CROWD: u32 = 16;
/// The same for groups, some of which have more than others.
const GROUPED_CROWD: u32 = 32;

/// Groups are numbered below this.
pub(super) const MOST_GROUPS: usize = 256;

const _: () = assert!(MOST_GROUPS <= GROUPED_BUCKETS, "each group has a bucket");

/// Sorts keys whose times are spread over an epoch: into buckets by time, where each moves to its
/// place among its neighbors.
#[derive(Clone, Debug, Default)]
pub(super) struct EpochSort {
    scattered: Vec<u64>,
}

impl EpochSort {
    /// Sorts `keys`, whose values lie below `limit`, and the first of which is 0 and stays where it
    /// is. Keys that are evenly spread cost a few steps each; those that are not, what comparing
    /// them costs.
    pub(super) fn sort(&mut self, keys: &mut Vec<u64>, limit: u64) {
        // One or two buckets for each key: few have to change places.
        let bits = (keys.len().ilog2() + 1).min(BUCKETS.ilog2());
        let shift = bits_of(limit).saturating_sub(bits);
        self.sort_by::<BUCKETS>(keys, (1 << bits, CROWD), |key| key >> shift);
    }

    /// Sorts `keys` as [`sort`](Self::sort) does that have `group_shift` bits below `limit`, and above
    /// them numbers of groups, which lie below `groups` and [`MOST_GROUPS`].
    pub(super) fn sort_groups(
        &mut self,
        keys: &mut Vec<u64>,
        (groups, group_shift): (usize, u32),
        limit: u64,
    ) {
        let group_bits = groups.next_power_of_two().ilog2();
        let bits = (keys.len().ilog2() + 1).clamp(group_bits, GROUPED_BUCKETS.ilog2());
        let time_bits = bits - group_bits;
        let shift = bits_of(limit).saturating_sub(time_bits);
        let below_group = (1 << group_shift) - 1;
        self.sort_by::<GROUPED_BUCKETS>(keys, (1 << bits, GROUPED_CROWD), |key| {
            key >> group_shift << time_bits | (key & below_group) >> shift
        });
    }

    /// Sorts `keys`, the first of which is 0 and stays where it is, by buckets: `N` or fewer. With
    /// `crowd` keys in one of them it sorts by comparing.
    #[inline(always)]
    fn sort_by<const N: usize>(
        &mut self,
        keys: &mut Vec<u64>,
        (buckets, crowd): (usize, u32),
        bucket: impl Fn(u64) -> u64,
    ) {
        if keys.len() <= FEW {
            settle(keys);
            return;
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the rest of a division by the number of buckets"
        )]
        let bucket = |key: u64| bucket(key) as usize % N;
        let mut starts = [0u32; N];
        for &key in &keys[1..] {
            starts[bucket(key)] += 1;
        }
        let (mut start, mut counts) = (0, 0);
        for count in &mut starts[..buckets] {
            counts |= *count;
            start += std::mem::replace(count, start);
        }
        if counts >= crowd {
            keys.sort_unstable();
            return;
        }
        self.scatter(&keys[1..], |key| {
            let place = &mut starts[bucket(key)];
            *place += 1;
            *place - 1
        });
        std::mem::swap(keys, &mut self.scattered);
    }

    /// Puts `keys` to their places behind a zero, where `place` names for each the next one of its
    /// bucket. Those before it hold keys of lesser buckets, or zeros, or those of its own bucket,
    /// sorted so far.
    #[inline(always)]
    fn scatter(&mut self, keys: &[u64], mut place: impl FnMut(u64) -> u32) {
        self.scattered.clear();
        self.scattered.resize(keys.len() + 1, 0);
        for &key in keys {
            let before = place(key) as usize;
            let earlier = self.scattered[before.saturating_sub(1)];
            // Most keys that are out of order change places with one other: without a branch, which
            // cannot be foreseen.
            let near = &mut self.scattered[before..before + 2];
            (near[0], near[1]) = (near[0].min(key), near[0].max(key));
            if key < earlier {
                insert(&mut self.scattered[..=before], key);
            }
        }
    }
}

/// The bits of numbers below `limit`.
const fn bits_of(limit: u64) -> u32 {
    u64::BITS - limit.leading_zeros()
}

/// Sorts `keys`, which are few, by insertion.
fn settle(keys: &mut [u64]) {
    // The largest key so far, which is the one before the next, and the one before that.
    let (mut last, mut earlier) = (0, 0);
    for next in 1..keys.len() {
        let key = keys[next];
        let (low, high) = (last.min(key), last.max(key));
        keys[next - 1] = low;
        keys[next] = high;
        if key < earlier {
            insert(&mut keys[..next], key);
        }
        earlier = keys[next - 1];
        last = high;
    }
}

/// Moves the last of `keys`, `key`, to its place among the others, which are sorted.
#[inline]
fn insert(keys: &mut [u64], key: u64) {
    let mut place = keys.len() - 1;
    while place > 0 && keys[place - 1] > key {
        keys[place] = keys[place - 1];
        place -= 1;
    }
    keys[place] = key;
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn agrees_with_comparing(limit in 1u64..u64::MAX, keys in proptest::collection::vec(0u64..u64::MAX, 0..400), narrow in 0u32..40) {
            let mut keys: Vec<u64> = keys.into_iter().map(|key| key % (limit >> narrow).max(1)).collect();
            keys.insert(0, 0);
            let mut expected = keys.clone();
            expected.sort_unstable();
            EpochSort::default().sort(&mut keys, limit);
            proptest::prop_assert_eq!(keys, expected);
        }

        #[test]
        fn groups_agree_with_comparing(groups in 1usize..=MOST_GROUPS, limit in 1u64..1 << 56, keys in proptest::collection::vec((0usize..MOST_GROUPS, 0u64..1 << 56), 0..600), narrow in 0u32..40) {
            let below = (limit >> narrow).max(1);
            let mut keys: Vec<u64> = keys
                .into_iter()
                .map(|(group, key)| (((group % groups) as u64) << 56) | (key % below))
                .collect();
            keys.insert(0, 0);
            let mut expected = keys.clone();
            expected.sort_unstable();
            EpochSort::default().sort_groups(&mut keys, (groups, 56), limit);
            proptest::prop_assert_eq!(keys, expected);
        }
    }
}
