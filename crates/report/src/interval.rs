//! Uncertainty of results: intervals of a mean over replications, and of a percentile of one run.

use serde::Serialize;
use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, StudentsT};

use crate::quantile::{Confidence, Percentile};

/// The range in which a true value is expected.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The mean of a value over replications: runs that differ in nothing but the seed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ReplicaMean {
    /// Number of replications that have a value.
    pub replications: usize,
    /// Mean of the values.
    pub mean: f64,
    /// Standard deviation between replications (n - 1 in the denominator); `None` if there is only
    /// one replication.
    pub deviation: Option<f64>,
    /// Student's interval of the mean; `None` if there is only one replication.
    pub interval: Option<Interval>,
}

impl ReplicaMean {
    /// Computes the mean of `values`, one from each replication; `None` if there are none.
    ///
    /// The interval is mean +- t s / sqrt(n), where t is the quantile of Student's distribution
    /// with n - 1 degrees of freedom (Student, "The probable error of a mean", Biometrika 1908). It
    /// assumes that the replications are independent and that their values are roughly normally
    /// distributed.
    #[must_use]
    pub fn new(values: &[f64], confidence: Confidence) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = (values.len() > 1).then(|| (squares / (n - 1.0)).sqrt());
        let interval = deviation.map(|deviation| {
            let student = StudentsT::new(0.0, 1.0, n - 1.0).expect("n - 1 degrees are positive");
            let t = student.inverse_cdf(1.0 - confidence.tail());
            let half = t * deviation / n.sqrt();
            Interval {
                low: mean - half,
                high: mean + half,
            }
        });
        Some(Self {
            replications: values.len(),
            mean,
            deviation,
            interval,
        })
    }

    /// Limits the lower end of the interval to `least`, below which no value can be: Student's
    /// interval of few values may extend further.
    #[must_use]
    pub fn at_least(mut self, least: f64) -> Self {
        if let Some(interval) = &mut self.interval {
            interval.low = interval.low.max(least);
        }
        self
    }
}

/// Returns an interval that contains the true `percentile` of the distribution from which `sorted`
/// was drawn, for any distribution; `None` if there are too few values.
///
/// The binomial distribution of the number of values below the percentile decides between which two
/// order statistics it is expected (Conover, "Practical Nonparametric Statistics", section 3.2).
/// Each tail gets at most half of the error that the confidence level permits.
///
/// This assumes independent values. The slowdowns of one run are not independent, since its flows
/// share queues, so the interval is too narrow and contains the percentile less often than
/// `confidence`. For example, of a thousand flows below 30 KB at a load of 0.6, only half to two
/// thirds of the 95% intervals contain it. The intervals of [`ReplicaMean`] between runs with
/// different seeds hold.
#[must_use]
pub fn percentile_interval(
    sorted: &[f64],
    percentile: Percentile,
    confidence: Confidence,
) -> Option<Interval> {
    let n = u64::try_from(sorted.len()).ok()?;
    let below = Binomial::new(percentile.fraction(), n).ok()?;
    let tail = confidence.tail();
    // Bounds on the number of values below the percentile: `few` or fewer, and `many` or more, are
    // each too unlikely.
    let first_above = |limit: f64| {
        let mut from = 0;
        let mut upto = n;
        while from < upto {
            let middle = from + (upto - from) / 2;
            if below.cdf(middle) > limit {
                upto = middle;
            } else {
                from = middle + 1;
            }
        }
        from
    };
    let few = first_above(tail).checked_sub(1)?;
    let many = first_above((1.0 - tail).next_down());
    let at = |rank: u64| sorted.get(usize::try_from(rank).ok()?).copied();
    Some(Interval {
        low: at(few)?,
        high: at(many)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranks(n: u32, percent: f64, confidence: f64) -> Option<(f64, f64)> {
        let sorted: Vec<f64> = (1..=n).map(f64::from).collect();
        let percentile = Percentile::new(percent).expect("a percentile");
        let confidence = Confidence::new(confidence).expect("a level");
        percentile_interval(&sorted, percentile, confidence)
            .map(|interval| (interval.low, interval.high))
    }

    /// Ranks of the median's interval, as in tables of the sign test at 5%.
    #[test]
    fn medians_lie_between_the_tabulated_ranks() {
        assert_eq!(ranks(5, 50.0, 95.0), None);
        assert_eq!(ranks(6, 50.0, 95.0), Some((1.0, 6.0)));
        assert_eq!(ranks(10, 50.0, 95.0), Some((2.0, 9.0)));
        assert_eq!(ranks(20, 50.0, 95.0), Some((6.0, 15.0)));
        assert_eq!(ranks(25, 50.0, 95.0), Some((8.0, 18.0)));
        assert_eq!(ranks(10, 50.0, 99.0), Some((1.0, 10.0)));
    }

    /// 0.99^n is below 2.5% for n of 368 or more, and 0.95^n for 72 or more: with fewer values, the
    /// largest one may be below the percentile.
    #[test]
    fn tails_need_many_values() {
        assert_eq!(ranks(71, 95.0, 95.0), None);
        assert!(ranks(72, 95.0, 95.0).is_some());
        assert_eq!(ranks(367, 99.0, 95.0), None);
        assert_eq!(ranks(368, 99.0, 95.0).map(|(_, high)| high), Some(368.0));
        assert_eq!(ranks(0, 50.0, 95.0), None);
    }

    /// From the usual table: t is 2.776 for four degrees of freedom and 12.706 for one.
    #[test]
    fn means_have_students_interval() {
        let estimate = ReplicaMean::new(&[1.0, 2.0, 3.0, 4.0, 5.0], Confidence::P95);
        let estimate = estimate.expect("five values");
        let interval = estimate.interval.expect("five values");
        let half = 2.776 * 2.5f64.sqrt() / 5f64.sqrt();
        assert!((estimate.mean - 3.0).abs() < 1e-12);
        assert!((estimate.deviation.expect("five values") - 2.5f64.sqrt()).abs() < 1e-12);
        assert!((interval.low - (3.0 - half)).abs() < 1e-3);
        assert!((interval.high - (3.0 + half)).abs() < 1e-3);

        let two = ReplicaMean::new(&[1.0, 3.0], Confidence::P95).expect("two values");
        let interval = two.interval.expect("two values");
        assert!((interval.high - (2.0 + 12.706)).abs() < 1e-3);

        let one = ReplicaMean::new(&[7.0], Confidence::P95).expect("one value");
        assert_eq!((one.deviation, one.interval), (None, None));
        assert_eq!(ReplicaMean::new(&[], Confidence::P95), None);
    }
}
