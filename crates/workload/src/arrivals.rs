//! Exponential gaps between arrivals.

use fabricsim_base::rng::Stream;
use fabricsim_base::units::{Duration, Rate};

/// Draws an exponentially distributed gap with mean `mean_secs`, by inverse transform.
///
/// Uses the logarithm of `libm`, so that every machine draws the same gaps.
pub(crate) fn exponential_gap(stream: &mut Stream, mean_secs: f64) -> Duration {
    Duration::from_secs_f64(-mean_secs * libm::log(1.0 - stream.uniform()))
}

/// Converts `load`, a share of the link rate `rate`, to bytes per second.
pub(crate) fn bytes_per_second(rate: Rate, load: f64) -> f64 {
    rate.as_bps_f64() * load / 8.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabricsim_base::rng::Purpose;

    #[test]
    fn gaps_have_the_mean_and_spread_of_the_exponential_distribution() {
        let mut stream = Stream::new(1, 0, Purpose::Arrivals);
        let gaps: Vec<f64> = (0..100_000)
            .map(|_| exponential_gap(&mut stream, 1e-6).as_secs_f64() * 1e6)
            .collect();
        let mean = gaps.iter().sum::<f64>() / 1e5;
        let square = gaps.iter().map(|gap| gap * gap).sum::<f64>() / 1e5;
        assert!((mean - 1.0).abs() < 0.01, "mean {mean}");
        assert!((square - 2.0).abs() < 0.07, "second moment {square}");
    }
}
