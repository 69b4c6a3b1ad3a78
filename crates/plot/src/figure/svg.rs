//! A figure as SVG.

use std::fmt::Write;

use super::layout::{
    HEADING, LABEL, LEADING, Layout, PanelArea, SAMPLE, SMALL, TITLE, Text, Turned, shortened,
};
use super::marks::mark;
use super::style::{Draw, Marker, Strength, Style};
use super::theme::Theme;
use super::{Figure, Points, Series};
use crate::markup::escape;

/// Half the width of a marker.
const MARK: f64 = 3.4;
/// Approximate number of markers on a line.
const MARKS: usize = 10;
/// Series are cut off this far outside of the frame, so that lines on the frame keep their width.
const BLEED: f64 = 5.0;

/// Adds a line to the picture.
macro_rules! put {
    ($svg:expr, $($arguments:tt)*) => {
        writeln!($svg, $($arguments)*).expect("a string takes everything")
    };
}

pub(super) fn render(figure: &Figure, theme: Theme) -> String {
    let layout = Layout::new(figure);
    let (width, height) = (layout.width, layout.height);
    let mut svg = String::new();
    // Screen readers announce the title; a figure without one is just "figure".
    let label = match figure.title.as_str() {
        "" => "figure",
        title => title,
    };
    put!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label="{}" font-family="Noto Sans, Helvetica, Arial, sans-serif" style="color:{}">"#,
        escape(label),
        match theme {
            Theme::Page => "inherit",
            _ => theme.ink(),
        }
    );
    // Without a background, the page shows through.
    if let Some(background) = theme.background() {
        put!(
            svg,
            r#"<rect width="{width}" height="{height}" fill="{background}"/>"#
        );
    }
    let ink = theme.ink();
    put!(svg, r#"<g fill="{ink}" text-anchor="middle">"#);
    for Text { x, y, text } in &layout.title {
        let text = escape(text);
        put!(
            svg,
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{TITLE}" font-weight="bold">{text}</text>"#
        );
    }
    put!(svg, "</g>");
    // Data after its frame: lines must cover the grid.
    for place in &layout.places {
        frame(&mut svg, place, ink);
        data(&mut svg, place, theme);
    }
    for (Text { x, y, text }, style) in &layout.legend {
        sample(&mut svg, *x, y - LABEL * 0.35, *style, theme);
        put!(
            svg,
            r#"<text x="{:.1}" y="{y:.1}" font-size="{LABEL}" fill="{ink}">{}</text>"#,
            x + SAMPLE,
            escape(text)
        );
    }
    for Text { x, y, text } in &layout.notes {
        let text = escape(text);
        put!(
            svg,
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{SMALL}" fill="{ink}" fill-opacity="0.75">{text}</text>"#
        );
    }
    put!(svg, "</svg>");
    svg
}

/// Draws grid, axes, labels and the heading of a panel.
fn frame(svg: &mut String, place: &PanelArea<'_>, ink: &str) {
    axes(svg, place, ink);
    headings(svg, place, ink);
}

