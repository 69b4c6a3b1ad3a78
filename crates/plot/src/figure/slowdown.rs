//! Slowdown over flow size: of several results, or relative to the first of them.

use fabricsim_report::Percentile;

use super::axis::{Axis, FlowTick, Scale};
use super::slowdown_curve::{SlowdownCurve, SlowdownPoint};
use super::style::{Draw, Style};
use super::{Figure, Panel, Series};

/// Two results share an axis of flow shares if their sizes differ by at most this factor.
const SAME_SIZE: f64 = 1.5;
/// A slowdown axis is logarithmic if its values span more than this factor.
const WIDE: f64 = 20.0;

/// Returns `percentile` in words: `median`, `99th percentile`.
#[must_use]
pub fn percentile_in_words(percentile: Percentile) -> String {
    let percent = percentile.percent();
    if percentile == Percentile::P50 {
        return "median".to_owned();
    }
    let number = percent.to_string();
    let teen = number.ends_with("11") || number.ends_with("12") || number.ends_with("13");
    let ending = match number.chars().last() {
        Some('1') if !teen => "st",
        Some('2') if !teen => "nd",
        Some('3') if !teen => "rd",
        _ => "th",
    };
    format!("{number}{ending} percentile")
}

/// Chooses the horizontal axis: shares of flows if all `curves` have about the same sizes,
/// otherwise sizes.
fn size_axis(curves: &[SlowdownCurve]) -> Axis {
    let ticks: Vec<&Vec<FlowTick>> = curves.iter().map(|curve| &curve.ticks).collect();
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
            Scale::FlowShare((*first).clone()),
        ),
        None => Axis::log("flow size (bytes)"),
    }
}

/// Returns a vertical axis for `values`, logarithmic if they span more than a factor of [`WIDE`].
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

fn x_of(axis: &Axis, point: &SlowdownPoint) -> f64 {
    match axis.scale {
        Scale::FlowShare(_) => point.upto,
        _ => point.size,
    }
}

/// Builds a figure of slowdown against flow size: a panel for each of `percentiles`, a series for
/// each of `curves`.
///
/// The horizontal axis has a tick every 10% of flows, labeled with the size there, as on the
/// results page of HPCC. If the sizes of the results differ much, the axis shows sizes instead. A
/// point is at the largest size of its bin. A bin has no point if it has too few flows for the
/// percentile, and a percentile has no panel if no bin has a point; notes in the figure report
/// both. All panels are logarithmic if slowdowns span a factor of more than 20.
#[must_use]
pub fn slowdown_figure(
    title: &str,
    curves: &[SlowdownCurve],
    percentiles: &[Percentile],
) -> Figure {
    let x = size_axis(curves);
    let line = |curve: &SlowdownCurve, percentile: Percentile| -> Vec<(f64, f64)> {
        let points = curve.points(percentile).iter();
        points
            .filter_map(|point| Some((x_of(&x, point), point.slowdown?)))
            .collect()
    };
    let band = |curve: &SlowdownCurve, percentile: Percentile| -> Vec<(f64, f64, f64)> {
        let points = curve.points(percentile).iter();
        let edges = points.filter_map(|point| {
            let interval = point.interval?;
            Some((x_of(&x, point), interval.low, interval.high))
        });
        edges.collect()
    };
    let panels: Vec<(Percentile, Vec<Series>)> = percentiles
        .iter()
        .map(|&percentile| {
            let series = curves.iter().map(|curve| {
                let series = Series::curve(&*curve.name, curve.style, line(curve, percentile));
                let points = curve.points(percentile).iter();
                let known = points.filter(|point| point.slowdown.is_some());
                series.with_sizes(known.map(|point| point.size).collect())
            });
            (percentile, series.collect())
        })
        .collect();
    let values = all_values(&panels);
    let mut figure = Figure::new(title);
    for (percentile, mut series) in panels {
        if series.iter().all(|line| line.curve_points().is_empty()) {
            continue;
        }
        let words = percentile_in_words(percentile);
        let y = value_axis(format!("slowdown ({words})"), &values).from(1.0);
        let mut panel = Panel::new(words, x.clone(), y);
        // Bands are behind all lines.
        for curve in curves {
            let band = band(curve, percentile);
            if !band.is_empty() {
                panel.series.push(Series::band(curve.style, band));
            }
        }
        panel.series.append(&mut series);
        figure.panels.push(panel);
    }
    figure.notes = notes_on_few(curves, percentiles);
    let runs = || curves.iter().map(|curve| curve.replications);
    if let (Some(least), Some(most @ 2..)) = (runs().min(), runs().max()) {
        figure.notes.insert(0, seeds_note(least, most, "bands"));
    }
    figure
}

