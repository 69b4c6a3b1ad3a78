//! Selects the hops that act on a packet of a layer.

use fabricsim_base::input::ConfigError;

use crate::hash::GlobalHash;

use super::hop_set::HopSet;

/// Method by which the hash g selects the hops that act on a packet of an xor layer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Choice {
    /// A hash for each hop, compared with the probability.
    EachHop,
    /// Words of random bits for each packet, with one bit per hop, so that the sink finds all
    /// acting hops among 64 with `bits` hashes (PINT, section 4.2, "Reducing the decoding
    /// complexity"). Probabilities are rounded to a multiple of 2^-`bits` (1 to 32).
    ///
    /// Differs from the paper: the paper takes the conjunction of t words, which gives p = 2^-t,
    /// and repeats this for probabilities in between (footnote 9). Here, each bit of p is a
    /// conjunction or a disjunction with another word. This is the same for powers of two, and
    /// arbitrarily close otherwise.
    BitVectors {
        /// Number of words for each packet and 64 hops.
        bits: u32,
    },
}

/// The hops that act on a packet of one layer.
#[derive(Clone, Debug)]
pub(super) enum Chosen {
    /// Hops with a hash below the probability.
    EachHop(f64),
    /// Hops with their bit set, which has a probability of `numerator` / 2^`words`. The numerator
    /// is odd; it is 1, with no words, if all hops act.
    BitVectors { numerator: u64, words: u32 },
}

impl Choice {
    /// Returns the choice with a probability of `chance` (above 0, up to 1) for each hop.
    pub(super) fn with(self, chance: f64) -> Result<Chosen, ConfigError> {
        let Self::BitVectors { bits } = self else {
            return Ok(Chosen::EachHop(chance));
        };
        if !(1..=32).contains(&bits) {
            return Err(ConfigError::new(
                "bits",
                format!("{bits} words of random bits are not 1 to 32"),
                "give as many as the probabilities have binary digits, such as 3 for 1/8",
            ));
        }
        // At most 2^32.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let numerator = (chance * (1u64 << bits) as f64).round() as u64;
        if numerator == 0 {
            return Err(ConfigError::new(
                "bits",
                format!("a probability of {chance} is 0 in {bits} binary digits"),
                "give more bits",
            ));
        }
        let even = numerator.trailing_zeros();
        Ok(Chosen::BitVectors {
            numerator: numerator >> even,
            words: bits - even,
        })
    }
}

impl Chosen {
    /// Returns `true` if `hop` (from 1) acts on `packet`.
    #[inline]
    pub(super) fn acts(&self, g: GlobalHash, packet: u64, hop: u8) -> bool {
        match *self {
            Self::EachHop(chance) => g.uniform(packet, u64::from(hop)) < chance,
            Self::BitVectors { numerator, words } => {
                let index = u64::from(hop - 1);
                word(g, numerator, words, packet, index / 64) >> (index % 64) & 1 == 1
            }
        }
    }

    /// Returns all hops that act on `packet`, for a path of `hops`.
    #[inline]
    pub(super) fn acting(&self, g: GlobalHash, packet: u64, hops: u8) -> HopSet {
        match *self {
            Self::EachHop(_) => {
                let mut acting = HopSet::default();
                for hop in 1..=hops {
                    if self.acts(g, packet, hop) {
                        acting.insert(hop);
                    }
                }
                acting
            }
            Self::BitVectors { numerator, words } => {
                let mut set = [0; 4];
                for (block, bits) in (0..u64::from(hops).div_ceil(64)).zip(&mut set) {
                    *bits = word(g, numerator, words, packet, block);
                }
                HopSet::from_words(set).within(hops)
            }
        }
    }
}

/// Returns 64 bits that are each set with a probability of `numerator` / 2^`words`. From the lowest
/// binary digit up, a digit d of the numerator turns the previous probability p into (d + p) / 2.
#[inline]
fn word(g: GlobalHash, numerator: u64, words: u32, packet: u64, block: u64) -> u64 {
    // If all hops act, the probability has no fraction digits.
    let mut bits = if words == 0 { u64::MAX } else { 0 };
    for digit in 0..words {
        let random = g.value(packet, block << 32 | u64::from(digit));
        bits = if numerator >> digit & 1 == 1 {
            bits | random
        } else {
            bits & random
        };
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    const G: GlobalHash = GlobalHash::new(3);

    fn choices() -> Vec<(Chosen, f64)> {
        [0.125, 0.363, 0.9, 1.0]
            .into_iter()
            .flat_map(|chance| {
                [Choice::EachHop, Choice::BitVectors { bits: 16 }]
                    .map(|choice| (choice.with(chance).unwrap(), chance))
            })
            .collect()
    }

    #[test]
    fn the_sink_finds_the_hops_that_act() {
        for (chosen, _) in choices() {
            for (packet, hops) in (0..).zip([1u8, 5, 59, 64, 65, 130, 255]) {
                let wanted = (1..=hops).filter(|&hop| chosen.acts(G, packet, hop));
                assert!(chosen.acting(G, packet, hops).iter().eq(wanted));
            }
        }
    }

    #[test]
    fn each_hop_acts_with_the_probability() {
        for (chosen, chance) in choices() {
            let mut times = [0u32; 100];
            for packet in 0..10_000 {
                for hop in chosen.acting(G, packet, 100).iter() {
                    times[usize::from(hop) - 1] += 1;
                }
            }
            let deviation = (1e4 * chance * (1.0 - chance)).sqrt();
            for count in times {
                assert!(
                    (f64::from(count) - 1e4 * chance).abs() <= 4.5 * deviation,
                    "{chosen:?}: {count}"
                );
            }
        }
    }

    #[test]
    fn probabilities_take_as_few_words_as_they_can() {
        for (bits, chance, numerator, words) in [
            (3, 0.1, 1, 3),
            (16, 0.125, 1, 3),
            (4, 0.3, 5, 4),
            (8, 1.0, 1, 0),
        ] {
            let chosen = Choice::BitVectors { bits }.with(chance).unwrap();
            assert!(
                matches!(chosen, Chosen::BitVectors { numerator: n, words: w } if (n, w) == (numerator, words)),
                "{chosen:?}"
            );
        }
        for (bits, chance) in [(0, 0.5), (33, 0.5), (2, 0.1)] {
            let refused = Choice::BitVectors { bits }.with(chance).unwrap_err();
            assert_eq!(refused.key, "bits");
        }
    }
}
