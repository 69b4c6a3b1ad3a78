//! Layout of a figure: panels in a grid, the legend and the notes below them.

mod words;

use super::axis::{Axis, Ends, Scale};
use super::style::Style;
use super::theme::Theme;
use super::ticks::{Tick, ticks};
use super::{Figure, Panel};
use words::wrapped;
pub(super) use words::{shortened, text_width};

/// Font sizes, in units of the picture.
pub(super) const TITLE: f64 = 16.0;
pub(super) const HEADING: f64 = 13.5;
pub(super) const LABEL: f64 = 12.5;
pub(super) const SMALL: f64 = 11.5;

/// Empty space at the edges and between panels.
const EDGE: f64 = 12.0;
/// Line height, as a multiple of the font size.
pub(super) const LEADING: f64 = 1.35;
/// Length of the line sample in front of a name in the legend, with the gap after it.
pub(super) const SAMPLE: f64 = 42.0;
/// Gap between two names in the legend.
const LEGEND_GAP: f64 = 22.0;
/// Height of a row of the legend.
const LEGEND_ROW: f64 = 20.0;

/// Width of a column of a paper: 3.5 inches.
const COLUMN: f64 = 3.5 * 96.0;
/// Panels are not side by side if the picture has less width for each of them.
const NARROW: f64 = 230.0;
/// Least width and height of the area between the axes.
const LEAST: (f64, f64) = (100.0, 60.0);

/// Returns the width and height of the area between the axes if a row has `columns` panels.
const fn area(columns: usize) -> (f64, f64) {
    match columns {
        0 | 1 => (620.0, 350.0),
        2 => (430.0, 300.0),
        3 => (330.0, 260.0),
        _ => (270.0, 210.0),
    }
}

/// A text and its position.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) x: f64,
    /// The baseline of the letters.
    pub(super) y: f64,
    pub(super) text: String,
}

/// A panel and its position.
#[derive(Debug)]
pub(super) struct PanelArea<'f> {
    pub(super) panel: &'f Panel,
    /// `true` if the title of the panel is above it.
    pub(super) is_headed: bool,
    /// Left edge and (`y`) upper edge of the area between the axes.
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) ends: (Ends, Ends),
    pub(super) ticks: (Vec<Tick>, Vec<Tick>),
    /// Orientation of the labels below the area: slanted if they would touch otherwise.
    pub(super) turned: Turned,
    /// Distance from the area to the middle of the vertical axis' label.
    pub(super) label_gap: f64,
    /// The lines of the horizontal axis' label, and the distance from the area to the baseline of
    /// the first one.
    pub(super) label: Vec<String>,
    pub(super) label_drop: f64,
}

/// Orientation of the tick labels below a panel.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Turned {
    Upright,
    Slanted,
}

/// A figure with the positions of all its parts.
#[derive(Debug)]
pub(super) struct Layout<'f> {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) title: Vec<Text>,
    pub(super) places: Vec<PanelArea<'f>>,
    /// Names of the series, each with the position at which its line sample begins and the style of
    /// the sample.
    pub(super) legend: Vec<(Text, Style)>,
    pub(super) notes: Vec<Text>,
}

impl<'f> Layout<'f> {
    /// Places all parts of `figure`. If it has a size, the areas between the axes get the room that
    /// everything else leaves.
    pub(super) fn new(figure: &'f Figure, theme: Theme) -> Self {
        let mut columns = match figure.columns {
            0 => figure.panels.len().clamp(1, 3),
            columns => columns,
        };
        let (mut width, mut height) = area(columns);
        let wanted = match (figure.size, theme) {
            (Some((width, height)), _) => Some((width / theme.unit(), Some(height / theme.unit()))),
            (None, Theme::Paper) => Some((COLUMN / theme.unit(), None)),
            (None, _) => None,
        };
        let Some((wide, high)) = wanted else {
            return Self::with(figure, theme, columns, (width, height));
        };
        while columns > 1 && wide / (columns as f64) < NARROW {
            columns -= 1;
        }
        let rows = figure.panels.len().div_ceil(columns).max(1);
        // The labels depend on the ticks, whose number depends on the area.
        for _ in 0..3 {
            let layout = Self::with(figure, theme, columns, (width, height));
            width = (width + (wide - layout.width) / columns as f64).max(LEAST.0);
            height = match high {
                Some(high) => (height + (high - layout.height) / rows as f64).max(LEAST.1),
                None => width * 0.6,
            };
        }
        Self::with(figure, theme, columns, (width, height))
    }

