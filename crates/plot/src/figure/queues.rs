//! Queue lengths against the share of time that queues are at least so long.

use std::collections::BTreeMap;

use fabricsim_core::input::InputError;

use super::axis::Axis;
use super::style::Draw;
use super::{Figure, Panel, Series};
use crate::table::CsvRows;

/// Reads a `queue_distribution.csv` and sums its ports up: (bytes, percent of the ports' time with
/// a queue of at least so many), from the shortest on.
///
/// # Errors
/// At the word at fault: a column that is missing, a row of another length, a malformed number.
pub fn queue_curve(text: &str) -> Result<Vec<(f64, f64)>, InputError> {
    let table = CsvRows::new(text)?;
    let [from, time] = ["from_bytes", "time_ns"].map(|name| table.column(name));
    let (from, time) = (from?, time?);
    let mut times: BTreeMap<u64, f64> = BTreeMap::new();
    for row in table.rows() {
        let row = row?;
        let bytes: u64 = row[from].integer("from_bytes")?;
        *times.entry(bytes).or_default() += row[time].number("time_ns")?;
    }
    let mut above = 0.0;
    let mut points: Vec<(f64, f64)> = times
        .iter()
        .rev()
        .map(|(bytes, time)| {
            above += time;
            (*bytes as f64, above)
        })
        .collect();
    points.reverse();
    let total = if above > 0.0 { above } else { 1.0 };
    for point in &mut points {
        point.1 *= 100.0 / total;
    }
    Ok(points)
}

/// The queue lengths of results: `curves` of [`queue_curve`], drawn as steps.
#[must_use]
pub fn queue_figure(title: &str, mut curves: Vec<Series>) -> Figure {
    for curve in &mut curves {
        curve.style = curve.style.drawn(Draw::Steps);
    }
    let mut panel = Panel::new(
        "",
        Axis::linear("queue at a switch port (bytes)").from(0.0),
        Axis::log("time with at least this queue (%)").upto(100.0),
    );
    panel.series = curves;
    let mut figure = Figure::new(title);
    figure.panels.push(panel);
    figure
}

#[cfg(test)]
mod tests {
    use super::super::Style;
    use super::*;

    #[test]
    fn ports_are_summed_up_from_the_longest_queue_down() {
        let text = "node,port,from_bytes,upto_bytes,time_ns\n\
                    9,0,0,1000,500\n9,0,1000,2000,125\n9,1,0,1000,250\n9,1,4000,5000,125\n";
        assert_eq!(
            queue_curve(text).expect("well formed"),
            [(0.0, 100.0), (1_000.0, 25.0), (4_000.0, 12.5)]
        );
        let error = queue_curve("node,port\n1,2\n").expect_err("no column");
        assert_eq!(error.message, "the header has no column `from_bytes`");
    }

    #[test]
    fn the_longest_queues_are_seen_on_a_logarithmic_axis() {
        let points = vec![(0.0, 100.0), (1e6, 1e-3)];
        let curve = Series::curve("a", Style::nth(0), points);
        let figure = queue_figure("t", vec![curve]);
        let panel = &figure.panels[0];
        assert_eq!(panel.y.label, "time with at least this queue (%)");
        assert_eq!(panel.series[0].style.draw, Draw::Steps);
    }
}
