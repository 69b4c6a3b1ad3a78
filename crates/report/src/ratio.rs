//! Ratios of a value between two settings, with their uncertainty.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::bin_table::PercentileEstimate;
use crate::interval::{Interval, ReplicaMean};
use crate::quantile::Confidence;

/// A value of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The value, above zero; `None` if the run has none.
    pub value: Option<f64>,
    /// Confidence interval of the true value from this run alone; `None` if it is not known.
    pub interval: Option<Interval>,
}

impl From<PercentileEstimate> for Estimate {
    fn from(estimate: PercentileEstimate) -> Self {
        Self {
            value: estimate.slowdown,
            interval: estimate.interval,
        }
    }
}

/// The runs of two settings that differ in one value only. Each setting has one
/// estimate for each run, in the order of seeds.
pub type RatioCell = [Vec<Estimate>; 2];

/// The ratio of a value under one setting to its value under another, with its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The value under the first setting divided by the value under the second.
    pub ratio: f64,
    /// Confidence interval; `None` if there are too few flows and too few runs for one.
    pub interval: Option<Interval>,
    /// Number of runs of each setting behind the interval; 1 if it is computed from flows of one
    /// run.
    pub runs: usize,
    /// Number of runs of each setting, including runs without a value.
    pub given: usize,
}

