//! Slowdown by flow size as a table: for readers, for data frames, for JSON.

use std::fmt;
use std::io::{self, Write};

use serde::Serialize;

use crate::interval::Interval;
use crate::quantile::{Confidence, Percentile};
use crate::size_bins::{SizeBin, SizeBins};

/// A percentile of the slowdown with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PercentileEstimate {
    /// Percentile of the slowdown.
    pub percentile: Percentile,
    /// The percentile; `None` if there are too few flows (see [`Percentile::least_values`]).
    pub slowdown: Option<f64>,
    /// Confidence interval of the true value; `None` if there are too few flows for one.
    pub interval: Option<Interval>,
}

/// Statistics of a [`SizeBin`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BinRow {
    /// The share of flows in all smaller bins, in percent.
    pub from_pct: f64,
    /// The share of flows up to and including this bin, in percent.
    pub upto_pct: f64,
    /// Flows are larger than this, in bytes.
    pub above_bytes: u64,
    /// Flows are at most this large, in bytes; `None` if there is no bound.
    pub upto_bytes: Option<u64>,
    /// Number of flows in the bin.
    pub flows: usize,
    /// The percentiles, in the order of the table's columns.
    pub percentiles: Vec<PercentileEstimate>,
    /// Mean slowdown; `None` if the bin is empty.
    pub mean: Option<f64>,
    /// Geometric mean of the slowdown; `None` if the bin is empty.
    pub geometric_mean: Option<f64>,
}

/// Slowdowns by flow size; prints as an aligned table, with `{:#}` including the intervals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BinTable {
    /// The percentiles, in the order of the columns.
    pub percentiles: Vec<Percentile>,
    /// Confidence level of the intervals, in percent.
    pub confidence: Confidence,
    /// A row for each bin, in order of size.
    pub bins: Vec<BinRow>,
    /// All flows together.
    pub all: BinRow,
}

impl BinTable {
    /// Computes the table of `bins`.
    #[must_use]
    pub fn new(bins: &SizeBins, percentiles: &[Percentile], confidence: Confidence) -> Self {
        let row = |bin: SizeBin<'_>| BinRow::new(&bin, percentiles, confidence);
        Self {
            percentiles: percentiles.to_vec(),
            confidence,
            bins: bins.iter().map(row).collect(),
            all: row(bins.together(&mut Vec::new())),
        }
    }

    /// Returns the names of the columns in CSV: `from_pct,upto_pct,above_bytes,upto_bytes,flows`,
    /// then three for each percentile (its name alone, with `_low` and with `_high`), then
    /// `mean,geometric_mean`.
    #[must_use]
    pub fn csv_header(&self) -> String {
        let mut header = String::from("from_pct,upto_pct,above_bytes,upto_bytes,flows");
        for percentile in &self.percentiles {
            header.push_str(&format!(",{percentile},{percentile}_low,{percentile}_high"));
        }
        header.push_str(",mean,geometric_mean");
        header
    }

    /// Returns the percentiles for which some bin, or all flows together, have too few flows.
    #[must_use]
    pub fn unknown(&self) -> Vec<Percentile> {
        let rows = || self.bins.iter().chain([&self.all]);
        let lacks = |percentile: &Percentile| {
            rows().any(|row| row.flows > 0 && !percentile.is_known_of(row.flows))
        };
        self.percentiles.iter().copied().filter(lacks).collect()
    }

    /// Writes the bins as CSV without a header, each row after `lead`; unknown values are empty.
    ///
    /// # Errors
    /// Fails if `out` fails.
    pub fn write_rows(&self, out: &mut impl Write, lead: &str) -> io::Result<()> {
        for row in &self.bins {
            write!(
                out,
                "{lead}{},{},{},{},{}",
                Decimals(row.from_pct),
                Decimals(row.upto_pct),
                row.above_bytes,
                row.upto_bytes
                    .map_or(String::new(), |upto| upto.to_string()),
                row.flows
            )?;
            for estimate in &row.percentiles {
                let (low, high) = ends(estimate.interval);
                for value in [estimate.slowdown, low, high] {
                    write!(out, ",{}", Known(value))?;
                }
            }
            writeln!(out, ",{},{}", Known(row.mean), Known(row.geometric_mean))?;
        }
        Ok(())
    }
}

impl BinRow {
    fn new(bin: &SizeBin<'_>, percentiles: &[Percentile], confidence: Confidence) -> Self {
        let estimate = |percentile: &Percentile| PercentileEstimate {
            percentile: *percentile,
            slowdown: bin.known_percentile(*percentile),
            interval: bin.interval(*percentile, confidence),
        };
        Self {
            from_pct: bin.from * 100.0,
            upto_pct: bin.upto * 100.0,
            above_bytes: bin.above.get(),
            upto_bytes: bin.largest_allowed.map(|upto| upto.get()),
            flows: bin.count(),
            percentiles: percentiles.iter().map(estimate).collect(),
            mean: bin.mean(),
            geometric_mean: bin.geometric_mean(),
        }
    }
}

fn ends(interval: Option<Interval>) -> (Option<f64>, Option<f64>) {
    (
        interval.map(|interval| interval.low),
        interval.map(|interval| interval.high),
    )
}

