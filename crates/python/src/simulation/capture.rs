//! The capture of a simulation that a program drives.

use pyo3::prelude::*;

use super::Simulation;
use crate::error::raise;
use crate::session::{Engine, Session};

impl Simulation {
    /// Writes the capture, if there is one. Returns the number of frames in the file.
    pub(super) fn write_capture(
        py: Python<'_>,
        session: &Session,
        engine: &mut Engine,
    ) -> PyResult<Option<u64>> {
        let simulation = &mut engine.simulation;
        // If the run is paused at an event, this simulates the rest of the epoch, and its events
        // are lost.
        let written = py.detach(|| simulation.finish_capture());
        let written = written.map_err(|error| raise(py, error, &[]))?;
        engine.keep_completions();
        Self::after(session, Ok(written.map(|summary| summary.frames)))
    }
}
