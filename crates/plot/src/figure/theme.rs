//! Colors of figures.

use super::palette::{DARK, LIGHT, ON_DARK, ON_LIGHT};
use super::style::Style;

/// On what a figure is seen.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Theme {
    /// White, as paper is.
    Light,
    /// A dark page.
    Dark,
    /// An HTML page whose text and custom properties (`--series-0` and so on) give the colors, so
    /// that the figure follows the reader's choice of light or dark.
    Page,
}

impl Theme {
    /// The color of the background; `None` where the page shows through.
    pub(super) const fn background(self) -> Option<&'static str> {
        match self {
            Self::Light => Some(LIGHT.0),
            Self::Dark => Some(DARK.0),
            Self::Page => None,
        }
    }

    /// The color of texts, axes and, paler, of the grid.
    pub(super) const fn ink(self) -> &'static str {
        match self {
            Self::Light => LIGHT.1,
            Self::Dark => DARK.1,
            Self::Page => "currentColor",
        }
    }

    /// Color `index` of the palette.
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
