//! Slowdown over flow size: a panel for each workload, load and percentile.

use std::fmt;

use crate::judge::{
    CurveScore, PublishedPanel, Ranked, Region, RegionOrder, Smoothing, chain, order, our_order,
    score,
};
use fabricsim_report::{Percentile, SizeBins};
use serde::Serialize;

use super::curves;
use super::measured::Measured;
use crate::sweep::Point;
use fabricsim_scenario::text::error::Error;

/// The percentiles of the published figures.
const PERCENTILES: [Percentile; 3] = [Percentile::P50, Percentile::P95, Percentile::P99];

/// Half the width of the smoothing window at the 99th percentile, in percent of the flows. Its
/// points depend on few flows in a short run, so both curves are smoothed.
const SMOOTHED_PCT: f64 = 2.0;

/// The simulated slowdowns of one scheme.
#[derive(Clone, Debug, Serialize)]
pub struct OurCurve {
    /// The scheme.
    pub scheme: String,
    /// The percentile in each bin of the axis; `None` if the bin has no flows.
    pub slowdowns: Vec<Option<f64>>,
}

/// The mean slowdowns of all schemes in a region of sizes.
#[derive(Clone, Debug, Serialize)]
pub struct RegionMeans {
    /// Region of the axis of sizes.
    pub region: Region,
    /// The share of flows below the region, in percent.
    pub from_pct: f64,
    /// The share of flows below its end, in percent.
    pub upto_pct: f64,
    /// The largest size, in bytes.
    pub upto_bytes: u64,
    /// Geometric mean of the percentile over the bins of the region, the lowest first.
    pub ranked: Vec<Ranked>,
}

impl RegionMeans {
    /// Returns the mean of `scheme`.
    pub(super) fn of(&self, scheme: &str) -> Option<f64> {
        let mut ranked = self.ranked.iter();
        ranked
            .find(|one| one.scheme == scheme)
            .map(|one| one.slowdown)
    }
}

/// One percentile of the slowdown over flow size, of several schemes.
#[derive(Clone, Debug, Serialize)]
pub struct PanelScore {
    /// The flow-size distribution.
    pub workload: String,
    /// Payload over the rate of the host links, in percent.
    pub load_pct: f64,
    /// Percentile of the slowdown.
    pub percentile: Percentile,
    /// The simulated slowdowns.
    pub ours: Vec<OurCurve>,
    /// Distance of each scheme from its published curve; empty without curves.
    pub curves: Vec<CurveScore>,
    /// The simulated order of the schemes, region by region.
    pub regions: Vec<RegionMeans>,
    /// The simulated order and the published one; empty without curves.
    pub orders: Vec<RegionOrder>,
    /// The axis of sizes, and the published curves on it.
    #[serde(skip)]
    pub(super) published: PublishedPanel,
}

impl PanelScore {
    fn new(published: PublishedPanel, schemes: &[(String, SizeBins)]) -> Self {
        let percentile = published.percentile;
        let smoothing = if percentile == Percentile::P99 {
            Smoothing::Median(SMOOTHED_PCT)
        } else {
            Smoothing::Off
        };
        let bins: Vec<(&str, &SizeBins)> = schemes
            .iter()
            .map(|(scheme, bins)| (scheme.as_str(), bins))
            .collect();
        let ours = bins.iter().map(|(scheme, bins)| OurCurve {
            scheme: (*scheme).to_owned(),
            slowdowns: (0..published.axis.len())
                .map(|index| bins.bin(index)?.percentile(percentile))
                .collect(),
        });
        let scores = bins
            .iter()
            .filter_map(|(scheme, bins)| score(&published, scheme, bins, smoothing));
        let regions = our_order(&published, &bins)
            .into_iter()
            .map(|(region, points, ranked)| RegionMeans {
                region,
                from_pct: match points.start {
                    0 => 0.0,
                    start => published.axis[start - 1].size_pct,
                },
                upto_pct: published.axis[points.end - 1].size_pct,
                upto_bytes: published.axis[points.end - 1].size.get(),
                ranked,
            });
        Self {
            workload: published.workload.clone(),
            load_pct: published.load_pct,
            percentile,
            ours: ours.collect(),
            curves: scores.collect(),
            regions: regions.collect(),
            orders: order(&published, &bins),
            published,
        }
    }

    /// Returns the means in `region`.
    pub(super) fn region(&self, region: Region) -> Option<&RegionMeans> {
        self.regions.iter().find(|means| means.region == region)
    }

    /// Returns the title of the panel.
    pub(super) fn title(&self) -> String {
        format!(
            "{}, {}% load, {}",
            self.workload, self.load_pct, self.percentile
        )
    }
}

