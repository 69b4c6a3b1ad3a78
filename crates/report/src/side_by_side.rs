//! Slowdowns by flow size of two results, with their ratios.

use std::fmt;

use fabricsim_base::units::Bytes;

use crate::bin_table::{BinCell, BinRow, BinTable};
use crate::quantile::{Confidence, Percentile};
use crate::record::FctRecord;
use crate::size_bins::{BinRule, SizeBins};

/// Slowdowns of two results in the same bins; prints as an aligned table with a block for each bin.
/// In a block, each statistic has a row: the first result, the second, first over second.
#[derive(Clone, Debug, PartialEq)]
pub struct SideBySide {
    first: BinTable,
    second: BinTable,
}

impl SideBySide {
    /// Computes the table in bins of equal count; the flows of both results together determine the
    /// edges of the `bins` parts.
    #[must_use]
    pub fn of_equal_count(
        first: &[FctRecord],
        second: &[FctRecord],
        bins: usize,
        percentiles: &[Percentile],
        confidence: Confidence,
    ) -> Self {
        let together = SizeBins::of_equal_count(&[first, second].concat(), bins, BinRule::AllFlows);
        let mut edges: Vec<Bytes> = together
            .iter()
            .filter_map(|bin| bin.largest_allowed)
            .collect();
        // Bins of equal count may end at the same size.
        edges.dedup();
        let mut table = Self::between(first, second, &edges, percentiles, confidence);
        // The last bin, above the largest size, is always empty.
        table.first.bins.retain(|row| row.upto_bytes.is_some());
        table.second.bins.retain(|row| row.upto_bytes.is_some());
        table
    }

    /// Computes the table in bins that end at `edges` (see [`SizeBins::between`]).
    ///
    /// # Panics
    /// Panics if the edges do not increase.
    #[must_use]
    pub fn between(
        first: &[FctRecord],
        second: &[FctRecord],
        edges: &[Bytes],
        percentiles: &[Percentile],
        confidence: Confidence,
    ) -> Self {
        let table = |records| {
            let bins = SizeBins::between(records, edges);
            BinTable::new(&bins, percentiles, confidence)
        };
        Self {
            first: table(first),
            second: table(second),
        }
    }

    /// Returns the percentiles for which a bin of either result, or all its flows, have too few
    /// flows.
    #[must_use]
    pub fn unknown(&self) -> Vec<Percentile> {
        let (first, second) = (self.first.unknown(), self.second.unknown());
        let all = self.first.percentiles.iter().copied();
        all.filter(|own| first.contains(own) || second.contains(own))
            .collect()
    }
}

/// Yields the statistics of a row: percentiles, mean and geometric mean.
fn values(row: &BinRow) -> impl Iterator<Item = Option<f64>> {
    let percentiles = row.percentiles.iter().map(|estimate| estimate.slowdown);
    percentiles.chain([row.mean, row.geometric_mean])
}

impl fmt::Display for SideBySide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:>12} {:>9} {:>9}  {:<8} {:>9} {:>9} {:>9}",
            "bytes upto", "n first", "n second", "", "first", "second", "ratio"
        )?;
        let names: Vec<String> = self
            .first
            .percentiles
            .iter()
            .map(Percentile::to_string)
            .chain(["mean".to_owned(), "geo mean".to_owned()])
            .collect();
        let bins = self.first.bins.iter().zip(&self.second.bins);
        let all = [(&self.first.all, &self.second.all)];
        for (place, (a, b)) in bins.chain(all).enumerate() {
            let upto = match a.upto_bytes {
                _ if place == self.first.bins.len() => "all".to_owned(),
                None => "more".to_owned(),
                Some(upto) => upto.to_string(),
            };
            for (line, ((name, a_value), b_value)) in
                names.iter().zip(values(a)).zip(values(b)).enumerate()
            {
                match line {
                    0 => write!(f, "{upto:>12} {:>9} {:>9}", a.flows, b.flows)?,
                    _ => write!(f, "{:>32}", "")?,
                }
                let ratio = a_value.zip(b_value).map(|(a, b)| a / b);
                writeln!(
                    f,
                    "  {name:<8} {:>9} {:>9} {:>9}",
                    BinCell(a_value),
                    BinCell(b_value),
                    BinCell(ratio)
                )?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::testing::record;

    #[test]
    fn two_results_share_their_bins_and_rows() {
        let result = |more: u64| -> Vec<FctRecord> {
            (1..=20)
                .map(|k| record(k * 1_000, 1_000 + k * 100 + more, 1_000))
                .collect()
        };
        let table = SideBySide::of_equal_count(
            &result(1_000),
            &result(0)[..18],
            2,
            &[Percentile::P50, Percentile::P95],
            Confidence::P95,
        );
        let expected = "  bytes upto   n first  n second               first    second     ratio
       10000        10        10  p50          2.600     1.600     1.625
                                  p95              -         -         -
                                  mean         2.550     1.550     1.645
                                  geo mean     2.534     1.523     1.664
       20000        10         8  p50          3.600     2.500     1.440
";
        let text = table.to_string();
        assert!(text.starts_with(expected), "{text}");
        assert_eq!(table.unknown(), [Percentile::P95]);
    }
}
