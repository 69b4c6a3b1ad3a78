//! Encodes values up to a factor.

use std::sync::Arc;

use fabricsim_base::input::ConfigError;

use super::{StepRounding, above, largest_code};

/// The code `a = log v` to the base (1 + epsilon)^2, which represents (1 + epsilon)^(2a) (PINT,
/// section 4.3, multiplicative approximation).
///
/// A decoded value is within a factor of 1 + epsilon if rounded to the nearest, and within the
/// square of that factor if rounded at random. Values below 1 have the code 0, which represents 1;
/// values above the range have the largest code. If two values are rounded with the same number,
/// the larger value never has the smaller code.
#[derive(Clone, Debug)]
pub struct Multiplicative {
    epsilon: f64,
    bits: u32,
    rounding: StepRounding,
    largest: u16,
    /// `ln (1 + epsilon)^2`.
    ln_base: f64,
    /// Value that each code represents.
    values: Arc<[f64]>,
}

impl Multiplicative {
    /// Returns the code of `bits` (1 to 16) with an error of a factor of 1 + `epsilon` (above 0).
    ///
    /// # Errors
    /// Returns an error if a parameter is out of range.
    pub fn new(epsilon: f64, bits: u32, rounding: StepRounding) -> Result<Self, ConfigError> {
        let largest = largest_code(bits)?;
        let epsilon = above(0.0, "epsilon", epsilon, "0.025 for 2.5%")?;
        let ln_base = 2.0 * libm::log1p(epsilon);
        Ok(Self {
            epsilon,
            bits,
            rounding,
            largest,
            ln_base,
            values: (0..=largest)
                .map(|code| libm::pow(1.0 + epsilon, 2.0 * f64::from(code)))
                .collect(),
        })
    }

    /// Returns the finest code of `bits` (1 to 16) that represents values up to `largest` (above
    /// 1): epsilon = `largest`^(1/(2 (2^bits - 1))) - 1.
    ///
    /// # Errors
    /// Returns an error if a parameter is out of range.
    pub fn for_range(largest: f64, bits: u32, rounding: StepRounding) -> Result<Self, ConfigError> {
        let steps = f64::from(largest_code(bits)?);
        let largest = above(1.0, "largest", largest, "65536")?;
        Self::new(
            libm::expm1(libm::log(largest) / (2.0 * steps)),
            bits,
            rounding,
        )
    }

    /// Returns the code of `value`. If the rounding is random, `uniform` (in [0, 1)) decides it.
    #[inline]
    #[must_use]
    pub fn encode(&self, value: f64, uniform: f64) -> u16 {
        let steps = libm::log(value.max(1.0)) / self.ln_base;
        self.rounding.code(steps, uniform, self.largest)
    }

    /// Returns the value that `code` represents.
    ///
    /// # Panics
    /// Panics if `code` has too many bits for this code.
    #[inline]
    #[must_use]
    pub fn decode(&self, code: u16) -> f64 {
        self.values[usize::from(code)]
    }

