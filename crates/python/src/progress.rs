//! Progress of a run or a sweep.

use fabricsim::outcome::share_done;
use fabricsim::simulation::Expectation;
use fabricsim::simulation::Progress as RunProgress;
use fabricsim_experiments::sweep;
use pyo3::prelude::*;

/// Progress of a run.
#[pyclass(frozen, get_all, module = "fabricsim")]
#[derive(Clone, Debug)]
pub(crate) struct Progress {
    /// Acknowledged bytes as a share of the expected bytes, 0 to 1.
    share: f64,
    /// Simulated time, in picoseconds.
    now: u64,
    /// Flows that have started.
    started: u64,
    /// Flows that have ended.
    finished: u64,
    /// Packets that have crossed a link.
    packet_hops: u64,
    /// Wall time since the run began, in seconds.
    elapsed: f64,
}

impl Progress {
    pub(crate) fn new(progress: &RunProgress, expected: Expectation, elapsed: f64) -> Self {
        Self {
            share: share_done(progress, expected),
            now: progress.now.as_ps(),
            started: progress.started,
            finished: progress.finished,
            packet_hops: progress.packet_hops,
            elapsed,
        }
    }
}

#[pymethods]
impl Progress {
    fn __str__(&self) -> String {
        format!(
            "{:.0}% after {:.0} s, {:.3} ms simulated, {} of {} started flows done",
            self.share * 100.0,
            self.elapsed,
            self.now as f64 / 1e9,
            self.finished,
            self.started
        )
    }

    fn __repr__(&self) -> String {
        format!("<fabricsim.Progress: {}>", self.__str__())
    }
}

/// Progress of a sweep.
#[pyclass(frozen, get_all, module = "fabricsim")]
#[derive(Clone, Debug)]
pub(crate) struct SweepProgress {
    /// Acknowledged bytes as a share of the expected bytes, 0 to 1.
    share: f64,
    /// Points to run, without the points that already had results.
    points: usize,
    /// Points that have ended.
    ended: usize,
    /// Points that have failed.
    failed: usize,
    /// Points that are running.
    running: usize,
    /// Wall time since the sweep began, in seconds.
    elapsed: f64,
}

impl SweepProgress {
    pub(crate) fn new(progress: &sweep::SweepProgress, elapsed: f64) -> Self {
        Self {
            share: progress.share(),
            points: progress.points,
            ended: progress.ended,
            failed: progress.failed,
            running: progress.running,
            elapsed,
        }
    }
}

#[pymethods]
impl SweepProgress {
    fn __str__(&self) -> String {
        format!(
            "{:.0}% after {:.0} s, {} of {} points done, {} running",
            self.share * 100.0,
            self.elapsed,
            self.ended,
            self.points,
            self.running
        )
    }

    fn __repr__(&self) -> String {
        format!("<fabricsim.SweepProgress: {}>", self.__str__())
    }
}
