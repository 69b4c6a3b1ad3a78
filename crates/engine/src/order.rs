//! Sorts the arrivals of one epoch.

/// Maximum number of buckets.
const BUCKETS: usize = 512;
/// Maximum number of buckets for the time of an epoch, if there are no groups.
const TIME_BUCKETS: usize = 256;
/// Fewer keys are sorted by insertion: they come from a few channels, each of which is sorted.
const FEW: usize = 24;
/// If a bucket has this number of keys, a power of two, the keys are not evenly spread.
const CROWD: u32 = 16;
/// The same limit for groups, because some groups have more keys than others.
const GROUPED_CROWD: u32 = 32;

/// Group numbers are below this.
pub(super) const MOST_GROUPS: usize = 256;

/// Number of leading zero keys, so that inserting a key can read its predecessors without a check.
pub(super) const LEADING: usize = 2;

const _: () = assert!(MOST_GROUPS <= BUCKETS, "each group has a bucket");

/// Sorts keys with times that are spread over an epoch. It distributes them to buckets by time, and
/// moves each key to its place within its bucket.
#[derive(Clone, Debug)]
pub(super) struct EpochSort {
    /// For each bucket: first its number of keys, then the index of its next key.
    starts: Box<[u32; BUCKETS]>,
    scattered: Vec<u64>,
}

impl Default for EpochSort {
    fn default() -> Self {
        Self {
            starts: Box::new([0; BUCKETS]),
            scattered: Vec::new(),
        }
    }
}

impl EpochSort {
    /// Sorts `keys`, which are below `limit` and begin with [`LEADING`] zeros that stay in place.
    /// Evenly spread keys cost a few steps each; otherwise the cost is the cost of sorting by
    /// comparison.
    pub(super) fn sort(&mut self, keys: &mut Vec<u64>, limit: u64) {
        // One or two buckets for each key, so that few keys change places.
        let bits = (keys.len().ilog2() + 1).min(TIME_BUCKETS.ilog2());
        let shift = bits_of(limit).saturating_sub(bits);
        self.sort_by(keys, (shift, 1 << bits), CROWD);
    }

    /// Like [`sort`](Self::sort), for keys with `group_shift` bits of time and input, and above
    /// them numbers of groups. These are below `groups` and [`MOST_GROUPS`]. Keys are spread best
    /// if times use all of these bits.
    pub(super) fn sort_groups(&mut self, keys: &mut Vec<u64>, groups: usize, group_shift: u32) {
        let group_bits = groups.next_power_of_two().ilog2();
        let bits = (keys.len().ilog2() + 1).clamp(group_bits, BUCKETS.ilog2());
        let shift = (group_bits + group_shift).saturating_sub(bits);
        self.sort_by(keys, (shift, 1 << bits), GROUPED_CROWD);
    }

    /// Sorts `keys` into `buckets` buckets, which are numbered by bit `shift` and the bits above
    /// it. Sorts by comparison if a bucket gets `crowd` keys.
    #[inline(always)]
    fn sort_by(&mut self, keys: &mut Vec<u64>, (shift, buckets): (u32, usize), crowd: u32) {
        if keys.len() <= FEW {
            settle(keys);
            return;
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the rest of a division by the number of buckets"
        )]
        let bucket = |key: u64| (key >> shift) as usize % BUCKETS;
        let starts = &mut self.starts;
        starts[..buckets].fill(0);
        for &key in &keys[LEADING..] {
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
        scatter(&mut self.scattered, &keys[LEADING..], |key| {
            let place = &mut starts[bucket(key)];
            *place += 1;
            *place - 1
        });
        std::mem::swap(keys, &mut self.scattered);
    }
}

/// Copies `keys` to `scattered`, behind the leading zeros. `place` returns the next place of the
/// key's bucket. The preceding places contain sorted keys of the same bucket, keys of lower
/// buckets, or zeros.
#[inline(always)]
fn scatter(scattered: &mut Vec<u64>, keys: &[u64], mut place: impl FnMut(u64) -> u32) {
    scattered.clear();
    scattered.resize(keys.len() + LEADING, 0);
    for &key in keys {
        let before = place(key) as usize;
        let [earlier, last, free] = &mut scattered[before..before + 3] else {
            unreachable!("three places");
        };
        // Most keys that are out of order swap places with just one other key. This is done without
        // a branch, because it would be unpredictable.
        (*last, *free) = ((*last).min(key), (*last).max(key));
        if key < *earlier {
            insert(&mut scattered[..before + LEADING], key);
        }
    }
}

/// Returns the number of bits of numbers below `limit`.
const fn bits_of(limit: u64) -> u32 {
    u64::BITS - limit.leading_zeros()
}

/// Sorts a few `keys` by insertion.
fn settle(keys: &mut [u64]) {
    // The largest key so far, which precedes the next key, and the key before it.
    let (mut last, mut earlier) = (0, 0);
    for next in LEADING..keys.len() {
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

/// Moves the last of `keys`, `key`, to its place among the other keys, which are sorted.
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
            keys.splice(..0, [0; LEADING]);
            let mut expected = keys.clone();
            expected.sort_unstable();
            EpochSort::default().sort(&mut keys, limit);
            proptest::prop_assert_eq!(keys, expected);
        }

        #[test]
        fn groups_agree_with_comparing(groups in 1usize..=MOST_GROUPS, shift in 1u32..=56, keys in proptest::collection::vec((0usize..MOST_GROUPS, 0u64..1 << 56), 0..600), narrow in 0u32..40) {
            let below = ((1u64 << shift) >> narrow).max(1);
            let mut keys: Vec<u64> = keys
                .into_iter()
                .map(|(group, key)| (((group % groups) as u64) << shift) | (key % below))
                .collect();
            keys.splice(..0, [0; LEADING]);
            let mut expected = keys.clone();
            expected.sort_unstable();
            EpochSort::default().sort_groups(&mut keys, groups, shift);
            proptest::prop_assert_eq!(keys, expected);
        }
    }
}
