//! Slowdown over flow size: of several results, and relative to the first of them.

use std::fmt;

use super::axis::{Axis, FlowTick, Scale};
use super::style::{Draw, Style};
use super::{Figure, Panel, Series};
use fabricsim_report::Bin;

/// A percentile of the slowdowns of a [`Bin`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Percentile {
    /// The median.
    P50,
    /// The 95th.
    P95,
    /// The 99th.
    P99,
}

impl Percentile {
    /// All of them, upwards.
    pub const ALL: [Self; 3] = [Self::P50, Self::P95, Self::P99];

    /// Its value in `bin`.
    #[must_use]
    pub const fn of(self, bin: &Bin) -> f64 {
        match self {
            Self::P50 => bin.p50,
            Self::P95 => bin.p95,
            Self::P99 => bin.p99,
        }
    }
}

impl fmt::Display for Percentile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::P50 => "median",
            Self::P95 => "95th percentile",
            Self::P99 => "99th percentile",
        })
    }
}

/// The slowdowns of a result over flow size.
#[derive(Clone, Debug, PartialEq)]
pub struct SlowdownCurve {
    /// Name in the legend.
    pub name: String,
    /// Style of the curve.
    pub style: Style,
    /// Into how many parts the flows were cut; [`bins`](Self::bins) has fewer where parts are
    /// empty.
    pub parts: usize,
    /// Bins that [`equal_count_bins`](fabricsim_report::equal_count_bins) makes of the result.
    pub bins: Vec<Bin>,
}

/// Sizes of two results are told apart on the axis when they differ by this factor.
const SAME_SIZE: f64 = 1.5;
/// A slowdown axis is logarithmic when its values span more than this factor.
const WIDE: f64 = 20.0;

impl SlowdownCurve {
    /// The share of flows that are no larger than those of `bin`.
    fn share(&self, bin: &Bin) -> f64 {
        bin.from + 1.0 / self.parts.max(1) as f64
    }

    /// The place of `bin` among the parts.
    fn place(&self, bin: &Bin) -> u64 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of the parts, from 0 up"
        )]
        let place = (bin.from * self.parts as f64).round() as u64;
        place
    }

    /// The largest size in every tenth of the flows.
    fn ticks(&self) -> Vec<FlowTick> {
        let mut ticks: Vec<FlowTick> = Vec::new();
        for tenth in 1..=10u32 {
            let upto = f64::from(tenth) / 10.0 + 1e-9;
            let last = self.bins.iter().rfind(|bin| self.share(bin) <= upto);
            if let Some(bin) = last {
                let tick = (self.share(bin), bin.size_upto);
                if ticks.last() != Some(&tick) {
                    ticks.push(tick);
                }
            }
        }
        ticks
    }
}

/// The horizontal axis of `curves`: shares of flows where all have about the same sizes, else
/// sizes.
fn size_axis(curves: &[SlowdownCurve]) -> Axis {
    let ticks: Vec<Vec<FlowTick>> = curves.iter().map(SlowdownCurve::ticks).collect();
    let alike = |a: &[FlowTick], b: &[FlowTick]| {
        let near = |a: &FlowTick, b: &FlowTick| {
            let (a, b) = (a.1.max(1) as f64, b.1.max(1) as f64);
            a / b <= SAME_SIZE && b / a <= SAME_SIZE
        };
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| near(a, b))
    };
    match ticks.split_first() {
        Some((first, others)) if !others.iter().all(|other| alike(first, other)) => {
            Axis::log("flow size (bytes)")
        }
        Some((first, _)) => Axis::new(
            "flow size (bytes), a tick every 10% of flows",
            Scale::FlowShare(first.clone()),
        ),
        None => Axis::log("flow size (bytes)"),
    }
}

