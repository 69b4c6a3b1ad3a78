//! Slowdown by flow size over replications: runs that differ in nothing but the seed.

use std::fmt;
use std::io::{self, Write};

use fabricsim_base::units::Bytes;
use serde::Serialize;

use crate::bin_table::{Decimals, Known};
use crate::interval::ReplicaMean;
use crate::quantile::{Confidence, Percentile};
use crate::record::FctRecord;
use crate::size_bins::BinRule;
use crate::size_bins::SizeBins;

/// Statistics of one bin over replications.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReplicaRow {
    /// The share of all replications' flows in all smaller bins, in percent.
    pub from_pct: f64,
    /// The share of all replications' flows up to and including this bin, in percent.
    pub upto_pct: f64,
    /// Flows are larger than this, in bytes.
    pub above_bytes: u64,
    /// Flows are at most this large, in bytes; `None` if there is no bound.
    pub upto_bytes: Option<u64>,
    /// Total number of flows in all replications.
    pub flows: usize,
    /// For each percentile, the mean over the replications that have enough flows for it (see
    /// [`Percentile::least_values`]); `None` if no replication has.
    pub percentiles: Vec<Option<ReplicaMean>>,
    /// The mean slowdown: its mean over the replications that have flows.
    pub mean: Option<ReplicaMean>,
    /// The geometric mean of the slowdown: its mean over the replications that have flows.
    pub geometric_mean: Option<ReplicaMean>,
}

/// Slowdowns by flow size over replications; prints as an aligned table of means and half the
/// widths of their intervals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReplicationTable {
    /// Number of replications.
    pub replications: usize,
    /// The percentiles, in the order of the columns.
    pub percentiles: Vec<Percentile>,
    /// Confidence level of the mean's intervals, in percent.
    pub confidence: Confidence,
    /// A row for each bin, in order of size.
    pub bins: Vec<ReplicaRow>,
    /// All flows together.
    pub all: ReplicaRow,
}

impl ReplicationTable {
    /// Computes the table of `replications` in bins of equal count. The flows of all replications
    /// together determine the edges of the `bins` parts, so that a bin has the same sizes in each
    /// replication.
    #[must_use]
    pub fn of_equal_count(
        replications: &[Vec<FctRecord>],
        bins: usize,
        percentiles: &[Percentile],
        confidence: Confidence,
    ) -> Self {
        let bins = SizeBins::of_equal_count(&replications.concat(), bins, BinRule::AllFlows);
        let mut edges: Vec<Bytes> = bins.iter().filter_map(|bin| bin.largest_allowed).collect();
        // Bins of equal count may end at the same size.
        edges.dedup();
        let mut table = Self::between(replications, &edges, percentiles, confidence);
        // The last bin, above the largest size, is always empty.
        table.bins.retain(|row| row.upto_bytes.is_some());
        table
    }

    /// Computes the table of `replications` in bins that end at `edges` (see
    /// [`SizeBins::between`]).
    ///
    /// # Panics
    /// Panics if the edges do not increase.
    #[must_use]
    pub fn between(
        replications: &[Vec<FctRecord>],
        edges: &[Bytes],
        percentiles: &[Percentile],
        confidence: Confidence,
    ) -> Self {
        let together = replications.concat();
        let rows = |edges: &[Bytes]| -> Vec<ReplicaRow> {
            let pooled = SizeBins::between(&together, edges);
            let each: Vec<SizeBins> = replications
                .iter()
                .map(|records| SizeBins::between(records, edges))
                .collect();
            pooled
                .iter()
                .enumerate()
                .map(|(index, bin)| {
                    let bins = || each.iter().filter_map(move |bins| bins.bin(index));
                    // A slowdown is at least one, so the interval must not extend below.
                    let over = |values: Vec<f64>| {
                        ReplicaMean::new(&values, confidence).map(|mean| mean.at_least(1.0))
                    };
                    ReplicaRow {
                        from_pct: bin.from * 100.0,
                        upto_pct: bin.upto * 100.0,
                        above_bytes: bin.above.get(),
                        upto_bytes: bin.largest_allowed.map(Bytes::get),
                        flows: bin.count(),
                        percentiles: percentiles
                            .iter()
                            .map(|level| {
                                over(bins().filter_map(|b| b.known_percentile(*level)).collect())
                            })
                            .collect(),
                        mean: over(bins().filter_map(|b| b.mean()).collect()),
                        geometric_mean: over(bins().filter_map(|b| b.geometric_mean()).collect()),
                    }
                })
                .collect()
        };
        let all = rows(&[]).pop().expect("without edges there is one bin");
        Self {
            replications: replications.len(),
            percentiles: percentiles.to_vec(),
            confidence,
            bins: rows(edges),
            all,
        }
    }

