//! Encodes a utilization as a step on a logarithmic scale.

use std::sync::Arc;

use fabricsim_base::choices;

use crate::draws::Draws;

/// Codes start at a utilization of 1/512.
const STEPS: f64 = 512.0;
/// The largest number of steps that a code must reach if its bits are not set: a utilization of
/// 512, far above that of a link with a full buffer.
const LARGEST: f64 = STEPS * STEPS;

choices! {
    /// Mean that the random rounding between two codes preserves.
    pub enum Rounding {
        /// The mean code is the logarithm of the value (PINT, section 4.3: `[.]_R`).
        Log = "log" ("the code's: default, the paper"),
        /// The mean decoded value is the value, after rounding up to a multiple of 1/512 (the
        /// published simulator).
        Value = "value" ("the value's: the published code"),
    }
}

/// The code of a utilization U: about `log(512 U)` to a base slightly above one, rounded up or down
/// at random (PINT, section 4.3: multiplicative approximation with randomized rounding).
///
/// If U is between 1/512 and the largest code, its error is at most a factor of the base. Values
/// outside of this range have the code of the nearest limit.
#[derive(Clone, Debug)]
pub struct LogCode {
    rounding: Rounding,
    bits: u32,
    largest: u16,
    ln_base: f64,
    /// `base^code` for each code.
    powers: Arc<[f64]>,
}

impl LogCode {
    /// Returns the code to `base` (above 1) in `bits` (1 to 16).
    ///
    /// # Panics
    /// Panics if `base` or `bits` is out of range.
    #[must_use]
    pub fn new(base: f64, bits: u32, rounding: Rounding) -> Self {
        assert!(base > 1.0, "the base of a logarithm is above 1");
        assert!((1..=16).contains(&bits), "a digest has 1 to 16 bits");
        let largest = u16::MAX >> (16 - bits);
        Self {
            rounding,
            bits,
            largest,
            ln_base: libm::log(base),
            powers: (0..=largest)
                .map(|code| libm::pow(base, f64::from(code)))
                .collect(),
        }
    }

    /// Returns the minimum number of bits for codes of utilizations up to 512 to `base`.
    #[must_use]
    pub fn bits_for(base: f64) -> u32 {
        let codes = libm::log(LARGEST) / libm::log(base);
        (1..64)
            .find(|&bits| (1u64 << bits) as f64 >= codes)
            .unwrap_or(64)
    }

    /// Returns the bits of a code.
    #[must_use]
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// Returns the bytes that a code takes on the wire.
    #[must_use]
    pub const fn wire_bytes(&self) -> u16 {
        if self.bits > 8 { 2 } else { 1 }
    }

    /// Returns the code of `utilization`, rounded with one of `draws`.
    #[inline]
    #[must_use]
    pub fn encode(&self, utilization: f64, draws: &mut impl Draws) -> u16 {
        self.round(self.steps(utilization), draws)
    }

    /// Returns the code of a utilization in `steps`, rounded with one of `draws`.
    #[inline]
    pub(crate) fn round(&self, steps: f64, draws: &mut impl Draws) -> u16 {
        let (lower, chance) = self.between(steps);
        // No branch, because it would be mispredicted half the time.
        lower + u16::from(draws.uniform() < chance)
    }

    /// Returns the larger of `code` and the code of `utilization`. It is cheaper than
    /// [`Self::encode`] followed by a maximum: most packets on links that are less busy than an
    /// earlier one need neither a logarithm nor a draw.
    #[inline]
    #[must_use]
    pub fn raise(&self, code: u16, utilization: f64, draws: &mut impl Draws) -> u16 {
        let (steps, rises) = self.rise(Some(code), utilization);
        if rises {
            code.max(self.round(steps, draws))
        } else {
            code
        }
    }

    /// Returns `utilization` in steps, and `true` if its code may be above `code`. Without a
    /// `code`, the second value is `false`.
    // No branch, because it would be mispredicted for many packets.
    #[inline]
    pub(crate) fn rise(&self, code: Option<u16>, utilization: f64) -> (f64, bool) {
        let steps = self.steps(utilization);
        let reached = self.powers[usize::from(code.unwrap_or(0))];
        (steps, (steps > reached) & code.is_some())
    }

    /// Returns the utilization that `code` represents.
    #[inline]
    #[must_use]
    pub fn decode(&self, code: u16) -> f64 {
        self.powers[usize::from(code)] / STEPS
    }

    /// Returns the utilization of the largest code.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.decode(self.largest)
    }

    /// Returns `utilization` in steps, at least 1.
    #[inline]
    fn steps(&self, utilization: f64) -> f64 {
        let steps = utilization * STEPS;
        match self.rounding {
            Rounding::Log => steps.max(1.0),
            Rounding::Value => whole(steps).max(1.0),
        }
    }

    /// Returns the code at or below `steps`, and the probability of choosing the next code instead.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a logarithm of at least 0; one beyond 16 bits saturates"
    )]
    fn between(&self, steps: f64) -> (u16, f64) {
        let code = libm::log(steps) / self.ln_base;
        let lower = code as u16;
        if lower >= self.largest {
            return (self.largest, 0.0);
        }
        let above = code - f64::from(lower);
        let chance = match self.rounding {
            Rounding::Log => above,
            Rounding::Value if above > 0.0 => {
                let (from, to) = (
                    self.powers[usize::from(lower)],
                    self.powers[usize::from(lower) + 1],
                );
                (steps - from) / (to - from)
            }
            Rounding::Value => 0.0,
        };
        (lower, chance)
    }
}

