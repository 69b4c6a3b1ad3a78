//! Colors of figures.

use super::palette::{DARK, LIGHT, ON_DARK, ON_LIGHT};
use super::style::Style;

/// The background for which a figure is drawn.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Theme {
    /// White, like paper.
    Light,
    /// A dark page.
    Dark,
    /// An HTML page. Its text color and custom properties (`--series-0` and so on) give the colors,
    /// so the figure follows the reader's choice of light or dark.
    Page,
}

impl Theme {
    /// Returns the background color; `None` if the page shows through.
    pub(super) const fn background(self) -> Option<&'static str> {
        match self {
            Self::Light => Some(LIGHT.0),
            Self::Dark => Some(DARK.0),
            Self::Page => None,
        }
    }

    /// Returns the color of text, axes and, paler, of the grid.
    pub(super) const fn ink(self) -> &'static str {
        match self {
            Self::Light => LIGHT.1,
            Self::Dark => DARK.1,
            Self::Page => "currentColor",
        }
    }

    /// Returns color `index` of the palette.
    pub(super) fn series(self, index: usize) -> String {
        let index = index % Style::COLORS;
        match self {
            Self::Light => ON_LIGHT[index].to_owned(),
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