impl fmt::Display for PanelScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title())?;
        if !self.curves.is_empty() {
            write!(f, "  distance ")?;
            for curve in &self.curves {
                if let Some(ticks) = &curve.ticks {
                    let (median, bias) = (ticks.median * 100.0, ticks.bias * 100.0);
                    write!(f, "  {} {median:.1}% ({bias:+.1})", curve.scheme)?;
                }
            }
            writeln!(f)?;
        }
        for means in &self.regions {
            let name = means.region.to_string();
            write!(f, "  {name:<9}  {}", chain(&means.ranked))?;
            let order = self
                .orders
                .iter()
                .find(|order| order.region == means.region);
            if let Some(order) = order {
                write!(f, "; published: {}", chain(&order.published))?;
                if !order.agrees() {
                    write!(f, "; NOT the published order")?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// The points of one figure, which have the same workload and load.
struct FigurePoints<'p> {
    workload: String,
    load_pct: f64,
    points: Vec<(String, &'p Point)>,
}

fn groups<'s>(measured: &Measured<'s>) -> Vec<FigurePoints<'s>> {
    let mut groups: Vec<FigurePoints<'s>> = Vec::new();
    for point in measured.points() {
        let workload = measured.value(point, "workload").unwrap_or("websearch");
        let load_pct = (point.load() * 1e4).round() / 1e2;
        let scheme = measured
            .value(point, "scheme")
            .unwrap_or_else(|| point.name())
            .to_owned();
        let same = |group: &&mut FigurePoints<'_>| {
            group.workload == workload && group.load_pct.total_cmp(&load_pct).is_eq()
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.points.push((scheme, point)),
            None => groups.push(FigurePoints {
                workload: workload.to_owned(),
                load_pct,
                points: vec![(scheme, point)],
            }),
        }
    }
    groups
}

/// Returns the panels of all workloads and loads, with the published curves of `figure` if the
/// project has them.
pub(super) fn judge(
    measured: &mut Measured<'_>,
    figure: &[&str],
) -> Result<Vec<PanelScore>, Error> {
    let mut panels = Vec::new();
    let published: Vec<PublishedPanel> = figure.iter().flat_map(|name| curves::of(name)).collect();
    for group in groups(measured) {
        let axis = curves::axis_of(&group.workload);
        let edges = axis.edges();
        let mut schemes = Vec::new();
        for (scheme, point) in group.points {
            if let Some(records) = measured.flows(point)? {
                schemes.push((scheme, SizeBins::between(&records, &edges)));
            }
        }
        for percentile in PERCENTILES {
            let curves = published.iter().find(|panel| {
                panel.workload == group.workload
                    && panel.load_pct.total_cmp(&group.load_pct).is_eq()
                    && panel.percentile == percentile
            });
            let panel = curves.cloned().unwrap_or_else(|| PublishedPanel {
                load_pct: group.load_pct,
                percentile,
                ..axis.clone()
            });
            panels.push(PanelScore::new(panel, &schemes));
        }
    }
    Ok(panels)
}

#[cfg(test)]
pub(super) mod testing {
    use fabricsim_base::flow::{Completion, Flow, FlowRequest, PathInfo};
    use fabricsim_base::id::{ClassId, FlowId, NodeId};
    use fabricsim_base::priority::Priority;
    use fabricsim_base::units::{Bytes, Duration, Rate, Time};
    use fabricsim_report::FctRecord;

    use super::*;

    /// Returns a flow of `size` bytes that takes `slowdown` times as long as alone.
    fn record(size: u64, slowdown: f64) -> FctRecord {
        let fct = Duration::from_secs_f64(slowdown);
        let request = FlowRequest {
            src: NodeId(0),
            dst: NodeId(1),
            size: Bytes::new(size),
            start: Time::ZERO,
            class: ClassId(0),
            priority: Priority::new(3),
            src_port: None,
            dst_port: 100,
        };
        let path = PathInfo {
            base_rtt: Duration::from_us(10),
            bottleneck: Rate::from_gbps(100),
            switches: 1,
        };
        let completion = Completion {
            flow: Flow::new(FlowId(0), request, path),
            finish: Time::ZERO + fct,
            retransmitted: Bytes::ZERO,
        };
        FctRecord::new(&completion, Duration::from_secs_f64(1.0))
    }

    /// Returns a panel of WebSearch. At every point of the axis, each scheme has flows with the
    /// given slowdown for their size.
    pub(crate) fn panel(
        load_pct: f64,
        percentile: Percentile,
        schemes: &[(&str, &dyn Fn(u64) -> f64)],
    ) -> PanelScore {
        let published = curves::of("hpcc-results")
            .into_iter()
            .find(|panel| {
                panel.workload == "websearch"
                    && panel.load_pct.total_cmp(&load_pct).is_eq()
                    && panel.percentile == percentile
            })
            .expect("a published panel");
        let schemes: Vec<(String, SizeBins)> = schemes
            .iter()
            .map(|(name, slowdown)| {
                let sizes = published.axis.iter().map(|point| point.size.get());
                let records: Vec<FctRecord> =
                    sizes.map(|size| record(size, slowdown(size))).collect();
                (
                    (*name).to_owned(),
                    SizeBins::between(&records, &published.edges()),
                )
            })
            .collect();
        PanelScore::new(published, &schemes)
    }
}
