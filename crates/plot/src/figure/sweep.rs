//! A result of a sweep over one of its axes.

use fabricsim_base::units::{Bytes, Duration, Rate};
use fabricsim_report::{ReplicaMean, SweepCurves};

use super::axis::{Axis, Scale, Unit};
use super::style::Style;
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

/// Builds a figure of `panel` with one line for each of its curves. If a point has several seeds, a
/// band shows the interval of their mean; notes list omitted points.
///
/// The horizontal axis is numeric if all values are numbers or quantities of one kind; otherwise
/// the values are names side by side, in the order of the table.
#[must_use]
pub fn sweep_figure(title: &str, panel: SweepPanel) -> Figure {
    let SweepPanel { x, y, curves } = panel;
    let (places, x) = places(&curves.xs, x);
    let mut figure = Figure::new(title);
    figure.notes = notes(&curves);
    let names: Vec<&String> = curves.curves.iter().map(|(name, _)| name).collect();
    let styles = Style::of_names(&names);
    let mut drawn = Panel::new("", x, y);
    let mut lines = Vec::new();
    for ((name, means), style) in curves.curves.iter().zip(styles) {
        let mut at: Vec<(f64, ReplicaMean)> = places
            .iter()
            .zip(means)
            .filter_map(|(place, mean)| Some((*place, (*mean)?)))
            .collect();
        at.sort_by(|a, b| a.0.total_cmp(&b.0));
        let line = at.iter().map(|(x, mean)| (*x, mean.mean)).collect();
        let band: Vec<(f64, f64, f64)> = at
            .iter()
            .filter_map(|(x, mean)| {
                let interval = mean.interval?;
                Some((*x, interval.low, interval.high))
            })
            .collect();
        if !band.is_empty() {
            drawn.series.push(Series::band(style, band));
        }
        lines.push(Series::curve(name, style, line));
    }
    drawn.series.extend(lines);
    figure.panels.push(drawn);
    figure
}

/// Returns the positions of `values` on the horizontal axis, and that axis.
fn places(values: &[String], label: String) -> (Vec<f64>, Axis) {
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
    for (read, unit) in kinds {
        let read: Option<Vec<f64>> = values.iter().map(|value| read(value)).collect();
        if let Some(places) = read {
            return (places, Axis::linear(label).in_unit(unit));
        }
    }
    let places = (0u32..).map(f64::from).take(values.len()).collect();
    (places, Axis::new(label, Scale::Names(values.to_vec())))
}

fn notes(curves: &SweepCurves) -> Vec<String> {
    let means = || curves.curves.iter().flat_map(|(_, means)| means).flatten();
    let most = means().map(|mean| mean.replications).max().unwrap_or(0);
    let least = means().map(|mean| mean.replications).min().unwrap_or(0);
    let mut notes = Vec::new();
    if most > 1 {
        let seeds = match least == most {
            true => format!("{most} seeds"),
            false => format!("{least} to {most} seeds"),
        };
        notes.push(format!(
            "means over {seeds}; bands hold the true mean with 95% confidence (Student)"
        ));
    } else if most == 1 {
        notes.push(
            "one seed at each point: how certain the values are is not known; let the sweep have \
             several"
                .to_owned(),
        );
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
        let names = figure(&["ecmp", "spray"], &[&[1.0], &[2.0]]);
        assert!(matches!(names.panels[0].x.scale, Scale::Names(_)));
    }

    #[test]
    fn seeds_make_bands_and_notes() {
        let figure = figure(&["0.3", "0.5"], &[&[1.0, 3.0], &[2.0]]);
        assert_eq!(figure.panels[0].series.len(), 2, "a band and a line");
        assert_eq!(
            figure.notes,
            [
                "means over 1 to 2 seeds; bands hold the true mean with 95% confidence (Student)",
                "1 points have too few flows for the percentile (at most 57 of 100) and are left out",
            ]
        );
    }
}
