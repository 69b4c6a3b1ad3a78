//! Figures: data first, then a picture.
//!
//! A [`Figure`] holds panels; a [`Panel`] holds two axes and the series between them.
//! [`Figure::to_svg`] draws a figure, as do [`Figure::to_png`] and [`Figure::to_pdf`] if the
//! feature `png` is enabled; all three follow a [`Theme`]. [`slowdown_figure`],
//! [`relative_figure`], [`cdf_figure`], [`time_figure`] and [`queue_figure`] build figures from
//! results.
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
mod data_table;
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
mod scheme_colors;
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
pub use sweep::{SweepPanel, numeric_values, sweep_figure};
pub use theme::Theme;
pub use ticks::quantity;
pub use time_lines::{FlowWords, Selection, TimeLine, read_time_lines};
pub use time_series::{TimeRun, TimeView, ValueScale, time_figure};

/// A picture of one or more panels with one legend below them.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Printed above the panels; may be empty.
    pub title: String,
    /// Panels, row by row.
    pub panels: Vec<Panel>,
    /// Panels in a row; zero chooses by the number of panels (three at most).
    pub columns: usize,
    /// Notes on how the figure was made, printed below the legend.
    pub notes: Vec<String>,
    /// Width and height of the picture in 96ths of an inch; `None` chooses by the number of panels.
    pub size: Option<(f64, f64)>,
}

impl Figure {
    /// Creates a figure without panels.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            panels: Vec::new(),
            columns: 0,
            notes: Vec::new(),
            size: None,
        }
    }

    /// Returns `true` if no panel has a series with a point.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let mut series = self.panels.iter().flat_map(|panel| &panel.series);
        !series.any(|series| match &series.points {
            Points::Curve(points) => !points.is_empty(),
            Points::Band(points) | Points::Bars(points) => !points.is_empty(),
            Points::Instants(_) => false,
        })
    }

    /// Returns `true` if the figure's parts fit into its size, or it has none.
    #[must_use]
    pub fn fits(&self, theme: Theme) -> bool {
        let layout = layout::Layout::new(self, theme);
        let [width, height] = [layout.width, layout.height].map(|length| length * theme.unit());
        self.size
            .is_none_or(|size| width <= size.0 + 2.0 && height <= size.1 + 2.0)
    }

    /// Returns the data of the figure as CSV: a row for each point.
    ///
    /// The columns are `panel` if there are several, `series`, the horizontal axis, and each vertical
    /// axis, with the ends of its intervals (`_low`, `_high`) if there are any. The names of columns
    /// are the labels of the axes with their units, and sizes of flows have a column if the
    /// horizontal axis has shares of flows. Cells without a value are empty.
    #[must_use]
    pub fn to_csv(&self) -> String {
        data_table::csv(self)
    }

    /// Draws the figure as an SVG document.
    #[must_use]
    pub fn to_svg(&self, theme: Theme) -> String {
        svg::render(self, theme)
    }

    /// Draws the figure as a PNG file with `scale` pixels for each unit of the SVG.
    ///
    /// # Errors
    /// Fails if the picture is too large for memory, or the crate is built without its feature
    /// `png`.
    pub fn to_png(&self, theme: Theme, scale: f32) -> Result<Vec<u8>, DrawError> {
        rasterize(&self.to_svg(theme), scale)
    }

    /// Draws the figure as a PDF file of one page.
    ///
    /// # Errors
    /// Fails if the crate is built without its feature `png`.
    pub fn to_pdf(&self, theme: Theme) -> Result<Vec<u8>, DrawError> {
        to_pdf(&self.to_svg(theme))
    }
}

/// `true` if figures can be drawn as PNG and PDF: the crate's feature `png`.
pub const DRAWS_PIXELS: bool = cfg!(feature = "png");

/// Series between two axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Printed above the panel; may be empty.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Drawn in this order, so that a later series covers an earlier one.
    pub series: Vec<Series>,
}

impl Panel {
    /// Creates a panel without series.
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
    /// Name in the legend. A series without a name has no entry there; series of the same name and
    /// style in several panels share one.
    pub name: String,
    /// Style of the series.
    pub style: Style,
    /// Points of the series.
    pub points: Points,
    /// The largest size of flows at each point, in bytes, if x is a share of flows; otherwise empty.
    pub sizes: Vec<f64>,
}

/// Points of a series, in the order in which the line joins them. A coordinate interrupts the line
/// if it is not a number, or if it is not positive on a logarithmic axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Points {
    /// (x, y).
    Curve(Vec<(f64, f64)>),
    /// (x, lower y, upper y): a filled band, such as a confidence interval.
    Band(Vec<(f64, f64, f64)>),
    /// (x, lower y, upper y): error bars, such as confidence intervals of single points.
    Bars(Vec<(f64, f64, f64)>),
    /// Instants: vertical lines across the panel.
    Instants(Vec<f64>),
}

impl Series {
    /// Creates a line through the points (x, y), or markers at them, depending on `style`.
    #[must_use]
    pub fn curve(name: impl Into<String>, style: Style, points: Vec<(f64, f64)>) -> Self {
        Self {
            name: name.into(),
            style,
            points: Points::Curve(points),
            sizes: Vec::new(),
        }
    }

    /// Creates a band between (x, lower y) and (x, upper y), without an entry in the legend.
    #[must_use]
    pub const fn band(style: Style, points: Vec<(f64, f64, f64)>) -> Self {
        Self {
            name: String::new(),
            style,
            points: Points::Band(points),
            sizes: Vec::new(),
        }
    }

    /// Creates error bars between (x, lower y) and (x, upper y), without an entry in the legend.
    #[must_use]
    pub const fn bars(style: Style, points: Vec<(f64, f64, f64)>) -> Self {
        Self {
            name: String::new(),
            style,
            points: Points::Bars(points),
            sizes: Vec::new(),
        }
    }

    /// Creates vertical lines across the panel at `times`.
    #[must_use]
    pub fn instants(name: impl Into<String>, style: Style, times: Vec<f64>) -> Self {
        Self {
            name: name.into(),
            style,
            points: Points::Instants(times),
            sizes: Vec::new(),
        }
    }

    /// Sets the largest size of flows at each point.
    #[must_use]
    pub fn with_sizes(mut self, sizes: Vec<f64>) -> Self {
        self.sizes = sizes;
        self
    }

    /// Returns the points of a curve; empty if the series is not a curve.
    #[must_use]
    pub fn curve_points(&self) -> &[(f64, f64)] {
        match &self.points {
            Points::Curve(points) => points,
            Points::Band(_) | Points::Bars(_) | Points::Instants(_) => &[],
        }
    }

    /// Returns every (x, y) that the axes must show.
    fn corners(&self) -> Vec<(f64, f64)> {
        match &self.points {
            Points::Curve(points) => points.clone(),
            Points::Band(points) | Points::Bars(points) => points
                .iter()
                .flat_map(|&(x, low, high)| [(x, low), (x, high)])
                .collect(),
            Points::Instants(_) => Vec::new(),
        }
    }
}