/// Draws grid and axes of a panel, and the numbers at its ticks.
fn axes(svg: &mut String, place: &PanelArea<'_>, ink: &str) {
    let &PanelArea {
        x,
        y,
        width,
        height,
        ..
    } = place;
    let (right, bottom) = (x + width, y + height);
    let across = |value| place.ends.0.place(value).map(|share| x + share * width);
    let up = |value| {
        place
            .ends
            .1
            .place(value)
            .map(|share| bottom - share * height)
    };

    // Grid lines with numbers are drawn stronger than grid lines without. The labels are collected
    // separately because they must be drawn above all lines.
    let mut grid = [String::new(), String::new()];
    let mut labels = String::new();
    for tick in &place.ticks.0 {
        let Some(at) = across(tick.value) else {
            continue;
        };
        let lines = &mut grid[usize::from(tick.label.is_empty())];
        write!(lines, "M{at:.1} {y:.1}V{bottom:.1}").expect("a string takes everything");
        if tick.label.is_empty() {
            continue;
        }
        let text = escape(&tick.label);
        match place.turned {
            Turned::Upright => put!(
                labels,
                r#"<text x="{at:.1}" y="{:.1}" text-anchor="middle">{text}</text>"#,
                bottom + SMALL + 5.0
            ),
            Turned::Slanted => put!(
                labels,
                r#"<text transform="translate({:.1} {:.1}) rotate(-45)" text-anchor="end">{text}</text>"#,
                at + 3.0,
                bottom + 13.0
            ),
        }
    }
    for tick in &place.ticks.1 {
        let Some(at) = up(tick.value) else { continue };
        let lines = &mut grid[usize::from(tick.label.is_empty())];
        write!(lines, "M{x:.1} {at:.1}H{right:.1}").expect("a string takes everything");
        if !tick.label.is_empty() {
            put!(
                labels,
                r#"<text x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"#,
                x - 6.0,
                at + SMALL * 0.35,
                escape(&tick.label)
            );
        }
    }

    // One path for each kind of line keeps the file small.
    for (lines, opacity) in grid.iter().zip([0.16, 0.07]) {
        if !lines.is_empty() {
            put!(
                svg,
                r#"<path d="{lines}" fill="none" stroke="{ink}" stroke-opacity="{opacity}"/>"#
            );
        }
    }
    put!(
        svg,
        r#"<path d="M{x:.1} {y:.1}V{bottom:.1}H{right:.1}" fill="none" stroke="{ink}" stroke-opacity="0.7"/>"#
    );
    put!(svg, r#"<g fill="{ink}" font-size="{SMALL}">"#);
    svg.push_str(&labels);
    put!(svg, "</g>");
}

/// Draws the labels of the axes and the heading of a panel.
fn headings(svg: &mut String, place: &PanelArea<'_>, ink: &str) {
    let &PanelArea {
        panel,
        x,
        y,
        width,
        height,
        ..
    } = place;
    put!(
        svg,
        r#"<g fill="{ink}" font-size="{LABEL}" text-anchor="middle">"#
    );
    put!(
        svg,
        r#"<text x="{:.1}" y="{:.1}">{}</text>"#,
        x + width / 2.0,
        y + height + place.label_drop,
        escape(&shortened(&panel.x.label, LABEL, width))
    );
    put!(
        svg,
        r#"<text transform="translate({:.1} {:.1}) rotate(-90)">{}</text>"#,
        x - place.label_gap,
        y + height / 2.0,
        escape(&shortened(&panel.y.label, LABEL, height))
    );
    if !panel.title.is_empty() {
        put!(
            svg,
            r#"<text x="{:.1}" y="{:.1}" font-size="{HEADING}" font-weight="bold">{}</text>"#,
            x + width / 2.0,
            y - HEADING * (LEADING - 1.0) - 4.0,
            escape(&shortened(&panel.title, HEADING * 1.08, width))
        );
    }
    put!(svg, "</g>");
}

/// Draws the series of a panel. A nested SVG cuts off everything outside of the frame.
fn data(svg: &mut String, place: &PanelArea<'_>, theme: Theme) {
    let (wide, high) = (place.width + 2.0 * BLEED, place.height + 2.0 * BLEED);
    put!(
        svg,
        r#"<svg x="{:.1}" y="{:.1}" width="{wide:.1}" height="{high:.1}" overflow="hidden">"#,
        place.x - BLEED,
        place.y - BLEED
    );
    let at = |(x, y): (f64, f64)| {
        let x = place.ends.0.place(x)? * place.width + BLEED;
        let y = (1.0 - place.ends.1.place(y)?) * place.height + BLEED;
        Some((x, y))
    };
    let count = place.panel.series.len();
    for (i, series) in place.panel.series.iter().enumerate() {
        match &series.points {
            Points::Curve(points) => {
                let shown: Vec<Option<(f64, f64)>> =
                    points.iter().map(|&point| at(point)).collect();
                // The phase of the markers differs so that overlapping series do not hide
                // one another.
                curve(svg, series, &shown, i as f64 / count as f64, theme);
            }
            Points::Instants(times) => {
                let mut lines = String::new();
                for x in times.iter().filter_map(|x| place.ends.0.place(*x)) {
                    let x = x * place.width + BLEED;
                    write!(lines, "M{x:.1} {BLEED:.1}v{:.1}", place.height)
                        .expect("a string takes everything");
                }
                paint(svg, &lines, "", series.style, theme);
            }
            Points::Band(points) => {
                let upper = points.iter().map(|&(x, _, high)| at((x, high)));
                let lower = points.iter().rev().map(|&(x, low, _)| at((x, low)));
                let edge: Vec<(f64, f64)> = upper.chain(lower).flatten().collect();
                put!(
                    svg,
                    r#"<path d="{}z" fill-opacity="0.18" style="fill:{}"/>"#,
                    path(&edge, Draw::Line),
                    theme.series(series.style.color)
                );
            }
        }
    }
    put!(svg, "</svg>");
}

fn curve(
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
        mark(&mut marks, marker, x, y, MARK);
    }
    paint(svg, &lines, &marks, style, theme);
}

/// Chooses about [`MARKS`] of `points` at even distances. The first is `phase` (0 to 1) of a
/// distance from the start.
fn spread(points: &[(f64, f64)], phase: f64) -> Vec<(f64, f64)> {
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

fn path(points: &[(f64, f64)], draw: Draw) -> String {
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
fn paint(svg: &mut String, lines: &str, marks: &str, style: Style, theme: Theme) {
    let color = theme.series(style.color);
    let (width, opacity) = match style.strength {
        Strength::Full => (1.8, 1.0),
        Strength::Faint => (1.3, 0.6),
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
                put!(svg, r#"<path d="{marks}" fill="none" stroke-width="1.8"/>"#);
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
fn sample(svg: &mut String, x: f64, y: f64, style: Style, theme: Theme) {
    let length = SAMPLE - 8.0;
    let lines = match style.draw {
        Draw::Points => String::new(),
        _ => path(&[(x, y), (x + length, y)], Draw::Line),
    };
    let mut marks = String::new();
    if let Some(marker) = style.marker {
        mark(&mut marks, marker, x + length / 2.0, y, MARK);
    }
    paint(svg, &lines, &marks, style, theme);
}

#[cfg(test)]
mod tests;