    /// Returns the value that the largest code represents.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.decode(self.largest)
    }

    /// Returns the maximum relative error of values rounded to the nearest.
    #[must_use]
    pub const fn epsilon(&self) -> f64 {
        self.epsilon
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

    fn nearest(epsilon: f64, bits: u32) -> Multiplicative {
        Multiplicative::new(epsilon, bits, StepRounding::Nearest).unwrap()
    }

    #[test]
    fn codes_are_logarithms() {
        let values = [1, 2, 10, 100, 1_000, 10_000, 65_536].map(f64::from);
        for (epsilon, bits, last, codes) in [
            (0.025, 8, 65_536.0, [0, 14, 47, 93, 140, 186, 225]),
            (0.022, 8, 65_536.0, [0, 16, 53, 106, 159, 212, 255]),
            (0.42, 4, 37_000.0, [0, 1, 3, 7, 10, 13, 15]),
        ] {
            let code = nearest(epsilon, bits);
            for (value, wanted) in values[..6].iter().chain([&last]).zip(codes) {
                assert_eq!(code.encode(*value, 0.0), wanted, "{epsilon}: {value}");
            }
        }
    }

    #[test]
    fn decoded_values_err_by_epsilon() {
        for (epsilon, bits, under, over) in [
            (0.0025, 12, -0.00249, 0.00250),
            (0.022, 8, -0.02153, 0.02200),
            (0.025, 8, -0.02439, 0.02500),
            (0.42, 5, -0.29577, 0.41998),
        ] {
            let code = nearest(epsilon, bits);
            let (mut least, mut most) = (0.0f64, 0.0f64);
            for value in (1..=65_536).map(f64::from) {
                let error = code.decode(code.encode(value, 0.0)) / value - 1.0;
                (least, most) = (least.min(error), most.max(error));
            }
            assert!(
                1.0 + least >= 1.0 / (1.0 + epsilon) && most <= epsilon,
                "{epsilon}: {least} {most}"
            );
            assert!(
                (least - under).abs() < 6e-6 && (most - over).abs() < 6e-6,
                "{epsilon}: {least} {most}"
            );
        }
    }

    #[test]
    fn a_range_decides_how_fine_a_code_is() {
        for (log2, bits, epsilon) in [
            (15.2, 4, 0.420_764),
            (16.0, 4, 0.447_269),
            (16.0, 8, 0.021_984),
            (32.0, 8, 0.044_451),
            (32.0, 16, 0.000_169),
            (18.0, 8, 0.024_766),
            (16.0, 1, 255.0),
        ] {
            let range = libm::exp2(log2);
            let code = Multiplicative::for_range(range, bits, StepRounding::Nearest).unwrap();
            assert!(
                (code.epsilon() - epsilon).abs() < 5e-7,
                "{bits} bits of {range}"
            );
            assert!((code.largest() / range - 1.0).abs() < 1e-9);
            assert_eq!(code.encode(range, 0.0), u16::MAX >> (16 - bits));
        }
        for (epsilon, bits, largest) in [(0.42, 4, 37_040.0), (0.022, 8, 66_060.0)] {
            let found = nearest(epsilon, bits).largest();
            assert!((found / largest - 1.0).abs() < 2e-4, "{found}");
        }
    }

    #[test]
    fn what_has_no_code_has_the_nearest() {
        for rounding in [StepRounding::Nearest, StepRounding::Random] {
            let code = Multiplicative::new(0.42, 4, rounding).unwrap();
            for value in [f64::NEG_INFINITY, -1.0, 0.0, 0.99, 1.0, f64::NAN] {
                assert_eq!(code.encode(value, 0.999), 0, "{value}");
            }
            for value in [1e9, f64::MAX, f64::INFINITY] {
                assert_eq!(code.encode(value, 0.0), 15, "{value}");
            }
        }
        assert!((nearest(0.42, 4).decode(0) - 1.0).abs() < f64::EPSILON);
    }

    /// `[.]_R`: the mean code is the logarithm; the mean decoded value is slightly too large.
    #[test]
    fn random_rounding_keeps_the_mean_code() {
        let hash = GlobalHash::new(5);
        let count = 200_000;
        for (epsilon, value, log, mean) in [
            (0.025, 3.0, 22.2458, 1.000_23),
            (0.025, 487.0, 125.3060, 1.000_26),
            (0.025, 20_000.0, 200.5354, 1.000_30),
            (0.42, 3.0, 1.5665, 1.059_15),
            (0.42, 487.0, 8.8238, 1.031_03),
            (0.42, 20_000.0, 14.1213, 1.031_69),
        ] {
            let code = Multiplicative::new(epsilon, 8, StepRounding::Random).unwrap();
            let (mut codes, mut decoded) = (0.0, 0.0);
            for packet in 0..count {
                let found = code.encode(value, hash.uniform(packet, 3));
                codes += f64::from(found);
                decoded += code.decode(found) / value;
            }
            let fraction = log - libm::floor(log);
            let deviation = (fraction * (1.0 - fraction)).sqrt();
            let error = deviation / (count as f64).sqrt();
            // The reference has four digits.
            assert!(
                (codes / count as f64 - log).abs() < 3.0 * error + 5e-5,
                "{epsilon} {value}: {}",
                codes / count as f64
            );
            let step = libm::expm1(code.ln_base);
            assert!(
                (decoded / count as f64 - mean).abs() < 4.0 * error * step + 5e-5,
                "{epsilon} {value}: {}",
                decoded / count as f64
            );
        }
    }

    #[test]
    fn what_is_no_code_is_refused() {
        let key = |refused: ConfigError| refused.key;
        let new = |epsilon, bits| {
            Multiplicative::new(epsilon, bits, StepRounding::Nearest)
                .map_err(key)
                .err()
        };
        assert_eq!(new(0.0, 8), Some("epsilon"));
        assert_eq!(new(f64::NAN, 8), Some("epsilon"));
        assert_eq!(new(f64::INFINITY, 8), Some("epsilon"));
        assert_eq!(new(0.1, 0), Some("bits"));
        assert_eq!(new(0.1, 17), Some("bits"));
        assert_eq!(new(0.1, 16), None);
        let range = |largest, bits| {
            Multiplicative::for_range(largest, bits, StepRounding::Random)
                .map_err(key)
                .err()
        };
        assert_eq!(range(1.0, 8), Some("largest"));
        assert_eq!(range(65_536.0, 0), Some("bits"));
    }

    proptest! {
        #[test]
        fn errors_are_bounded(
            epsilon in 0.001..1.0, position in 0.0..1.0, uniform in 0.0..1.0,
        ) {
            for (rounding, steps) in [(StepRounding::Nearest, 1.0), (StepRounding::Random, 2.0)] {
                let code = Multiplicative::new(epsilon, 8, rounding).unwrap();
                let value = libm::pow(code.largest(), position);
                let decoded = code.decode(code.encode(value, uniform));
                let bound = steps * libm::log1p(epsilon) * (1.0 + 1e-9);
                prop_assert!(libm::log(decoded / value).abs() <= bound, "{value}: {decoded}");
            }
        }

        #[test]
        fn the_order_of_values_stays(
            first in 0.0..1e6, second in 0.0..1e6, uniform in 0.0..1.0, bits in 1u32..=16,
        ) {
            let (less, more) = if first < second { (first, second) } else { (second, first) };
            for rounding in [StepRounding::Nearest, StepRounding::Random] {
                let code = Multiplicative::for_range(1e5, bits, rounding).unwrap();
                let [below, above] = [less, more].map(|value| code.encode(value, uniform));
                prop_assert!(below <= above);
                prop_assert!(code.decode(below) <= code.decode(above));
            }
        }

        #[test]
        fn a_code_stands_for_itself(epsilon in 0.001..1.0, code in 0u16..256) {
            let codes = nearest(epsilon, 8);
            prop_assert_eq!(codes.encode(codes.decode(code), 0.0), code);
        }
    }
}