/// Builds a figure of slowdowns relative to the first curve: each of `curves` divided by the first,
/// bin by bin, in a panel for each of `percentiles`. A value below one is faster than the first.
///
/// All curves must be cut into the same number of bins. A bin is omitted if it is missing in either
/// curve or has too few flows in either.
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
    let line = |curve: &SlowdownCurve, percentile: Percentile| -> Vec<(f64, f64)> {
        let ratio = |point: &SlowdownPoint| {
            let mut bases = first.points(percentile).iter();
            // Curves with equal numbers of bins have equal shares, so comparing shares finds the
            // same bin.
            let base = bases.find(|base| (base.upto - point.upto).abs() < 1e-9)?;
            Some((x_of(&x, point), point.slowdown? / base.slowdown?))
        };
        let points = curve.points(percentile).iter();
        points.filter_map(ratio).collect()
    };
    let panels: Vec<(Percentile, Vec<Series>)> = percentiles
        .iter()
        .map(|&percentile| {
            let series = others
                .iter()
                .map(|curve| Series::curve(&*curve.name, curve.style, line(curve, percentile)));
            (percentile, series.collect())
        })
        .collect();
    // All panels share one scale, and the line of the first result is at 1, so 1 must be in view.
    let mut values = all_values(&panels);
    values.push(1.0);
    for (percentile, series) in panels {
        // A panel that no bin can fill would be empty; the notes name its percentile instead.
        if series.iter().all(|line| line.curve_points().is_empty()) {
            continue;
        }
        let words = percentile_in_words(percentile);
        let y = value_axis(format!("slowdown ({words}), ratio"), &values);
        let mut panel = Panel::new(words, x.clone(), y);
        // A horizontal line at 1 represents the first result.
        let points = first.points(percentile);
        let ends = points.first().zip(points.last());
        let one = ends.map(|(a, b)| vec![(x_of(&x, a), 1.0), (x_of(&x, b), 1.0)]);
        let style = Style::reference().drawn(Draw::Line);
        let name = format!("{} (= 1)", first.name);
        panel
            .series
            .push(Series::curve(name, style, one.unwrap_or_default()));
        panel.series.extend(series);
        figure.panels.push(panel);
    }
    figure.notes = notes_on_few(curves, percentiles);
    figure
}

/// Explains the intervals, drawn as `marks`, of means over `least` to `most` seeds.
pub(super) fn seeds_note(least: usize, most: usize, marks: &str) -> String {
    let seeds = match least == most {
        true => format!("{most} seeds"),
        false => format!("{least} to {most} seeds"),
    };
    format!("means over {seeds}; {marks} hold the true mean with 95% confidence (Student)")
}

fn all_values(panels: &[(Percentile, Vec<Series>)]) -> Vec<f64> {
    let series = panels.iter().flat_map(|(_, series)| series);
    series
        .flat_map(|line| line.curve_points().iter().map(|point| point.1))
        .collect()
}

/// Returns notes on percentiles for which some bins have too few flows.
fn notes_on_few(curves: &[SlowdownCurve], percentiles: &[Percentile]) -> Vec<String> {
    let note = |percentile: &Percentile| {
        let points = || curves.iter().flat_map(|curve| curve.points(*percentile));
        let lacking = points().filter(|point| point.slowdown.is_none()).count();
        let least = percentile.least_values();
        let all = lacking == points().count();
        match lacking {
            0 => None,
            _ if all => Some(format!(
                "no {percentile}: it needs {least} flows in a bin, and no bin has so many"
            )),
            _ => Some(format!(
                "{percentile} is left out of bins with fewer than {least} flows"
            )),
        }
    };
    percentiles.iter().filter_map(note).collect()
}

