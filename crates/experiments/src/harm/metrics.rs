//! Statistics of completion times, and harm (Ware et al., "Beyond Jain's Fairness Index", HotNets
//! 2019, section 3): the share of a performance that is lost because of a competitor.

/// Quantiles and the geometric mean of some positive values.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    sorted: Vec<f64>,
}

impl Sample {
    /// Returns a sample of `values`; `None` if there are none.
    #[must_use]
    pub fn new(mut values: Vec<f64>) -> Option<Self> {
        values.sort_unstable_by(f64::total_cmp);
        (!values.is_empty()).then_some(Self { sorted: values })
    }

    /// Returns the geometric mean: exp of the mean logarithm. The functions of `libm` give the same
    /// result on every machine.
    #[must_use]
    pub fn geometric_mean(&self) -> f64 {
        let logs: f64 = self.sorted.iter().map(|&value| libm::log(value)).sum();
        libm::exp(logs / self.sorted.len() as f64)
    }

    /// Returns the empirical quantile: the least value that is not below a share `p` (0 to 1) of
    /// the sample. It is not interpolated.
    #[must_use]
    pub fn quantile(&self, p: f64) -> f64 {
        let n = self.sorted.len();
        let rank = (1..n).find(|&rank| rank as f64 / n as f64 >= p);
        self.sorted[rank.unwrap_or(n) - 1]
    }
}

/// Returns the harm to a metric that should be low, such as a completion time: (workload - solo) /
/// workload. It is between 0 and 1, and 0 if the workload performs better with the competitor.
#[must_use]
pub fn harm_less_is_better(workload: f64, solo: f64) -> f64 {
    if workload <= solo {
        0.0
    } else {
        (workload - solo) / workload
    }
}

/// Returns the harm to a metric that should be high, such as a throughput: (solo - workload) /
/// solo. It is between 0 and 1, and 0 if the workload performs better with the competitor.
#[must_use]
pub fn harm_more_is_better(workload: f64, solo: f64) -> f64 {
    if workload >= solo {
        0.0
    } else {
        (solo - workload) / solo
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_of_the_sample() {
        let sample = Sample::new((1..=900).rev().map(f64::from).collect()).expect("900 values");
        // Places 449 and 854 from zero.
        assert!((sample.quantile(0.5) - 450.0).abs() < f64::EPSILON);
        assert!((sample.quantile(0.95) - 855.0).abs() < f64::EPSILON);
        assert!((sample.quantile(1.0) - 900.0).abs() < f64::EPSILON);
        assert!((sample.quantile(0.0) - 1.0).abs() < f64::EPSILON);
        let three = Sample::new(vec![3.0, 1.0, 2.0]).expect("three values");
        assert!((three.quantile(0.5) - 2.0).abs() < f64::EPSILON);
        assert!((three.quantile(0.34) - 2.0).abs() < f64::EPSILON);
        assert!((three.quantile(0.33) - 1.0).abs() < f64::EPSILON);
        assert_eq!(Sample::new(Vec::new()), None);
    }

    #[test]
    fn the_geometric_mean_is_that_of_factors() {
        let sample = Sample::new(vec![1.0, 10.0, 100.0]).expect("three values");
        assert!((sample.geometric_mean() - 10.0).abs() < 1e-12);
    }

    #[test]
    fn harm_is_a_share_and_never_negative() {
        assert!((harm_less_is_better(400.0, 100.0) - 0.75).abs() < 1e-12);
        assert!(harm_less_is_better(90.0, 100.0).abs() < f64::EPSILON);
        assert!(harm_less_is_better(100.0, 100.0).abs() < f64::EPSILON);
        assert!((harm_more_is_better(10.0, 40.0) - 0.75).abs() < 1e-12);
        assert!(harm_more_is_better(50.0, 40.0).abs() < f64::EPSILON);
    }
}
