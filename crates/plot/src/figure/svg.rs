//! A figure as SVG.

use std::fmt::Write;

use self::lines::{curve, paint, path, sample};
use super::layout::{
    HEADING, LABEL, LEADING, Layout, PanelArea, SAMPLE, SMALL, TITLE, Text, Turned, shortened,
    text_width,
};
use super::style::{Dash, Draw, Style};
use super::theme::Theme;
use super::{Figure, Points};
use crate::markup::escape;

/// Half the width of the caps of an error bar.
const CAP: f64 = 4.5;
/// Series are cut off this far outside of the frame, so that lines on the frame keep their width.
const BLEED: f64 = 5.0;

/// Adds a line to the picture.
macro_rules! put {
    ($svg:expr, $($arguments:tt)*) => {
        writeln!($svg, $($arguments)*).expect("a string takes everything")
    };
}

mod lines;

pub(super) fn render(figure: &Figure, theme: Theme) -> String {
    let layout = Layout::new(figure, theme);
    let (width, height) = (layout.width, layout.height);
    let [wide, high] = [width, height].map(|length| rounded(length * theme.unit()));
    let mut svg = String::new();
    // Screen readers announce the title; a figure without one is just "figure".
    let label = match figure.title.as_str() {
        "" => "figure",
        title => title,
    };
    put!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{wide}" height="{high}" role="img" aria-label="{}" font-family="Noto Sans, Helvetica, Arial, sans-serif" style="color:{}">"#,
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

/// Rounds `length` to hundredths.
fn rounded(length: f64) -> f64 {
    (length * 100.0).round() / 100.0
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
    for (line, label) in place.label.iter().enumerate() {
        put!(
            svg,
            r#"<text x="{:.1}" y="{:.1}">{}</text>"#,
            x + width / 2.0,
            y + height + place.label_drop + line as f64 * LABEL * LEADING,
            escape(label)
        );
    }
    // There is room beside the numbers below.
    let (label, size) = fitted(&panel.y.label, height + place.label_drop);
    let beyond = (text_width(&label, size) - height).max(0.0);
    put!(
        svg,
        r#"<text transform="translate({:.1} {:.1}) rotate(-90)" font-size="{size:.1}">{}</text>"#,
        x - place.label_gap,
        y + (height + beyond) / 2.0,
        escape(&label)
    );
    if place.is_headed {
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

/// Returns an axis' label for `room`, in smaller letters and then cut short if necessary, and the
/// size of the letters.
fn fitted(label: &str, room: f64) -> (String, f64) {
    let size = LABEL * (room / text_width(label, LABEL).max(1.0)).clamp(0.8, 1.0);
    (shortened(label, size, room), size)
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
            Points::Bars(points) => {
                let mut lines = String::new();
                for &(x, low, high) in points {
                    let Some(((x, bottom), (_, top))) = at((x, low)).zip(at((x, high))) else {
                        continue;
                    };
                    let left = x - CAP;
                    write!(
                        lines,
                        "M{x:.1} {bottom:.1}V{top:.1}M{left:.1} {bottom:.1}h{wide:.1}M{left:.1} {top:.1}h{wide:.1}",
                        wide = 2.0 * CAP
                    )
                    .expect("a string takes everything");
                }
                // Dashes would look like gaps of the interval.
                let style = Style {
                    dash: Dash::Solid,
                    ..series.style
                };
                paint(svg, &lines, "", style, theme);
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

#[cfg(test)]
mod tests;
