//! A set of switches.

use fabricsim_base::checkpoint::Stored;

/// A set of switches by their index in a universe, from 0, with one bit each.
#[derive(Clone, Debug, Eq, PartialEq, Stored)]
#[checkpoint(absolute)]
pub(super) struct SwitchSet {
    words: Box<[u64]>,
    len: usize,
}

impl SwitchSet {
    /// Returns the empty set for a universe of `count` switches.
    pub(super) fn none(count: usize) -> Self {
        Self {
            words: vec![0; count.div_ceil(64)].into(),
            len: 0,
        }
    }

    /// Returns the set of all `count` switches.
    pub(super) fn all(count: usize) -> Self {
        let mut words = vec![u64::MAX; count.div_ceil(64)];
        if let Some(last) = words.last_mut() {
            *last >>= count.wrapping_neg() % 64;
        }
        Self {
            words: words.into(),
            len: count,
        }
    }

    /// Returns the number of switches.
    #[inline]
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if the set is empty.
    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns `true` if the set contains the switch at `place`.
    #[inline]
    pub(super) fn contains(&self, place: usize) -> bool {
        self.words[place / 64] >> (place % 64) & 1 == 1
    }

    /// Adds the switch at `place`.
    #[inline]
    pub(super) fn insert(&mut self, place: usize) {
        self.len += usize::from(!self.contains(place));
        self.words[place / 64] |= 1 << (place % 64);
    }

    /// Removes all switches.
    pub(super) fn clear(&mut self) {
        self.words.fill(0);
        self.len = 0;
    }

    /// Returns the indices in ascending order.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..)
            .step_by(64)
            .zip(&self.words)
            .flat_map(|(start, &word)| {
                let mut left = word;
                std::iter::from_fn(move || {
                    let bit = left.trailing_zeros() as usize;
                    (left != 0).then(|| {
                        left &= left - 1;
                        start + bit
                    })
                })
            })
    }

    /// Returns the lowest index.
    pub(super) fn first(&self) -> Option<usize> {
        self.iter().next()
    }

    /// Removes the switches for which `keep` returns `false`.
    #[inline]
    pub(super) fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let mut len = 0;
        for (start, word) in (0..).step_by(64).zip(&mut self.words) {
            let mut left = *word;
            let mut kept = 0;
            while left != 0 {
                let bit = left.trailing_zeros();
                left &= left - 1;
                // No branch, because with digests of a single bit it would be mispredicted half the
                // time.
                kept |= u64::from(keep(start + bit as usize)) << bit;
            }
            *word = kept;
            len += kept.count_ones() as usize;
        }
        self.len = len;
    }

    /// Removes the switches that are not in `other`, a set of the same universe.
    pub(super) fn intersect(&mut self, other: &Self) {
        let mut len = 0;
        for (word, mask) in self.words.iter_mut().zip(&other.words) {
            *word &= mask;
            len += word.count_ones() as usize;
        }
        self.len = len;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_as_many_as_there_are() {
        for count in [0, 1, 63, 64, 65, 128, 754] {
            let all = SwitchSet::all(count);
            assert_eq!(all.len(), count);
            assert!(all.iter().eq(0..count));
            let mut one_by_one = SwitchSet::none(count);
            for place in (0..count).chain(0..count) {
                assert_eq!(one_by_one.contains(place), one_by_one.len() == count);
                one_by_one.insert(place);
            }
            assert_eq!(one_by_one, all);
            one_by_one.clear();
            assert_eq!(one_by_one, SwitchSet::none(count));
        }
    }

    #[test]
    fn what_is_not_wanted_goes() {
        let mut thirds = SwitchSet::all(200);
        thirds.retain(|place| place % 3 == 0);
        assert_eq!((thirds.len(), thirds.first()), (67, Some(0)));
        let mut fifths = SwitchSet::all(200);
        fifths.retain(|place| place % 5 == 4);
        thirds.intersect(&fifths);
        let wanted: Vec<usize> = (9..200).step_by(15).collect();
        assert_eq!(thirds.iter().collect::<Vec<_>>(), wanted);
        assert_eq!((thirds.len(), thirds.first()), (wanted.len(), Some(9)));
        thirds.intersect(&SwitchSet::none(200));
        assert_eq!((thirds.len(), thirds.first()), (0, None));
    }
}
