//! Figures: data first, then a picture.
//!
//! A [`Figure`] is panels, a [`Panel`] is two axes and the series between them. What draws it is
//! [`Figure::to_svg`] and, with the feature `png`, [`Figure::to_png`] and [`Figure::to_pdf`]; both follow a [`Theme`].
//! Builders for the figures of results are [`slowdown_figure`], [`relative_figure`],
//! [`cdf_figure`], [`time_figure`] and [`queue_figure`].
//!
//! ```
//! use fabricsim_plot::figure::{Axis, Figure, Panel, Series, Style, Theme};
//!
//! let mut panel = Panel::new("p99", Axis::log("flow size (bytes)"), Axis::linear("slowdown"));
//! let points = vec![(1e3, 1.2), (1e5, 2.0), (1e7, 4.5)];
//! panel.series.push(Series::curve("HPCC", Style::nth(0), points));
//! let mut figure = Figure::new("Slowdown");
//! figure.panels.push(panel);
//! assert!(figure.to_svg(Theme::Light).contains("flow size (bytes)"));
//! ```

mod axis;
mod cdf;
mod decimate;
mod draw_error;
mod layout;
mod marks;
pub(crate) mod palette;
#[cfg(feature = "png")]
mod pdf;
#[cfg(feature = "png")]
mod png;
mod quantity;
mod queues;
mod slowdown;
mod slowdown_curve;
mod style;
mod svg;
#[cfg(not(feature = "png"))]
mod svg_only;
mod sweep;
mod theme;
mod ticks;
mod time_lines;
mod time_series;

pub use axis::{Axis, FlowTick, Scale, Unit};
pub use cdf::{CdfOf, cdf_curve, cdf_figure, cdf_of_values};
pub use decimate::{MOST_POINTS, decimate};
pub use draw_error::DrawError;
#[cfg(feature = "png")]
pub use pdf::to_pdf;
#[cfg(feature = "png")]
pub use png::rasterize;
pub use quantity::{Quantity, Subject};
pub use queues::{group_curve, group_figure, queue_curve, queue_figure};
pub use slowdown::{percentile_in_words, relative_figure, slowdown_figure};
pub use slowdown_curve::{BinCount, SlowdownCurve};
pub use style::{Dash, Draw, Marker, Strength, Style};
#[cfg(not(feature = "png"))]
pub use svg_only::{rasterize, to_pdf};
pub use sweep::{SweepPanel, sweep_figure};
pub use theme::Theme;
pub use ticks::quantity;
pub use time_lines::{Selection, TimeLine, read_time_lines};
pub use time_series::{TimeRun, time_figure};

/// A picture of one or more panels with one legend below them.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Stands above the panels; may be empty.
    pub title: String,
    /// Row by row.
    pub panels: Vec<Panel>,
    /// Panels side by side; zero chooses by their number (three at most).
    pub columns: usize,
    /// Notes that a reader needs on how the figure was made; they stand below the legend.
    pub notes: Vec<String>,
}

impl Figure {
    /// A figure without panels.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            panels: Vec::new(),
            columns: 0,
            notes: Vec::new(),
        }
    }

    /// Returns whether no panel has a series with a point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let mut series = self.panels.iter().flat_map(|panel| &panel.series);
        !series.any(|series| match &series.points {
            Points::Curve(points) => !points.is_empty(),
            Points::Band(points) => !points.is_empty(),
            Points::Instants(_) => false,
        })
    }

    /// The figure as an SVG document.
    #[must_use]
    pub fn to_svg(&self, theme: Theme) -> String {
        svg::render(self, theme)
    }

    /// The figure as a PNG file, `scale` pixels for each unit of the SVG.
    ///
    /// # Errors
    /// When the picture is too large for memory, or the crate is built without its feature `png`.
    pub fn to_png(&self, theme: Theme, scale: f32) -> Result<Vec<u8>, DrawError> {
        rasterize(&self.to_svg(theme), scale)
    }

    /// The figure as a PDF file of one page.
    ///
    /// # Errors
    /// When the crate is built without its feature `png`.
    pub fn to_pdf(&self, theme: Theme) -> Result<Vec<u8>, DrawError> {
        to_pdf(&self.to_svg(theme))
    }
}

/// Whether figures can be drawn as PNG and PDF: the crate's feature `png`.
pub const DRAWS_PIXELS: bool = cfg!(feature = "png");

/// Series between two axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Stands above the panel; may be empty.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Drawn in this order, later ones above.
    pub series: Vec<Series>,
}

impl Panel {
    /// A panel without series.
    #[must_use]
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Self {
            title: title.into(),
            x,
            y,
            series: Vec::new(),
        }
    }
}

/// Points with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend; a series without a name is not in the legend. Series of the same name
    /// and style in several panels have one entry.
    pub name: String,
    /// Style of the series.
    pub style: Style,
    /// Points of the series.
    pub points: Points,
}

/// The points of a series, in the order in which they are joined. A coordinate that is not a
/// number, or not positive on a logarithmic axis, interrupts the line.
#[derive(Clone, Debug, PartialEq)]
pub enum Points {
    /// (x, y).
    Curve(Vec<(f64, f64)>),
    /// (x, lower y, upper y): a filled band, such as a confidence interval.
    Band(Vec<(f64, f64, f64)>),
    /// Instants: lines across the panel from its lower end to its upper one.
    Instants(Vec<f64>),
}

impl Series {
    /// A line or markers through (x, y).
    #[must_use]
    pub fn curve(name: impl Into<String>, style: Style, points: Vec<(f64, f64)>) -> Self {
        Self {
            name: name.into(),
            style,
            points: Points::Curve(points),
        }
    }

    /// A band between (x, lower y) and (x, upper y), which has no entry in the legend.
    #[must_use]
    pub const fn band(style: Style, points: Vec<(f64, f64, f64)>) -> Self {
        Self {
            name: String::new(),
            style,
            points: Points::Band(points),
        }
    }

    /// Lines across the panel at `times`.
    #[must_use]
    pub fn instants(name: impl Into<String>, style: Style, times: Vec<f64>) -> Self {
        Self {
            name: name.into(),
            style,
            points: Points::Instants(times),
        }
    }

    /// The points of a curve; none of others.
    #[must_use]
    pub fn curve_points(&self) -> &[(f64, f64)] {
        match &self.points {
            Points::Curve(points) => points,
            Points::Band(_) | Points::Instants(_) => &[],
        }
    }

    /// Every (x, y) that has to be in view.
    fn corners(&self) -> Vec<(f64, f64)> {
        match &self.points {
            Points::Curve(points) => points.clone(),
            Points::Band(points) => points
                .iter()
                .flat_map(|&(x, low, high)| [(x, low), (x, high)])
                .collect(),
            Points::Instants(_) => Vec::new(),
        }
    }
}