    /// Places all parts around areas of `width` and `height` in `columns`.
    fn with(figure: &'f Figure, theme: Theme, columns: usize, (width, height): (f64, f64)) -> Self {
        let is_paper = theme == Theme::Paper;
        let mut places: Vec<PanelArea<'f>> = figure
            .panels
            .iter()
            .map(|panel| PanelArea::new(panel, width, height, !is_paper))
            .collect();

        // All rows and columns have the same measures so that panels can be compared.
        let left = widest(&places, |place| place.label_gap) + LABEL;
        let right = widest(&places, PanelArea::overhang).max(EDGE);
        let below = widest(&places, PanelArea::label_end) + LABEL * 0.6;
        let headed = places.iter().any(|place| place.is_headed);
        let above = if headed { HEADING * LEADING + 4.0 } else { 6.0 };
        // Titles are centered over the areas, not over the paper: labels on the left shift the
        // areas.
        let middle = EDGE + (columns as f64 * (left + width + right) + left - right) / 2.0;
        let pitch = (left + width + right, above + height + below + EDGE);
        let total = 2.0 * EDGE + columns as f64 * pitch.0;

        // The title may need several lines, so the panels begin below the last one.
        let mut title = Vec::new();
        let mut y = EDGE;
        let heading = if is_paper { "" } else { &figure.title };
        for text in wrapped(heading, TITLE, total - 2.0 * EDGE) {
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
        // Panels fill the grid row by row.
        for (i, place) in places.iter_mut().enumerate() {
            place.x = EDGE + (i % columns) as f64 * pitch.0 + left;
            place.y = y + (i / columns) as f64 * pitch.1 + above;
        }
        y += places.len().div_ceil(columns) as f64 * pitch.1;

        // Legend and notes extend the figure downwards by as many lines as they need.
        let legend = legend(figure, total, &mut y);
        let mut notes = Vec::new();
        for line in figure.notes.iter().filter(|_| !is_paper) {
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

/// Returns the largest `measure` of any panel.
fn widest<'f>(places: &[PanelArea<'f>], measure: impl Fn(&PanelArea<'f>) -> f64) -> f64 {
    places.iter().map(measure).fold(0.0, f64::max)
}

impl<'f> PanelArea<'f> {
    fn new(panel: &'f Panel, width: f64, height: f64, headings: bool) -> Self {
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
        let across = ticks(
            &panel.x,
            x,
            if width > 400.0 {
                8
            } else if width > 200.0 {
                5
            } else {
                3
            },
        );
        let up = ticks(
            &panel.y,
            y,
            if height > 250.0 {
                6
            } else if height > 100.0 {
                4
            } else {
                3
            },
        );
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
            // At 45 degrees, a label is sin(45) = 0.71 of its length high.
            Turned::Slanted => (widest(&across) + SMALL) * 0.71,
        };
        let label_gap = widest(&up) + 14.0 + LABEL * 0.5;
        Self {
            panel,
            is_headed: headings && !panel.title.is_empty(),
            x: 0.0,
            y: 0.0,
            width,
            height,
            ends: (x, y),
            label_gap,
            // A label may be longer than the area: there is room below the numbers of the neighbor.
            label: wrapped(&panel.x.label, LABEL, width + label_gap),
            label_drop: drop + 10.0 + LABEL,
            ticks: (across, up),
            turned,
        }
    }

    /// Returns the distance from the area to the baseline of the last line of the label.
    fn label_end(&self) -> f64 {
        let more = self.label.len().saturating_sub(1);
        self.label_drop + more as f64 * LABEL * LEADING
    }

    /// Returns the length by which labels of the horizontal axis exceed the area on the right.
    fn overhang(&self) -> f64 {
        match (self.turned, self.ticks.0.last()) {
            (Turned::Upright, Some(last)) => text_width(&last.label, SMALL) / 2.0,
            _ => 0.0,
        }
    }
}

/// Adds some room above the data if the axis does not fix its upper end.
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

/// Returns `true` if tick labels side by side would touch.
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

/// Places the names of all panels' series, each once, in centered rows below the panels.
fn legend(figure: &Figure, total: f64, y: &mut f64) -> Vec<(Text, Style)> {
    let mut entries: Vec<(&str, Style)> = Vec::new();
    for series in figure.panels.iter().flat_map(|panel| &panel.series) {
        let entry = (series.name.as_str(), series.style);
        // Bands and error bars have no name.
        if !entry.0.is_empty() && !entries.contains(&entry) {
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
    // One row if all names fit into it, otherwise columns of equal width.
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

#[cfg(test)]
mod tests;
