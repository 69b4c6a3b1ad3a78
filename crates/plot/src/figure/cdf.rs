//! Cumulative distributions over flows.

use std::fmt;

use super::axis::{Axis, Scale, Unit};
use super::decimate::decimate;
use super::{Figure, Panel, Series};
use fabricsim_report::FctRecord;

/// Quantity for a distribution.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CdfOf {
    /// Flow completion time, in nanoseconds.
    Fct,
    /// Query completion time, in nanoseconds; a value of queries, not of flows.
    Qct,
    /// Time to the first token, in nanoseconds; a value of requests to a language model.
    Ttft,
    /// Time of each further token, in nanoseconds; the same.
    Tpot,
    /// Slowdown.
    Slowdown,
    /// Flow size, in bytes.
    Size,
}

impl CdfOf {
    /// Returns the value of a flow; `None` if flows do not have this quantity.
    #[must_use]
    pub fn value(self, record: &FctRecord) -> Option<f64> {
        match self {
            Self::Fct => Some(record.fct.as_ps() as f64 / 1e3),
            Self::Qct | Self::Ttft | Self::Tpot => None,
            Self::Slowdown => Some(record.slowdown()),
            Self::Size => Some(record.size.as_f64()),
        }
    }

    fn axis(self) -> Axis {
        let (label, unit) = match self {
            Self::Fct => ("flow completion time", Unit::Nanoseconds),
            Self::Qct => ("query completion time", Unit::Nanoseconds),
            Self::Ttft => ("time to first token", Unit::Nanoseconds),
            Self::Tpot => ("time of each further token", Unit::Nanoseconds),
            Self::Slowdown => ("slowdown", Unit::None),
            Self::Size => ("flow size", Unit::Bytes),
        };
        Axis::log(label).in_unit(unit)
    }
}

impl fmt::Display for CdfOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Fct => "flow completion time",
            Self::Qct => "query completion time",
            Self::Ttft => "time to first token",
            Self::Tpot => "time of each further token",
            Self::Slowdown => "slowdown",
            Self::Size => "flow size",
        })
    }
}

/// Computes the distribution over `records` as (value, percent of flows with at most this value),
/// thinned to the points that a logarithmic axis can show.
#[must_use]
pub fn cdf_curve(records: &[FctRecord], of: CdfOf) -> Vec<(f64, f64)> {
    cdf_of_values(
        records
            .iter()
            .filter_map(|record| of.value(record))
            .collect(),
    )
}

/// Computes the distribution over `values`, in any order, in the form of [`cdf_curve`].
#[must_use]
pub fn cdf_of_values(mut values: Vec<f64>) -> Vec<(f64, f64)> {
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

/// Builds a figure with a panel for each of `panels`, with its curves (see [`cdf_curve`]).
#[must_use]
pub fn cdf_figure(title: &str, panels: Vec<(CdfOf, Vec<Series>)>) -> Figure {
    let mut figure = Figure::new(title);
    let alone = panels.len() == 1;
    for (of, curves) in panels {
        let heading = if alone { String::new() } else { of.to_string() };
        let y = Axis::linear(match of {
            CdfOf::Qct => "queries (%)",
            CdfOf::Ttft | CdfOf::Tpot => "requests (%)",
            CdfOf::Fct | CdfOf::Slowdown | CdfOf::Size => "flows (%)",
        })
        .from(0.0)
        .upto(100.0);
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
            [(2e3, 0.0), (2e3, 50.0), (4e3, 75.0), (8e3, 100.0)]
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
        assert_eq!(labels, ["flow completion time", "slowdown"]);
        assert_eq!(figure.panels[0].series.len(), 2);
        assert_eq!(figure.panels[1].title, "slowdown");
        assert_eq!(figure.panels[0].y.range, (Some(0.0), Some(100.0)));
    }
}
