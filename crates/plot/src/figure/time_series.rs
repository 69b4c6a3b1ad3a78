//! Time series that runs recorded, on one axis.

use super::axis::{Axis, Scale, Unit};
use super::decimate::decimate;
use super::quantity::Quantity;
use super::style::Style;
use super::time_lines::TimeLine;
use super::{Figure, Panel, Series};

/// Time series of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeRun {
    /// Name of the run, which the legend shows if there are several runs.
    pub name: String,
    /// Series of the run.
    pub lines: Vec<TimeLine>,
    /// Events in the run's network: (time in ns, description).
    pub events: Vec<(f64, String)>,
}

/// Part of the time, and scale of the values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeView {
    /// Beginning in nanoseconds.
    pub from: f64,
    /// End in nanoseconds; `None` if it is the end of the series.
    pub upto: Option<f64>,
    /// `Log` for a logarithmic axis, on which values of zero have no position.
    pub scale: ValueScale,
}

/// Scale of the values of a time series.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum ValueScale {
    /// From zero on.
    #[default]
    Linear,
    /// Equal ratios have equal lengths.
    Log,
}

impl Default for TimeView {
    /// All of the time, on a linear axis.
    fn default() -> Self {
        Self {
            from: 0.0,
            upto: None,
            scale: ValueScale::Linear,
        }
    }
}

impl TimeView {
    /// Returns the runs with the points and events of this part of the time.
    #[must_use]
    pub fn of(self, runs: &[TimeRun]) -> Vec<TimeRun> {
        let shown = |at: f64| at >= self.from && self.upto.is_none_or(|upto| at <= upto);
        let mut runs = runs.to_vec();
        for run in &mut runs {
            run.events.retain(|(at, _)| shown(*at));
            for line in &mut run.lines {
                line.points.retain(|(at, _)| shown(*at));
            }
            run.lines.retain(|line| !line.points.is_empty());
        }
        runs
    }
}

/// Largest number of kinds of events to draw.
const EVENTS: usize = 6;

/// Builds a figure of the series of `runs` over time on one axis, with at most `most` of them: the
/// series with the largest sums of values. If there are several runs, the same series are drawn for
/// each, in the color of the run's name. Events are vertical lines. Notes in the figure name omitted
/// series.
#[must_use]
pub fn time_figure(
    title: &str,
    quantity: Quantity,
    runs: &[TimeRun],
    most: usize,
    view: TimeView,
) -> Figure {
    let mut figure = Figure::new(title);
    let mut x = Axis::linear("time").in_unit(Unit::Nanoseconds);
    let mut y = quantity.axis();
    if view.scale == ValueScale::Log {
        (y.scale, y.range.0) = (Scale::Log, None);
    }
    let runs = &view.of(runs)[..];
    if view.from > 0.0 {
        x = x.from(view.from);
    }
    let mut panel = Panel::new("", x, y);
    let (series, all) = chosen(runs, most);
    if series.len() < all {
        figure.notes.push(format!(
            "{} of {all} series are drawn: the ones with the largest sum of values",
            series.len()
        ));
    }
    let times = || series.iter().flat_map(|(_, _, line)| &line.points);
    let last = times().map(|point| point.0).fold(0.0, f64::max);
    if times().any(|point| point.0 < last) {
        panel.x.range.1 = Some(view.upto.unwrap_or(last));
    }
    events(&mut panel, &mut figure.notes, runs, last);
    let mut thinned = false;
    for (name, style, line) in series {
        let mut points = line.points.clone();
        thinned |= decimate(&mut points, &Scale::Linear);
        panel.series.push(Series::curve(name, style, points));
    }
    if thinned {
        figure.notes.push(
            "series are thinned for drawing; in each part of the time the least and the greatest \
             value are kept"
                .to_owned(),
        );
    }
    let values = panel.series.iter().flat_map(Series::curve_points);
    if values.clone().next().is_some() && values.clone().all(|point| point.1.abs() < f64::EPSILON) {
        figure.notes.push("all values are zero".to_owned());
    }
    if matches!(quantity, Quantity::Throughput | Quantity::TotalThroughput) {
        figure.notes.push(
            "throughput is payload acknowledged in an interval: if ACKs arrive in bunches, \
             it can exceed the rate of a link"
                .to_owned(),
        );
    }
    figure.panels.push(panel);
    figure
}