impl Ratio {
    /// Computes the ratio of the estimates `first` to `second`, which have one estimate for each
    /// run of a setting, in the order of seeds. Returns `None` if either setting has no value.
    ///
    /// With several runs of each setting, the interval is Student's, of the logarithms. If both
    /// settings have the same number of runs, it is computed from the ratios of pairs with two
    /// values, because runs of one seed have the same flows. Otherwise the ends of both intervals
    /// are divided by one another. With one run of each setting, it is computed from the ends of
    /// the intervals of both runs.
    #[must_use]
    pub fn between(
        first: &[Estimate],
        second: &[Estimate],
        confidence: Confidence,
    ) -> Option<Self> {
        let given = first.len().min(second.len());
        let known = |(a, b): &(&Estimate, &Estimate)| a.value.is_some() && b.value.is_some();
        let pairs = || first.iter().zip(second).filter(known);
        // Even a single pair is better than runs of different seeds, since a pair has the same
        // flows.
        let is_paired = first.len() == second.len() && pairs().next().is_some();
        let (first, second): (Vec<Estimate>, Vec<Estimate>) = match is_paired {
            true => pairs().map(|(a, b)| (*a, *b)).unzip(),
            false => (first.to_vec(), second.to_vec()),
        };
        // Logarithms turn ratios into differences, for which Student's interval is made.
        let logs = |estimates: &[Estimate]| -> Vec<f64> {
            let known = estimates.iter().filter_map(|estimate| estimate.value);
            known.map(libm::log).collect()
        };
        let (a, b) = (logs(&first), logs(&second));
        let runs = a.len().min(b.len());
        if runs > 1 && is_paired {
            let ratios: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a - b).collect();
            return Self::of_logs(&ratios, given, confidence);
        }
        // Without pairs, the errors of both settings add up: divide opposite ends of their
        // intervals.
        let (mean_a, mean_b) = (
            ReplicaMean::new(&a, confidence)?,
            ReplicaMean::new(&b, confidence)?,
        );
        let ends = |mean: &ReplicaMean, estimates: &[Estimate]| match mean.interval {
            Some(log) => Some((libm::exp(log.low), libm::exp(log.high))),
            None => {
                let own = estimates.iter().find(|own| own.value.is_some())?;
                own.interval.map(|interval| (interval.low, interval.high))
            }
        };
        let interval = ends(&mean_a, &first).zip(ends(&mean_b, &second));
        Some(Self {
            ratio: libm::exp(mean_a.mean - mean_b.mean),
            interval: interval.map(|(a, b)| Interval {
                low: a.0 / b.1,
                high: a.1 / b.0,
            }),
            runs,
            given,
        })
    }

    /// Computes the geometric mean of the ratios in `cells`. Returns it with the number of cells
    /// that it covers, or `None` if no cell has a ratio.
    ///
    /// A seed counts with the mean of its logarithms over the cells, and the interval is Student's
    /// of these means, so it also holds if the cells of a seed depend on each other. Cells without
    /// a pair of some seed are left out, or seeds without a pair in some cell if every cell lacks
    /// one. Cells whose runs are not pairs, or with one run each, have the mean of the
    /// ends of their intervals instead, as if all erred to the same side.
    #[must_use]
    pub fn over(cells: &[RatioCell], confidence: Confidence) -> Option<(Self, usize)> {
        let apart: Vec<(&RatioCell, Self)> = cells
            .iter()
            .filter_map(|cell| Some((cell, Self::between(&cell[0], &cell[1], confidence)?)))
            .collect();
        if let [(_, only)] = &apart[..] {
            return Some((*only, 1));
        }
        let known: Vec<&RatioCell> = apart.iter().map(|(cell, _)| *cell).collect();
        if let Some(paired) = Self::of_pairs(&known, confidence) {
            return Some(paired);
        }
        let count = apart.len();
        let mean = |log: fn(&Self) -> Option<f64>| -> Option<f64> {
            let logs: Option<Vec<f64>> = apart.iter().map(|(_, ratio)| log(ratio)).collect();
            let logs = logs.filter(|logs| !logs.is_empty())?;
            Some(libm::exp(logs.iter().sum::<f64>() / logs.len() as f64))
        };
        let low = mean(|ratio| Some(libm::log(ratio.interval?.low)));
        let high = mean(|ratio| Some(libm::log(ratio.interval?.high)));
        let least = |of: fn(&Self) -> usize| apart.iter().map(|(_, ratio)| of(ratio)).min();
        let pooled = Self {
            ratio: mean(|ratio| Some(libm::log(ratio.ratio)))?,
            interval: low.zip(high).map(|(low, high)| Interval { low, high }),
            runs: least(|ratio| ratio.runs)?,
            given: least(|ratio| ratio.given)?,
        };
        Some((pooled, count))
    }

    /// Returns the mean over cells of pairs of the same seeds; `None` if fewer than two seeds have
    /// pairs in the same cells.
    fn of_pairs(cells: &[&RatioCell], confidence: Confidence) -> Option<(Self, usize)> {
        let seeds = cells.first()?[0].len();
        if cells
            .iter()
            .any(|[a, b]| a.len() != seeds || b.len() != seeds)
        {
            return None;
        }
        let log = |[a, b]: &RatioCell, seed: usize| -> Option<f64> {
            Some(libm::log(a[seed].value?) - libm::log(b[seed].value?))
        };
        let has = |cell: &&RatioCell, seed: usize| log(cell, seed).is_some();
        let any: Vec<usize> = (0..seeds)
            .filter(|&seed| cells.iter().any(|cell| has(cell, seed)))
            .collect();
        let whole: Vec<&RatioCell> = cells
            .iter()
            .filter(|cell| any.iter().all(|&seed| has(cell, seed)))
            .copied()
            .collect();
        let (cells, used) = match whole.is_empty() {
            false => (whole, any),
            true => {
                let in_all = |seed: &usize| cells.iter().all(|cell| has(cell, *seed));
                (cells.to_vec(), (0..seeds).filter(in_all).collect())
            }
        };
        if used.len() < 2 {
            return None;
        }
        let of_seed = |&seed: &usize| {
            let logs = cells.iter().filter_map(|cell| log(cell, seed));
            logs.sum::<f64>() / cells.len() as f64
        };
        let means: Vec<f64> = used.iter().map(of_seed).collect();
        Some((Self::of_logs(&means, seeds, confidence)?, cells.len()))
    }

    /// Returns the ratio with the logarithms `logs`, one of each of the pairs with values among
    /// `given`.
    fn of_logs(logs: &[f64], given: usize, confidence: Confidence) -> Option<Self> {
        let mean = ReplicaMean::new(logs, confidence)?;
        Some(Self {
            ratio: libm::exp(mean.mean),
            interval: mean.interval.map(|log| Interval {
                low: libm::exp(log.low),
                high: libm::exp(log.high),
            }),
            runs: logs.len(),
            given,
        })
    }

    /// Returns the inverse ratio.
    #[must_use]
    pub fn inverse(self) -> Self {
        Self {
            ratio: 1.0 / self.ratio,
            interval: self.interval.map(|interval| Interval {
                low: 1.0 / interval.high,
                high: 1.0 / interval.low,
            }),
            runs: self.runs,
            given: self.given,
        }
    }

    /// Returns `true` if the difference is significant: the interval is known and does not contain
    /// 1.
    #[must_use]
    pub fn is_a_difference(&self) -> bool {
        self.interval
            .is_some_and(|interval| interval.low > 1.0 || interval.high < 1.0)
    }

    /// Estimates how many more runs of each setting would make the difference significant, if it
    /// and the variation between runs stayed as they are, at the `confidence` of the interval.
    ///
    /// Returns `None` if they would be more than `most`, if the difference is significant already,
    /// or if the interval is not one of several runs.
    #[must_use]
    pub fn runs_to_tell(&self, most: usize, confidence: Confidence) -> Option<usize> {
        let interval = self.interval.filter(|_| self.runs > 1)?;
        if self.is_a_difference() {
            return None;
        }
        let difference = libm::log(self.ratio).abs();
        let half = (libm::log(interval.high) - libm::log(interval.low)) / 2.0;
        let quantile = |runs: usize| {
            let student = StudentsT::new(0.0, 1.0, runs as f64 - 1.0);
            let student = student.expect("two runs or more have a degree of freedom");
            student.inverse_cdf(1.0 - confidence.tail())
        };
        let deviation = half * (self.runs as f64).sqrt() / quantile(self.runs);
        (1..=most).find(|more| {
            let runs = self.runs + more;
            quantile(runs) * deviation / (runs as f64).sqrt() < difference
        })
    }
}

#[cfg(test)]
mod tests;
