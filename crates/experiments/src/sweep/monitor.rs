//! Options of a run of a sweep, its progress, and the outcomes of its points.

use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use fabricsim::output::Existing;

use super::point::Point;
use super::record::PointResults;
use super::shard::Shard;

/// Options of a run of a sweep. None of them changes a result.
#[derive(Clone, Copy, Debug)]
pub struct SweepOptions {
    /// Points that run at the same time.
    pub jobs: usize,
    /// Threads of each of them.
    pub threads: usize,
    /// Points to run.
    pub shard: Shard,
    /// Policy for complete results of other settings in the folder of a point.
    pub existing: Existing,
}

impl Default for SweepOptions {
    /// A point for each core, each on one thread, and all points.
    fn default() -> Self {
        Self {
            jobs: available_parallelism().map_or(1, std::num::NonZero::get),
            threads: 1,
            shard: Shard::ALL,
            existing: Existing::Keep,
        }
    }
}

/// Progress of a run of a sweep. Points that were done before are not counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct SweepProgress {
    /// Payload bytes that the points are expected to deliver.
    pub expected_bytes: f64,
    /// Payload bytes of them that have been delivered; a point that has ended counts as a whole.
    pub done_bytes: f64,
    /// Points to run.
    pub points: usize,
    /// Points that have ended.
    pub ended: usize,
    /// Points of those that have failed.
    pub failed: usize,
    /// Points that are running.
    pub running: usize,
}

impl SweepProgress {
    /// The share that is done, from 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        if self.expected_bytes > 0.0 {
            (self.done_bytes / self.expected_bytes).min(1.0)
        } else {
            self.ended as f64 / self.points.max(1) as f64
        }
    }
}

/// Watches a sweep, on the thread that called [`run`](super::run()).
pub trait SweepMonitor {
    /// All networks could be built, and points are about to be run.
    fn begins(&mut self) {}

    /// A point begins.
    fn begun(&mut self, _point: &Point) {}

    /// A point is being run by another process, and its results are waited for.
    fn waiting(&mut self, _point: &Point) {}

    /// A point has ended.
    fn ended(&mut self, _outcome: &PointOutcome) {}

    /// Returns how far the sweep is, several times a second; `false` stops it. Points that are
    /// running end without results.
    fn progress(&mut self, _progress: &SweepProgress) -> bool {
        true
    }
}

/// Nobody watches.
impl SweepMonitor for () {}

/// Final state of a point.
#[derive(Clone, Debug)]
pub enum Ended {
    /// Its results were there already.
    Kept(Box<PointResults>),
    /// It has run.
    Ran(Box<PointResults>),
    /// It panicked, or its files could not be written; the message says which.
    Failed(String),
    /// The sweep was stopped while it ran, or before.
    Stopped,
    /// It belongs to another part of the sweep, which has not run it yet.
    Elsewhere,
}

/// A point and how it ended.
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

    /// Its results, when there are any.
    #[must_use]
    pub fn results(&self) -> Option<&PointResults> {
        match &self.ended {
            Ended::Kept(results) | Ended::Ran(results) => Some(results),
            Ended::Failed(_) | Ended::Stopped | Ended::Elsewhere => None,
        }
    }
}