/// Returns the series to draw, and the number of all series.
fn chosen(runs: &[TimeRun], most: usize) -> (Vec<(String, Style, &TimeLine)>, usize) {
    let mut names: Vec<(&str, f64)> = Vec::new();
    for line in runs.iter().flat_map(|run| &run.lines) {
        let sum: f64 = line.points.iter().map(|point| point.1).sum();
        match names.iter_mut().find(|(name, _)| *name == line.name) {
            Some((_, largest)) => *largest = largest.max(sum),
            None => names.push((&line.name, sum)),
        }
    }
    let each = (most / runs.len().max(1)).max(1);
    let mut order: Vec<(usize, f64)> = names.iter().map(|name| name.1).enumerate().collect();
    // The sort is stable: series with equal sums stay in the order of the file.
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut places: Vec<usize> = order.iter().take(each).map(|(place, _)| *place).collect();
    places.sort_unstable();

    let run_names: Vec<&String> = runs.iter().map(|run| &run.name).collect();
    let looks = Style::of_names(&run_names);
    let mut series = Vec::new();
    for (which, (run, look)) in runs.iter().zip(looks).enumerate() {
        for (i, place) in places.iter().enumerate() {
            let name = names[*place].0;
            let Some(line) = run.lines.iter().find(|line| line.name == name) else {
                continue;
            };
            let label = match line.detail.as_str() {
                "" => name.to_owned(),
                detail => format!("{name} ({detail})"),
            };
            let drawn = match runs.len() {
                1 => (label, Style::nth(i), line),
                _ => {
                    // If each run has one series, runs differ in dash as well as in color.
                    let dash = if places.len() > 1 { i } else { which };
                    let style = Style {
                        dash: Style::nth(dash).dash,
                        ..look
                    };
                    (format!("{}: {label}", run.name), style, line)
                }
            };
            series.push(drawn);
        }
    }
    (series, runs.iter().map(|run| run.lines.len()).sum())
}

/// Adds the events of `runs` up to the time `last`, each kind once.
fn events(panel: &mut Panel, notes: &mut Vec<String>, runs: &[TimeRun], last: f64) {
    let mut kinds: Vec<(&str, Vec<f64>)> = Vec::new();
    for (at, what) in runs.iter().flat_map(|run| &run.events) {
        if *at > last {
            continue;
        }
        match kinds.iter_mut().find(|(own, _)| own == what) {
            Some((_, times)) if times.contains(at) => {}
            Some((_, times)) => times.push(*at),
            None => kinds.push((what, vec![*at])),
        }
    }
    if kinds.len() > EVENTS {
        let count = kinds.len();
        notes.push(format!(
            "{EVENTS} of {count} kinds of events are drawn, the first ones"
        ));
    }
    for (place, (what, times)) in kinds.into_iter().take(EVENTS).enumerate() {
        let style = Style {
            dash: Style::nth(place + 2).dash,
            ..Style::reference()
        };
        panel.series.push(Series::instants(what, style, times));
    }
}

#[cfg(test)]
mod tests {
    use super::super::Points;
    use super::*;

    fn line(name: &str, values: &[f64]) -> TimeLine {
        let times = (1u32..).map(|k| f64::from(k) * 1e3);
        TimeLine {
            name: name.to_owned(),
            detail: String::new(),
            points: times.zip(values.iter().copied()).collect(),
        }
    }

    fn run(name: &str, lines: &[TimeLine]) -> TimeRun {
        TimeRun {
            name: name.to_owned(),
            lines: lines.to_vec(),
            events: Vec::new(),
        }
    }

    fn names(figure: &Figure) -> Vec<&str> {
        let series = figure.panels[0].series.iter();
        series.map(|series| series.name.as_str()).collect()
    }

