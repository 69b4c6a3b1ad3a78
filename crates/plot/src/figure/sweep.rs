//! A result of a sweep over one of its axes.

use fabricsim_base::units::{Bytes, Duration, Rate};
use fabricsim_report::{ReplicaMean, SweepCurves};

use super::axis::{Axis, Scale, Unit};
use super::slowdown::seeds_note;
use super::style::{Draw, Style};
use super::{Figure, Panel, Series};

/// Data for a figure of a sweep.
#[derive(Clone, Debug)]
pub struct SweepPanel {
    /// Label of the horizontal axis.
    pub x: String,
    /// The vertical axis.
    pub y: Axis,
    /// The results.
    pub curves: SweepCurves,
}

/// Gap between the points of neighboring curves over one name, as a share of the gap of names.
const APART: f64 = 0.12;

/// Builds a figure of `panel` with one curve for each of its curves; notes list omitted points.
///
/// The horizontal axis is numeric if all values are numbers or quantities of one kind. Then curves
/// are lines, and if a point has several seeds, a band shows the interval of their mean. Otherwise
/// the values are names side by side, in the order of the table. Nothing is between two names, so
/// curves are points with error bars, side by side.
#[must_use]
pub fn sweep_figure(title: &str, panel: SweepPanel) -> Figure {
    let SweepPanel { x, y, curves } = panel;
    let (places, x) = places(&curves.xs, x);
    let is_names = matches!(x.scale, Scale::Names(_));
    let mut figure = Figure::new(title);
    figure.notes = notes(&curves, if is_names { "bars" } else { "bands" });
    let mut drawn = Panel::new("", x, y);
    let count = curves.curves.len();
    let apart = APART.min(0.6 / count as f64);
    let mut lines = Vec::new();
    for (index, (name, style, means)) in styled(&curves, is_names).into_iter().enumerate() {
        let shift = match is_names && count > 1 {
            true => (index as f64 - (count as f64 - 1.0) / 2.0) * apart,
            false => 0.0,
        };
        let mut at: Vec<(f64, ReplicaMean)> = places
            .iter()
            .zip(means)
            .filter_map(|(place, mean)| Some((*place + shift, mean?)))
            .collect();
        at.sort_by(|a, b| a.0.total_cmp(&b.0));
        let line = at.iter().map(|(x, mean)| (*x, mean.mean)).collect();
        let intervals: Vec<(f64, f64, f64)> = at
            .iter()
            .filter_map(|(x, mean)| {
                let interval = mean.interval?;
                Some((*x, interval.low, interval.high))
            })
            .collect();
        if !intervals.is_empty() {
            // A band of one point has no area.
            drawn.series.push(match is_names || intervals.len() == 1 {
                true => Series::bars(style, intervals),
                false => Series::band(style, intervals),
            });
        }
        lines.push(Series::curve(name, style, line));
    }
    drawn.series.extend(lines);
    figure.panels.push(drawn);
    figure
}

/// Returns name, look and means of each curve. A single curve without a name over names becomes one
/// for each of them, in the color of this name.
fn styled(curves: &SweepCurves, is_names: bool) -> Vec<(String, Style, Vec<Option<ReplicaMean>>)> {
    let draw = if is_names { Draw::Points } else { Draw::Line };
    if let ([(name, means)], true) = (&curves.curves[..], is_names)
        && name.is_empty()
    {
        let looks = Style::of_names(&curves.xs).into_iter().enumerate();
        let only = |index: usize| {
            let own = means.iter().enumerate();
            own.map(|(place, mean)| mean.filter(|_| place == index))
                .collect()
        };
        let each = looks.map(|(index, look)| (String::new(), look.drawn(draw), only(index)));
        return each.collect();
    }
    let names: Vec<&String> = curves.curves.iter().map(|(name, _)| name).collect();
    let looks = Style::of_names(&names);
    let each = curves.curves.iter().zip(looks);
    each.map(|((name, means), look)| (name.clone(), look.drawn(draw), means.clone()))
        .collect()
}

/// Returns the positions of `values` on the horizontal axis, and that axis.
fn places(values: &[String], label: String) -> (Vec<f64>, Axis) {
    if let Some((places, unit)) = numbers(values) {
        return (places, Axis::linear(label).in_unit(unit));
    }
    let places = (0u32..).map(f64::from).take(values.len()).collect();
    (places, Axis::new(label, Scale::Names(values.to_vec())))
}

/// Returns the values of an axis of a sweep as numbers if all are numbers, or quantities of one
/// kind: bytes, rates in bit/s, times in nanoseconds.
#[must_use]
pub fn numeric_values(values: &[String]) -> Option<Vec<f64>> {
    numbers(values).map(|(numbers, _)| numbers)
}

fn numbers(values: &[String]) -> Option<(Vec<f64>, Unit)> {
    type Read = fn(&str) -> Option<f64>;
    let kinds: [(Read, Unit); 4] = [
        (|text| text.parse().ok(), Unit::None),
        (
            |text| Some(text.parse::<Bytes>().ok()?.as_f64()),
            Unit::Bytes,
        ),
        (
            |text| Some(text.parse::<Rate>().ok()?.as_bps() as f64),
            Unit::BitsPerSecond,
        ),
        (
            |text| Some(text.parse::<Duration>().ok()?.as_ps() as f64 / 1e3),
            Unit::Nanoseconds,
        ),
    ];
    kinds.into_iter().find_map(|(read, unit)| {
        let numbers: Vec<f64> = values
            .iter()
            .map(|value| read(value).filter(|number| number.is_finite()))
            .collect::<Option<_>>()?;
        let unit = match unit {
            Unit::None if numbers.iter().all(|number| is_whole(*number)) => Unit::Count,
            Unit::Bytes if values.iter().all(|value| value.ends_with("iB")) => Unit::BinaryBytes,
            unit => unit,
        };
        Some((numbers, unit))
    })
}

