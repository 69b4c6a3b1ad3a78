//! The slowdowns of a result over flow size, in the form that figures use.

use fabricsim_report::{
    BinRule, Confidence, FctRecord, Interval, Percentile, ReplicationTable, SizeBins, bins_for,
};

use super::axis::FlowTick;
use super::style::Style;

/// Number of bins of equal count into which flows are cut.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum BinCount {
    /// The largest number that this many flows support, for each percentile (see [`bins_for`]).
    OfFlows(usize),
    /// A fixed number, the same for every percentile.
    Given(usize),
}

/// The slowdowns of a result over flow size.
#[derive(Clone, Debug, PartialEq)]
pub struct SlowdownCurve {
    /// Name in the legend.
    pub name: String,
    /// Style of the curve.
    pub style: Style,
    /// The largest size in every tenth of the flows.
    pub(super) ticks: Vec<FlowTick>,
    percentiles: Vec<(Percentile, Vec<SlowdownPoint>)>,
    one_size: bool,
    /// Number of runs whose means the points are.
    pub(super) replications: usize,
}

/// A percentile of the slowdowns of a bin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SlowdownPoint {
    /// The share of flows up to the end of the bin, from 0 to 1.
    pub(super) upto: f64,
    /// The largest size in the bin, in bytes.
    pub(super) size: f64,
    /// The percentile; `None` if the bin has too few flows for it.
    pub(super) slowdown: Option<f64>,
    /// Student's interval, if the point is a mean over several runs.
    pub(super) interval: Option<Interval>,
}

impl SlowdownCurve {
    /// Computes the slowdowns of `records` at `percentiles`. A bin has no point if it has too few
    /// flows for the percentile ([`Percentile::least_values`]).
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        style: Style,
        records: &[FctRecord],
        percentiles: &[Percentile],
        bins: BinCount,
    ) -> Self {
        let points = |percentile: Percentile| {
            let count = match bins {
                BinCount::OfFlows(flows) => bins_for(flows, percentile),
                BinCount::Given(count) => count,
            };
            let bins = SizeBins::of_equal_count(records, count, BinRule::AllFlows);
            let point = bins.iter().filter_map(|bin| {
                let (_, largest) = bin.sizes?;
                Some(SlowdownPoint {
                    upto: bin.upto,
                    size: largest.as_f64(),
                    slowdown: bin.known_percentile(percentile),
                    interval: None,
                })
            });
            (percentile, point.collect())
        };
        Self {
            name: name.into(),
            style,
            ticks: tenths(records),
            percentiles: percentiles.iter().copied().map(points).collect(),
            one_size: records.windows(2).all(|pair| pair[0].size == pair[1].size),
            replications: 1,
        }
    }

    /// Computes the means of `replications` at each percentile, which has its own number of bins,
    /// with Student's intervals of 95% ([`ReplicationTable`]). All replications have the same bins;
    /// the ones with too few flows in a bin do not count there.
    #[must_use]
    pub fn over_replications(
        name: impl Into<String>,
        style: Style,
        replications: &[Vec<FctRecord>],
        percentiles: &[(Percentile, usize)],
    ) -> Self {
        let points = |(percentile, bins): (Percentile, usize)| {
            let one = [percentile];
            let table = ReplicationTable::of_equal_count(replications, bins, &one, Confidence::P95);
            let point = table.bins.iter().filter_map(|row| {
                let mean = row.percentiles.first().copied().flatten();
                Some(SlowdownPoint {
                    upto: row.upto_pct / 100.0,
                    size: row.upto_bytes? as f64,
                    slowdown: mean.map(|mean| mean.mean),
                    interval: mean.and_then(|mean| mean.interval),
                })
            });
            (percentile, point.collect())
        };
        let records = replications.concat();
        Self {
            name: name.into(),
            style,
            ticks: tenths(&records),
            percentiles: percentiles.iter().copied().map(points).collect(),
            one_size: records.windows(2).all(|pair| pair[0].size == pair[1].size),
            replications: replications.len(),
        }
    }

    /// Returns the same curve with another name and style.
    #[must_use]
    pub fn called(self, name: impl Into<String>, style: Style) -> Self {
        Self {
            name: name.into(),
            style,
            ..self
        }
    }

    /// Returns `true` if all flows have the same size.
    #[must_use]
    pub const fn has_one_size(&self) -> bool {
        self.one_size
    }

    /// Returns the points at `percentile`, in order of size.
    pub(super) fn points(&self, percentile: Percentile) -> &[SlowdownPoint] {
        let mut all = self.percentiles.iter();
        all.find(|(own, _)| *own == percentile)
            .map_or(&[], |(_, points)| points)
    }
}

/// Returns the largest size in every tenth of the flows, or of every flow if there are less than
/// ten.
fn tenths(records: &[FctRecord]) -> Vec<FlowTick> {
    let tenths = SizeBins::of_equal_count(records, 10, BinRule::AllFlows);
    let ticks = tenths.iter();
    ticks
        .filter_map(|bin| Some((bin.upto, bin.sizes?.1.get())))
        .collect()
}
