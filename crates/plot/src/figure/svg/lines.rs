//! Lines and markers of series.

use std::fmt::Write;

use super::super::Series;
use super::super::layout::SAMPLE;
use super::super::marks::mark;
use super::super::style::{Draw, Marker, Strength, Style};
use super::super::theme::Theme;

/// Approximate number of markers on a line.
const MARKS: usize = 10;

pub(super) fn curve(
    svg: &mut String,
    series: &Series,
    shown: &[Option<(f64, f64)>],
    phase: f64,
    theme: Theme,
) {
    let style = series.style;
    let runs: Vec<Vec<(f64, f64)>> = shown
        .split(Option::is_none)
        .filter(|run| !run.is_empty())
        .map(|run| run.iter().flatten().copied().collect())
        .collect();
    let mut lines = String::new();
    let mut marks = String::new();
    let mut marked: Vec<(f64, f64)> = Vec::new();
    if style.draw == Draw::Points {
        marked = runs.concat();
    } else {
        for run in &runs {
            lines.push_str(&path(run, style.draw));
        }
        if style.marker.is_some() {
            marked = spread(&runs.concat(), phase);
        }
        // A line through one point is invisible, so the point gets a marker.
        let single = runs.iter().filter(|run| run.len() == 1);
        marked.extend(single.map(|run| run[0]));
    }
    let marker = style.marker.unwrap_or(Marker::Circle);
    for (x, y) in marked {
        mark(&mut marks, marker, x, y, theme.pen().1);
    }
    paint(svg, &lines, &marks, style, theme);
}

/// Chooses about [`MARKS`] of `points` at even distances. The first is `phase` (0 to 1) of a
/// distance from the start.
pub(super) fn spread(points: &[(f64, f64)], phase: f64) -> Vec<(f64, f64)> {
    if points.len() <= MARKS + 2 {
        return points.to_vec();
    }
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Vec::new();
    };
    let step = (last.0 - first.0) / MARKS as f64;
    if step <= 0.0 {
        return vec![*first];
    }
    // In a damaged file, a point may be any number of distances away, so skip by division, not in a
    // loop.
    let begin = first.0 + step * phase;
    let mut passed = -1.0;
    let mut chosen = Vec::new();
    for &(x, y) in points {
        let distances = ((x - begin) / step).floor();
        if distances > passed {
            passed = distances;
            chosen.push((x, y));
        }
    }
    chosen
}

pub(super) fn path(points: &[(f64, f64)], draw: Draw) -> String {
    let mut d = String::new();
    for (i, (x, y)) in points.iter().enumerate() {
        match (i, draw) {
            (0, _) => write!(d, "M{x:.1} {y:.1}"),
            (_, Draw::Steps) => write!(d, "H{x:.1}V{y:.1}"),
            _ => write!(d, "L{x:.1} {y:.1}"),
        }
        .expect("a string takes everything");
    }
    d
}

/// Draws the line and the markers of a series.
pub(super) fn paint(svg: &mut String, lines: &str, marks: &str, style: Style, theme: Theme) {
    let color = theme.series(style.color);
    let (width, opacity) = match style.strength {
        Strength::Full => (theme.pen().0, 1.0),
        Strength::Faint => (theme.pen().0 * 0.7, 0.6),
    };
    put!(svg, r#"<g opacity="{opacity}" style="stroke:{color}">"#);
    if !lines.is_empty() {
        let dash = style
            .dash
            .pattern()
            .map(|dash| format!(r#" stroke-dasharray="{dash}""#));
        put!(
            svg,
            r#"<path d="{lines}" fill="none" stroke-width="{width}" stroke-linejoin="round"{}/>"#,
            dash.unwrap_or_default()
        );
    }
    if !marks.is_empty() {
        match style.marker {
            Some(Marker::Cross) => {
                put!(
                    svg,
                    r#"<path d="{marks}" fill="none" stroke-width="{width}"/>"#
                );
            }
            _ => put!(
                svg,
                r#"<path d="{marks}" stroke="none" style="stroke:none;fill:{color}"/>"#
            ),
        }
    }
    put!(svg, "</g>");
}

/// Draws the sample of a series in front of its name in the legend.
pub(super) fn sample(svg: &mut String, x: f64, y: f64, style: Style, theme: Theme) {
    let length = SAMPLE - 8.0;
    let lines = match style.draw {
        Draw::Points => String::new(),
        _ => path(&[(x, y), (x + length, y)], Draw::Line),
    };
    let mut marks = String::new();
    if let Some(marker) = style.marker {
        mark(&mut marks, marker, x + length / 2.0, y, theme.pen().1);
    }
    paint(svg, &lines, &marks, style, theme);
}
