//! Iteration over events.

use fabricsim::prelude::Time;
use pyo3::prelude::*;

use super::Simulation;
use crate::event::Event;
use crate::quantity::time_or_end;

/// The events of a simulation, one after the other.
#[pyclass(module = "fabricsim._native")]
pub(crate) struct Events {
    simulation: Py<Simulation>,
    until: Time,
}

#[pymethods]
impl Events {
    #[new]
    #[pyo3(signature = (simulation, until=None))]
    fn new(simulation: Py<Simulation>, until: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let until = time_or_end("until", until)?;
        Ok(Self { simulation, until })
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Event>> {
        let simulation = self.simulation.get();
        Ok(simulation.next_event(py, self.until)?.ok())
    }
}