/// A vertical axis for `values`, logarithmic when they are far apart.
fn value_axis(label: String, values: &[f64]) -> Axis {
    let seen = values.iter().filter(|value| value.is_finite());
    let (low, high) = seen.fold((f64::INFINITY, 0.0f64), |(low, high), value| {
        (low.min(*value), high.max(*value))
    });
    if low > 0.0 && high / low > WIDE {
        Axis::log(label)
    } else {
        Axis::linear(label)
    }
}

fn x_of(axis: &Axis, curve: &SlowdownCurve, bin: &Bin) -> f64 {
    match axis.scale {
        Scale::FlowShare(_) => curve.share(bin),
        _ => bin.size_upto as f64,
    }
}

/// Slowdown against flow size, a panel for each of `percentiles`, a series for each of `curves`.
///
/// The horizontal axis has a tick every 10% of flows, labeled with the size there, as on the
/// results page of HPCC; results whose sizes differ much stand over the sizes themselves. A point
/// stands at the largest size of its bin. All panels are logarithmic when slowdowns span a factor
/// of more than 20.
#[must_use]
pub fn slowdown_figure(
    title: &str,
    curves: &[SlowdownCurve],
    percentiles: &[Percentile],
) -> Figure {
    let x = size_axis(curves);
    let values: Vec<f64> = percentiles
        .iter()
        .flat_map(|p| {
            curves
                .iter()
                .flat_map(|curve| curve.bins.iter().map(|bin| p.of(bin)))
        })
        .collect();
    let mut figure = Figure::new(title);
    for percentile in percentiles {
        let y = value_axis(format!("slowdown ({percentile})"), &values).from(1.0);
        let mut panel = Panel::new(percentile.to_string(), x.clone(), y);
        for curve in curves {
            let points = curve.bins.iter();
            let points = points.map(|bin| (x_of(&x, curve, bin), percentile.of(bin)));
            let points = points.collect();
            panel
                .series
                .push(Series::curve(&*curve.name, curve.style, points));
        }
        figure.panels.push(panel);
    }
    figure
}

