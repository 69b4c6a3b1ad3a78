//! Cumulative distributions over flows.

use std::fmt;

use super::axis::{Axis, Scale};
use super::decimate::decimate;
use super::{Figure, Panel, Series};
use fabricsim_report::FctRecord;

/// Of what a distribution is drawn.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CdfOf {
    /// Flow completion time, in microseconds.
    Fct,
    /// Slowdown.
    Slowdown,
    /// Flow size, in bytes.
    Size,
}

impl CdfOf {
    /// The value of a flow.
    #[must_use]
    pub fn value(self, record: &FctRecord) -> f64 {
        match self {
            Self::Fct => record.fct.as_ps() as f64 / 1e6,
            Self::Slowdown => record.slowdown(),
            Self::Size => record.size.get() as f64,
        }
    }

    fn axis(self) -> Axis {
        Axis::log(match self {
            Self::Fct => "flow completion time (us)",
            Self::Slowdown => "slowdown",
            Self::Size => "flow size (bytes)",
        })
    }
}

impl fmt::Display for CdfOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Fct => "flow completion time",
            Self::Slowdown => "slowdown",
            Self::Size => "flow size",
        })
    }
}

/// The distribution over `records`: (value, percent of flows that have no more), thinned to what a
/// logarithmic axis can show.
#[must_use]
pub fn cdf_curve(records: &[FctRecord], of: CdfOf) -> Vec<(f64, f64)> {
    let mut values: Vec<f64> = records.iter().map(|record| of.value(record)).collect();
    values.sort_unstable_by(f64::total_cmp);
    let count = values.len() as f64;
    let mut points: Vec<(f64, f64)> = Vec::new();
    let mut seen = 0usize;
    for group in values.chunk_by(|a, b| a.total_cmp(b).is_eq()) {
        if points.is_empty() {
            points.push((group[0], 0.0));
        }
        seen += group.len();
        points.push((group[0], 100.0 * seen as f64 / count));
    }
    let _ = decimate(&mut points, &Scale::Log);
    points
}

/// Distributions side by side: a panel for each of `panels`, with its curves of [`cdf_curve`].
#[must_use]
pub fn cdf_figure(title: &str, panels: Vec<(CdfOf, Vec<Series>)>) -> Figure {
    let mut figure = Figure::new(title);
    let alone = panels.len() == 1;
    for (of, curves) in panels {
        let heading = if alone { String::new() } else { of.to_string() };
        let y = Axis::linear("flows (%)").from(0.0).upto(100.0);
        let mut panel = Panel::new(heading, of.axis(), y);
        panel.series = curves;
        figure.panels.push(panel);
    }
    figure
}

#[cfg(test)]
mod tests {
    use super::super::Style;
    use super::*;
    use crate::testing::record;

    #[test]
    fn a_point_says_how_many_have_no_more() {
        let records = [4_000, 2_000, 2_000, 8_000].map(|fct| record(10, fct, 1_000));
        assert_eq!(
            cdf_curve(&records, CdfOf::Fct),
            [(2.0, 0.0), (2.0, 50.0), (4.0, 75.0), (8.0, 100.0)]
        );
        assert_eq!(
            cdf_curve(&records, CdfOf::Size),
            [(10.0, 0.0), (10.0, 100.0)]
        );
        assert_eq!(cdf_curve(&records, CdfOf::Slowdown)[3], (8.0, 100.0));
        assert_eq!(cdf_curve(&[], CdfOf::Fct), []);
    }

    #[test]
    fn panels_have_their_own_axes() {
        let points = vec![(1.0, 0.0), (2.0, 100.0)];
        let curve = |name: &str| Series::curve(name, Style::nth(0), points.clone());
        let figure = cdf_figure(
            "t",
            vec![
                (CdfOf::Fct, vec![curve("a"), curve("b")]),
                (CdfOf::Slowdown, vec![curve("a")]),
            ],
        );
        let labels: Vec<&str> = figure
            .panels
            .iter()
            .map(|panel| panel.x.label.as_str())
            .collect();
        assert_eq!(labels, ["flow completion time (us)", "slowdown"]);
        assert_eq!(figure.panels[0].series.len(), 2);
        assert_eq!(figure.panels[1].title, "slowdown");
        assert_eq!(figure.panels[0].y.range, (Some(0.0), Some(100.0)));
    }
}
