//! Latencies with known quantiles.

use fabricsim_base::input::ConfigError;
use fabricsim_base::rng::Stream;

/// Distribution of latencies, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Latencies {
    /// Exponential, as in a queue with random arrivals.
    Exponential {
        /// Mean, above 0.
        mean: f64,
    },
    /// Lognormal: the logarithm is normally distributed, which gives a long tail.
    Lognormal {
        /// Median, above 0.
        median: f64,
        /// Standard deviation of the logarithm, above 0.
        sigma: f64,
    },
    /// Uniform.
    Uniform {
        /// Minimum, at least 0.
        from: f64,
        /// Maximum, above the minimum.
        to: f64,
    },
}

impl Latencies {
    /// Checks the parameters.
    ///
    /// # Errors
    /// Returns an error if a parameter is outside of its documented range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let (key, value, least) = match *self {
            Self::Exponential { mean } => ("mean", mean, 0.0),
            Self::Lognormal { median, .. } if !(median > 0.0 && median.is_finite()) => {
                ("median", median, 0.0)
            }
            Self::Lognormal { sigma, .. } => ("sigma", sigma, 0.0),
            Self::Uniform { from, .. } if !(from >= 0.0 && from.is_finite()) => {
                return Err(ConfigError::new(
                    "from",
                    format!("{from} is not a latency"),
                    "give a number of nanoseconds of at least 0",
                ));
            }
            Self::Uniform { from, to } => ("to", to, from),
        };
        if value > least && value.is_finite() {
            return Ok(());
        }
        Err(ConfigError::new(
            key,
            format!("{value} is not a number above {least}"),
            "give a larger one, latencies in nanoseconds",
        ))
    }

    /// Returns the next latency, drawn from `stream`.
    pub fn draw(&self, stream: &mut Stream) -> f64 {
        // 1 - u is above 0, so its logarithm is finite.
        let log = |stream: &mut Stream| libm::log(1.0 - stream.uniform());
        match *self {
            Self::Exponential { mean } => -mean * log(stream),
            Self::Lognormal { median, sigma } => {
                // The Box-Muller transform.
                let radius = (-2.0 * log(stream)).sqrt();
                let angle = 2.0 * std::f64::consts::PI * stream.uniform();
                median * libm::exp(sigma * radius * libm::cos(angle))
            }
            Self::Uniform { from, to } => from + (to - from) * stream.uniform(),
        }
    }

    /// Returns the latency that is above a share of `phi` (above 0 and below 1) of all latencies.
    #[must_use]
    pub fn quantile(&self, phi: f64) -> f64 {
        match *self {
            Self::Exponential { mean } => -mean * libm::log1p(-phi),
            Self::Lognormal { median, sigma } => median * libm::exp(sigma * normal_quantile(phi)),
            Self::Uniform { from, to } => from + (to - from) * phi,
        }
    }
}

/// Returns the quantile of the standard normal distribution, by bisection within eight deviations.
fn normal_quantile(phi: f64) -> f64 {
    let (mut low, mut high) = (-8.0, 8.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if 0.5 * libm::erfc(-middle * std::f64::consts::FRAC_1_SQRT_2) < phi {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use fabricsim_base::rng::Purpose;

    use super::*;

    #[test]
    fn as_many_are_below_a_quantile_as_it_says() {
        for latencies in [
            Latencies::Exponential { mean: 10_000.0 },
            Latencies::Lognormal {
                median: 8_000.0,
                sigma: 0.8,
            },
            Latencies::Uniform {
                from: 500.0,
                to: 50_000.0,
            },
        ] {
            assert_eq!(latencies.validate(), Ok(()));
            let mut stream = Stream::new(1, 0, Purpose::Sampling);
            let drawn: Vec<f64> = (0..200_000).map(|_| latencies.draw(&mut stream)).collect();
            for phi in [0.01, 0.25, 0.5, 0.9, 0.99] {
                let bound = latencies.quantile(phi);
                let below = drawn.iter().filter(|&&latency| latency < bound).count() as f64;
                let deviation = (2e5 * phi * (1.0 - phi)).sqrt();
                assert!(
                    (below - 2e5 * phi).abs() < 4.0 * deviation,
                    "{latencies:?} {phi}: {below}"
                );
            }
        }
        assert!((normal_quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-12);
    }

    #[test]
    fn what_is_no_latency_is_refused() {
        for (key, latencies) in [
            ("mean", Latencies::Exponential { mean: 0.0 }),
            (
                "median",
                Latencies::Lognormal {
                    median: -1.0,
                    sigma: 1.0,
                },
            ),
            (
                "sigma",
                Latencies::Lognormal {
                    median: 1.0,
                    sigma: f64::NAN,
                },
            ),
            (
                "from",
                Latencies::Uniform {
                    from: -1.0,
                    to: 5.0,
                },
            ),
            ("to", Latencies::Uniform { from: 5.0, to: 5.0 }),
            (
                "to",
                Latencies::Uniform {
                    from: 5.0,
                    to: f64::INFINITY,
                },
            ),
        ] {
            assert_eq!(latencies.validate().unwrap_err().key, key);
        }
    }
}
