//! Queue lengths against the share of time for which queues are at least this long.

use std::collections::BTreeMap;

use fabricsim_base::input::InputError;

use super::axis::{Axis, Unit};
use super::style::Draw;
use super::{Figure, Panel, Series};
use crate::table::CsvRows;

/// Reads a `queue_distribution.csv` and sums over its ports: (bytes, percent of the ports' time
/// with a queue of at least this length), in increasing order.
///
/// # Errors
/// Fails at the offending word: a missing column, a row of another length, a malformed number.
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

/// Builds a figure of queue lengths from `curves` of [`queue_curve`], drawn as steps.
#[must_use]
pub fn queue_figure(title: &str, mut curves: Vec<Series>) -> Figure {
    for curve in &mut curves {
        curve.style = curve.style.drawn(Draw::Steps);
    }
    let mut panel = Panel::new(
        "",
        Axis::linear("queue at a switch port")
            .in_unit(Unit::Bytes)
            .from(0.0),
        Axis::log("time with at least this queue (%)").upto(100.0),
    );
    panel.series = curves;
    let mut figure = Figure::new(title);
    figure.panels.push(panel);
    figure
}

/// Reads the distribution of `group` from a `queue_groups.csv`: (bytes, percent of the ports' time
/// with a queue of at most this length), from the empty queue on. Returns an empty curve if the
/// file has no such group.
///
/// # Errors
/// Fails at the offending word: a missing column, a row of another length, a malformed number.
pub fn group_curve(text: &str, group: &str) -> Result<Vec<(f64, f64)>, InputError> {
    let table = CsvRows::new(text)?;
    let [name, from, upto, share] =
        ["group", "from_bytes", "upto_bytes", "share_below"].map(|name| table.column(name));
    let (name, from, upto, share) = (name?, from?, upto?, share?);
    let mut points = Vec::new();
    for row in table.rows() {
        let row = row?;
        if row[name].text != group {
            continue;
        }
        let [from, upto]: [u64; 2] = [
            row[from].integer("from_bytes")?,
            row[upto].integer("upto_bytes")?,
        ];
        let percent = 100.0 * row[share].number("share_below")?;
        // The bin of the empty queue has no width; lengths within any other bin count as uniform.
        let before = points.last().map_or(0.0, |&(_, percent)| percent);
        points.push((from as f64, before));
        let end = if upto == 1 { 0 } else { upto };
        points.push((end as f64, percent));
    }
    Ok(points)
}

/// Builds a figure of the queue lengths of groups of ports from `curves` of [`group_curve`].
#[must_use]
pub fn group_figure(title: &str, curves: Vec<Series>) -> Figure {
    let mut panel = Panel::new(
        "",
        Axis::linear("queue at a switch port")
            .in_unit(Unit::Bytes)
            .from(0.0),
        Axis::linear("time with at most this queue (%)")
            .from(0.0)
            .upto(100.0),
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
    fn a_group_has_a_curve_from_the_empty_queue_on() {
        let text = "group,ports,from_bytes,upto_bytes,time_ns,share_below\n\
                    all,2,0,1,500,0.500000000\nall,2,2000,3000,500,1.000000000\n\
                    one,1,0,1,500,1.000000000\n";
        let curve = |group| group_curve(text, group).expect("well formed");
        assert_eq!(
            curve("all"),
            [(0.0, 0.0), (0.0, 50.0), (2_000.0, 50.0), (3_000.0, 100.0)]
        );
        assert_eq!(curve("one"), [(0.0, 0.0), (0.0, 100.0)]);
        assert_eq!(curve("two"), []);
        let error = group_curve("group,ports\nall,2\n", "all").expect_err("no column");
        assert_eq!(error.message, "the header has no column `from_bytes`");
    }

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
