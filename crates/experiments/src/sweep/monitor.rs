//! Options of a run of a sweep, its progress, and the outcomes of its points.

use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use fabricsim::output::Existing;

use super::point::Point;
use super::record::PointResults;
use super::shard::Shard;

/// Options of a run of a sweep. They do not change results.
#[derive(Clone, Copy, Debug)]
pub struct SweepOptions {
    /// Points that run at the same time.
    pub jobs: usize,
    /// Threads of each point.
    pub threads: usize,
    /// Points to run.
    pub shard: Shard,
    /// Policy for complete results of other settings in the folder of a point.
    pub existing: Existing,
}

impl Default for SweepOptions {
    /// Returns options for all points, with one point per core and one thread per point.
    fn default() -> Self {
        Self {
            jobs: available_parallelism().map_or(1, std::num::NonZero::get),
            threads: 1,
            shard: Shard::ALL,
            existing: Existing::Keep,
        }
    }
}

/// Progress of a run of a sweep, without points that were done before.
#[derive(Clone, Copy, Debug, Default)]
pub struct SweepProgress {
    /// Payload bytes that the points are expected to deliver.
    pub expected_bytes: f64,
    /// Delivered payload bytes. A finished point counts in full.
    pub done_bytes: f64,
    /// Points to run.
    pub points: usize,
    /// Finished points, including failed ones.
    pub ended: usize,
    /// Failed points.
    pub failed: usize,
    /// Points that are running.
    pub running: usize,
}

impl SweepProgress {
    /// Returns the finished share, from 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        if self.expected_bytes > 0.0 {
            (self.done_bytes / self.expected_bytes).min(1.0)
        } else {
            self.ended as f64 / self.points.max(1) as f64
        }
    }
}

/// Observes a sweep, on the thread that called [`run`](super::run()).
pub trait SweepMonitor {
    /// Called when all networks have been checked, before the first point runs.
    fn begins(&mut self) {}

    /// Called when a point starts.
    fn begun(&mut self, _point: &Point) {}

    /// Called when another process is running a point and the sweep waits for its results.
    fn waiting(&mut self, _point: &Point) {}

    /// Called when a point has ended.
    fn ended(&mut self, _outcome: &PointOutcome) {}

    /// Called with the progress several times a second. Return `false` to stop the sweep; running
    /// points then end without results.
    fn progress(&mut self, _progress: &SweepProgress) -> bool {
        true
    }
}

/// A monitor that does nothing.
impl SweepMonitor for () {}

/// Final state of a point.
#[derive(Clone, Debug)]
pub enum Ended {
    /// Its results already existed.
    Kept(Box<PointResults>),
    /// It has run.
    Ran(Box<PointResults>),
    /// It panicked, or its files could not be written; the message describes the error.
    Failed(String),
    /// The sweep was stopped while it ran, or before.
    Stopped,
    /// It belongs to another part of the sweep, which has not run it yet.
    Elsewhere,
}

/// A point and its final state.
#[derive(Clone, Debug)]
pub struct PointOutcome {
    /// The point's name.
    pub name: String,
    /// The folder of its results.
    pub folder: PathBuf,
    /// Final state of the point.
    pub ended: Ended,
}

impl PointOutcome {
    pub(super) fn new(point: &Point, dir: &Path, ended: Ended) -> Self {
        Self {
            name: point.name().to_owned(),
            folder: point.folder(dir),
            ended,
        }
    }

    /// Returns the results of the point if there are any.
    #[must_use]
    pub fn results(&self) -> Option<&PointResults> {
        match &self.ended {
            Ended::Kept(results) | Ended::Ran(results) => Some(results),
            Ended::Failed(_) | Ended::Stopped | Ended::Elsewhere => None,
        }
    }
}
