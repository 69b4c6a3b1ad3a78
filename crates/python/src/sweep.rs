//! Sweeps.

use std::path::PathBuf;
use std::time::Instant;

use fabricsim_experiments::sweep::{
    Ended, Shard, Sweep, SweepInput, SweepMonitor, SweepOptions, SweepProgress, run,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::{interrupted, raise};
use crate::progress;
use crate::run::{cores, existing};
use crate::scenario::Given;

/// Watches a sweep on the thread of Python, and checks for signals there.
struct Listener {
    begun: Instant,
    callback: Option<Py<PyAny>>,
    error: Option<PyErr>,
}

impl SweepMonitor for Listener {
    fn progress(&mut self, progress: &SweepProgress) -> bool {
        if self.error.is_none() {
            let elapsed = self.begun.elapsed().as_secs_f64();
            let told = progress::SweepProgress::new(progress, elapsed);
            let looked = Python::attach(|py| {
                py.check_signals()?;
                match &self.callback {
                    Some(callback) => callback.call1(py, (told,)).map(drop),
                    None => Ok(()),
                }
            });
            self.error = looked.err();
        }
        self.error.is_none()
    }
}

/// A point: its name, its folder, its outcome and, if it failed, the reason.
type Point = (String, PathBuf, &'static str, Option<String>);

/// Runs the points of a sweep that have no results in the folder `out` yet, `jobs` at a time.
/// Returns the folder, the names of its axes, and its points.
#[pyfunction]
pub(crate) fn sweep(
    py: Python<'_>,
    given: &Given,
    out: Option<PathBuf>,
    jobs: Option<usize>,
    threads: usize,
    force: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<(PathBuf, Vec<String>, Vec<Point>)> {
    if jobs == Some(0) || threads == 0 {
        return Err(PyValueError::new_err("jobs, threads: there is 1 at least"));
    }
    // Errors of the sweep refer to its text, so that stays here while another thread reads it.
    let (source, folder, set) = given.sweep().map_err(|error| raise(py, error, &[]))?;
    let input = SweepInput {
        overrides: set.to_vec(),
        ..SweepInput::default()
    };
    let read = || Sweep::from_text_with(&source.name, &source.text, &folder, &input);
    let sources = [source.clone()];
    let fail = |error| raise(py, error, &sources);
    let sweep = py.detach(read).map_err(fail)?;
    // By default every core has one thread to run.
    let options = SweepOptions {
        jobs: jobs.unwrap_or_else(|| (cores() / threads).max(1)),
        threads,
        shard: Shard::ALL,
        existing: existing(force),
    };
    let mut listener = Listener {
        begun: Instant::now(),
        callback: progress,
        error: None,
    };
    let out = out.unwrap_or_else(|| PathBuf::from("results").join(sweep.name()));
    let outcome = py.detach(|| run(&sweep, &out, &options, &mut listener));
    // An exception of the callback explains an interruption, so it has precedence.
    if let Some(error) = listener.error {
        return Err(error);
    }
    let outcome = outcome.map_err(fail)?;
    if outcome.interrupted {
        return Err(interrupted(py));
    }
    // Python knows the outcomes by their names.
    let points = outcome.points.into_iter().map(|point| {
        let (how, why) = match point.ended {
            Ended::Kept(_) => ("kept", None),
            Ended::Ran(_) => ("ran", None),
            Ended::Failed(why) => ("failed", Some(why)),
            Ended::Stopped => ("stopped", None),
            Ended::Elsewhere => ("missing", None),
        };
        (point.name, point.folder, how, why)
    });
    Ok((out, sweep.axes().to_vec(), points.collect()))
}
