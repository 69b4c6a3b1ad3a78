//! A set of small numbers with cyclic search, for round-robin.

use fabricsim_base::checkpoint::Stored;

/// Numbers in a bitmap.
#[derive(Clone, Debug, Default, Stored)]
#[checkpoint(plain)]
pub(crate) struct SlotSet {
    words: Vec<u64>,
    len: usize,
}

impl SlotSet {
    /// Adds `slot`. Returns `true` if it was absent.
    #[inline(always)]
    pub(crate) fn insert(&mut self, slot: u32) -> bool {
        let (word, bit) = (slot as usize / 64, 1u64 << (slot % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let absent = self.words[word] & bit == 0;
        self.words[word] |= bit;
        self.len += usize::from(absent);
        absent
    }

    /// Removes `slot`. Returns `true` if it was present.
    #[inline]
    pub(crate) fn remove(&mut self, slot: u32) -> bool {
        let (word, bit) = (slot as usize / 64, 1u64 << (slot % 64));
        let present = self.words.get(word).is_some_and(|w| w & bit != 0);
        if present {
            self.words[word] &= !bit;
            self.len -= 1;
        }
        present
    }

    /// Returns `true` if the set contains `slot`.
    pub(crate) fn contains(&self, slot: u32) -> bool {
        let word = self.words.get(slot as usize / 64);
        word.is_some_and(|word| word >> (slot % 64) & 1 != 0)
    }

    #[inline]
    pub(crate) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the number of members.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Returns the first member above `slot`, or the smallest one if there is none.
    #[inline]
    pub(crate) fn after(&self, slot: u32) -> Option<u32> {
        let next = slot.wrapping_add(1);
        if let &[word] = &*self.words {
            let above = if next < 64 {
                word & (u64::MAX << next)
            } else {
                0
            };
            let bits = if above == 0 { word } else { above };
            return (bits != 0).then(|| bits.trailing_zeros());
        }
        if self.is_empty() {
            return None;
        }
        self.from(next).or_else(|| self.from(0))
    }

    #[inline]
    fn from(&self, slot: u32) -> Option<u32> {
        let first = slot as usize / 64;
        let head = self.words.get(first)? & (u64::MAX << (slot % 64));
        let (word, bits) = if head != 0 {
            (first, head)
        } else {
            let offset = self.words[first + 1..].iter().position(|&w| w != 0)?;
            (first + 1 + offset, self.words[first + 1 + offset])
        };
        #[expect(clippy::cast_possible_truncation, reason = "slots are u32")]
        Some(word as u32 * 64 + bits.trailing_zeros())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A set of up to 64 slots is a single word, with a separate search.
    #[test]
    fn turns_go_round_in_one_word() {
        let mut set = SlotSet::default();
        for slot in [2, 40, 63] {
            assert!(set.insert(slot));
        }
        let turns: Vec<_> = [u32::MAX, 2, 39, 40, 62, 63, 64, 200]
            .map(|last| set.after(last))
            .into();
        let expected = [2, 40, 40, 63, 63, 2, 2, 2].map(Some);
        assert_eq!(turns, expected);
        assert!(set.remove(2) && set.remove(40) && set.remove(63));
        assert_eq!(set.after(1), None);
    }

    #[test]
    fn turns_go_round() {
        let mut set = SlotSet::default();
        for slot in [2, 70, 200] {
            assert!(set.insert(slot));
        }
        assert!(!set.insert(70));
        let turns: Vec<_> = [u32::MAX, 2, 70, 200, 199]
            .map(|last| set.after(last))
            .into();
        assert_eq!(turns, [Some(2), Some(70), Some(200), Some(2), Some(200)]);
        assert!(set.remove(2) && set.remove(70) && set.remove(200) && !set.remove(5));
        assert_eq!(set.after(0), None);
    }
}
