//! A set of hops of a path.

use fabricsim_base::checkpoint::Stored;

/// A set of hop numbers from 1 to 255, in four words of bits.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
#[checkpoint(absolute)]
pub struct HopSet {
    words: [u64; 4],
}

impl HopSet {
    /// Returns all hops of a path of `hops` switches.
    #[must_use]
    pub fn all(hops: u8) -> Self {
        Self {
            words: [u64::MAX; 4],
        }
        .within(hops)
    }

    /// Returns the set from words of 64 hops each; hop 1 is the lowest bit of the first word. The
    /// bit above hop 255 is ignored.
    #[must_use]
    pub(super) fn from_words(words: [u64; 4]) -> Self {
        Self { words }.within(u8::MAX)
    }

    /// Returns the subset that is on a path of `hops` switches.
    #[must_use]
    pub(super) fn within(mut self, hops: u8) -> Self {
        for (word, before) in self.words.iter_mut().zip([0, 64, 128, 192]) {
            let kept = u32::from(hops.saturating_sub(before).min(64));
            *word &= u64::MAX.checked_shr(64 - kept).unwrap_or(0);
        }
        self
    }

    /// Returns the word and the bit of `hop`.
    fn place(hop: u8) -> (usize, u64) {
        let index = hop - 1;
        (usize::from(index / 64), 1 << (index % 64))
    }

    /// Adds `hop`, from 1.
    #[inline]
    pub fn insert(&mut self, hop: u8) {
        let (word, bit) = Self::place(hop);
        self.words[word] |= bit;
    }

    /// Removes `hop`, from 1.
    #[inline]
    pub fn remove(&mut self, hop: u8) {
        let (word, bit) = Self::place(hop);
        self.words[word] &= !bit;
    }

    /// Returns `true` if the set contains `hop`, from 1.
    #[inline]
    #[must_use]
    pub fn contains(&self, hop: u8) -> bool {
        let (word, bit) = Self::place(hop);
        self.words[word] & bit != 0
    }

    /// Returns the number of hops.
    #[inline]
    #[must_use]
    pub fn len(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns `true` if the set is empty.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words == [0; 4]
    }

    /// Returns the hops in ascending order. Takes one step per word and hop.
    pub fn iter(&self) -> impl Iterator<Item = u8> + use<> {
        let starts = [1u8, 65, 129, 193];
        starts
            .into_iter()
            .zip(self.words)
            .flat_map(|(start, word)| {
                let mut left = word;
                std::iter::from_fn(move || {
                    let bit = u8::try_from(left.trailing_zeros()).expect("at most 64");
                    (left != 0).then(|| {
                        left &= left - 1;
                        start + bit
                    })
                })
            })
    }

    /// Returns the first hop.
    #[inline]
    #[must_use]
    pub fn first(&self) -> Option<u8> {
        self.iter().next()
    }

    /// Returns the hops that are in exactly one of the two sets.
    #[inline]
    #[must_use]
    pub(super) fn xor(mut self, other: Self) -> Self {
        for (word, bits) in self.words.iter_mut().zip(other.words) {
            *word ^= bits;
        }
        self
    }

    /// Returns the hop if there is exactly one.
    #[inline]
    #[must_use]
    pub fn only(&self) -> Option<u8> {
        self.first().filter(|_| self.len() == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hops_come_and_go() {
        let mut set = HopSet::default();
        assert!(set.is_empty() && set.only().is_none());
        for hop in [255, 1, 64, 65, 128, 193] {
            set.insert(hop);
            set.insert(hop);
            assert!(set.contains(hop));
        }
        assert_eq!(set.iter().collect::<Vec<_>>(), [1, 64, 65, 128, 193, 255]);
        for hop in [1, 64, 65, 193, 255, 2] {
            set.remove(hop);
            assert!(!set.contains(hop));
        }
        assert_eq!((set.len(), set.only()), (1, Some(128)));
    }

    #[test]
    fn a_path_has_its_hops() {
        for hops in [0, 1, 5, 63, 64, 65, 128, 200, 255] {
            let all = HopSet::all(hops);
            assert_eq!(all.len(), u32::from(hops));
            assert!(all.iter().eq(1..=hops));
        }
        assert_eq!(HopSet::from_words([u64::MAX; 4]), HopSet::all(255));
    }
}
