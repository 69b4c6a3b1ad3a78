//! Encodes values up to a difference.

use fabricsim_base::input::ConfigError;

use super::{StepRounding, above, largest_code};

/// The code `a = v / (2 delta)`, which represents 2 delta a (PINT, section 4.3, additive
/// approximation). It has about log2 delta fewer bits than the value.
///
/// The error of a decoded value is at most delta if rounded to the nearest, and less than 2 delta
/// if rounded at random. Values below 0 have the code 0; values above the range have the largest
/// code. If two values are rounded with the same number, the larger value never has the smaller
/// code.
#[derive(Clone, Copy, Debug)]
pub struct Additive {
    delta: f64,
    bits: u32,
    rounding: StepRounding,
    largest: u16,
}

impl Additive {
    /// Returns the code of `bits` (1 to 16) with an error of `delta` (above 0, in the unit of the
    /// values).
    ///
    /// # Errors
    /// Returns an error if a parameter is out of range.
    pub fn new(delta: f64, bits: u32, rounding: StepRounding) -> Result<Self, ConfigError> {
        Ok(Self {
            delta: above(0.0, "delta", delta, "5")?,
            bits,
            rounding,
            largest: largest_code(bits)?,
        })
    }

    /// Returns the finest code of `bits` (1 to 16) that represents values up to `largest` (above
    /// 0): delta = `largest`/(2 (2^bits - 1)).
    ///
    /// # Errors
    /// Returns an error if a parameter is out of range.
    pub fn for_range(largest: f64, bits: u32, rounding: StepRounding) -> Result<Self, ConfigError> {
        let steps = f64::from(largest_code(bits)?);
        let largest = above(0.0, "largest", largest, "65536")?;
        Self::new(largest / (2.0 * steps), bits, rounding)
    }

    /// Returns the code of `value`. If the rounding is random, `uniform` (in [0, 1)) decides it.
    #[inline]
    #[must_use]
    pub fn encode(&self, value: f64, uniform: f64) -> u16 {
        let steps = value.max(0.0) / (2.0 * self.delta);
        self.rounding.code(steps, uniform, self.largest)
    }

    /// Returns the value that `code` represents.
    #[inline]
    #[must_use]
    pub fn decode(&self, code: u16) -> f64 {
        2.0 * self.delta * f64::from(code)
    }

    /// Returns the value that the largest code represents.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.decode(self.largest)
    }

    /// Returns the maximum error of values rounded to the nearest.
    #[must_use]
    pub const fn delta(&self) -> f64 {
        self.delta
    }

    /// Returns the bits of a code.
    #[must_use]
    pub const fn bits(&self) -> u32 {
        self.bits
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hash::GlobalHash;

    #[test]
    fn decoded_values_err_by_delta() {
        for delta in [1.0, 5.0, 100.0] {
            let code = Additive::new(delta, 16, StepRounding::Nearest).unwrap();
            let errors = (0..=20_000)
                .map(f64::from)
                .map(|value| (code.decode(code.encode(value, 0.0)) - value).abs());
            let worst = errors.fold(0.0, f64::max);
            assert!((worst - delta).abs() < 1e-9, "{delta}: {worst}");
        }
    }

    #[test]
    fn what_has_no_code_has_the_nearest() {
        for rounding in [StepRounding::Nearest, StepRounding::Random] {
            let code = Additive::for_range(1_500.0, 4, rounding).unwrap();
            assert!((code.delta() - 50.0).abs() < 1e-9 && (code.largest() - 1_500.0).abs() < 1e-9);
            for value in [f64::NEG_INFINITY, -1.0, 0.0, f64::NAN] {
                assert_eq!(code.encode(value, 0.0), 0, "{value}");
            }
            for value in [1_600.0, f64::INFINITY] {
                assert_eq!(code.encode(value, 0.0), 15, "{value}");
            }
        }
    }

    #[test]
    fn random_rounding_keeps_the_mean_value() {
        let hash = GlobalHash::new(5);
        let code = Additive::new(5.0, 8, StepRounding::Random).unwrap();
        let count = 200_000;
        for value in [3.0, 487.0, 1_999.0] {
            let decoded =
                (0..count).map(|packet| code.decode(code.encode(value, hash.uniform(packet, 1))));
            let mean = decoded.sum::<f64>() / count as f64;
            // Three standard errors of a coin worth at most 10.
            assert!(
                (mean - value).abs() < 3.0 * 5.0 / (count as f64).sqrt(),
                "{mean}"
            );
        }
    }

    #[test]
    fn what_is_no_code_is_refused() {
        let key = |delta, bits| {
            Additive::new(delta, bits, StepRounding::Nearest)
                .map_err(|refused| refused.key)
                .err()
        };
        assert_eq!(key(0.0, 8), Some("delta"));
        assert_eq!(key(f64::NAN, 8), Some("delta"));
        assert_eq!(key(1.0, 17), Some("bits"));
        assert_eq!(key(1.0, 1), None);
        let range = Additive::for_range(0.0, 8, StepRounding::Nearest);
        assert_eq!(range.unwrap_err().key, "largest");
    }

    proptest! {
        #[test]
        fn errors_are_bounded(
            delta in 0.01..1e3, position in 0.0..=1.0, uniform in 0.0..1.0,
        ) {
            for (rounding, steps) in [(StepRounding::Nearest, 1.0), (StepRounding::Random, 2.0)] {
                let code = Additive::new(delta, 10, rounding).unwrap();
                let value = position * code.largest();
                let error = code.decode(code.encode(value, uniform)) - value;
                prop_assert!(error.abs() <= steps * delta * (1.0 + 1e-9), "{value}: {error}");
            }
        }

        #[test]
        fn the_order_of_values_stays(
            first in -10.0..1e6, second in -10.0..1e6, uniform in 0.0..1.0, bits in 1u32..=16,
        ) {
            let (less, more) = if first < second { (first, second) } else { (second, first) };
            for rounding in [StepRounding::Nearest, StepRounding::Random] {
                let code = Additive::for_range(1e5, bits, rounding).unwrap();
                prop_assert!(code.encode(less, uniform) <= code.encode(more, uniform));
            }
        }
    }
}
