//! Time series of what a run observed: queues, links, flows.

use std::collections::BTreeMap;
use std::fmt;

use fabricsim_core::input::InputError;

use super::axis::{Axis, Scale};
use super::decimate::decimate;
use super::style::Style;
use super::{Figure, Panel, Series};
use crate::table::CsvRows;

/// Quantity that is drawn over time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Quantity {
    /// The queue of a switch port.
    Queue,
    /// The utilization of one direction of a link.
    Utilization,
    /// The rate that its algorithm allows a flow.
    Rate,
    /// The window of a flow.
    Window,
    /// Payload of a flow that was acknowledged in an interval, as a rate.
    Throughput,
}

impl Quantity {
    /// The file of a result folder that has it.
    #[must_use]
    pub const fn file(self) -> &'static str {
        match self {
            Self::Queue => "queues.csv",
            Self::Utilization => "links.csv",
            Self::Rate | Self::Window | Self::Throughput => "flows.csv",
        }
    }

    const fn column(self) -> &'static str {
        match self {
            Self::Queue => "queue_bytes",
            Self::Utilization => "utilization",
            Self::Rate => "rate_bps",
            Self::Window => "window_bytes",
            Self::Throughput => "throughput_bps",
        }
    }

    /// Returns whether a series is a flow; otherwise it is a port of a node.
    #[must_use]
    pub const fn is_of_flows(self) -> bool {
        matches!(self, Self::Rate | Self::Window | Self::Throughput)
    }

    fn axis(self) -> Axis {
        Axis::linear(match self {
            Self::Queue => "queue (bytes)",
            Self::Utilization => "utilization (1 = line rate)",
            Self::Rate => "rate (bps)",
            Self::Window => "window (bytes)",
            Self::Throughput => "throughput (bps)",
        })
        .from(0.0)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Queue => "queues",
            Self::Utilization => "utilization of links",
            Self::Rate => "rates of flows",
            Self::Window => "windows of flows",
            Self::Throughput => "throughput of flows",
        })
    }
}

/// Series to read; an empty list selects all.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Selection {
    /// Numbers of nodes.
    pub nodes: Vec<u64>,
    /// Ports of these nodes.
    pub ports: Vec<u64>,
    /// Numbers of flows.
    pub flows: Vec<u64>,
}

/// One series: a port of a node or a flow.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeLine {
    /// `node 3 port 1` or `flow 17`.
    pub name: String,
    /// (time in ns, value), in the order of the file.
    pub points: Vec<(f64, f64)>,
}

/// Reads the series of `quantity` from the text of its [file](Quantity::file), in the order of
/// nodes and ports, or of flows. Rows whose value is empty are skipped.
///
/// # Errors
/// At the word at fault: a column that is missing, a row of another length, a malformed number.
pub fn read_time_lines(
    text: &str,
    quantity: Quantity,
    selection: &Selection,
) -> Result<Vec<TimeLine>, InputError> {
    let table = CsvRows::new(text)?;
    let time = table.column("time_ns")?;
    let value = table.column(quantity.column())?;
    let keys: &[(&str, &[u64])] = if quantity.is_of_flows() {
        &[("flow", &selection.flows)]
    } else {
        &[("node", &selection.nodes), ("port", &selection.ports)]
    };
    let mut places = Vec::new();
    for (name, wanted) in keys {
        places.push((table.column(name)?, *name, *wanted));
    }
    let mut lines: BTreeMap<Vec<u64>, Vec<(f64, f64)>> = BTreeMap::new();
    for row in table.rows() {
        let row = row?;
        let mut key = Vec::with_capacity(places.len());
        let mut chosen = true;
        for &(place, name, wanted) in &places {
            let number: u64 = row[place].integer(name)?;
            chosen &= wanted.is_empty() || wanted.contains(&number);
            key.push(number);
        }
        if chosen && !row[value].text.is_empty() {
            let point = (
                row[time].number("time_ns")?,
                row[value].number(quantity.column())?,
            );
            lines.entry(key).or_default().push(point);
        }
    }
    let name = |key: &[u64]| {
        let words = places.iter().zip(key);
        let words: Vec<String> = words
            .map(|((_, name, _), n)| format!("{name} {n}"))
            .collect();
        words.join(" ")
    };
    let lines = lines.into_iter();
    Ok(lines
        .map(|(key, points)| TimeLine {
            name: name(&key),
            points,
        })
        .collect())
}

/// `lines` over time, at most `most` of them: those whose values have the largest sum. What is left
/// out is said in the figure's notes.
#[must_use]
pub fn time_figure(title: &str, quantity: Quantity, lines: Vec<TimeLine>, most: usize) -> Figure {
    let mut figure = Figure::new(title);
    let count = lines.len();
    let lines = largest(lines, most);
    if lines.len() < count {
        figure.notes.push(format!(
            "{} of {count} series are drawn: those with the largest sum of values",
            lines.len()
        ));
    }
    let times = lines.iter().flat_map(|line| &line.points);
    let (first, last) = times.fold((f64::INFINITY, 0.0f64), |(first, last), point| {
        (first.min(point.0), last.max(point.0))
    });
    let (unit, ns) = match last {
        ns if ns < 3e3 => ("ns", 1.0),
        ns if ns < 3e6 => ("us", 1e3),
        ns if ns < 3e9 => ("ms", 1e6),
        _ => ("s", 1e9),
    };
    let mut x = Axis::linear(format!("time ({unit})"));
    if first < last {
        x = x.upto(last / ns);
    }
    let mut panel = Panel::new("", x, quantity.axis());
    let mut thinned = false;
    for (i, line) in lines.into_iter().enumerate() {
        let mut points = line.points;
        for point in &mut points {
            point.0 /= ns;
        }
        thinned |= decimate(&mut points, &Scale::Linear);
        panel
            .series
            .push(Series::curve(line.name, Style::nth(i), points));
    }
    if thinned {
        figure.notes.push(
            "series are thinned for drawing; in each part of the time the least and the greatest \
             value are kept"
                .to_owned(),
        );
    }
    figure.panels.push(panel);
    figure
}

