//! Comparison of simulated slowdowns with a published curve.

use std::ops::Range;

use serde::Serialize;

use crate::judge::published::{PublishedCurve, PublishedPanel, Reading};
use fabricsim_report::SizeBins;
use fabricsim_report::percentile;
use fabricsim_report::{Confidence, Percentile};
use fabricsim_report::{Interval, median, percentile_interval};

/// Use of neighboring points of the axis if a bin has too few flows for a stable tail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Smoothing {
    /// None: each bin is independent.
    Off,
    /// Both curves are replaced by the medians of their points within this many percent of flows on
    /// either side.
    Median(f64),
    /// The flows of bins within this many percent on either side are pooled, and the percentile is
    /// computed over the pool. For short runs.
    ///
    /// Each slowdown is divided by the published one of its bin. So if each bin agrees with the
    /// published curve, the pool does, too, even if the curve is steep.
    Pooled(f64),
}

impl Smoothing {
    const fn half_width(self) -> f64 {
        match self {
            Self::Off => 0.0,
            Self::Median(half) | Self::Pooled(half) => half,
        }
    }
}

/// The simulated and the published slowdown at a point of the axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PointScore {
    /// The share of flows up to this point, in percent.
    pub size_pct: f64,
    /// The largest size of the bin, in bytes.
    pub size_bytes: u64,
    /// Label of the axis at this point, if it has a tick.
    pub tick: Option<String>,
    /// `true` if the published curve is clear of other curves here.
    pub is_clear: bool,
    /// The published slowdown, smoothed.
    pub published: f64,
    /// The simulated slowdown, smoothed likewise.
    pub ours: f64,
    /// `ours / published - 1`.
    pub deviation: f64,
    /// Number of simulated flows in the bins within reach of the smoothing.
    pub flows: usize,
    /// At ticks: confidence interval of the deviation, from the flows within reach, pooled as in
    /// [`Smoothing::Pooled`]. `None` if they are too few.
    pub interval: Option<Interval>,
}

/// Distance between two curves over some points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Distance {
    /// Number of points.
    pub points: usize,
    /// Median of |ours / published - 1|.
    pub median: f64,
    /// Median of ours / published - 1; its sign shows the direction of the deviation.
    pub bias: f64,
    /// Greatest |ours / published - 1|.
    pub greatest: f64,
}

/// Distance of simulated slowdowns from a published curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CurveScore {
    /// The scheme, by its name in the figure.
    pub scheme: String,
    /// Over the ticks of the axis (every tenth of the flows); `None` if no tick can be compared.
    pub ticks: Option<Distance>,
    /// Over all points at which the published curve is clear of other curves.
    pub clear: Option<Distance>,
    /// The tick with the largest deviation.
    pub worst_tick: Option<PointScore>,
    /// Simulated flows within the axis.
    pub flows: usize,
    /// Simulated flows beyond the end of the axis. They count nowhere.
    pub outside: usize,
    /// All points with both slowdowns.
    pub points: Vec<PointScore>,
}

/// Returns the distance of the simulated flows in `bins` from the curve of `scheme` in `panel`;
/// `None` if there is no such curve. [`score_curve`] describes the comparison.
///
/// # Panics
/// If `bins` were not cut at the panel's [edges](PublishedPanel::edges).
#[must_use]
pub fn score(
    panel: &PublishedPanel,
    scheme: &str,
    bins: &SizeBins,
    smoothing: Smoothing,
) -> Option<CurveScore> {
    let curve = panel.curve(scheme)?;
    Some(score_curve(panel, curve, bins, smoothing))
}

