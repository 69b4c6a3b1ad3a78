//! Percentiles and confidence levels in the form in which users write them.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// A percentile of a distribution: a percentage above 0 and below 100.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Percentile(f64);

impl Percentile {
    /// The median.
    pub const P50: Self = Self(50.0);
    /// The 95th percentile.
    pub const P95: Self = Self(95.0);
    /// The 99th percentile.
    pub const P99: Self = Self(99.0);
    /// The 99.9th percentile.
    pub const P999: Self = Self(99.9);

    /// Creates the percentile that `percent` of the values are below; `None` unless it is above 0
    /// and below 100.
    #[must_use]
    pub fn new(percent: f64) -> Option<Self> {
        (percent > 0.0 && percent < 100.0).then_some(Self(percent))
    }

    /// Returns the percentage.
    #[must_use]
    pub const fn percent(self) -> f64 {
        self.0
    }

    /// Returns the percentile as a number from 0 to 1, divided as in the published analysis.
    #[must_use]
    pub fn fraction(self) -> f64 {
        self.0 / 100.0
    }
}

/// Returns the percentage that a user probably means by a fraction between 0 and 1; `None` if
/// `number` is not such a fraction.
fn fraction_as_percent(number: &str) -> Option<f64> {
    let fraction = number.parse::<f64>().ok();
    let fraction = fraction.filter(|fraction| *fraction > 0.0 && *fraction < 1.0)?;
    // Avoids 99.90000000000001 for 99.9.
    Some((fraction * 1e8).round() / 1e6)
}

/// Prints the name of a column: `p50`, `p99.9`.
impl fmt::Display for Percentile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("p{}", self.0))
    }
}

impl FromStr for Percentile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_prefix(['p', 'P']).unwrap_or(text);
        if let Some(percent) = fraction_as_percent(number) {
            return Err(format!(
                "percentiles are in percent, and `{text}` is less than one; did you mean {percent}?"
            ));
        }
        let percent = number.parse().ok();
        percent.and_then(Self::new).ok_or_else(|| {
            format!(
                "`{text}` is not a percentile; write a number above 0 and below 100 like `99.9`"
            )
        })
    }
}

impl Serialize for Percentile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

/// Confidence level: the percentage of intervals that must contain the true value, above 0 and
/// below 100.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Confidence(f64);

impl Confidence {
    /// 95 of 100 intervals contain the true value.
    pub const P95: Self = Self(95.0);

    /// Creates a level of `percent`; `None` unless it is above 0 and below 100.
    #[must_use]
    pub fn new(percent: f64) -> Option<Self> {
        (percent > 0.0 && percent < 100.0).then_some(Self(percent))
    }

    /// Returns the percentage.
    #[must_use]
    pub const fn percent(self) -> f64 {
        self.0
    }

    /// Returns the level of each of `count` intervals that all contain their true values with the
    /// probability of this level (Bonferroni): the error is divided among them.
    #[must_use]
    pub fn among(self, count: usize) -> Self {
        Self(100.0 - (100.0 - self.0) / count.max(1) as f64)
    }

    /// Returns the probability, from 0 to 0.5, that the true value is below the interval: half of
    /// the error that the level permits. The probability that it is above is the same.
    #[must_use]
    pub fn tail(self) -> f64 {
        (1.0 - self.0 / 100.0) / 2.0
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.0)
    }
}

impl FromStr for Confidence {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_suffix('%').unwrap_or(text);
        if let Some(percent) = fraction_as_percent(number) {
            return Err(format!(
                "confidence is in percent, and `{text}` is less than one; did you mean {percent}?"
            ));
        }
        let percent = number.parse().ok();
        percent.and_then(Self::new).ok_or_else(|| {
            format!("`{text}` is not a confidence; write percent above 0 and below 100 like `95`")
        })
    }
}

impl Serialize for Confidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_written_as_percent() {
        for (text, name) in [("50", "p50"), ("p99.9", "p99.9"), ("99.99", "p99.99")] {
            assert_eq!(text.parse::<Percentile>().expect(text).to_string(), name);
        }
        for text in ["0", "100", "-5", "nan", "half", ""] {
            assert!(text.parse::<Percentile>().is_err(), "{text}");
        }
        for (text, meant) in [("0.99", "99"), (".999", "99.9"), ("p0.5", "50")] {
            let error = text.parse::<Percentile>().expect_err("a fraction");
            assert!(
                error.ends_with(&format!("did you mean {meant}?")),
                "{error}"
            );
        }
        // Bit for bit the factor of the published analysis.
        assert_eq!(Percentile::P99.fraction().to_bits(), 0.99f64.to_bits());
        assert_eq!(Percentile::P95.fraction().to_bits(), 0.95f64.to_bits());
    }

    #[test]
    fn confidences_leave_two_tails() {
        let level: Confidence = "90%".parse().expect("a level");
        assert!((level.tail() - 0.05).abs() < 1e-12);
        assert!((level.among(5).percent() - 98.0).abs() < 1e-12);
        assert_eq!((level.among(1), level.among(0)), (level, level));
        assert_eq!(level.to_string(), "90%");
        assert!("100".parse::<Confidence>().is_err());
        let error = "0.95".parse::<Confidence>().expect_err("a fraction");
        assert!(error.ends_with("did you mean 95?"), "{error}");
    }
}
