//! Counts up to a factor.

use std::sync::Arc;

use fabricsim_base::input::ConfigError;

use super::{above, largest_code};

/// A counter with logarithmic steps (Morris, CACM 1978; PINT, section 4.3, randomized counting). It
/// is for sums along a path, if every hop adds to the code in the packet.
///
/// The code c represents ((1 + a)^c - 1)/a, and counting one raises it with a probability of (1 +
/// a)^-c. The mean estimate is the count. After n counts its standard deviation is
/// [`Morris::deviation`], about sqrt(a/2) of the count. The largest code stays when more is
/// counted.
#[derive(Clone, Debug)]
pub struct Morris {
    growth: f64,
    bits: u32,
    /// Estimated count that each code represents.
    estimates: Arc<[f64]>,
}

impl Morris {
    /// Returns the counter of `bits` (1 to 16) with steps that grow by a factor of 1 + `growth`
    /// (above 0; a in the description).
    ///
    /// # Errors
    /// Returns an error if a parameter is out of range.
    pub fn new(growth: f64, bits: u32) -> Result<Self, ConfigError> {
        let largest = largest_code(bits)?;
        let growth = above(0.0, "growth", growth, "0.02 for counts within about 10%")?;
        Ok(Self {
            growth,
            bits,
            estimates: (0..=largest)
                .map(|code| estimate(growth, f64::from(code)))
                .collect(),
        })
    }

    /// Returns the counter of `bits` (2 to 16) with the finest steps that reach `largest`. It must
    /// be above 2^bits - 1, because a smaller sum could be counted exactly.
    ///
    /// # Errors
    /// Returns an error if a parameter is out of range.
    pub fn for_range(largest: f64, bits: u32) -> Result<Self, ConfigError> {
        let codes = f64::from(largest_code(bits)?);
        if bits == 1 {
            return Err(ConfigError::new(
                "bits",
                "a counter of 1 bit counts to 1 and not further",
                "give at least 2",
            ));
        }
        let largest = above(codes, "largest", largest, "65536")?;
        // With three or more codes, the largest one represents more than the growth, so this bounds
        // the search.
        let (mut low, mut high) = (0.0, largest);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if estimate(middle, codes) < largest {
                low = middle;
            } else {
                high = middle;
            }
        }
        Self::new(high, bits)
    }

    /// Returns the code after counting one more. `uniform`, in [0, 1), decides.
    ///
    /// # Panics
    /// Panics if `code` has too many bits for this counter.
    #[inline]
    #[must_use]
    pub fn increment(&self, code: u16, uniform: f64) -> u16 {
        self.add(code, 1.0, uniform)
    }

    /// Returns the code after adding `weight`: one of the two codes with estimates next to the sum,
    /// chosen at random so that the mean estimate is the sum. For a weight of 1 this is Morris's
    /// own step. Weights below 0 add nothing. `uniform`, in [0, 1), decides.
    ///
    /// # Panics
    /// Panics if `code` has too many bits for this counter.
    #[inline]
    #[must_use]
    pub fn add(&self, code: u16, weight: f64, uniform: f64) -> u16 {
        let from = usize::from(code);
        let target = self.estimates[from] + weight.max(0.0);
        let above = self.estimates[from..].partition_point(|&estimate| estimate <= target);
        // A sum is never below its first summand.
        let lower = from + above.max(1) - 1;
        let raised = match self.estimates.get(lower + 1) {
            Some(&next) => {
                let this = self.estimates[lower];
                lower + usize::from(uniform * (next - this) < target - this)
            }
            None => lower,
        };
        u16::try_from(raised).expect("a table of at most 2^16 codes")
    }

    /// Returns the estimate of a sum with this `code`.
    ///
    /// # Panics
    /// Panics if `code` has too many bits for this counter.
    #[inline]
    #[must_use]
    pub fn estimate(&self, code: u16) -> f64 {
        self.estimates[usize::from(code)]
    }

    /// Returns the standard deviation of the estimate after `count` increments: sqrt(a n (n -
    /// 1)/2). Sums of fewer and larger weights have a smaller error.
    #[must_use]
    pub fn deviation(&self, count: u64) -> f64 {
        let count = count as f64;
        (self.growth * count * (count - 1.0).max(0.0) / 2.0).sqrt()
    }

    /// Returns the estimated count that the largest code represents.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.estimates[self.estimates.len() - 1]
    }

    /// Returns the relative growth of steps: a.
    #[must_use]
    pub const fn growth(&self) -> f64 {
        self.growth
    }

    /// Returns the bits of a code.
    #[must_use]
    pub const fn bits(&self) -> u32 {
        self.bits
    }
}

/// Returns ((1 + `growth`)^`code` - 1)/`growth`.
fn estimate(growth: f64, code: f64) -> f64 {
    libm::expm1(code * libm::log1p(growth)) / growth
}

#[cfg(test)]
mod tests {
    use fabricsim_base::rng::{Purpose, Stream};
    use proptest::prelude::*;

    use super::*;