/// Returns the distance of the simulated flows in `bins` from `curve`, a curve of `panel`. Hidden
/// points are skipped.
///
/// A point of the figures at x percent is a percentile over the flows between the previous point
/// and x percent of all flows in order of size. We bin simulated flows by the sizes of the
/// workload's distribution instead of by equal counts. The published runs are long, so their equal
/// counts end near these sizes. Equal counts of a short run drift (by 0.5% of the flows with 10,000
/// flows) and would compare different sizes. If the distribution is discrete, flows whose size
/// equals an edge count below it.
///
/// # Panics
/// If `bins` were not cut at the panel's [edges](PublishedPanel::edges).
#[must_use]
pub fn score_curve(
    panel: &PublishedPanel,
    curve: &PublishedCurve,
    bins: &SizeBins,
    smoothing: Smoothing,
) -> CurveScore {
    assert!(
        bins.len() == panel.axis.len() + 1
            && bins
                .iter()
                .zip(&panel.axis)
                .all(|(bin, point)| bin.largest_allowed == Some(point.size)),
        "bins end where the points of the panel do"
    );
    let pairs = Pairs::new(panel.percentile, curve, bins);
    let points: Vec<PointScore> = panel
        .axis
        .iter()
        .enumerate()
        .filter_map(|(index, axis)| {
            pairs.of[index]?;
            let reach = reach(panel, index, smoothing.half_width());
            let pool = (axis.tick.is_some() || matches!(smoothing, Smoothing::Pooled(_)))
                .then(|| pairs.pool(curve, bins, reach.clone()));
            let (published, ours) = match (smoothing, &pool) {
                (Smoothing::Pooled(_), Some(pool)) => {
                    let published = curve.points[index].slowdown()?;
                    let ratio = percentile(pool, panel.percentile.fraction())?;
                    (published, published * ratio)
                }
                _ => (
                    median(pairs.within(&reach).map(|(published, _)| published))?,
                    median(pairs.within(&reach).map(|(_, ours)| ours))?,
                ),
            };
            let interval = pool
                .and_then(|pool| percentile_interval(&pool, panel.percentile, Confidence::P95))
                .map(|Interval { low, high }| Interval {
                    low: low - 1.0,
                    high: high - 1.0,
                });
            Some(PointScore {
                size_pct: axis.size_pct,
                size_bytes: axis.size.get(),
                tick: axis.tick.clone(),
                is_clear: curve.points[index].is_clear(),
                published,
                ours,
                deviation: ours / published - 1.0,
                flows: reach
                    .filter(|&near| pairs.of[near].is_some())
                    .filter_map(|near| bins.bin(near))
                    .map(|bin| bin.count())
                    .sum(),
                interval: interval.filter(|_| axis.tick.is_some()),
            })
        })
        .collect();
    let is_tick = |point: &&PointScore| point.tick.is_some();
    let outside = bins.bin(panel.axis.len()).map_or(0, |last| last.count());
    CurveScore {
        scheme: curve.scheme.clone(),
        ticks: Distance::new(points.iter().filter(is_tick)),
        clear: Distance::new(points.iter().filter(|point| point.is_clear)),
        worst_tick: points
            .iter()
            .filter(is_tick)
            .max_by(|a, b| a.deviation.abs().total_cmp(&b.deviation.abs()))
            .cloned(),
        flows: bins.flows() - outside,
        outside,
        points,
    }
}

/// Both slowdowns at each point of the axis at which both are known.
struct Pairs {
    of: Vec<Option<(f64, f64)>>,
}

impl Pairs {
    fn new(wanted: Percentile, curve: &PublishedCurve, bins: &SizeBins) -> Self {
        let both = |(reading, index): (&Reading, usize)| {
            Some((reading.slowdown()?, bins.bin(index)?.percentile(wanted)?))
        };
        Self {
            of: curve.points.iter().zip(0..).map(both).collect(),
        }
    }

    fn within(&self, reach: &Range<usize>) -> impl Iterator<Item = (f64, f64)> {
        self.of[reach.clone()].iter().copied().flatten()
    }

    /// Returns the simulated slowdowns within reach, each divided by the published one of its bin,
    /// in increasing order.
    fn pool(&self, curve: &PublishedCurve, bins: &SizeBins, reach: Range<usize>) -> Vec<f64> {
        let mut pool: Vec<f64> = reach
            .filter_map(|index| Some((curve.points[index].slowdown()?, bins.bin(index)?)))
            .flat_map(|(published, bin)| bin.slowdowns.iter().map(move |ours| ours / published))
            .collect();
        pool.sort_unstable_by(f64::total_cmp);
        pool
    }
}

/// Returns the points of the axis within `half` percent of flows of the point at `index`.
fn reach(panel: &PublishedPanel, index: usize, half: f64) -> Range<usize> {
    // Percentages are decimal: 98 and 100 are within 2.
    const ROUNDING: f64 = 1e-9;
    let center = panel.axis[index].size_pct;
    let from = panel
        .axis
        .partition_point(|point| point.size_pct < center - half - ROUNDING);
    let upto = panel
        .axis
        .partition_point(|point| point.size_pct <= center + half + ROUNDING);
    from..upto
}

impl Distance {
    fn new<'p>(points: impl Iterator<Item = &'p PointScore> + Clone) -> Option<Self> {
        let deviations = points.map(|point| point.deviation);
        let sizes = deviations.clone().map(f64::abs);
        Some(Self {
            points: sizes.clone().count(),
            median: median(sizes.clone())?,
            bias: median(deviations)?,
            greatest: sizes.fold(0.0, f64::max),
        })
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use crate::testing::record;
    use fabricsim_report::FctRecord;

    /// Returns flows whose percentile in each bin of `panel` is the curve of `scheme` times
    /// `factor`: 100 per bin, spread so that all but the largest differ.
    pub(crate) fn on_the_curve(panel: &PublishedPanel, scheme: &str, factor: f64) -> SizeBins {
        const IDEAL_NS: u64 = 1_000_000_000;
        let curve = panel.curve(scheme).expect("a curve");
        let mut records: Vec<FctRecord> = Vec::new();
        for (point, reading) in panel.axis.iter().zip(&curve.points) {
            // A hidden point may be anything.
            let wanted = reading.slowdown().unwrap_or(77.0) * factor;
            for rank in 0..100u32 {
                let tail = panel.percentile.fraction() * 100.0;
                let share = (1.0 + f64::from(rank)) / (1.0 + tail);
                let slowdown = 1.0 + (wanted - 1.0) * share;
                let fct = fabricsim_base::units::Duration::from_secs_f64(slowdown);
                records.push(FctRecord {
                    fct,
                    ..record(point.size.get(), 0, IDEAL_NS)
                });
            }
        }
        SizeBins::between(&records, &panel.edges())
    }
}