impl fmt::Display for BinTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let intervals = f.alternate();
        write!(f, "{:>10} {:>12} {:>9}", "flows upto", "bytes upto", "n")?;
        for percentile in &self.percentiles {
            write!(f, " {percentile:>9}")?;
            if intervals {
                write!(f, " {:<18}", format!("[{}]", self.confidence))?;
            }
        }
        writeln!(f, " {:>9} {:>9}", "mean", "geo mean")?;
        for (row, is_all) in self
            .bins
            .iter()
            .map(|row| (row, false))
            .chain([(&self.all, true)])
        {
            let bytes = row
                .upto_bytes
                .map_or_else(|| "more".to_owned(), |upto| upto.to_string());
            if is_all {
                write!(f, "{:>10} {:>12}", "all", "")?;
            } else {
                write!(f, "{:>9.2}% {bytes:>12}", row.upto_pct)?;
            }
            write!(f, " {:>9}", row.flows)?;
            for estimate in &row.percentiles {
                write!(f, " {:>9}", BinCell(estimate.slowdown))?;
                if intervals {
                    let (low, high) = ends(estimate.interval);
                    let text = format!("[{}, {}]", BinCell(low), BinCell(high));
                    write!(f, " {text:<18}")?;
                }
            }
            writeln!(
                f,
                " {:>9} {:>9}",
                BinCell(row.mean),
                BinCell(row.geometric_mean)
            )?;
        }
        Ok(())
    }
}

/// A number in a table: three decimals, or a dash if unknown.
pub(crate) struct BinCell(pub(crate) Option<f64>);

impl fmt::Display for BinCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(value) => f.pad(&format!("{value:.3}")),
            None => f.pad("-"),
        }
    }
}

/// A slowdown in a CSV: six decimals, or empty if unknown.
pub(crate) struct Known(pub(crate) Option<f64>);

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |value| write!(f, "{value:.6}"))
    }
}

/// A percentage in a CSV: up to four decimals.
pub(crate) struct Decimals(pub(crate) f64);

impl fmt::Display for Decimals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.4}", self.0);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::units::Bytes;

    use super::*;
    use crate::record::FctRecord;
    use crate::record::testing::record;
    use crate::size_bins::BinRule;

    /// Eight flows of each size from 1 to 5 KB; flows of k KB have slowdowns k.1 to k.8.
    fn records() -> Vec<FctRecord> {
        (1..=5)
            .flat_map(|kb| (1..=8).map(move |i| record(kb * 1_000, kb * 1_000 + i * 100, 1_000)))
            .collect()
    }

    const LEVELS: [Percentile; 2] = [Percentile::P50, Percentile::P99];

    #[test]
    fn people_get_an_aligned_table() {
        let bins = SizeBins::between(&records(), &[1_500, 3_000, 3_100].map(Bytes::new));
        let table = BinTable::new(&bins, &LEVELS, Confidence::P95);
        let expected = "\
flows upto   bytes upto         n       p50       p99      mean  geo mean
    20.00%         1500         8     1.500         -     1.450     1.432
    60.00%         3000        16     3.100         -     2.950     2.898
    60.00%         3100         0         -         -         -         -
   100.00%         more        16     5.100         -     4.950     4.919
       all                     40     3.500         -     3.450     3.110
";
        assert_eq!(table.to_string(), expected);
    }

    /// Of eight values, the first and the last enclose the median in 99% of all cases, the second
    /// and the seventh in 93%.
    #[test]
    fn intervals_are_shown_when_asked_for() {
        let bins = SizeBins::of_equal_count(&records(), 5, BinRule::AllFlows);
        let table = BinTable::new(&bins, &LEVELS[..1], Confidence::new(90.0).expect("a level"));
        let expected = "\
flows upto   bytes upto         n       p50 [90%]                   mean  geo mean
    20.00%         1000         8     1.500 [1.200, 1.700]         1.450     1.432
";
        let text = format!("{table:#}");
        assert!(text.starts_with(expected), "{text}");
    }

    #[test]
    fn data_frames_get_csv() {
        let bins = SizeBins::of_equal_count(&records(), 3, BinRule::AllFlows);
        let table = BinTable::new(&bins, &LEVELS, Confidence::P95);
        let mut csv = Vec::new();
        table
            .write_rows(&mut csv, "a,")
            .expect("memory takes everything");
        assert_eq!(
            table.csv_header(),
            "from_pct,upto_pct,above_bytes,upto_bytes,flows,\
             p50,p50_low,p50_high,p99,p99_low,p99_high,mean,geometric_mean"
        );
        let expected = "\
a,0,33.3333,0,2000,13,1.700000,1.300000,2.300000,,,,1.776923,1.716722
a,33.3333,66.6667,2000,4000,13,3.400000,2.800000,3.800000,,,,3.384615,3.349292
a,66.6667,100,4000,5000,14,5.200000,4.500000,5.600000,,,,5.064286,5.040249
";
        let csv = String::from_utf8(csv).expect("text");
        assert_eq!(csv, expected);
    }
}
