//! Sampling of hop values by switches, and interpretation of the samples by sinks.

use crate::hash::GlobalHash;
use crate::hop_choice::HopChoice;
use crate::numeric::Multiplicative;

/// Instance number for this hash function. Path tracing has the lower instance numbers.
const INSTANCE: u64 = u64::MAX;

/// Takes one sample per packet, from any of its hops with equal probability (PINT, dynamic per-flow
/// aggregation; section 4.3 for the code). All switches and sinks of a network share the same
/// sampler.
///
/// The hashes that choose a hop and that round its value are independent. After `packets` packets
/// over k hops, each hop has about `packets`/k samples.
#[derive(Clone, Debug)]
pub struct HopSampler {
    choice: HopChoice,
    rounding: GlobalHash,
    code: Multiplicative,
}

impl HopSampler {
    /// Returns the sampler that encodes values with `code`. `seed` determines all its hash
    /// functions.
    #[must_use]
    pub fn new(code: Multiplicative, seed: u64) -> Self {
        let seeds = GlobalHash::new(seed);
        Self {
            choice: HopChoice::new(seeds.value(INSTANCE, 0)),
            rounding: GlobalHash::new(seeds.value(INSTANCE, 1)),
            code,
        }
    }

    /// Returns the digest of `packet` after hop `hop` (from 1) of its path, which measured `value`.
    ///
    /// `packet` identifies the packet within its flow. All hops must pass the same number.
    ///
    /// # Panics
    /// Panics if `hop` is zero.
    #[inline]
    #[must_use]
    pub fn encode(&self, digest: u16, packet: u64, hop: u8, value: f64) -> u16 {
        assert!(hop > 0, "hops are counted from 1");
        if !self.choice.overwrites(packet, hop) {
            return digest;
        }
        let uniform = self.rounding.uniform(packet, u64::from(hop));
        self.code.encode(value, uniform)
    }

    /// Returns the hop that wrote the digest of `packet` on a path of `hops`, or `None` if the path
    /// is empty.
    #[inline]
    #[must_use]
    pub fn hop(&self, packet: u64, hops: u8) -> Option<u8> {
        self.choice.survivor(packet, hops)
    }

    /// Returns the code of the values.
    #[must_use]
    pub const fn code(&self) -> &Multiplicative {
        &self.code
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::StepRounding;

    #[test]
    fn the_sink_knows_whose_value_it_has() {
        let code = Multiplicative::new(0.025, 8, StepRounding::Nearest).unwrap();
        let sampler = HopSampler::new(code, 7);
        assert_eq!(sampler.hop(1, 0), None);
        let mut had = [false; 12];
        for packet in 0..1_000 {
            let latency = |hop: u8| 100.0 * libm::exp(0.3 * f64::from(hop));
            let digest = (1..=12).fold(0, |digest, hop| {
                sampler.encode(digest, packet, hop, latency(hop))
            });
            let hop = sampler.hop(packet, 12).expect("a path of twelve");
            assert_eq!(digest, sampler.code().encode(latency(hop), 0.0));
            had[usize::from(hop) - 1] = true;
        }
        assert_eq!(had, [true; 12]);
    }

    /// Rounding is independent of the chosen hop, so the mean code of the samples equals the
    /// code of the value.
    #[test]
    fn survivors_are_rounded_without_a_bias() {
        let code = Multiplicative::new(0.42, 4, StepRounding::Random).unwrap();
        let sampler = HopSampler::new(code, 7);
        let codes: Vec<f64> = (0..60_000)
            .filter(|&packet| sampler.hop(packet, 6) == Some(4))
            .map(|packet| f64::from(sampler.encode(0, packet, 4, 487.0)))
            .collect();
        let count = codes.len() as f64;
        let mean = codes.iter().sum::<f64>() / count;
        let deviation = (0.8238f64 * 0.1762).sqrt();
        assert!(
            (mean - 8.8238).abs() < 3.0 * deviation / count.sqrt(),
            "{mean}"
        );
    }
}