#[cfg(test)]
mod tests {
    use super::testing::on_the_curve;
    use super::*;
    use crate::judge::published::testing::panel;
    use crate::testing::record;

    const WAYS: [Smoothing; 4] = [
        Smoothing::Off,
        Smoothing::Median(20.0),
        Smoothing::Median(40.0),
        Smoothing::Pooled(20.0),
    ];

    #[test]
    fn a_curve_is_no_distance_from_itself() {
        let panel = panel();
        for scheme in ["A", "B+w"] {
            let bins = on_the_curve(&panel, scheme, 1.0);
            for smoothing in [WAYS[0], WAYS[1], WAYS[2]] {
                let score = score(&panel, scheme, &bins, smoothing).expect("a curve");
                let ticks = score.ticks.expect("ticks");
                assert_eq!(ticks.points, 3);
                assert!(ticks.greatest < 1e-9, "{smoothing:?} {score:?}");
                assert!(score.clear.expect("clear points").greatest < 1e-9);
            }
        }
    }

    #[test]
    fn a_shift_is_found_with_its_side() {
        let panel = panel();
        for (factor, bias) in [(1.1, 0.1), (0.9, -0.1)] {
            let bins = on_the_curve(&panel, "B+w", factor);
            for smoothing in [WAYS[0], WAYS[1], WAYS[2]] {
                let score = score(&panel, "B+w", &bins, smoothing).expect("a curve");
                for distance in [score.ticks.expect("ticks"), score.clear.expect("points")] {
                    assert!((distance.median - 0.1).abs() < 1e-9, "{score:?}");
                    assert!((distance.bias - bias).abs() < 1e-9, "{score:?}");
                    assert!((distance.greatest - 0.1).abs() < 1e-9, "{score:?}");
                }
            }
        }
    }

    /// The pool holds five times 100 flows, each relative to its bin's published slowdown, so that
    /// its 99th percentile is that of every bin.
    #[test]
    fn a_pool_is_relative_to_the_curve() {
        let panel = panel();
        let bins = on_the_curve(&panel, "B+w", 1.1);
        let score = score(&panel, "B+w", &bins, Smoothing::Pooled(100.0)).expect("a curve");
        for point in &score.points {
            assert_eq!(point.flows, 500);
            assert!((point.deviation - 0.1).abs() < 0.001, "{point:?}");
            let interval = point.interval;
            assert_eq!(interval.is_some(), point.tick.is_some());
            if let Some(Interval { low, high }) = interval {
                assert!(low <= point.deviation && point.deviation <= high);
                assert!(high - low < 0.05, "{point:?}");
            }
        }
    }

    #[test]
    fn hidden_points_are_skipped_and_overlaps_are_not_clear() {
        let panel = panel();
        let bins = on_the_curve(&panel, "A", 1.0);
        let score = score(&panel, "A", &bins, Smoothing::Off).expect("a curve");
        let sizes: Vec<_> = score.points.iter().map(|point| point.size_bytes).collect();
        assert_eq!(sizes, [1_000, 2_000, 4_000, 16_000]);
        assert_eq!(score.clear.expect("clear points").points, 3);
        assert_eq!(score.ticks.expect("ticks").points, 3);
        assert!(super::score(&panel, "C", &bins, Smoothing::Off).is_none());
    }

    #[test]
    fn the_worst_tick_is_named_and_large_flows_are_outside() {
        let panel = panel();
        let records = [
            record(1_000, 2_000, 1_000),
            record(2_000, 90_000, 1_000),
            record(3_000, 1_500, 1_000),
            record(90_000, 1_000, 1_000),
        ];
        let bins = SizeBins::between(&records, &panel.edges());
        let score = score(&panel, "A", &bins, Smoothing::Off).expect("a curve");
        let worst = score.worst_tick.expect("a tick");
        assert_eq!(worst.tick.as_deref(), Some("4K"));
        assert!((worst.deviation + 0.5).abs() < 1e-12);
        assert_eq!(worst.interval, None);
        assert_eq!((score.flows, score.outside), (3, 1));
        let ticks = score.ticks.expect("two ticks");
        assert!((ticks.median - 0.25).abs() < 1e-12);
        assert!((ticks.bias + 0.25).abs() < 1e-12);
    }

    #[test]
    #[should_panic(expected = "bins end where the points of the panel do")]
    fn other_bins_are_refused() {
        let panel = panel();
        let bins = SizeBins::between(&[], &panel.edges()[1..]);
        let _ = score(&panel, "A", &bins, Smoothing::Off);
    }

    #[test]
    fn medians_are_in_the_middle() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), Some(2.0));
        assert_eq!(median([4.0, 1.0, 2.0, 3.0].into_iter()), Some(2.5));
        assert_eq!(median(std::iter::empty()), None);
    }
}
