//! Flow-size distributions as piecewise-linear distribution functions.

mod builtin;
mod parse;

use fabricsim_base::input::InputError;
use fabricsim_base::units::Bytes;

/// A distribution of flow sizes: points of its cumulative function, linear between them.
///
/// A point with the same size as the previous one is a step: that size has a probability of its
/// own. The same holds for the first size if its cumulative value is above zero.
///
/// ```
/// use fabricsim_workload::SizeCdf;
///
/// let distribution = SizeCdf::parse("# bytes, percent\n0 0\n1000 50\n1000 60\n9000 100\n")?;
/// assert_eq!(distribution.sample(0.25).get(), 500);
/// assert_eq!(distribution.sample(0.55).get(), 1000);
/// assert_eq!(distribution.sample(0.8).get(), 5000);
/// assert!((distribution.mean() - 2350.0).abs() < 1e-9);
/// # Ok::<(), fabricsim_base::input::InputError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SizeCdf {
    points: Box<[Point]>,
}

/// A point of the cumulative function. `cumulative` is in the units of the source (percent or
/// fraction); the value of the last point is the total.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    size: f64,
    cumulative: f64,
}

impl SizeCdf {
    /// The names that [`SizeCdf::builtin`] accepts.
    pub const BUILTIN: &'static [&'static str] = builtin::NAMES;

    /// Returns a distribution by name: `websearch` (DCTCP's web search, SIGCOMM 2010), `hadoop`
    /// (Facebook's Hadoop, SIGCOMM 2015) or `alistorage` (Alibaba's storage, 2019), as the HPCC
    /// paper's traffic generator tabulates them. Returns `None` for any other name.
    #[must_use]
    pub fn builtin(name: &str) -> Option<Self> {
        let table = builtin::table(name)?;
        let points = table
            .iter()
            .map(|&(size, cumulative)| Point { size, cumulative })
            .collect();
        Some(Self { points })
    }

    /// Returns the distribution in which all flows have `size`.
    ///
    /// # Panics
    /// Panics if `size` is zero.
    #[must_use]
    pub fn fixed(size: Bytes) -> Self {
        assert!(size > Bytes::ZERO, "a flow has at least one byte");
        Self {
            points: Box::new([Point {
                size: size.as_f64(),
                cumulative: 1.0,
            }]),
        }
    }

    /// Reads a CDF file: one line for each point, with the size in bytes and the cumulative
    /// probability, separated by blanks or a comma; `#` starts a comment. The last probability is
    /// 100 (percent) or 1 (fractions).
    ///
    /// # Errors
    /// Returns the position of the first error: a word that is not a number, a number that is
    /// negative or smaller than the previous one, a last probability other than 100 and 1, or a
    /// file without points.
    pub fn parse(text: &str) -> Result<Self, InputError> {
        parse::points(text).map(|points| Self { points })
    }

    /// Returns the `u`-quantile of the flow sizes, truncated to whole bytes, at least one byte; `u`
    /// is in [0, 1).
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "sizes are finite and not negative; truncation is the published generator's rounding"
    )]
    pub fn sample(&self, u: f64) -> Bytes {
        let last = self.points[self.points.len() - 1];
        let target = u * last.cumulative;
        let above = self
            .points
            .partition_point(|point| point.cumulative <= target);
        let size = match (above.checked_sub(1), self.points.get(above)) {
            (_, None) => last.size,
            (None, Some(first)) => first.size,
            (Some(below), Some(above)) => {
                let below = self.points[below];
                let slope = (above.size - below.size) / (above.cumulative - below.cumulative);
                below.size + slope * (target - below.cumulative)
            }
        };
        Bytes::new((size as u64).max(1))
    }

    /// Returns the same distribution with a step at its first size: the probability below the first
    /// point with a positive cumulative value moves to the size of that point.
    #[must_use]
    pub fn with_atom(&self) -> Self {
        let points = self.points.iter().copied();
        Self {
            points: points.skip_while(|point| point.cumulative <= 0.0).collect(),
        }
    }

    /// Returns the mean size in bytes of the piecewise-linear distribution, before truncation to
    /// whole bytes.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let first = self.points[0];
        let total = self.points[self.points.len() - 1].cumulative;
        let segments: f64 = self
            .points
            .windows(2)
            .map(|pair| {
                (pair[1].cumulative - pair[0].cumulative)
                    * f64::midpoint(pair[0].size, pair[1].size)
            })
            .sum();
        (first.size * first.cumulative + segments) / total
    }

    /// Returns the largest size, rounded down to whole bytes.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "sizes are finite and not negative"
    )]
    pub fn max(&self) -> Bytes {
        Bytes::new(self.points[self.points.len() - 1].size as u64)
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::rng::{Purpose, Stream};

    use super::*;

    #[test]
    fn means_of_the_published_tables() {
        let mean = |name| SizeCdf::builtin(name).expect("built in").mean();
        assert!((mean("websearch") - 1_711_250.0).abs() < 0.5);
        assert!(
            (mean("hadoop") - 120_421.0).abs() < 1.0,
            "{}",
            mean("hadoop")
        );
        assert!(
            (mean("alistorage") - 40_870.0).abs() < 1.0,
            "{}",
            mean("alistorage")
        );
        // If the first size is a step, as many papers read the table, the mean is a little larger.
        let atom = "4000 22.93\n8000 69.21\n16000 80.61\n32000 90.47\n64000 93.53\n128000 96.77\n\
                    256000 97.53\n2000000 100\n";
        let atom = SizeCdf::parse(atom).expect("a table").mean();
        assert!((atom - 41_328.0).abs() < 1.0, "{atom}");
    }

    #[test]
    fn every_listed_name_is_built_in() {
        assert!(
            SizeCdf::BUILTIN
                .iter()
                .all(|name| SizeCdf::builtin(name).is_some())
        );
        assert_eq!(SizeCdf::builtin("webserach"), None);
    }

    #[test]
    fn samples_follow_the_table() {
        let distribution = SizeCdf::builtin("websearch").expect("built in");
        assert_eq!(distribution.sample(0.15), Bytes::new(10_000));
        assert_eq!(distribution.sample(0.6), Bytes::new(200_000));
        assert_eq!(distribution.sample(0.985), Bytes::new(20_000_000));
        assert_eq!(distribution.sample(0.0), Bytes::new(1));
        assert!(distribution.sample(1.0 - f64::EPSILON) <= distribution.max());
    }

    #[test]
    fn the_sample_mean_is_the_mean() {
        let distribution = SizeCdf::builtin("hadoop").expect("built in");
        let mut stream = Stream::new(1, 0, Purpose::Arrivals);
        let count = 400_000;
        let draws: Vec<f64> = (0..count)
            .map(|_| distribution.sample(stream.uniform()).as_f64())
            .collect();
        let mean = draws.iter().sum::<f64>() / f64::from(count);
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(count);
        let three_sigma = 3.0 * (variance / f64::from(count)).sqrt();
        assert!(
            (mean - distribution.mean()).abs() < three_sigma,
            "{mean} against {}",
            distribution.mean()
        );
    }

    #[test]
    fn one_size_only() {
        let distribution = SizeCdf::fixed(Bytes::new(500_000));
        assert_eq!(distribution.sample(0.0), Bytes::new(500_000));
        assert_eq!(distribution.sample(0.999), Bytes::new(500_000));
        assert!((distribution.mean() - 500_000.0).abs() < 1e-9);
    }

    proptest::proptest! {
        #[test]
        fn samples_grow_with_the_fraction(a in 0.0..1.0f64, b in 0.0..1.0f64) {
            let distribution = SizeCdf::builtin("alistorage").expect("built in");
            proptest::prop_assert!(distribution.sample(a.min(b)) <= distribution.sample(a.max(b)));
        }
    }
}
