//! Colors of figures.

use super::layout::LABEL;
use super::palette::{DARK, LIGHT, ON_DARK, ON_LIGHT};
use super::style::Style;

/// The font size of labels on paper: 8 points, in units of a 96th of an inch.
const PAPER_LABEL: f64 = 8.0 * 96.0 / 72.0;

/// The background for which a figure is drawn.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Theme {
    /// White, like paper.
    Light,
    /// A dark page.
    Dark,
    /// A column of a paper: text of 8 points, thin lines, and no title, headings or notes, which
    /// belong to the caption.
    Paper,
    /// An HTML page. Its text color and custom properties (`--series-0` and so on) give the colors,
    /// so the figure follows the reader's choice of light or dark.
    Page,
}

impl Theme {
    /// Returns the background color; `None` if the page shows through.
    pub(super) const fn background(self) -> Option<&'static str> {
        match self {
            Self::Light | Self::Paper => Some(LIGHT.0),
            Self::Dark => Some(DARK.0),
            Self::Page => None,
        }
    }

    /// Returns the color of text, axes and, paler, of the grid.
    pub(super) const fn ink(self) -> &'static str {
        match self {
            Self::Light => LIGHT.1,
            Self::Dark => DARK.1,
            Self::Paper => "#000000",
            Self::Page => "currentColor",
        }
    }

    /// Returns the size of the picture's unit: on paper, labels have 8 points.
    pub(super) const fn unit(self) -> f64 {
        match self {
            Self::Paper => PAPER_LABEL / LABEL,
            Self::Light | Self::Dark | Self::Page => 1.0,
        }
    }

    /// Returns the width of lines and half the width of markers, in units of the picture.
    pub(super) const fn pen(self) -> (f64, f64) {
        match self {
            Self::Paper => (1.2, 2.8),
            Self::Light | Self::Dark | Self::Page => (1.8, 3.4),
        }
    }

    /// Returns color `index` of the palette.
    pub(super) fn series(self, index: usize) -> String {
        let index = index % Style::COLORS;
        match self {
            Self::Light | Self::Paper => ON_LIGHT[index].to_owned(),
            Self::Dark => ON_DARK[index].to_owned(),
            Self::Page => format!("var(--series-{index},{})", ON_LIGHT[index]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_of_a_page_has_no_color_of_its_own() {
        assert_eq!(Theme::Page.background(), None);
        assert_eq!(Theme::Page.ink(), "currentColor");
        assert_eq!(Theme::Page.series(1), "var(--series-1,#d55e00)");
        assert_eq!(Theme::Dark.series(Style::COLORS), ON_DARK[0]);
    }
}