    #[test]
    fn the_largest_series_are_drawn_and_the_rest_is_said() {
        let lines = [
            line("a", &[1.0, 2.0]),
            line("b", &[0.0, 1.0]),
            line("c", &[9.0]),
        ];
        let runs = [run("", &lines)];
        let figure = time_figure("t", Quantity::Queue, &runs, 2, TimeView::default());
        assert_eq!(names(&figure), ["a", "c"]);
        assert!(
            figure.notes[0].starts_with("2 of 3 series"),
            "{:?}",
            figure.notes
        );
        let panel = &figure.panels[0];
        assert_eq!(
            (panel.x.unit, panel.y.unit),
            (Unit::Nanoseconds, Unit::Bytes)
        );
        assert!(
            time_figure("t", Quantity::Queue, &runs, 3, TimeView::default())
                .notes
                .is_empty()
        );
    }

    #[test]
    fn several_runs_have_the_same_series_in_their_own_colors() {
        let runs = [
            run(
                "hpcc",
                &[line("p1", &[1.0]), line("p2", &[2.0]), line("p3", &[0.1])],
            ),
            run(
                "dcqcn",
                &[line("p1", &[9.0]), line("p2", &[1.0]), line("p3", &[0.1])],
            ),
        ];
        let figure = time_figure("t", Quantity::Queue, &runs, 4, TimeView::default());
        assert_eq!(
            names(&figure),
            ["hpcc: p1", "hpcc: p2", "dcqcn: p1", "dcqcn: p2"]
        );
        let looks: Vec<_> = figure.panels[0]
            .series
            .iter()
            .map(|series| (series.style.color, series.style.dash))
            .collect();
        assert_eq!(looks[0].0, looks[1].0);
        assert_eq!(looks[0].1, looks[2].1);
        assert_ne!(looks[0].0, looks[2].0);
    }

    #[test]
    fn a_part_of_the_time_has_its_own_largest_series() {
        let lines = [line("a", &[0.0, 5.0, 5.0]), line("b", &[90.0, 1.0, 1.0])];
        let view = TimeView {
            from: 2_000.0,
            upto: Some(3_000.0),
            scale: ValueScale::Log,
        };
        let figure = time_figure("t", Quantity::Queue, &[run("", &lines)], 1, view);
        assert_eq!(names(&figure), ["a"]);
        let panel = &figure.panels[0];
        assert_eq!(panel.series[0].curve_points()[0], (2_000.0, 5.0));
        assert_eq!(panel.x.range, (Some(2_000.0), Some(3_000.0)));
        assert_eq!(panel.y.scale, Scale::Log);
    }

    #[test]
    fn events_are_lines_across_the_panel_once_each() {
        let mut runs = [
            run("a", &[line("p", &[1.0, 2.0])]),
            run("b", &[line("p", &[3.0, 1.0])]),
        ];
        for run in &mut runs {
            run.events = vec![
                (1_500.0, "link 3 - 5 down".to_owned()),
                (9e9, "link 3 - 5 up".to_owned()),
            ];
        }
        let figure = time_figure("t", Quantity::Queue, &runs, 8, TimeView::default());
        let first = &figure.panels[0].series[0];
        assert_eq!(first.name, "link 3 - 5 down");
        assert_eq!(first.points, Points::Instants(vec![1_500.0]));
        assert!(
            !names(&figure).contains(&"link 3 - 5 up"),
            "after the last value"
        );
        let svg = figure.to_svg(super::super::Theme::Light);
        assert!(svg.contains("link 3 - 5 down"));
    }

    #[test]
    fn long_series_are_thinned_and_it_is_said() {
        let values: Vec<f64> = (0..50_000u32).map(|i| f64::from(i % 7)).collect();
        let figure = time_figure(
            "t",
            Quantity::Rate,
            &[run("", &[line("f", &values)])],
            8,
            TimeView::default(),
        );
        assert!(figure.panels[0].series[0].curve_points().len() < 3_000);
        assert!(figure.notes[0].contains("thinned"), "{:?}", figure.notes);
    }
}
