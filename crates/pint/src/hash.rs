//! Hash functions that senders, switches and receivers share.

use fabricsim_base::rng::mix;

/// A hash function of two words that all nodes know by its seed (PINT, section 4.1: implicit
/// coordination). A node that sees the identifier of a packet can compute the decisions of all
/// other nodes about it.
///
/// `H(a, b) = m(m(m(seed) ^ a) ^ b)`, where `m` is a step of SplitMix64. Functions with different
/// seeds are independent.
#[derive(Clone, Copy, Debug)]
pub struct GlobalHash {
    /// `m(seed)`.
    start: u64,
}

impl GlobalHash {
    /// Returns the function with `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { start: step(seed) }
    }

    /// Returns all 64 bits of the hash of `(a, b)`.
    #[inline]
    #[must_use]
    pub const fn value(self, a: u64, b: u64) -> u64 {
        self.with(a).value(b)
    }

    /// Returns the state after the first word `a`, to hash several second words.
    #[inline]
    pub(crate) const fn with(self, a: u64) -> HalfHash {
        HalfHash {
            state: step(self.start ^ a),
        }
    }

    /// Returns a number uniform in [0, 1) for `(a, b)`: the upper 53 bits.
    #[inline]
    #[must_use]
    pub fn uniform(self, a: u64, b: u64) -> f64 {
        (self.value(a, b) >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Returns the upper `count` bits (0 to 64) of the hash of `(a, b)`.
    #[inline]
    #[must_use]
    pub fn bits(self, count: u32, a: u64, b: u64) -> u64 {
        self.value(a, b)
            .checked_shr(64 - count.min(64))
            .unwrap_or(0)
    }
}

/// A hash function of one word: the two-word function with a fixed first word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HalfHash {
    /// State after the first word.
    state: u64,
}

impl HalfHash {
    /// Hashes the first word and `b`, and returns all 64 bits.
    #[inline]
    pub(crate) const fn value(self, b: u64) -> u64 {
        step(self.state ^ b)
    }
}

/// A step of SplitMix64 (Steele, Lea, Flood 2014): its increment, then its finalizer.
#[inline]
const fn step(z: u64) -> u64 {
    mix(z.wrapping_add(0x9e37_79b9_7f4a_7c15))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_that_of_splitmix64() {
        assert_eq!(step(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(step(1), 0x910a_2dec_8902_5cc1);
        assert_eq!(step(2), 0x9758_35de_1c97_56ce);
        assert_eq!(step(12_345), 0x2211_8258_a9d1_11a0);
    }

    #[test]
    fn the_words_are_hashed_one_after_the_other() {
        let hash = GlobalHash::new(7);
        assert_eq!(hash.value(3, 5), step(step(step(7) ^ 3) ^ 5));
        assert_ne!(hash.value(3, 5), hash.value(5, 3));
        assert_ne!(hash.value(3, 5), GlobalHash::new(8).value(3, 5));
    }

    #[test]
    fn bits_are_the_upper_ones() {
        let hash = GlobalHash::new(1);
        let value = hash.value(2, 3);
        assert_eq!(hash.bits(64, 2, 3), value);
        assert_eq!(hash.bits(8, 2, 3), value >> 56);
        assert_eq!(hash.bits(1, 2, 3), value >> 63);
        assert_eq!(hash.bits(0, 2, 3), 0);
    }

    #[test]
    fn consecutive_identifiers_are_spread_evenly() {
        let hash = GlobalHash::new(1);
        let mut cells = [0u32; 16];
        for packet in 0..160_000 {
            let cell = hash.bits(4, 4, packet);
            let uniform = hash.uniform(4, packet) * 16.0;
            assert!((cell as f64..cell as f64 + 1.0).contains(&uniform));
            cells[usize::try_from(cell).expect("four bits")] += 1;
        }
        // Ten thousand in each, with a standard deviation of 97.
        assert!(
            cells.iter().all(|count| count.abs_diff(10_000) < 400),
            "{cells:?}"
        );
    }
}
