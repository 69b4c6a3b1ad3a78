//! The colors of figures and pages.

use super::style::Style;

/// The colors of Okabe and Ito that are dark enough for lines on white, and gray. Readers who
/// cannot tell red from green can tell them apart.
pub(crate) const ON_LIGHT: [&str; Style::COLORS] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6b6b6b",
];

/// The same hues, lighter, for dark backgrounds.
pub(crate) const ON_DARK: [&str; Style::COLORS] = [
    "#4aa3df", "#ff8740", "#2fc79a", "#e6a3c8", "#f5b83d", "#9ad6f7", "#a8a8a8",
];

/// Background and text color of dark pages and figures.
pub(crate) const DARK: (&str, &str) = ("#14171a", "#e4e6e8");

/// Background and text color of light pages and figures.
pub(crate) const LIGHT: (&str, &str) = ("#ffffff", "#1c1e21");