    /// Returns the mean and standard deviation of the estimates of `trials` counters after all
    /// `weights`.
    fn moments(morris: &Morris, weights: &[f64], trials: u32) -> (f64, f64) {
        let mut stream = Stream::new(1, 0, Purpose::Rounding);
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..trials {
            let code = weights.iter().fold(0, |code, &weight| {
                morris.add(code, weight, stream.uniform())
            });
            let estimate = morris.estimate(code);
            sum += estimate;
            squares += estimate * estimate;
        }
        let mean = sum / f64::from(trials);
        (mean, (squares / f64::from(trials) - mean * mean).sqrt())
    }

    #[test]
    fn estimates_are_unbiased_and_deviate_as_morris_says() {
        for growth in [1.0, 0.1, 0.02] {
            let morris = Morris::new(growth, 8).unwrap();
            for count in [5u64, 10, 100, 1_000] {
                let trials = 6_000;
                let weights = vec![1.0; usize::try_from(count).unwrap()];
                let (mean, deviation) = moments(&morris, &weights, trials);
                let wanted = morris.deviation(count);
                let relative = (growth * (count as f64 - 1.0) / (2.0 * count as f64)).sqrt();
                assert!((wanted / count as f64 - relative).abs() < 1e-12);
                let error = wanted / f64::from(trials).sqrt();
                assert!(
                    (mean - count as f64).abs() < 4.0 * error,
                    "{growth} {count}: {mean}"
                );
                // Estimates have long tails, so the standard deviation is itself uncertain.
                assert!(
                    (deviation / wanted - 1.0).abs() < 0.08,
                    "{growth} {count}: {deviation} {wanted}"
                );
            }
        }
    }

    #[test]
    fn five_hops_of_one_bit() {
        let morris = Morris::new(1.0, 3).unwrap();
        assert!((morris.deviation(5) - 10f64.sqrt()).abs() < 1e-12);
        for (code, wanted) in [(0, 0.0), (1, 1.0), (2, 3.0), (3, 7.0), (7, 127.0)] {
            let estimate = morris.estimate(code);
            assert!((estimate - wanted).abs() < 1e-12, "{code}: {estimate}");
        }
        // From code 2, with an estimate of 3, one in four counts leads to code 3.
        assert_eq!(morris.increment(2, 0.249), 3);
        assert_eq!(morris.increment(2, 0.251), 2);
    }

    /// The latency of a path: the sum over its hops in 8 bits.
    #[test]
    fn weights_add_up_along_a_path() {
        let latencies = [900.0, 12_500.0, 0.0, 430.0, 3_170.0];
        let total: f64 = latencies.iter().sum();
        let morris = Morris::for_range(1e6, 8).unwrap();
        assert!(morris.growth() < 0.043, "{}", morris.growth());
        let trials = 20_000;
        let (mean, deviation) = moments(&morris, &latencies, trials);
        assert!(deviation < morris.deviation(17_000), "{deviation}");
        let error = deviation / f64::from(trials).sqrt();
        assert!((mean - total).abs() < 4.0 * error, "{mean}");
    }

    #[test]
    fn the_largest_code_stays() {
        let morris = Morris::new(0.5, 2).unwrap();
        assert_eq!(morris.add(3, 1.0, 0.0), 3);
        assert_eq!(morris.add(0, f64::INFINITY, 0.9), 3);
        assert_eq!(morris.add(1, -5.0, 0.0), 1);
        assert_eq!(morris.add(1, f64::NAN, 0.0), 1);
    }

    #[test]
    fn a_range_decides_how_fine_a_counter_is() {
        for (largest, bits) in [(4.0, 2), (65_536.0, 8), (1e6, 8), (1e9, 16), (300.0, 8)] {
            let morris = Morris::for_range(largest, bits).unwrap();
            assert!(
                (morris.largest() / largest - 1.0).abs() < 1e-6,
                "{largest} in {bits} bits: {}",
                morris.largest()
            );
        }
        let key = |largest, bits| Morris::for_range(largest, bits).unwrap_err().key;
        assert_eq!(key(255.0, 8), "largest");
        assert_eq!(key(1e6, 1), "bits");
        assert_eq!(key(1e6, 17), "bits");
        assert_eq!(Morris::new(0.0, 8).unwrap_err().key, "growth");
        assert_eq!(Morris::new(1.0, 0).unwrap_err().key, "bits");
    }

    proptest! {
        /// The probability is such that the mean is the sum.
        #[test]
        fn a_sum_is_between_the_estimates_of_its_codes(
            growth in 0.001..2.0, code in 0u16..200, weight in 0.0..1e4,
        ) {
            let morris = Morris::new(growth, 8).unwrap();
            let target = morris.estimate(code) + weight;
            let [upper, lower] = [0.0, 1.0 - f64::EPSILON].map(|u| morris.add(code, weight, u));
            prop_assert!(lower >= code && lower <= upper && upper <= lower + 1);
            let tolerance = 1e-9 * target;
            if target < morris.largest() {
                prop_assert!(morris.estimate(lower) <= target + tolerance);
                prop_assert!(morris.estimate(upper) >= target - tolerance);
            } else {
                prop_assert_eq!(lower, 255);
            }
        }
    }
}
