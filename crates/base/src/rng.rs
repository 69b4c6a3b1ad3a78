//! Random streams: one for each (seed, entity, purpose), from a documented algorithm.
//!
//! A stream belongs to the entity that draws from it (a host's arrivals, a port's marking), never
//! to a thread, so results do not depend on the distribution of work. The algorithm is PCG-XSL-RR
//! 128/64 (O'Neill 2014), which defines its output completely.

use crate::checkpoint::Stored;

/// Purpose of a random stream; two purposes of one entity never share draws.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Purpose {
    /// Arrival times and sizes of flows.
    Arrivals,
    /// Choice of the peer of a flow.
    Destinations,
    /// Random marking at a queue.
    Marking,
    /// Loss on a link.
    Loss,
    /// Random rounding of a value that is coded in few bits.
    Rounding,
    /// Choice of the packets or ACKs that are sampled.
    Sampling,
    /// Links between nodes, in randomly generated networks.
    Wiring,
    /// Random draws of an application at a host.
    Application,
    /// Choice of the next hop of a packet at a switch.
    Routing,
    /// Phases of a probing congestion control.
    Probing,
    /// Entropy of the packets of a flow.
    Entropy,
    /// Computing times of a rank.
    Computation,
    /// User-defined purposes, distinguished by the number.
    Custom(u32),
}

impl Purpose {
    const fn code(self) -> u64 {
        match self {
            Self::Arrivals => 1,
            Self::Destinations => 2,
            Self::Marking => 3,
            Self::Loss => 4,
            Self::Rounding => 5,
            Self::Sampling => 6,
            Self::Wiring => 7,
            Self::Application => 8,
            Self::Routing => 9,
            Self::Probing => 12,
            Self::Entropy => 13,
            Self::Computation => 14,
            Self::Custom(n) => (1 << 32) | n as u64,
        }
    }
}

/// The multiplier of the generator (O'Neill 2014).
const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

/// A stream of random numbers.
///
/// The generator is implemented here instead of by the crate `rand_pcg`, because a checkpoint must
/// store the position of a stream, and that crate exposes it only to serde. A test compares the
/// two.
#[derive(Clone, Debug, Stored)]
pub struct Stream {
    state: u128,
    /// Odd, and constant for the whole stream.
    increment: u128,
}

impl Stream {
    /// Returns the stream of `entity` (a node, link or workload number) for `purpose` in a run with
    /// `seed`.
    #[must_use]
    pub fn new(seed: u64, entity: u64, purpose: Purpose) -> Self {
        let mut bytes = [0u8; 32];
        let mut state = seed;
        for (chunk, word) in bytes
            .chunks_exact_mut(8)
            .zip([0, entity, purpose.code(), !entity])
        {
            state = mix(state.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ mix(word));
            chunk.copy_from_slice(&state.to_le_bytes());
        }
        Self::from_seed(bytes)
    }

    /// Returns the stream that begins with `seed`: state and increment, little-endian.
    fn from_seed(seed: [u8; 32]) -> Self {
        let half = |from: usize| {
            let bytes = seed[from..from + 16].try_into();
            u128::from_le_bytes(bytes.expect("16 of 32 bytes"))
        };
        let increment = half(16) | 1;
        let mut stream = Self {
            state: half(0).wrapping_add(increment),
            increment,
        };
        stream.step();
        stream
    }

    #[inline]
    const fn step(&mut self) {
        self.state = self
            .state
            .wrapping_mul(MULTIPLIER)
            .wrapping_add(self.increment);
    }

    /// Returns 64 random bits.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "halves and the uppermost bits"
    )]
    pub const fn next_u64(&mut self) -> u64 {
        self.step();
        let halves = (self.state >> 64) as u64 ^ self.state as u64;
        halves.rotate_right((self.state >> 122) as u32)
    }

    /// Returns a uniform number in [0, 1), with 53 random bits.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Returns a uniform number in 0..`bound` (multiply-shift on 64 bits; the bias is too small to
    /// matter).
    ///
    /// # Panics
    /// Panics if `bound` is zero.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "a draw needs at least one outcome");
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// Returns `true` with probability `p`.
    #[inline]
    pub fn chance(&mut self, p: f64) -> bool {
        self.uniform() < p
    }
}

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): every input bit affects every output bit.
#[inline]
#[must_use]
pub const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};

    use super::*;

    proptest::proptest! {
        #[test]
        fn draws_are_those_of_rand_pcg(seed in proptest::array::uniform32(0u8..), count in 1usize..20) {
            let mut own = Stream::from_seed(seed);
            let mut other = rand_pcg::Pcg64::from_seed(seed);
            for _ in 0..count {
                proptest::prop_assert_eq!(own.next_u64(), other.next_u64());
            }
        }
    }

    #[test]
    fn streams_differ_by_seed_entity_and_purpose() {
        let first = |seed, entity, purpose| Stream::new(seed, entity, purpose).next_u64();
        let base = first(1, 7, Purpose::Arrivals);
        assert_eq!(base, first(1, 7, Purpose::Arrivals));
        assert_ne!(base, first(2, 7, Purpose::Arrivals));
        assert_ne!(base, first(1, 8, Purpose::Arrivals));
        assert_ne!(base, first(1, 7, Purpose::Destinations));
    }

    #[test]
    fn the_stream_is_fixed_for_ever() {
        let mut stream = Stream::new(1, 0, Purpose::Arrivals);
        let drawn: Vec<u64> = (0..3).map(|_| stream.next_u64()).collect();
        assert_eq!(
            drawn,
            [
                12054060585188660987,
                5023056554778361246,
                6629481481865233575
            ]
        );
    }

    #[test]
    fn uniform_has_the_right_mean() {
        let mut stream = Stream::new(3, 0, Purpose::Marking);
        let mean = (0..100_000).map(|_| stream.uniform()).sum::<f64>() / 1e5;
        assert!((mean - 0.5).abs() < 0.005, "{mean}");
        let below = (0..100_000).map(|_| stream.below(10)).max();
        assert_eq!(below, Some(9));
    }
}