/// The `most` lines whose values have the largest sum, in their old order.
fn largest(lines: Vec<TimeLine>, most: usize) -> Vec<TimeLine> {
    let sum = |line: &TimeLine| line.points.iter().map(|point| point.1).sum::<f64>();
    let mut order: Vec<(usize, f64)> = lines.iter().map(sum).enumerate().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    order.truncate(most);
    let lines = lines.into_iter().enumerate();
    lines
        .filter(|(i, _)| order.iter().any(|(chosen, _)| chosen == i))
        .map(|(_, line)| line)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUEUES: &str = "time_ns,node,port,queue_bytes\n\
                          1000,9,0,10\n1000,9,1,0\n1000,8,3,500\n\
                          2000.5,9,0,30\n2000.5,9,1,7\n2000.5,8,3,400\n";

    fn names(lines: &[TimeLine]) -> Vec<&str> {
        lines.iter().map(|line| line.name.as_str()).collect()
    }

    #[test]
    fn series_are_ports_in_order() {
        let all = read_time_lines(QUEUES, Quantity::Queue, &Selection::default()).expect("good");
        assert_eq!(
            names(&all),
            ["node 8 port 3", "node 9 port 0", "node 9 port 1"]
        );
        assert_eq!(all[1].points, [(1_000.0, 10.0), (2_000.5, 30.0)]);
        let selection = Selection {
            nodes: vec![9],
            ports: vec![1],
            ..Selection::default()
        };
        let one = read_time_lines(QUEUES, Quantity::Queue, &selection).expect("good");
        assert_eq!(names(&one), ["node 9 port 1"]);
    }

    #[test]
    fn a_flow_without_a_window_has_no_points() {
        let text = "time_ns,flow,src,dst,class,rate_bps,window_bytes,acknowledged_bytes,throughput_bps\n\
                    5,3,0,1,0,1e9,,0,0\n6,4,0,1,0,1e9,2000,0,0\n";
        let lines = read_time_lines(text, Quantity::Window, &Selection::default()).expect("good");
        assert_eq!(names(&lines), ["flow 4"]);
        let lines = read_time_lines(text, Quantity::Rate, &Selection::default()).expect("good");
        assert_eq!(lines[0].points, [(5.0, 1e9)]);
    }

    #[test]
    fn errors_have_their_place() {
        for (text, message) in [
            (
                "time_ns,node,port\n",
                "the header has no column `queue_bytes`",
            ),
            (
                "time_ns,node,port,queue_bytes\n1,2,3\n",
                "3 fields where the header has 4",
            ),
            (
                "time_ns,node,port,queue_bytes\n1,2,3,x\n",
                "`x` does not fit `queue_bytes`",
            ),
            (
                "time_ns,node,port,queue_bytes\n1,2,-3,4\n",
                "`-3` does not fit `port`",
            ),
            ("", "the file is empty"),
        ] {
            let result = read_time_lines(text, Quantity::Queue, &Selection::default());
            assert_eq!(result.expect_err("bad").message, message);
        }
    }

    #[test]
    fn the_largest_series_are_drawn_and_the_rest_is_said() {
        let lines = read_time_lines(QUEUES, Quantity::Queue, &Selection::default()).expect("good");
        let figure = time_figure("t", Quantity::Queue, lines.clone(), 2);
        let series = &figure.panels[0].series;
        let drawn: Vec<&str> = series.iter().map(|series| series.name.as_str()).collect();
        assert_eq!(drawn, ["node 8 port 3", "node 9 port 0"]);
        assert!(
            figure.notes[0].starts_with("2 of 3 series"),
            "{:?}",
            figure.notes
        );
        assert_eq!(figure.panels[0].x.label, "time (ns)");
        assert_eq!(figure.panels[0].y.label, "queue (bytes)");
        assert!(time_figure("t", Quantity::Queue, lines, 3).notes.is_empty());
    }

    #[test]
    fn long_series_are_thinned_and_it_is_said() {
        let points = (0..50_000u32)
            .map(|i| (f64::from(i) * 1e3, f64::from(i % 7)))
            .collect();
        let line = TimeLine {
            name: "flow 1".to_owned(),
            points,
        };
        let figure = time_figure("t", Quantity::Rate, vec![line], 8);
        assert_eq!(figure.panels[0].x.label, "time (ms)");
        assert!(figure.panels[0].series[0].curve_points().len() < 3_000);
        assert!(figure.notes[0].contains("thinned"), "{:?}", figure.notes);
    }
}
