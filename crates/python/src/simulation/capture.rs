//! The capture of a simulation that a program drives.

use pyo3::prelude::*;

use super::Simulation;
use crate::error::raise;
use crate::session::{Engine, Session};

impl Simulation {
    /// Writes the capture, if there is one. Returns how many frames the file has.
    pub(super) fn write_capture(
        py: Python<'_>,
        session: &Session,
        engine: &mut Engine,
    ) -> PyResult<Option<u64>> {
        let simulation = &mut engine.simulation;
        // Where the run stands at an event, what is left of the epoch is simulated, and nobody hears
        // of it.
        let written = py.detach(|| simulation.finish_capture());
        let written = written.map_err(|error| raise(py, error, &[]))?;
        engine.keep_completions();
        Self::after(session, Ok(written.map(|summary| summary.frames)))
    }
}
