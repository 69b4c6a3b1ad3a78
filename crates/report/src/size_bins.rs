//! Slowdowns divided by flow size: into bins of equal count, or between given sizes.

use std::ops::Range;

use fabricsim_base::units::Bytes;

use crate::interval::{Interval, percentile_interval};
use crate::quantile::{Confidence, Percentile};
use crate::record::FctRecord;
use crate::slowdown::percentile;

/// Selection of the flows to divide into bins.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum BinRule {
    /// All flows.
    #[default]
    AllFlows,
    /// All flows but the largest, which the published script loses; use it to reproduce that
    /// script's numbers.
    Published,
}

/// The slowdowns of flows, divided by size and sorted within each part, so that reading any
/// percentile of any part is cheap.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeBins {
    /// The slowdowns of one part after the other, each in increasing order.
    slowdowns: Vec<f64>,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq)]
struct Part {
    shares: (f64, f64),
    flows: Range<usize>,
    above: Bytes,
    upto: Option<Bytes>,
    sizes: Option<(Bytes, Bytes)>,
}

/// Flows of similar size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SizeBin<'b> {
    /// The share of flows in all smaller bins, from 0 to 1; for equal counts, to within one flow.
    pub from: f64,
    /// The share of flows up to and including this bin, from 0 to 1.
    pub upto: f64,
    /// Flows of the bin are larger than this, except that bins of equal count may share a size.
    pub above: Bytes,
    /// Flows of the bin are at most this large; `None` if there is no bound.
    pub largest_allowed: Option<Bytes>,
    /// The smallest and the largest size in the bin; `None` if it is empty.
    pub sizes: Option<(Bytes, Bytes)>,
    /// Slowdowns in increasing order.
    pub slowdowns: &'b [f64],
}

impl SizeBins {
    /// Sorts `records` by size, then by slowdown, and cuts them into `bins` parts of equal count
    /// (to within one flow): part k begins at flow `floor(k n / bins)`. Empty parts are omitted.
    #[must_use]
    pub fn of_equal_count(records: &[FctRecord], bins: usize, rule: BinRule) -> Self {
        let mut flows = by_size(records);
        if rule == BinRule::Published {
            flows.pop();
        }
        let edge = |k: usize| k * flows.len() / bins;
        let ranges = (0..bins).map(|k| (k, edge(k)..edge(k + 1)));
        let parts: Vec<Part> = ranges
            .filter(|(_, flows)| !flows.is_empty())
            .map(|(k, range)| {
                let share = |k: usize| k as f64 / bins as f64;
                let sizes = sizes(&flows[range.clone()]);
                let before = range.start.checked_sub(1);
                Part {
                    shares: (share(k), share(k + 1)),
                    above: before.map_or(Bytes::ZERO, |last| flows[last].0),
                    upto: sizes.map(|(_, largest)| largest),
                    flows: range,
                    sizes,
                }
            })
            .collect();
        Self::new(&flows, parts)
    }

    /// Divides `records` at `edges`, which must increase. A bin contains the sizes above one edge,
    /// up to and including the next. There is one bin more than there are edges; the last has no
    /// bound, and empty bins are kept.
    ///
    /// # Panics
    /// Panics if the edges do not increase.
    #[must_use]
    pub fn between(records: &[FctRecord], edges: &[Bytes]) -> Self {
        assert!(edges.is_sorted_by(|a, b| a < b), "edges increase");
        let flows = by_size(records);
        let upto = edges.iter().copied().map(Some).chain([None]);
        let mut from = 0;
        let mut above = Bytes::ZERO;
        let parts = upto
            .map(|upto| {
                let end = upto.map_or(flows.len(), |upto| {
                    from + flows[from..].partition_point(|(size, _)| *size <= upto)
                });
                let share = |flow: usize| flow as f64 / flows.len().max(1) as f64;
                let part = Part {
                    shares: (share(from), share(end)),
                    flows: from..end,
                    above,
                    upto,
                    sizes: sizes(&flows[from..end]),
                };
                from = end;
                above = upto.unwrap_or(above);
                part
            })
            .collect();
        Self::new(&flows, parts)
    }

