//! The results of `fabricsim check`.

use fabricsim::simulation::Interrupt;
use pyo3::prelude::*;

use crate::error::raise;
use crate::scenario::{Given, Traffic};

/// Checks a scenario. Returns the output of `fabricsim check --json`, and warnings.
#[pyfunction]
pub(crate) fn check(py: Python<'_>, given: &Given) -> PyResult<(String, Vec<String>)> {
    let loaded = given.load(py, Traffic::OfProgram, &Interrupt::default())?;
    let scenario = &loaded.scenario;
    let facts = py.detach(|| fabricsim_cli::facts(scenario));
    let facts = facts.map_err(|error| raise(py, error, &loaded.sources))?;
    let warning = facts["warning"].as_str().map(str::to_owned);
    let warnings = facts["warnings"].as_array().into_iter().flatten();
    let warnings = warnings.filter_map(|text| text.as_str().map(str::to_owned));
    let notes = loaded.notes.into_iter().chain(loaded.notes_on_traffic);
    let warnings = warning.into_iter().chain(warnings).chain(notes);
    Ok((facts.to_string(), warnings.collect()))
}