    /// Returns the percentiles for which some replication has too few flows, in a bin or in all.
    #[must_use]
    pub fn unknown(&self) -> Vec<Percentile> {
        let rows = || self.bins.iter().chain([&self.all]);
        let lacks = |place: usize| {
            rows().any(|row| {
                let known = row.percentiles.get(place).copied().flatten();
                let values = known.map_or(0, |mean| mean.replications);
                row.mean.is_some_and(|mean| values < mean.replications)
            })
        };
        let percentiles = self.percentiles.iter().enumerate();
        percentiles
            .filter(|(place, _)| lacks(*place))
            .map(|(_, percentile)| *percentile)
            .collect()
    }

    /// Writes the bins as CSV: `from_pct,upto_pct,above_bytes,upto_bytes,flows`, then five columns
    /// for each percentile, for `mean` and for `geometric_mean`. The first is the mean over
    /// replications. The columns with the suffixes `_replicas`, `_sd`, `_low` and `_high` have the
    /// number of replications with a value, their standard deviation and the interval of the mean.
    ///
    /// # Errors
    /// Fails if `out` fails.
    pub fn write_csv(&self, out: &mut impl Write) -> io::Result<()> {
        write!(out, "from_pct,upto_pct,above_bytes,upto_bytes,flows")?;
        for name in self.columns() {
            write!(
                out,
                ",{name},{name}_replicas,{name}_sd,{name}_low,{name}_high"
            )?;
        }
        writeln!(out)?;
        for row in &self.bins {
            write!(
                out,
                "{},{},{},{},{}",
                Decimals(row.from_pct),
                Decimals(row.upto_pct),
                row.above_bytes,
                row.upto_bytes
                    .map_or(String::new(), |upto| upto.to_string()),
                row.flows
            )?;
            for estimate in row.values() {
                let interval = estimate.and_then(|estimate| estimate.interval);
                write!(
                    out,
                    ",{},{},{},{},{}",
                    Known(estimate.map(|estimate| estimate.mean)),
                    estimate.map_or(0, |estimate| estimate.replications),
                    Known(estimate.and_then(|estimate| estimate.deviation)),
                    Known(interval.map(|interval| interval.low)),
                    Known(interval.map(|interval| interval.high))
                )?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    fn columns(&self) -> impl Iterator<Item = String> {
        let percentiles = self.percentiles.iter().map(Percentile::to_string);
        percentiles.chain(["mean".to_owned(), "geometric_mean".to_owned()])
    }
}

impl ReplicaRow {
    fn values(&self) -> impl Iterator<Item = Option<ReplicaMean>> {
        let means = [self.mean, self.geometric_mean];
        self.percentiles.iter().copied().chain(means)
    }
}

impl fmt::Display for ReplicationTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>10} {:>12} {:>9}", "flows upto", "bytes upto", "n")?;
        for name in self.columns() {
            write!(f, " {name:>18}")?;
        }
        writeln!(f)?;
        for (row, is_all) in self
            .bins
            .iter()
            .map(|row| (row, false))
            .chain([(&self.all, true)])
        {
            if is_all {
                write!(f, "{:>10} {:>12}", "all", "")?;
            } else {
                let bytes = row
                    .upto_bytes
                    .map_or_else(|| "more".to_owned(), |upto| upto.to_string());
                write!(f, "{:>9.2}% {bytes:>12}", row.upto_pct)?;
            }
            write!(f, " {:>9}", row.flows)?;
            for estimate in row.values() {
                let text = match estimate {
                    None => "-".to_owned(),
                    Some(ReplicaMean { mean, interval, .. }) => match interval {
                        None => format!("{mean:.3} +- ?"),
                        Some(interval) => format!("{mean:.3} +- {:.3}", interval.high - mean),
                    },
                };
                write!(f, " {text:>18}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::testing::record;

    /// Three replications of four flows; each slowdown is 0.1 above the previous replication's.
    fn replications() -> Vec<Vec<FctRecord>> {
        (0..3u64)
            .map(|seed| {
                let flow = |kb: u64| record(kb * 1_000, 1_000 + kb * 100 + seed * 100, 1_000);
                (1..=4).map(flow).collect()
            })
            .collect()
    }

    /// t is 4.303 with two degrees of freedom: 4.303 x 0.1 / sqrt(3) = 0.248.
    #[test]
    fn means_come_with_their_intervals() {
        let table = ReplicationTable::of_equal_count(
            &replications(),
            2,
            &[Percentile::P50],
            Confidence::P95,
        );
        let expected = "\
flows upto   bytes upto         n                p50               mean     geometric_mean
    50.00%         2000         6     1.300 +- 0.248     1.250 +- 0.248     1.249 +- 0.249
   100.00%         4000         6     1.500 +- 0.248     1.450 +- 0.248     1.449 +- 0.249
       all                     12     1.400 +- 0.248     1.350 +- 0.248     1.345 +- 0.249
";
        assert_eq!(table.to_string(), expected);
        let mut csv = Vec::new();
        table.write_csv(&mut csv).expect("memory takes everything");
        let csv = String::from_utf8(csv).expect("text");
        let header = "from_pct,upto_pct,above_bytes,upto_bytes,flows,\
             p50,p50_replicas,p50_sd,p50_low,p50_high,\
             mean,mean_replicas,mean_sd,mean_low,mean_high,geometric_mean,";
        assert!(csv.starts_with(header), "{csv}");
        let row = "\n0,50,0,2000,6,1.300000,3,0.100000,1.051586,1.548414,1.250000,3,";
        assert!(csv.contains(row), "{csv}");
    }

    /// With two replications, t is 12.7: 3 +- 12.7 x 2.83 / sqrt(2) would begin at -22.
    #[test]
    fn no_interval_of_slowdowns_goes_below_one() {
        let replications = [1_000u64, 5_000].map(|fct| vec![record(1_000, fct, 1_000); 2]);
        let table =
            ReplicationTable::between(&replications, &[], &[Percentile::P50], Confidence::P95);
        let interval = |mean: Option<ReplicaMean>| mean.and_then(|mean| mean.interval);
        for mean in [table.all.percentiles[0], table.all.mean] {
            let interval = interval(mean).expect("of two replications");
            assert!((interval.low - 1.0).abs() < 1e-12, "{interval:?}");
            assert!(interval.high > 20.0, "{interval:?}");
        }
    }

    #[test]
    fn a_bin_that_some_replicas_lack_counts_those_that_have_it() {
        let mut replications = replications();
        replications[2].retain(|flow| flow.size <= Bytes::new(2_000));
        let edges = [2_000, 9_000].map(Bytes::new);
        let table =
            ReplicationTable::between(&replications, &edges, &[Percentile::P95], Confidence::P95);
        let counts: Vec<_> = table
            .bins
            .iter()
            .map(|row| (row.flows, row.mean.map(|mean| mean.replications)))
            .collect();
        assert_eq!(counts, [(6, Some(3)), (4, Some(2)), (0, None)]);
        let one = ReplicationTable::between(&replications[..1], &[], &[], Confidence::P95);
        assert!(one.to_string().contains("1.250 +- ?"), "{one}");
    }
}