/// Returns `steps` rounded up.
// Not inlined, so that `ceil` is computed only if needed: on baseline x86-64 it is a library call.
#[inline(never)]
fn whole(steps: f64) -> f64 {
    steps.ceil()
}

#[cfg(test)]
mod tests {
    use fabricsim_base::rng::{Purpose, Stream};
    use proptest::prelude::*;

    use super::*;

    fn stream() -> Stream {
        Stream::new(1, 0, Purpose::Rounding)
    }

    fn published() -> LogCode {
        LogCode::new(1.05, 8, Rounding::Value)
    }

    #[test]
    fn the_published_choice_between_two_codes() {
        let code = published();
        for (utilization, lower, chance) in [
            (0.5, 113, 0.6481),
            (0.95, 126, 0.8309),
            (1.0, 127, 0.8573),
            (10.0, 175, 0.0527),
        ] {
            let (found, up) = code.between(code.steps(utilization));
            assert_eq!(found, lower, "{utilization}");
            assert!((up - chance).abs() < 5e-5, "{utilization}: {up}");
        }
        for utilization in [0.0, 0.001, 1.0 / 512.0] {
            assert_eq!(code.encode(utilization, &mut stream()), 0);
        }
    }

    #[test]
    fn codes_stand_for_powers_of_the_base() {
        let code = published();
        for (number, utilization) in [
            (0, 0.001953),
            (100, 0.256838),
            (126, 0.913233),
            (127, 0.958895),
            (128, 1.006840),
            (150, 2.945269),
            (255, 494.312169),
        ] {
            let decoded = code.decode(number);
            assert!((decoded - utilization).abs() < 1e-6, "{number}: {decoded}");
        }
    }

    #[test]
    fn the_bits_follow_from_the_base() {
        for (base, bits, bytes) in [(1.05, 8, 1), (1.02, 10, 2), (1.01, 11, 2), (1.1, 8, 1)] {
            assert_eq!(LogCode::bits_for(base), bits, "{base}");
            let code = LogCode::new(base, bits, Rounding::Log);
            assert_eq!((code.bits(), code.wire_bytes()), (bits, bytes), "{base}");
        }
    }

    #[test]
    fn beyond_the_largest_code_is_the_largest_code() {
        for rounding in [Rounding::Log, Rounding::Value] {
            for (bits, largest) in [(4, 15), (8, 255), (10, 1_023)] {
                let code = LogCode::new(1.02, bits, rounding);
                for utilization in [1e8, f64::INFINITY] {
                    assert_eq!(code.encode(utilization, &mut stream()), largest);
                }
            }
        }
    }

    #[test]
    fn rounding_by_value_keeps_the_mean_value() {
        let code = published();
        let mut stream = stream();
        for utilization in [0.03, 0.5, 0.95, 1.0, 7.7] {
            let draws = 400_000;
            let sum: f64 = (0..draws)
                .map(|_| code.decode(code.encode(utilization, &mut stream)))
                .sum();
            let want = (utilization * 512.0).ceil() / 512.0;
            let mean = sum / f64::from(draws);
            assert!((mean / want - 1.0).abs() < 1e-3, "{mean} {want}");
        }
    }

    #[test]
    fn rounding_by_log_keeps_the_mean_code() {
        let code = LogCode::new(1.05, 8, Rounding::Log);
        let mut stream = stream();
        for utilization in [0.03, 0.5, 0.95, 1.0, 7.7] {
            let draws = 400_000;
            let sum: f64 = (0..draws)
                .map(|_| f64::from(code.encode(utilization, &mut stream)))
                .sum();
            let mean = sum / f64::from(draws);
            let want = libm::log(utilization * 512.0) / libm::log(1.05);
            // Three standard errors of a coin that is tossed 400,000 times.
            assert!((mean - want).abs() < 3.0 * 0.5 / 632.0, "{mean} {want}");
        }
    }

    #[test]
    fn the_two_roundings_differ() {
        let (log, value) = (
            LogCode::new(1.5, 8, Rounding::Log),
            LogCode::new(1.5, 8, Rounding::Value),
        );
        let (_, by_log) = log.between(log.steps(0.7));
        let (_, by_value) = value.between(value.steps(0.7));
        assert!((by_log - by_value).abs() > 0.03, "{by_log} {by_value}");
    }

    proptest! {
        #[test]
        fn a_decoded_value_is_within_the_base(
            utilization in 1.0 / 512.0..490.0, base in 1.005..1.5, seed in 0u64..1_000,
        ) {
            for rounding in [Rounding::Log, Rounding::Value] {
                let code = LogCode::new(base, LogCode::bits_for(base), rounding);
                let mut stream = Stream::new(seed, 0, Purpose::Rounding);
                let decoded = code.decode(code.encode(utilization, &mut stream));
                let ratio = decoded * 512.0 / code.steps(utilization);
                let least = if decoded < code.largest() { 1.0 / base } else { 0.0 };
                prop_assert!(ratio > least * (1.0 - 1e-9) && ratio < base * (1.0 + 1e-9), "{}", ratio);
            }
        }

        #[test]
        fn a_raised_code_is_the_larger_one(
            utilization in 0.0..600.0, code in 0u16..256, seed in 0u64..1_000,
        ) {
            for rounding in [Rounding::Log, Rounding::Value] {
                let codes = LogCode::new(1.05, 8, rounding);
                let [mut first, mut second] =
                    [(); 2].map(|()| Stream::new(seed, 0, Purpose::Rounding));
                let coded = codes.encode(utilization, &mut first);
                prop_assert_eq!(codes.raise(code, utilization, &mut second), code.max(coded));
            }
        }
    }
}
