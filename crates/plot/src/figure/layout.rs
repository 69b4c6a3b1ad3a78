//! Layout of a figure: panels in a grid, the legend and the notes below them.

use super::axis::{Axis, Ends, Scale};
use super::style::Style;
use super::ticks::{Tick, ticks};
use super::{Figure, Panel, Points};

/// Sizes of letters.
pub(super) const TITLE: f64 = 16.0;
pub(super) const HEADING: f64 = 13.5;
pub(super) const LABEL: f64 = 12.5;
pub(super) const SMALL: f64 = 11.5;

/// Empty space at the edges and between panels.
const EDGE: f64 = 12.0;
/// Height of a line of letters of a size, in that size.
pub(super) const LEADING: f64 = 1.35;
/// Length of the piece of line in front of a legend's name, with the gap after it.
pub(super) const SAMPLE: f64 = 42.0;
/// Gap between two names of the legend.
const LEGEND_GAP: f64 = 22.0;
/// Height of a row of the legend.
const LEGEND_ROW: f64 = 20.0;

/// The size of the area between the axes when so many panels are side by side.
const fn area(columns: usize) -> (f64, f64) {
    match columns {
        0 | 1 => (620.0, 350.0),
        2 => (430.0, 300.0),
        3 => (330.0, 260.0),
        _ => (270.0, 210.0),
    }
}

/// A text at a place.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) x: f64,
    /// Of the line on which the letters stand.
    pub(super) y: f64,
    pub(super) text: String,
}

/// A panel at its place.
#[derive(Debug)]
pub(super) struct PanelArea<'f> {
    pub(super) panel: &'f Panel,
    /// The upper left corner of the area between the axes.
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) ends: (Ends, Ends),
    pub(super) ticks: (Vec<Tick>, Vec<Tick>),
    /// Whether the labels below the area are turned to fit.
    pub(super) turned: Turned,
    /// The distance of the middle of the vertical axis' label from the area.
    pub(super) label_gap: f64,
    /// The distance of the line of the horizontal axis' label from the area.
    pub(super) label_drop: f64,
}

/// Orientation of the tick labels below a panel.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Turned {
    Upright,
    Slanted,
}

/// A figure with all its places.
#[derive(Debug)]
pub(super) struct Layout<'f> {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) title: Vec<Text>,
    pub(super) places: Vec<PanelArea<'f>>,
    /// Names of the series, each at the place where its line sample begins, and the style of the
    /// sample.
    pub(super) legend: Vec<(Text, Style)>,
    pub(super) notes: Vec<Text>,
}

impl<'f> Layout<'f> {
    pub(super) fn new(figure: &'f Figure) -> Self {
        let columns = match figure.columns {
            0 => figure.panels.len().clamp(1, 3),
            columns => columns,
        };
        let (width, height) = area(columns);
        let mut places: Vec<PanelArea<'f>> = figure
            .panels
            .iter()
            .map(|panel| PanelArea::new(panel, width, height))
            .collect();

        // Rows and columns of equal measures, so that panels can be compared.
        let left = widest(&places, |place| place.label_gap) + LABEL;
        let right = widest(&places, PanelArea::overhang).max(EDGE);
        let below = widest(&places, |place| place.label_drop) + LABEL * 0.6;
        let headed = figure.panels.iter().any(|panel| !panel.title.is_empty());
        let above = if headed { HEADING * LEADING + 4.0 } else { 6.0 };
        // The middle of the areas, not of the paper: as far as the labels on the left push them.
        let middle = EDGE + (columns as f64 * (left + width + right) + left - right) / 2.0;
        let pitch = (left + width + right, above + height + below + EDGE);
        let total = 2.0 * EDGE + columns as f64 * pitch.0;

        let mut title = Vec::new();
        let mut y = EDGE;
        for text in wrapped(&figure.title, TITLE, total - 2.0 * EDGE) {
            title.push(Text {
                x: middle,
                y: y + TITLE,
                text,
            });
            y += TITLE * LEADING;
        }
        if headed && !title.is_empty() {
            y += 6.0;
        }
        for (i, place) in places.iter_mut().enumerate() {
            place.x = EDGE + (i % columns) as f64 * pitch.0 + left;
            place.y = y + (i / columns) as f64 * pitch.1 + above;
        }
        y += places.len().div_ceil(columns) as f64 * pitch.1;

        let legend = legend(figure, total, &mut y);
        let mut notes = Vec::new();
        for line in &figure.notes {
            for text in wrapped(line, SMALL, total - 4.0 * EDGE) {
                notes.push(Text {
                    x: 2.0 * EDGE,
                    y: y + SMALL,
                    text,
                });
                y += SMALL * LEADING;
            }
        }
        Self {
            width: total.ceil(),
            height: (y + EDGE).ceil(),
            title,
            places,
            legend,
            notes,
        }
    }
}

/// The largest `measure` of any panel.
fn widest<'f>(places: &[PanelArea<'f>], measure: impl Fn(&PanelArea<'f>) -> f64) -> f64 {
    places.iter().map(measure).fold(0.0, f64::max)
}

