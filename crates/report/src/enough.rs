//! Sample sizes: flows that a percentile needs, and the number of bins that they allow.

use fabricsim_base::units::Bytes;

use crate::quantile::{Confidence, Percentile};
use crate::record::FctRecord;
use crate::size_bins::SizeBin;

/// Fewest flows of a bin, for any percentile: a median of fewer says little.
const LEAST_OF_A_BIN: usize = 20;

/// Most bins: a figure cannot show more.
const MOST_BINS: usize = 100;

impl Percentile {
    /// Returns the fewest values for which this percentile is meaningful: 1 / (1 - p), or 1 / p
    /// below the median. With fewer values, the percentile is just the largest or the smallest of
    /// them. The 99th percentile needs 100 values, the 99.9th 1,000.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive number of values, which a cast saturates"
    )]
    pub fn least_values(self) -> usize {
        let rest = self.percent().min(100.0 - self.percent());
        // 99.9 has no exact binary fraction; without the tolerance, this would be 1,001.
        (100.0 / rest - 1e-6).ceil() as usize
    }

    /// Returns the fewest values of one run with an interval of this percentile
    /// ([`percentile_interval`](crate::percentile_interval)): with fewer, the largest or the smallest
    /// of them may be on the wrong side of it. The 95th percentile needs 72 values at 95%.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive number of values, which a cast saturates"
    )]
    pub fn least_values_of_interval(self, confidence: Confidence) -> usize {
        let far = self.fraction().max(1.0 - self.fraction());
        (libm::log(confidence.tail()) / libm::log(far)).ceil() as usize
    }

    /// Returns `true` if `count` values are enough for this percentile (see
    /// [`least_values`](Self::least_values)).
    #[must_use]
    pub fn is_known_of(self, count: usize) -> bool {
        count >= self.least_values()
    }
}

impl SizeBin<'_> {
    /// Returns the percentile of the slowdown if the bin has enough flows for it (see
    /// [`Percentile::least_values`]). Tables and figures show this one.
    #[must_use]
    pub fn known_percentile(&self, wanted: Percentile) -> Option<f64> {
        let known = wanted.is_known_of(self.count());
        known.then(|| self.percentile(wanted)).flatten()
    }
}

/// Returns the default number of bins for `flows` flows, from 1 to 100: each bin has enough flows
/// for `percentile`, and at least 20.
#[must_use]
pub fn bins_for(flows: usize, percentile: Percentile) -> usize {
    let each = percentile.least_values().max(LEAST_OF_A_BIN);
    (flows / each).clamp(1, MOST_BINS)
}

/// Returns the number of bins for `replications` together: like [`bins_for`] of the smallest one,
/// but few enough that each of them has enough flows for `percentile` in each bin. It is 1 if they
/// have too few for a single bin.
#[must_use]
pub fn bins_for_each(replications: &[Vec<FctRecord>], percentile: Percentile) -> usize {
    let sorted = |records: &[FctRecord]| {
        let mut sizes: Vec<Bytes> = records.iter().map(|record| record.size).collect();
        sizes.sort_unstable();
        sizes
    };
    let together = sorted(&replications.concat());
    let each: Vec<Vec<Bytes>> = replications.iter().map(|own| sorted(own)).collect();
    let enough = |bins: usize| {
        let ends = (1..=bins).map(|bin| bin * together.len() / bins);
        let mut edges: Vec<Bytes> = ends
            .filter_map(|end| together.get(end.checked_sub(1)?).copied())
            .collect();
        edges.dedup();
        each.iter().all(|sizes| {
            let mut from = 0;
            edges.iter().all(|edge| {
                let end = sizes.partition_point(|size| size <= edge);
                let known = percentile.is_known_of(end - from);
                from = end;
                known
            })
        })
    };
    let least = each.iter().map(Vec::len).min().unwrap_or(0);
    let most = bins_for(least, percentile);
    (1..=most).rev().find(|bins| enough(*bins)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::testing::record;
    use crate::size_bins::{BinRule, SizeBins};

    #[test]
    fn tails_need_more_values() {
        for (percent, least) in [
            (50.0, 2),
            (90.0, 10),
            (95.0, 20),
            (99.0, 100),
            (99.9, 1_000),
            (99.99, 10_000),
            (1.0, 100),
        ] {
            let percentile = Percentile::new(percent).expect("a percentile");
            assert_eq!(percentile.least_values(), least, "{percent}");
            assert!(percentile.is_known_of(least) && !percentile.is_known_of(least - 1));
        }
    }

    #[test]
    fn intervals_need_more_values_than_their_percentiles() {
        for percent in [1.0, 50.0, 90.0, 95.0, 99.0] {
            let percentile = Percentile::new(percent).expect("a percentile");
            let least = percentile.least_values_of_interval(Confidence::P95);
            let sorted: Vec<f64> = (0..1_000).map(f64::from).collect();
            let has = |count: usize| {
                let values = &sorted[..count];
                crate::percentile_interval(values, percentile, Confidence::P95).is_some()
            };
            assert!(has(least) && !has(least - 1), "p{percent}: {least}");
        }
    }

    #[test]
    fn bins_follow_the_number_of_flows() {
        let bins = |flows| [Percentile::P50, Percentile::P99].map(|p| bins_for(flows, p));
        assert_eq!(bins(0), [1, 1]);
        assert_eq!(bins(261), [13, 2]);
        assert_eq!(bins(1_142), [57, 11]);
        assert_eq!(bins(1_000_000), [100, 100]);
    }

    #[test]
    fn each_replication_has_enough_flows_in_each_bin() {
        let of = |sizes: std::ops::Range<u64>| -> Vec<FctRecord> {
            sizes.map(|size| record(size, 2_000, 1_000)).collect()
        };
        // Alike replications have as many bins as one of them.
        let alike = [of(1..401), of(1..401)];
        assert_eq!(bins_for_each(&alike, Percentile::P99), 4);
        // The second one lacks flows of 151 to 300 bytes, which are in the second of three bins.
        let uneven = [of(1..401), [of(1..151), of(301..551)].concat()];
        assert_eq!(bins_for_each(&uneven, Percentile::P99), 2);
        let few = [of(1..401), of(1..51)];
        assert_eq!(bins_for_each(&few, Percentile::P99), 1);
        assert_eq!(bins_for_each(&[], Percentile::P99), 1);
    }

    proptest! {
        /// Default bins have enough flows for their percentile, unless all flows together are too
        /// few.
        #[test]
        fn bins_made_for_a_percentile_have_it(flows in 0usize..1_500, percent in 1.0f64..99.8) {
            let percentile = Percentile::new(percent).expect("a percentile");
            let records = vec![record(1_000, 2_000, 1_000); flows];
            let count = bins_for(flows, percentile);
            for bin in SizeBins::of_equal_count(&records, count, BinRule::AllFlows).iter() {
                let known = bin.known_percentile(percentile).is_some();
                prop_assert_eq!(known, percentile.is_known_of(flows));
            }
        }
    }
}