    fn new(flows: &[(Bytes, f64)], parts: Vec<Part>) -> Self {
        let mut slowdowns: Vec<f64> = flows.iter().map(|(_, slowdown)| *slowdown).collect();
        for part in &parts {
            slowdowns[part.flows.clone()].sort_unstable_by(f64::total_cmp);
        }
        Self { slowdowns, parts }
    }

    /// Returns the number of bins.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.parts.len()
    }

    /// Returns `true` if there are no bins.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns the number of flows in all bins together.
    #[must_use]
    pub const fn flows(&self) -> usize {
        self.slowdowns.len()
    }

    /// Returns the bin at `index`, in order of size.
    #[must_use]
    pub fn bin(&self, index: usize) -> Option<SizeBin<'_>> {
        self.parts.get(index).map(|part| self.view(part))
    }

    /// Yields the bins in order of size.
    pub fn iter(&self) -> impl Iterator<Item = SizeBin<'_>> {
        self.parts.iter().map(|part| self.view(part))
    }

    /// Returns all flows as one bin, sorted in `room`.
    pub(crate) fn together<'r>(&self, room: &'r mut Vec<f64>) -> SizeBin<'r> {
        room.clone_from(&self.slowdowns);
        room.sort_unstable_by(f64::total_cmp);
        let smallest = self.parts.iter().find_map(|part| part.sizes);
        let largest = self.parts.iter().rev().find_map(|part| part.sizes);
        SizeBin {
            from: 0.0,
            upto: 1.0,
            above: Bytes::ZERO,
            largest_allowed: None,
            sizes: smallest.zip(largest).map(|(a, b)| (a.0, b.1)),
            slowdowns: room,
        }
    }

    fn view(&self, part: &Part) -> SizeBin<'_> {
        SizeBin {
            from: part.shares.0,
            upto: part.shares.1,
            above: part.above,
            largest_allowed: part.upto,
            sizes: part.sizes,
            slowdowns: &self.slowdowns[part.flows.clone()],
        }
    }
}

impl SizeBin<'_> {
    /// Returns the number of flows in the bin.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.slowdowns.len()
    }

    /// Returns a percentile of the slowdown, not interpolated (see [`percentile`]); `None` if the
    /// bin is empty.
    #[must_use]
    pub fn percentile(&self, wanted: Percentile) -> Option<f64> {
        percentile(self.slowdowns, wanted.fraction())
    }

    /// Returns the confidence interval of the percentile; `None` if there are too few flows for one
    /// (see [`percentile_interval`]).
    #[must_use]
    pub fn interval(&self, wanted: Percentile, confidence: Confidence) -> Option<Interval> {
        percentile_interval(self.slowdowns, wanted, confidence)
    }

    /// Returns the mean slowdown; `None` if the bin is empty.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        mean(self.slowdowns.iter().copied())
    }

    /// Returns the geometric mean of the slowdown; `None` if the bin is empty.
    #[must_use]
    pub fn geometric_mean(&self) -> Option<f64> {
        geometric_mean(self.slowdowns.iter().copied())
    }
}

/// Returns the mean of `values`; `None` if there are none.
pub(crate) fn mean(values: impl ExactSizeIterator<Item = f64>) -> Option<f64> {
    let count = values.len();
    (count > 0).then(|| values.sum::<f64>() / count as f64)
}

/// Returns the median, for an even number the mean of the two in the middle; `None` if there are no
/// values.
#[must_use]
pub fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    Some(f64::midpoint(sorted[sorted.len() / 2 - 1], upper))
}

/// Returns the geometric mean of positive `values`; `None` if there are none.
#[must_use]
pub fn geometric_mean(values: impl ExactSizeIterator<Item = f64>) -> Option<f64> {
    mean(values.map(libm::log)).map(libm::exp)
}

/// Returns sizes and slowdowns in increasing order.
fn by_size(records: &[FctRecord]) -> Vec<(Bytes, f64)> {
    let mut flows: Vec<(Bytes, f64)> = records
        .iter()
        .map(|record| (record.size, record.slowdown()))
        .collect();
    flows.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    flows
}

