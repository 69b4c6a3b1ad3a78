//! A set of packet numbers in a moving range.

use fabricsim_base::checkpoint::Stored;
use std::cmp::Ordering;
use std::collections::VecDeque;

const BITS: u64 = u64::BITS as u64;

/// Packet numbers in a bitmap, with one bit for each packet from the lowest that was not removed
/// to the highest that was added.
#[derive(Clone, Debug, Stored)]
#[checkpoint(absolute)]
pub(super) struct PacketSet {
    /// The lowest number of the first word, divided by 64.
    first: u64,
    words: VecDeque<u64>,
}

impl PacketSet {
    /// Returns an empty set for packets from `least` up.
    pub(super) const fn new(least: u64) -> Self {
        Self {
            first: least / BITS,
            words: VecDeque::new(),
        }
    }

    /// Adds `packet`, which must not be below the removed packets. Returns `true` if it was absent.
    pub(super) fn insert(&mut self, packet: u64) -> bool {
        let Some(word) = self.word(packet) else {
            debug_assert!(false, "packet {packet} has been forgotten");
            return false;
        };
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let bit = 1 << (packet % BITS);
        let absent = self.words[word] & bit == 0;
        self.words[word] |= bit;
        absent
    }

    /// Returns the first packet from `packet` up that is not in the set.
    pub(super) fn first_absent(&self, mut packet: u64) -> u64 {
        while let Some(word) = self.word(packet).and_then(|word| self.words.get(word)) {
            let run = u64::from((word >> (packet % BITS)).trailing_ones());
            let whole = BITS - packet % BITS;
            packet += run;
            if run < whole {
                break;
            }
        }
        packet
    }

    /// Returns `true` if `packet` is in the set.
    pub(super) fn contains(&self, packet: u64) -> bool {
        let word = self.word(packet).and_then(|word| self.words.get(word));
        word.is_some_and(|word| word & 1 << (packet % BITS) != 0)
    }

    /// Returns the number of packets from `packet` up.
    pub(super) fn count_from(&self, packet: u64) -> u64 {
        let words = (self.first..).zip(&self.words);
        let counts = words.map(|(number, word)| match number.cmp(&(packet / BITS)) {
            Ordering::Less => 0,
            Ordering::Equal => (word >> (packet % BITS)).count_ones(),
            Ordering::Greater => word.count_ones(),
        });
        counts.map(u64::from).sum()
    }

    /// Removes all packets below `packet`, except for up to the last 63 of them.
    pub(super) fn forget_below(&mut self, packet: u64) {
        let first = packet / BITS;
        while self.first < first && self.words.pop_front().is_some() {
            self.first += 1;
        }
        self.first = self.first.max(first);
    }

    fn word(&self, packet: u64) -> Option<usize> {
        let word = (packet / BITS).checked_sub(self.first)?;
        usize::try_from(word).ok()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_run_may_cross_words() {
        let mut set = PacketSet::new(60);
        for packet in 62..200 {
            assert!(set.insert(packet));
        }
        assert!(!set.insert(100));
        assert_eq!(
            [60, 62, 128, 199].map(|p| set.first_absent(p)),
            [60, 200, 200, 200]
        );
        set.forget_below(128);
        assert_eq!(set.words.len(), 2);
        assert_eq!(set.first_absent(128), 200);
        set.forget_below(10_000);
        assert!(set.words.is_empty());
        assert_eq!(set.first_absent(10_000), 10_000);
    }

    proptest! {
        #[test]
        fn it_is_a_set(
            least in 0u64..200,
            packets in prop::collection::vec(0u64..300, 0..100),
            forget in 0u64..300,
        ) {
            let mut set = PacketSet::new(least);
            let mut model = BTreeSet::new();
            for packet in packets {
                prop_assert_eq!(set.insert(least + packet), model.insert(least + packet));
            }
            set.forget_below(least + forget);
            for from in least + forget..least + 310 {
                let absent = (from..).find(|packet| !model.contains(packet));
                prop_assert_eq!(Some(set.first_absent(from)), absent);
                prop_assert_eq!(set.contains(from), model.contains(&from));
                prop_assert_eq!(set.count_from(from), model.range(from..).count() as u64);
            }
        }
    }
}
