//! The data of a figure as CSV.

use std::fmt::Write;

use fabricsim_report::quoted;

use super::axis::{Axis, Scale, Unit};
use super::{Figure, Panel, Points, Series};

const FITS: &str = "a string takes everything";

pub(super) fn csv(figure: &Figure) -> String {
    let mut values: Vec<String> = Vec::new();
    for panel in &figure.panels {
        let name = column(&panel.y);
        if !values.contains(&name) {
            values.push(name);
        }
    }
    let all = || figure.panels.iter().flat_map(|panel| &panel.series);
    let sized = all().any(|series| !series.sizes.is_empty());
    let bounded = all().any(|series| matches!(series.points, Points::Band(_) | Points::Bars(_)));
    let several = figure.panels.len() > 1;

    let mut header: Vec<String> = Vec::new();
    if several {
        header.push("panel".to_owned());
    }
    header.push("series".to_owned());
    header.push(
        figure
            .panels
            .first()
            .map_or_else(|| "x".to_owned(), |panel| column(&panel.x)),
    );
    if sized {
        header.push("flow_size_bytes".to_owned());
    }
    for value in &values {
        header.push(value.clone());
        if bounded {
            header.extend(["low", "high"].map(|end| format!("{value}_{end}")));
        }
    }
    let mut csv = header.join(",") + "\n";
    for panel in &figure.panels {
        let place = values.iter().position(|value| *value == column(&panel.y));
        for series in &panel.series {
            for (index, (x, y)) in points(series).into_iter().enumerate() {
                if several {
                    write!(csv, "{},", quoted(&panel.title)).expect(FITS);
                }
                write!(csv, "{},{}", quoted(&series.name), cell_of(&panel.x, x)).expect(FITS);
                if sized {
                    csv.push(',');
                    csv.push_str(&number(series.sizes.get(index).copied()));
                }
                let ends = interval(panel, series, x);
                for value in 0..values.len() {
                    let is_own = place == Some(value);
                    csv.push(',');
                    csv.push_str(&number(y.filter(|_| is_own)));
                    if bounded {
                        let ends = ends.filter(|_| is_own);
                        let [low, high] = [ends.map(|ends| ends.0), ends.map(|ends| ends.1)];
                        write!(csv, ",{},{}", number(low), number(high)).expect(FITS);
                    }
                }
                csv.push('\n');
            }
        }
    }
    csv
}

/// Returns the points of a curve, or instants without values. Intervals are cells of their curves.
fn points(series: &Series) -> Vec<(f64, Option<f64>)> {
    match &series.points {
        Points::Curve(points) => points.iter().map(|&(x, y)| (x, Some(y))).collect(),
        Points::Instants(times) => times.iter().map(|&x| (x, None)).collect(),
        Points::Band(_) | Points::Bars(_) => Vec::new(),
    }
}

/// Returns the ends of the interval at `x` of a curve. Its intervals have the same style.
fn interval(panel: &Panel, curve: &Series, x: f64) -> Option<(f64, f64)> {
    let own = panel
        .series
        .iter()
        .filter(|series| series.style == curve.style);
    let mut intervals = own.flat_map(|series| match &series.points {
        Points::Band(points) | Points::Bars(points) => points.as_slice(),
        Points::Curve(_) | Points::Instants(_) => &[],
    });
    let found = intervals.find(|(at, _, _)| at.total_cmp(&x).is_eq());
    found.map(|&(_, low, high)| (low, high))
}

/// Returns the position `x` as a cell: a name if the axis has names.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the index of a name, which a cast saturates"
)]
fn cell_of(axis: &Axis, x: f64) -> String {
    match &axis.scale {
        Scale::Names(names) => {
            // Curves over one name are side by side, so positions are near the name's.
            let name = names.get(x.round().max(0.0) as usize);
            quoted(name.map_or("", String::as_str))
        }
        Scale::Linear | Scale::Log | Scale::FlowShare(_) => number(Some(x)),
    }
}

fn number(value: Option<f64>) -> String {
    let value = value.filter(|value| value.is_finite());
    value.map_or_else(String::new, |value| {
        // Nine digits hide the errors of rounding.
        let text = format!("{value:.9}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    })
}

/// Returns the name of an axis' column: its label in small letters with the unit.
fn column(axis: &Axis) -> String {
    if matches!(axis.scale, Scale::FlowShare(_)) {
        return "flow_share".to_owned();
    }
    let label = axis.label.to_lowercase().replace('%', "percent");
    let words: Vec<&str> = label
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let unit = match axis.unit {
        Unit::None | Unit::Count => "",
        Unit::Nanoseconds => "_ns",
        Unit::Bytes | Unit::BinaryBytes => "_bytes",
        Unit::BitsPerSecond => "_bps",
    };
    words.join("_") + unit
}

#[cfg(test)]
mod tests {
    use super::super::Style;
    use super::*;

    #[test]
    fn intervals_and_units_are_columns() {
        let y = Axis::linear("longest queue").in_unit(Unit::Bytes);
        let mut panel = Panel::new("", Axis::linear("load"), y);
        let style = Style::nth(1);
        panel
            .series
            .push(Series::band(style, vec![(0.3, 1.0, 3.0)]));
        let curve = vec![(0.3, 2.0), (0.5, 4.0)];
        panel.series.push(Series::curve("a,b", style, curve));
        let mut figure = Figure::new("t");
        figure.panels.push(panel);
        assert_eq!(
            figure.to_csv(),
            "series,load,longest_queue_bytes,longest_queue_bytes_low,longest_queue_bytes_high\n\
             \"a,b\",0.3,2,1,3\n\"a,b\",0.5,4,,\n"
        );
    }

    #[test]
    fn each_vertical_axis_has_a_column() {
        let mut figure = Figure::new("t");
        for (title, label, unit) in [
            ("Time", "time", Unit::Nanoseconds),
            ("Rate", "flows (%)", Unit::None),
        ] {
            let names = Scale::Names(vec!["ecmp".to_owned(), "random".to_owned()]);
            let y = Axis::linear(label).in_unit(unit);
            let mut panel = Panel::new(title, Axis::new("routing policy", names), y);
            let points = vec![(0.94, 1.5)];
            panel.series.push(Series::curve("a", Style::nth(0), points));
            figure.panels.push(panel);
        }
        assert_eq!(
            figure.to_csv(),
            "panel,series,routing_policy,time_ns,flows_percent\n\
             Time,a,random,1.5,\nRate,a,random,,1.5\n"
        );
    }
}