#[cfg(test)]
mod tests {
    use super::super::slowdown_curve::BinCount;
    use super::*;
    use crate::testing::record;
    use fabricsim_report::FctRecord;

    const ALL: [Percentile; 3] = [Percentile::P50, Percentile::P95, Percentile::P99];

    fn records(flows: u64, size: u64, slowdown: u64) -> Vec<FctRecord> {
        (1..=flows)
            .map(|i| record(i * 1_000 * size, slowdown * 1_000 + i, 1_000))
            .collect()
    }

    /// Flows of 1 to 1,000 KB (times `size`) with slowdowns from `slowdown` to one more.
    fn curve(name: &str, index: usize, size: u64, slowdown: u64) -> SlowdownCurve {
        let records = records(1_000, size, slowdown);
        SlowdownCurve::new(name, Style::nth(index), &records, &ALL, BinCount::Given(10))
    }

    #[test]
    fn ticks_stand_at_tenths_of_the_flows() {
        let curves = [curve("a", 0, 1, 2), curve("b", 1, 1, 3)];
        let figure = slowdown_figure("t", &curves, &ALL);
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
        assert_eq!(points.len(), 10);
        assert!(
            (points[9].0 - 1.0).abs() < 1e-9,
            "the last bin ends with the last flow"
        );
        assert!(
            (points[0].1 - 2.051).abs() < 1e-9,
            "the median of the first hundred"
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
        assert!((first - 5.051 / 2.051).abs() < 1e-9, "{first}");
        assert_eq!(series[2].curve_points().len(), 10);
    }

    #[test]
    fn results_without_flows_make_an_empty_figure() {
        let empty = SlowdownCurve::new("a", Style::nth(0), &[], &ALL, BinCount::OfFlows(0));
        for curves in [vec![], vec![empty]] {
            assert!(slowdown_figure("t", &curves, &ALL).is_empty());
            assert!(relative_figure("t", &curves, &ALL).is_empty());
        }
    }

    #[test]
    fn percentiles_of_too_few_flows_are_left_out_with_a_note() {
        let curve = |flows, bins| {
            let records = records(flows, 1, 2);
            SlowdownCurve::new("a", Style::nth(0), &records, &ALL, bins)
        };
        let points = |figure: &Figure| -> Vec<(String, usize)> {
            let panels = figure.panels.iter();
            panels
                .map(|panel| (panel.title.clone(), panel.series[0].curve_points().len()))
                .collect()
        };
        let own = slowdown_figure("t", &[curve(261, BinCount::OfFlows(261))], &ALL);
        let words = |count: [usize; 3]| -> Vec<(String, usize)> {
            let names = ALL.map(percentile_in_words);
            names.into_iter().zip(count).collect()
        };
        assert_eq!(points(&own), words([13, 13, 2]));
        assert!(own.notes.is_empty(), "{:?}", own.notes);

        let forced = slowdown_figure("t", &[curve(261, BinCount::Given(10))], &ALL);
        assert_eq!(points(&forced), words([10, 10, 0])[..2]);
        assert_eq!(
            forced.notes,
            ["no p99: it needs 100 flows in a bin, and no bin has so many"]
        );
        let mixed = [
            curve(261, BinCount::Given(10)),
            curve(2_000, BinCount::Given(10)),
        ];
        assert_eq!(
            slowdown_figure("t", &mixed, &ALL).notes,
            ["p99 is left out of bins with fewer than 100 flows"]
        );
    }

    #[test]
    fn percentiles_are_said_in_words() {
        let words = [50.0, 95.0, 99.9, 91.0, 92.0, 93.0, 11.0]
            .map(|percent| percentile_in_words(Percentile::new(percent).expect("a percentile")));
        assert_eq!(
            words.map(|words| words.replace(" percentile", "")),
            ["median", "95th", "99.9th", "91st", "92nd", "93rd", "11th"]
        );
    }
}
