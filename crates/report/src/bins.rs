//! Slowdowns over flow size, in bins of equal count.

use std::fmt::Write;

use crate::quantile::Percentile;
use crate::record::FctRecord;
use crate::size_bins::{BinRule, SizeBin, SizeBins};

/// Statistics of the published analysis for flows of similar size; [`SizeBins`] has more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// The fraction of flows in all smaller bins.
    pub from: f64,
    /// The largest size in the bin, in bytes.
    pub size_upto: u64,
    /// Number of flows in the bin.
    pub count: usize,
    /// Median slowdown.
    pub p50: f64,
    /// 95th percentile of the slowdown.
    pub p95: f64,
    /// 99th percentile of the slowdown.
    pub p99: f64,
}

/// Sorts `records` by size and cuts them into `bins` parts of equal count (to within one flow):
/// part k begins at flow `floor(k n / bins)`. Empty bins are omitted.
///
/// The published analysis uses 20 bins.
#[must_use]
pub fn equal_count_bins(records: &[FctRecord], bins: usize, rule: BinRule) -> Vec<Bin> {
    let bin = |bin: SizeBin<'_>| {
        let (_, largest) = bin.sizes?;
        Some(Bin {
            from: bin.from,
            size_upto: largest.get(),
            count: bin.count(),
            p50: bin.percentile(Percentile::P50)?,
            p95: bin.percentile(Percentile::P95)?,
            p99: bin.percentile(Percentile::P99)?,
        })
    };
    let parts = SizeBins::of_equal_count(records, bins, rule);
    parts.iter().filter_map(bin).collect()
}

/// Formats the bins as CSV: `pct_from,size_upto,n,p50,p95,p99`, fractions with two decimals,
/// slowdowns with three.
#[must_use]
pub fn bins_csv(bins: &[Bin]) -> String {
    let mut csv = String::from("pct_from,size_upto,n,p50,p95,p99\n");
    for Bin {
        from,
        size_upto,
        count,
        p50,
        p95,
        p99,
    } in bins
    {
        writeln!(
            csv,
            "{from:.2},{size_upto},{count},{p50:.3},{p95:.3},{p99:.3}"
        )
        .expect("a string takes any text");
    }
    csv
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::testing::record;

    #[test]
    fn bins_hold_equal_counts() {
        let records: Vec<_> = (1..=41)
            .rev()
            .map(|i| record(i * 100, 1_000 + i, 1_000))
            .collect();
        let bins = equal_count_bins(&records, 20, BinRule::AllFlows);
        assert_eq!(bins.len(), 20);
        assert!(bins[..19].iter().all(|bin| bin.count == 2));
        assert_eq!(bins[19].count, 3);
        assert_eq!(bins[19].size_upto, 4_100);
        assert_eq!(bins[0].size_upto, 200);
        assert!((bins[0].p50 - 1.002).abs() < 1e-12);

        let published = equal_count_bins(&records, 20, BinRule::Published);
        assert!(published.iter().all(|bin| bin.count == 2));
        assert_eq!(published[19].size_upto, 4_000);
    }

    #[test]
    fn few_flows_leave_bins_out() {
        let bins = equal_count_bins(&[record(10, 2_500, 1_000)], 20, BinRule::AllFlows);
        assert_eq!(
            bins_csv(&bins),
            "pct_from,size_upto,n,p50,p95,p99\n0.95,10,1,2.500,2.500,2.500\n"
        );
        assert_eq!(equal_count_bins(&[], 20, BinRule::Published), []);
    }
}
