//! Figures of results.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use fabricsim::outcome::write_whole;
use fabricsim_cli::FigureError;
use fabricsim_plot::figure::{DrawError, Figure as Drawn, Theme};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::raise;

/// A figure of results, as `fabricsim plot` draws it. Notebooks show it.
#[pyclass(frozen, module = "fabricsim")]
pub(crate) struct Figure {
    figure: Drawn,
}

const fn theme(dark: bool) -> Theme {
    match dark {
        true => Theme::Dark,
        false => Theme::Light,
    }
}

fn refused(error: &DrawError) -> PyErr {
    PyValueError::new_err(format!("{error}; give a smaller scale, or draw an SVG"))
}

impl Figure {
    fn as_png(&self, scale: f32, dark: bool) -> PyResult<Vec<u8>> {
        if !(0.1..=8.0).contains(&scale) {
            let text = format!("scale: {scale} pixels for each unit are not between 0.1 and 8");
            return Err(PyValueError::new_err(text));
        }
        let drawn = self.figure.to_png(theme(dark), scale);
        drawn.map_err(|error| refused(&error))
    }
}

#[pymethods]
impl Figure {
    /// The title.
    #[getter]
    fn title(&self) -> &str {
        &self.figure.title
    }

    /// Notes on how the figure was made.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.figure.notes.clone()
    }

    /// The names of the series, in the order of the panels.
    #[getter]
    fn series(&self) -> Vec<String> {
        let series = self.figure.panels.iter().flat_map(|panel| &panel.series);
        let names = series.map(|series| series.name.clone());
        names.filter(|name| !name.is_empty()).collect()
    }

    /// The figure as an SVG document.
    #[pyo3(signature = (*, dark=false))]
    fn svg(&self, dark: bool) -> String {
        self.figure.to_svg(theme(dark))
    }

    /// The figure as a PNG file, `scale` pixels for each unit of the SVG.
    #[pyo3(signature = (*, scale=2.0, dark=false))]
    fn png<'py>(&self, py: Python<'py>, scale: f32, dark: bool) -> PyResult<Bound<'py, PyBytes>> {
        let drawn = py.detach(|| self.as_png(scale, dark))?;
        Ok(PyBytes::new(py, &drawn))
    }

    /// Writes the figure to a file with the extension .svg, .png or .pdf.
    #[pyo3(signature = (path, *, scale=2.0, dark=false))]
    fn save(&self, py: Python<'_>, path: PathBuf, scale: f32, dark: bool) -> PyResult<()> {
        let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
        let bytes = match ending.as_deref().and_then(|ending| ending.to_str()) {
            Some("svg") => self.figure.to_svg(theme(dark)).into_bytes(),
            Some("png") => py.detach(|| self.as_png(scale, dark))?,
            Some("pdf") => {
                let drawn = self.figure.to_pdf(theme(dark));
                drawn.map_err(|error| refused(&error))?
            }
            _ => {
                let text = "the name of a figure ends in .svg, .png or .pdf";
                return Err(PyValueError::new_err(text));
            }
        };
        let written = write_whole(&path, |file| file.write_all(&bytes));
        written.map_err(|error| raise(py, error, &[]))
    }

    fn _repr_svg_(&self) -> String {
        self.svg(false)
    }

    fn __repr__(&self) -> String {
        format!("<fabricsim.Figure {:?}>", self.figure.title)
    }
}

/// Returns the figure that `fabricsim plot` draws with `arguments`.
#[pyfunction]
pub(crate) fn plot(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<Figure> {
    let drawn = py.detach(|| fabricsim_cli::figure(arguments));
    let figure = drawn.map_err(|error| match error {
        FigureError::Arguments(text) => {
            let text = text.split("\n\nFor more information").next();
            PyValueError::new_err(text.unwrap_or_default().to_owned())
        }
        FigureError::Results(error) => raise(py, error, &[]),
    })?;
    Ok(Figure { figure })
}
