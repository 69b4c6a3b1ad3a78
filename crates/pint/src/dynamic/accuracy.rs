//! Measures the error of quantiles of sampled and encoded latencies.

use fabricsim_base::input::ConfigError;
use fabricsim_base::rng::{Purpose, Stream};

use crate::numeric::Multiplicative;

use super::hop_values::{HopValues, Storage};
use super::latencies::Latencies;

/// Repeated estimation of a quantile of the latencies of one hop (Figure 9). The same trials give
/// the same result.
///
/// Latencies are independent of each other, in whole nanoseconds, and at least one.
#[derive(Clone, Copy, Debug)]
pub struct Accuracy {
    /// Distribution of the latencies at the hop.
    pub latencies: Latencies,
    /// Number of packets with the hop's digest, at least 1. On a path of k hops, about 1/k of the
    /// packets have the digest of a given hop.
    pub digests: u32,
    /// Number of trials, at least 1.
    pub trials: u32,
    /// Seed of latencies, roundings and sketches.
    pub seed: u64,
}

/// Relative errors |estimate/truth - 1| over all trials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuantileError {
    /// Mean of the errors.
    pub mean: f64,
    /// Standard error of the mean.
    pub standard_error: f64,
}

impl Accuracy {
    /// Returns a measurement of 1,000 trials with seed 1.
    #[must_use]
    pub const fn new(latencies: Latencies, digests: u32) -> Self {
        Self {
            latencies,
            digests,
            trials: 1_000,
            seed: 1,
        }
    }

    /// Returns the error of the `phi`-quantile (above 0, below 1) of unencoded latencies that are
    /// all stored. This is the cost of sampling alone.
    ///
    /// # Errors
    /// Returns an error if a parameter is out of range.
    pub fn whole(&self, phi: f64) -> Result<QuantileError, ConfigError> {
        self.run(phi, |latencies, _| {
            let mut values: Vec<f64> = latencies.collect();
            values.sort_unstable_by(f64::total_cmp);
            let place = super::rank_of(phi, values.len() as u64) - 1;
            Some(values[usize::try_from(place).expect("below the length")])
        })
    }

    /// Returns the error of the `phi`-quantile (above 0, below 1) of latencies encoded by `code`
    /// and stored in `storage`.
    ///
    /// # Errors
    /// Returns an error if a parameter is out of range, or if `storage` has no room or no
    /// quantiles.
    pub fn coded(
        &self,
        phi: f64,
        code: &Multiplicative,
        storage: Storage,
    ) -> Result<QuantileError, ConfigError> {
        storage.validate()?;
        if let Storage::Frequent { .. } = storage {
            return Err(ConfigError::new(
                "kind",
                "counters of frequent values have no quantiles",
                "give \"all\", \"sketch\" or \"window\"",
            ));
        }
        self.run(phi, |latencies, trial| {
            let mut rounding = Stream::new(self.seed, trial, Purpose::Rounding);
            let draws = Stream::new(rounding.next_u64(), trial, Purpose::Sampling);
            let mut hop = HopValues::new(storage, draws);
            for latency in latencies {
                hop.record(code.encode(latency, rounding.uniform()));
            }
            hop.quantile(phi).map(|found| code.decode(found))
        })
    }

    /// Returns the signed relative error that remains for any number of digests: the error of the
    /// encoded `phi`-quantile, for a `code` that rounds to the nearest.
    #[must_use]
    pub fn floor(&self, phi: f64, code: &Multiplicative) -> f64 {
        let truth = self.latencies.quantile(phi);
        code.decode(code.encode(truth, 0.5)) / truth - 1.0
    }

    fn validate(&self, phi: f64) -> Result<(), ConfigError> {
        self.latencies.validate()?;
        for (key, value) in [("digests", self.digests), ("trials", self.trials)] {
            if value == 0 {
                return Err(ConfigError::new(
                    key,
                    "there is no quantile of nothing",
                    "give at least 1",
                ));
            }
        }
        if phi > 0.0 && phi < 1.0 {
            return Ok(());
        }
        Err(ConfigError::new(
            "phi",
            format!("{phi} is not a share between 0 and 1"),
            "give one, such as 0.99",
        ))
    }

    /// Runs `estimate` on the latencies of each trial and passes it the number of the trial.
    fn run(
        &self,
        phi: f64,
        mut estimate: impl FnMut(&mut dyn Iterator<Item = f64>, u64) -> Option<f64>,
    ) -> Result<QuantileError, ConfigError> {
        self.validate(phi)?;
        let truth = self.latencies.quantile(phi);
        let (mut sum, mut squares) = (0.0, 0.0);
        for trial in 0..u64::from(self.trials) {
            let mut stream = Stream::new(self.seed, trial, Purpose::Sampling);
            let mut latencies =
                (0..self.digests).map(|_| self.latencies.draw(&mut stream).floor().max(1.0));
            let found = estimate(&mut latencies, trial).expect("a storage of quantiles, not empty");
            let error = (found / truth - 1.0).abs();
            sum += error;
            squares += error * error;
        }
        let count = f64::from(self.trials);
        let mean = sum / count;
        let variance = (squares / count - mean * mean).max(0.0);
        Ok(QuantileError {
            mean,
            standard_error: (variance / count).sqrt(),
        })
    }
}

#[cfg(test)]
mod tests;