impl<'f> PanelArea<'f> {
    fn new(panel: &'f Panel, width: f64, height: f64) -> Self {
        let corners: Vec<(f64, f64)> = panel
            .series
            .iter()
            .flat_map(super::Series::corners)
            .collect();
        let x = panel.x.ends(corners.iter().map(|corner| corner.0));
        let y = margin(
            &panel.y,
            panel.y.ends(corners.iter().map(|corner| corner.1)),
        );
        let across = ticks(&panel.x, x, if width > 400.0 { 8 } else { 5 });
        let up = ticks(&panel.y, y, if height > 250.0 { 6 } else { 4 });
        let turned = if crowded(&across, x, width) {
            Turned::Slanted
        } else {
            Turned::Upright
        };
        let widest = |ticks: &[Tick]| {
            let widths = ticks.iter().map(|tick| text_width(&tick.label, SMALL));
            widths.fold(0.0, f64::max)
        };
        let drop = match turned {
            Turned::Upright => SMALL,
            // At 45 degrees.
            Turned::Slanted => (widest(&across) + SMALL) * 0.71,
        };
        Self {
            panel,
            x: 0.0,
            y: 0.0,
            width,
            height,
            ends: (x, y),
            label_gap: widest(&up) + 14.0 + LABEL * 0.5,
            label_drop: drop + 10.0 + LABEL,
            ticks: (across, up),
            turned,
        }
    }

    /// Returns how far labels of the horizontal axis reach beyond the area on the right.
    fn overhang(&self) -> f64 {
        match (self.turned, self.ticks.0.last()) {
            (Turned::Upright, Some(last)) => text_width(&last.label, SMALL) / 2.0,
            _ => 0.0,
        }
    }
}

/// `ends` with some room above the data where the upper end is not given.
fn margin(axis: &Axis, mut ends: Ends) -> Ends {
    if axis.range.1.is_none() {
        if axis.scale == Scale::Log {
            ends.high *= (ends.high / ends.low).powf(0.04);
        } else {
            ends.high += (ends.high - ends.low) * 0.04;
        }
    }
    ends
}

/// Returns whether labels of ticks side by side would touch.
fn crowded(ticks: &[Tick], ends: Ends, width: f64) -> bool {
    let mut edge = f64::NEG_INFINITY;
    let labeled = ticks.iter().filter(|tick| !tick.label.is_empty());
    for tick in labeled {
        let half = text_width(&tick.label, SMALL) / 2.0;
        let middle = ends.place(tick.value).unwrap_or(0.0) * width;
        if middle - half < edge + 5.0 {
            return true;
        }
        edge = middle + half;
    }
    false
}

/// The names of all panels' series, each once, in rows that are centered below them.
fn legend(figure: &Figure, total: f64, y: &mut f64) -> Vec<(Text, Style)> {
    let mut entries: Vec<(&str, Style)> = Vec::new();
    for series in figure.panels.iter().flat_map(|panel| &panel.series) {
        let entry = (series.name.as_str(), series.style);
        let is_curve = !matches!(series.points, Points::Band(_));
        if is_curve && !entry.0.is_empty() && !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    let room = total - 4.0 * EDGE;
    let names: Vec<(String, f64, Style)> = entries
        .into_iter()
        .map(|(name, style)| {
            let name = shortened(name, LABEL, room - SAMPLE);
            let width = SAMPLE + text_width(&name, LABEL) + LEGEND_GAP;
            (name, width, style)
        })
        .collect();
    let together: f64 = names.iter().map(|name| name.1).sum();
    let widest = names.iter().map(|name| name.1).fold(0.0, f64::max);
    // One row where they fit, else columns of equal width.
    let in_one_row = together - LEGEND_GAP <= room;
    let columns = ((room + LEGEND_GAP) / widest.max(1.0)).floor().max(1.0);
    let used = if in_one_row {
        together
    } else {
        widest * columns
    };
    let start = (total - used + LEGEND_GAP) / 2.0;
    let mut legend = Vec::new();
    let (mut x, mut column) = (start, 0.0);
    for (text, width, style) in names {
        if !in_one_row && column >= columns {
            (x, column) = (start, 0.0);
            *y += LEGEND_ROW;
        }
        let y = *y + LABEL;
        legend.push((Text { x, y, text }, style));
        x += if in_one_row { width } else { widest };
        column += 1.0;
    }
    if !legend.is_empty() {
        *y += LEGEND_ROW;
    }
    if !legend.is_empty() {
        *y += 4.0;
    }
    legend
}

/// The width of `text` in letters of `size`: an estimate from above that holds for the usual fonts
/// without serifs.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    let letter = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '|' | '\'' | '!' => 0.30,
        'f' | 't' | 'r' | ' ' | '(' | ')' | '[' | ']' | '/' | '-' | 'I' => 0.40,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.93,
        'A'..='Z' | '+' | '=' | '<' | '>' | '&' => 0.70,
        c if c.is_ascii() => 0.60,
        // Half of the world's letters are as wide as they are high.
        _ => 1.0,
    };
    text.chars().map(letter).sum::<f64>() * size
}

/// `text` in lines no wider than `width`; a word that is too wide is cut short.
fn wrapped(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let word = shortened(word, size, width);
        match lines.last_mut() {
            Some(line) if text_width(line, size) + text_width(&word, size) + size <= width => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// `text`, with its end replaced by an ellipsis when it is wider than `width`.
pub(super) fn shortened(text: &str, size: f64, width: f64) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let mut used = text_width("\u{2026}", size);
    let mut short: String = text
        .chars()
        .take_while(|c| {
            used += text_width(c.encode_utf8(&mut [0; 4]), size);
            used <= width
        })
        .collect();
    short.push('\u{2026}');
    short
}

#[cfg(test)]
mod tests;