fn is_whole(value: f64) -> bool {
    (value - value.round()).abs() < 1e-9
}

fn notes(curves: &SweepCurves, marks: &str) -> Vec<String> {
    let means = || curves.curves.iter().flat_map(|(_, means)| means).flatten();
    let most = means().map(|mean| mean.replications).max().unwrap_or(0);
    let least = means().map(|mean| mean.replications).min().unwrap_or(0);
    let mut notes = Vec::new();
    if most > 1 {
        notes.push(seeds_note(least, most, marks));
    } else if most == 1 && curves.pooled == 0 {
        notes.push(
            "one seed at each point: how certain the values are is not known; let the sweep have \
             several"
                .to_owned(),
        );
    }
    if curves.pooled > 0 {
        notes.push(format!(
            "{} values are percentiles of the flows of all seeds together, without an interval: each \
             seed alone has too few",
            curves.pooled
        ));
    }
    let (most, needed) = curves.most_flows;
    for (count, what) in [
        (curves.without, "have no such value".to_owned()),
        (
            curves.too_few,
            format!(
                "have too few flows for the percentile (at most {most} of {needed}) and are left out"
            ),
        ),
        (
            curves.unfinished,
            "have not finished: their slowest flows are missing".to_owned(),
        ),
    ] {
        if count > 0 {
            notes.push(format!("{count} points {what}"));
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::super::Points;
    use super::*;
    use fabricsim_report::Confidence;

    fn figure(xs: &[&str], values: &[&[f64]]) -> Figure {
        let mean = |values: &&[f64]| ReplicaMean::new(values, Confidence::P95);
        let curves = SweepCurves {
            xs: xs.iter().map(|x| (*x).to_owned()).collect(),
            curves: vec![("hpcc".to_owned(), values.iter().map(mean).collect())],
            too_few: 1,
            most_flows: (57, 100),
            ..SweepCurves::default()
        };
        let (x, y) = ("load".to_owned(), Axis::linear("p99"));
        sweep_figure("t", SweepPanel { x, y, curves })
    }

    #[test]
    fn curves_stand_over_numbers_quantities_or_names() {
        let numbers = figure(&["0.5", "0.3"], &[&[1.0], &[2.0]]);
        let points = numbers.panels[0].series[0].curve_points();
        assert_eq!(points, [(0.3, 2.0), (0.5, 1.0)]);
        let sizes = figure(&["10KB", "1MB"], &[&[1.0], &[2.0]]);
        assert_eq!(sizes.panels[0].x.unit, Unit::Bytes);
        assert_eq!(sizes.panels[0].series[0].curve_points()[1], (1e6, 2.0));
        let binary = figure(&["1MiB", "3MiB"], &[&[1.0], &[2.0]]);
        assert_eq!(binary.panels[0].x.unit, Unit::BinaryBytes);
        let counts = figure(&["2", "16"], &[&[1.0], &[2.0]]);
        assert_eq!(counts.panels[0].x.unit, Unit::Count);
    }

    /// A line between HPCC and DCQCN would mean nothing.
    #[test]
    fn names_have_points_with_error_bars_and_no_line() {
        let names = figure(&["ecmp", "spray"], &[&[1.0, 3.0], &[2.0]]);
        let panel = &names.panels[0];
        assert!(matches!(panel.x.scale, Scale::Names(_)));
        assert!(matches!(panel.series[0].points, Points::Bars(_)));
        assert_eq!(panel.series[1].style.draw, Draw::Points);
        assert!(names.notes[0].contains("bars hold"), "{:?}", names.notes);
    }

    #[test]
    fn curves_over_names_are_side_by_side() {
        let mean = |value: f64| ReplicaMean::new(&[value], Confidence::P95);
        let curve = |name: &str| (name.to_owned(), vec![mean(1.0), mean(2.0)]);
        let curves = SweepCurves {
            xs: vec!["ecmp".to_owned(), "random".to_owned()],
            curves: vec![curve("HPCC"), curve("DCQCN")],
            ..SweepCurves::default()
        };
        let (x, y) = ("policy".to_owned(), Axis::linear("p99"));
        let figure = sweep_figure("t", SweepPanel { x, y, curves });
        let first: Vec<f64> = figure.panels[0]
            .series
            .iter()
            .map(|series| series.curve_points()[0].0)
            .collect();
        assert!(first[0] < 0.0 && first[1] > 0.0, "{first:?}");
    }

    #[test]
    fn seeds_make_bands_and_notes() {
        let figure = figure(&["0.3", "0.5"], &[&[1.0, 3.0], &[2.0]]);
        let series = &figure.panels[0].series;
        assert_eq!(series.len(), 2, "an interval and a line");
        assert!(matches!(series[0].points, Points::Bars(_)), "one interval");
        assert_eq!(
            figure.notes,
            [
                "means over 1 to 2 seeds; bands hold the true mean with 95% confidence (Student)",
                "1 points have too few flows for the percentile (at most 57 of 100) and are left out",
            ]
        );
    }
}
