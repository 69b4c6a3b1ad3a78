//! Runs of whole scenarios into folders of results.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread::available_parallelism;
use std::time::Instant;

use fabricsim::Error;
use fabricsim::outcome::{Monitor, Status, run_to_folder};
use fabricsim::output::{Destination, Ending, Existing, RUN, ResultFolder};
use fabricsim::simulation::{Expectation, Interrupt, Progress as RunProgress};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde_json::Value;

use crate::attend::attended;
use crate::error::{exception, interrupted, raise};
use crate::progress::Progress;
use crate::scenario::{Given, Traffic};

const SUMMARY: &str = "summary.json";

/// Watches a run and passes its progress to the thread of Python.
struct Teller<'a> {
    begun: Instant,
    latest: &'a Mutex<Option<Progress>>,
    stop: &'a Interrupt,
}

impl Monitor for Teller<'_> {
    fn progress(&mut self, progress: &RunProgress, expected: Expectation) -> bool {
        let elapsed = self.begun.elapsed().as_secs_f64();
        let told = Progress::new(progress, expected, elapsed);
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(told);
        !self.stop.is_raised()
    }

    fn interrupt(&self) -> Interrupt {
        self.stop.clone()
    }
}

pub(crate) const fn existing(force: bool) -> Existing {
    match force {
        true => Existing::Replace,
        false => Existing::Keep,
    }
}

/// Returns the number of cores.
pub(crate) fn cores() -> usize {
    available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Runs a scenario to its end and writes its results into the folder `out`. Calls `progress` at
/// intervals. Returns the notes on the scenario.
#[pyfunction]
pub(crate) fn run(
    py: Python<'_>,
    given: &Given,
    out: PathBuf,
    threads: Option<usize>,
    force: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<String>> {
    let stop = Interrupt::default();
    let loaded = given.load(py, Traffic::OfWorkloads, &stop)?;
    let threads = loaded.threads(threads, cores())?;
    let latest = Mutex::new(None);
    let mut teller = Teller {
        begun: Instant::now(),
        latest: &latest,
        stop: &stop,
    };
    let tick = |py: Python<'_>| {
        let news = latest.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (news, &progress) {
            (Some(news), Some(callback)) => callback.call1(py, (news,)).map(drop),
            _ => Ok(()),
        }
    };
    let work = || {
        let destination = Destination::new(&out, existing(force));
        run_to_folder(&loaded.scenario, destination, threads, &mut teller)
    };
    let ran = attended(py, &stop, tick, work);
    if let Some(error) = loaded.failure.as_ref().and_then(|failure| failure.take()) {
        return Err(error);
    }
    let summary = ran?.map_err(|error| raise(py, error, &loaded.sources))?;
    match summary.status {
        Status::Interrupted => Err(interrupted(py)),
        _ => Ok([loaded.notes, loaded.notes_on_traffic].concat()),
    }
}

/// Copies the results in the folder `from` to `to`. Fails if that would overwrite results of
/// another scenario, unless `force` is set.
#[pyfunction]
pub(crate) fn copy_results(
    py: Python<'_>,
    from: PathBuf,
    to: PathBuf,
    force: bool,
) -> PyResult<()> {
    let summary = read_summary(&from)?;
    let names: Vec<&str> = match summary.get("files").and_then(Value::as_array) {
        Some(names) => names.iter().filter_map(Value::as_str).collect(),
        None => Vec::new(),
    };
    if !names.contains(&SUMMARY) {
        let text = format!("{} has no results of a whole run", from.display());
        return Err(PyRuntimeError::new_err(text));
    }
    if !force && let Some(problem) = refusal(&summary, &names, &to) {
        let help = "write elsewhere, or let these results replace those with force=True";
        let text = format!("{}: {problem}\n  help: {help}", to.display());
        return Err(exception(py, "ResultsError", (text,)));
    }
    let copy = || -> Result<(), Error> {
        let mut folder = ResultFolder::open(&to)?;
        for name in &names {
            let content = fs::read(from.join(name)).map_err(|source| Error::Write {
                path: to.join(name),
                source,
            })?;
            folder.write((*name).to_owned(), |file| file.write_all(&content))?;
        }
        folder.commit(&RUN, Ending::Whole, &[SUMMARY])
    };
    py.detach(copy).map_err(|error| raise(py, error, &[]))
}

fn read_summary(folder: &Path) -> io::Result<Value> {
    let text = fs::read(folder.join(SUMMARY))?;
    Ok(serde_json::from_slice(&text)?)
}

/// Returns the reason if the files `names` of the run of `summary` must not be written into
/// `folder`.
fn refusal(summary: &Value, names: &[&str], folder: &Path) -> Option<String> {
    let there = match read_summary(folder).map_err(|error| (error.kind(), error)) {
        Ok(there) => there,
        Err((io::ErrorKind::NotFound, _)) => Value::Null,
        Err((io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof, _)) => {
            return Some(format!("it has a {SUMMARY} that is not of fabricsim"));
        }
        Err((_, error)) => return Some(error.to_string()),
    };
    let key = "scenario_checksum";
    if !there.is_null() && there.get(key) != summary.get(key) {
        return Some("it has other results".to_owned());
    }
    let known = there.get("files").and_then(Value::as_array);
    let is_known = |name: &&str| {
        let mut known = known.into_iter().flatten();
        known.any(|own| own.as_str() == Some(*name))
    };
    let foreign = names
        .iter()
        .find(|name| folder.join(name).exists() && !is_known(name));
    foreign.map(|name| format!("it has a file {name} that its {SUMMARY} does not list"))
}