/// The slowdown of each of `curves` over that of the first, in bins at the same place among the
/// flows; a panel for each of `percentiles`. Below one is faster than the first.
///
/// All curves have to be cut into the same number of parts; bins that one of two lacks are left
/// out.
#[must_use]
pub fn relative_figure(
    title: &str,
    curves: &[SlowdownCurve],
    percentiles: &[Percentile],
) -> Figure {
    let mut figure = Figure::new(title);
    let Some((first, others)) = curves.split_first() else {
        return figure;
    };
    let x = size_axis(curves);
    let mut panels = Vec::new();
    let mut values = vec![1.0];
    for percentile in percentiles {
        let mut lines = Vec::new();
        for curve in others {
            let ratio = |bin: &Bin| {
                let place = curve.place(bin);
                let base = first.bins.iter().find(|base| first.place(base) == place)?;
                let ratio = percentile.of(bin) / percentile.of(base);
                Some((x_of(&x, curve, bin), ratio))
            };
            let points: Vec<(f64, f64)> = curve.bins.iter().filter_map(ratio).collect();
            values.extend(points.iter().map(|point| point.1));
            lines.push(Series::curve(&*curve.name, curve.style, points));
        }
        panels.push((percentile, lines));
    }
    for (percentile, lines) in panels {
        let y = value_axis(format!("slowdown ({percentile}), ratio"), &values);
        let mut panel = Panel::new(percentile.to_string(), x.clone(), y);
        let ends = first.bins.first().zip(first.bins.last());
        let one = ends.map(|(a, b)| vec![(x_of(&x, first, a), 1.0), (x_of(&x, first, b), 1.0)]);
        let style = Style::reference().drawn(Draw::Line);
        let name = format!("{} (= 1)", first.name);
        panel
            .series
            .push(Series::curve(name, style, one.unwrap_or_default()));
        panel.series.extend(lines);
        figure.panels.push(panel);
    }
    figure
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::record;
    use fabricsim_report::{BinRule, equal_count_bins};

    /// Flows of 1 to 1,000 KB (times `size`) whose slowdown is `slowdown` and up to one more.
    fn curve(name: &str, index: usize, size: u64, slowdown: u64) -> SlowdownCurve {
        let records: Vec<_> = (1..=1_000)
            .map(|i| record(i * 1_000 * size, slowdown * 1_000 + i, 1_000))
            .collect();
        SlowdownCurve {
            name: name.to_owned(),
            style: Style::nth(index),
            parts: 20,
            bins: equal_count_bins(&records, 20, BinRule::AllFlows),
        }
    }

    #[test]
    fn ticks_stand_at_tenths_of_the_flows() {
        let curves = [curve("a", 0, 1, 2), curve("b", 1, 1, 3)];
        let figure = slowdown_figure("t", &curves, &Percentile::ALL);
        assert_eq!(figure.panels.len(), 3);
        for (panel, title) in
            figure
                .panels
                .iter()
                .zip(["median", "95th percentile", "99th percentile"])
        {
            assert_eq!(panel.title, title);
            let Scale::FlowShare(ticks) = &panel.x.scale else {
                panic!("{:?}", panel.x);
            };
            assert_eq!(ticks.len(), 10);
            for (k, (share, size)) in (1u32..).zip(ticks) {
                assert!((share - f64::from(k) / 10.0).abs() < 1e-9);
                assert_eq!(*size, u64::from(k) * 100_000);
            }
            assert_eq!(
                panel.y,
                Axis::linear(format!("slowdown ({title})")).from(1.0)
            );
            let names: Vec<&str> = panel
                .series
                .iter()
                .map(|series| series.name.as_str())
                .collect();
            assert_eq!(names, ["a", "b"]);
        }
        let points = figure.panels[0].series[0].curve_points();
        assert_eq!(points.len(), 20);
        assert!(
            (points[19].0 - 1.0).abs() < 1e-9,
            "the last bin ends with the last flow"
        );
        assert!(
            (points[0].1 - 2.026).abs() < 1e-9,
            "the median of the first fifty"
        );
    }

    #[test]
    fn other_sizes_stand_over_sizes_and_wide_ranges_are_logarithmic() {
        let curves = [curve("a", 0, 1, 2), curve("b", 1, 10, 90)];
        let figure = slowdown_figure("t", &curves, &[Percentile::P99]);
        let panel = &figure.panels[0];
        assert_eq!(panel.x, Axis::log("flow size (bytes)"));
        assert_eq!(panel.y.scale, Scale::Log);
        assert_eq!(panel.y.range, (Some(1.0), None));
        let last = panel.series[1].curve_points().last().expect("points");
        assert!((last.0 - 1e7).abs() < 1e-3);
    }

    #[test]
    fn ratios_are_relative_to_the_first() {
        let curves = [
            curve("a", 0, 1, 2),
            curve("b", 1, 1, 2),
            curve("c", 2, 1, 5),
        ];
        let figure = relative_figure("t", &curves, &[Percentile::P50]);
        let series = &figure.panels[0].series;
        let names: Vec<&str> = series.iter().map(|series| series.name.as_str()).collect();
        assert_eq!(names, ["a (= 1)", "b", "c"]);
        assert!(
            series[1]
                .curve_points()
                .iter()
                .all(|point| (point.1 - 1.0).abs() < 1e-12)
        );
        let first = series[2].curve_points()[0].1;
        assert!((first - 5.026 / 2.026).abs() < 1e-9, "{first}");
        assert_eq!(series[2].curve_points().len(), 20);
    }

    #[test]
    fn results_without_flows_make_an_empty_figure() {
        let empty = SlowdownCurve {
            bins: Vec::new(),
            ..curve("a", 0, 1, 2)
        };
        for curves in [vec![], vec![empty]] {
            assert!(slowdown_figure("t", &curves, &Percentile::ALL).is_empty());
            assert!(relative_figure("t", &curves, &Percentile::ALL).is_empty());
        }
    }
}