fn sizes(flows: &[(Bytes, f64)]) -> Option<(Bytes, Bytes)> {
    Some((flows.first()?.0, flows.last()?.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::testing::record;

    fn kilobytes(edges: &[u64]) -> Vec<Bytes> {
        edges.iter().map(|kb| Bytes::new(kb * 1_000)).collect()
    }

    #[test]
    fn an_edge_belongs_to_the_bin_below_it() {
        let records = [
            record(10_000, 2_000, 1_000),
            record(10_001, 4_000, 1_000),
            record(1, 8_000, 1_000),
            record(900_000, 1_000, 1_000),
        ];
        let bins = SizeBins::between(&records, &kilobytes(&[10, 100, 200]));
        let held: Vec<_> = bins.iter().map(|bin| bin.slowdowns.to_vec()).collect();
        assert_eq!(held, [vec![2.0, 8.0], vec![4.0], vec![], vec![1.0]]);
        let last = bins.bin(3).expect("one bin more than edges");
        assert_eq!(
            (last.above, last.largest_allowed),
            (Bytes::new(200_000), None)
        );
        assert_eq!(bins.bin(2).expect("the empty one").sizes, None);
        let first = bins.bin(0).expect("the first");
        assert_eq!(first.mean(), Some(5.0));
        let geometric = first.geometric_mean().expect("two flows");
        assert!((geometric - 4.0).abs() < 1e-12, "{geometric}");
    }

    #[test]
    fn equal_counts_may_part_equal_sizes() {
        let records: Vec<_> = (0..10).map(|i| record(500, 2_000 - i, 1_000)).collect();
        let bins = SizeBins::of_equal_count(&records, 2, BinRule::AllFlows);
        let medians: Vec<_> = bins
            .iter()
            .map(|bin| bin.percentile(Percentile::P50))
            .collect();
        assert_eq!(medians, [Some(1.993), Some(1.998)]);
    }

    fn flows() -> impl Strategy<Value = Vec<FctRecord>> {
        let flow = (1u64..5_000, 1u64..9_000).prop_map(|(size, fct)| record(size, fct, 1_000));
        prop::collection::vec(flow, 0..200)
    }

    fn all(bins: &SizeBins) -> Vec<f64> {
        let mut all: Vec<f64> = bins.iter().flat_map(|bin| bin.slowdowns.to_vec()).collect();
        all.sort_unstable_by(f64::total_cmp);
        all
    }

    proptest! {
        #[test]
        fn bins_part_the_flows(
            records in flows(),
            count in 1usize..30,
            edges in prop::collection::btree_set(1u64..6_000, 0..8),
        ) {
            let edges: Vec<Bytes> = edges.into_iter().map(Bytes::new).collect();
            let mut expected: Vec<f64> = records.iter().map(FctRecord::slowdown).collect();
            expected.sort_unstable_by(f64::total_cmp);
            for bins in [
                SizeBins::of_equal_count(&records, count, BinRule::AllFlows),
                SizeBins::between(&records, &edges),
            ] {
                prop_assert_eq!(all(&bins), expected.clone());
                let sizes: Vec<_> = bins.iter().filter_map(|bin| bin.sizes).collect();
                prop_assert!(sizes.is_sorted_by(|a, b| a.1 <= b.0));
                for bin in bins.iter() {
                    let Some((smallest, largest)) = bin.sizes else { continue };
                    prop_assert!(smallest >= bin.above);
                    prop_assert!(bin.largest_allowed.is_none_or(|upto| largest <= upto));
                }
            }
        }

        #[test]
        fn statistics_of_a_bin_are_in_order(records in flows()) {
            let bins = SizeBins::of_equal_count(&records, 3, BinRule::AllFlows);
            for bin in bins.iter() {
                let levels = [1.0, 50.0, 95.0, 99.0, 99.9].map(|percent| {
                    let level = Percentile::new(percent).expect("a percentile");
                    if let Some(interval) = bin.interval(level, Confidence::P95) {
                        let value = bin.percentile(level).expect("flows");
                        assert!(interval.low <= value && value <= interval.high);
                    }
                    bin.percentile(level)
                });
                prop_assert!(levels.is_sorted(), "{levels:?}");
                let (mean, geometric) = (bin.mean(), bin.geometric_mean());
                let rounding = 1e-9;
                prop_assert!(geometric <= mean.map(|mean| mean + rounding));
                prop_assert!(geometric >= Some(1.0));
            }
        }
    }
}
