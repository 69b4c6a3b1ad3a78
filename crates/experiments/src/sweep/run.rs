//! Runs the missing points of a sweep.

use std::path::Path;

use fabricsim_engine::{Crew, Threads};
use rayon::prelude::*;

use super::Sweep;
use super::monitor::{Ended, PointOutcome, SweepMonitor, SweepOptions};
use super::point::{Point, points_folder};
use super::record::{PointState, check_folder, stale_folders};
use super::shard::longest_first;
use super::table::write_tables;
use super::workers::Work;
use fabricsim::output::{Existing, remove_stale_lock};
use fabricsim::simulation::Simulation;
use fabricsim::warnings::warnings_before;
use fabricsim_scenario::text::error::Error;

/// Outcome of a run of a sweep.
#[derive(Clone, Debug)]
pub struct SweepOutcome {
    /// Every point of the sweep, in its order.
    pub points: Vec<PointOutcome>,
    /// Folders of points that the sweep no longer has. They are not touched.
    pub stale: Vec<String>,
    /// `true` if the monitor stopped it.
    pub interrupted: bool,
}

impl SweepOutcome {
    /// Returns `true` if every point has results.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.points.iter().all(|point| point.results().is_some())
    }

    /// Returns the number of points that this call has run.
    #[must_use]
    pub fn count_run(&self) -> usize {
        self.count(|ended| matches!(ended, Ended::Ran(_)))
    }

    /// Returns the number of points with a final state that is `wanted`.
    #[must_use]
    pub fn count(&self, wanted: impl Fn(&Ended) -> bool) -> usize {
        self.points
            .iter()
            .filter(|point| wanted(&point.ended))
            .count()
    }
}

/// Runs the points of `sweep` that belong to the shard and have no results in `dir` yet, the
/// largest first, and writes the tables of all points.
///
/// All networks are checked before the first point runs. Several processes can share one folder,
/// preferably each with its own shard: a process waits for points that another one is running.
///
/// # Errors
/// If a point cannot be simulated, or would replace complete results of other settings without
/// permission; nothing has run then. If the folder or a table cannot be written. A failure of a
/// single point is not an error, see [`Ended::Failed`].
pub fn run(
    sweep: &Sweep,
    dir: &Path,
    options: &SweepOptions,
    monitor: &mut dyn SweepMonitor,
) -> Result<SweepOutcome, Error> {
    let points = sweep.points();
    let mine = options.shard.choose(points);
    let mut due: Vec<usize> = Vec::new();
    for at in mine {
        match PointState::of(&points[at], dir) {
            // A process that was killed just after the last file of a point was there has left its
            // lock.
            PointState::Done(_) => remove_stale_lock(&points[at].folder(dir)),
            _ => due.push(at),
        }
    }
    check_folders(points, &due, dir, options.existing)?;
    check(sweep, &due, options.jobs)?;
    let bytes: Vec<f64> = due.iter().map(|&at| points[at].expected().bytes).collect();
    due = longest_first(&bytes)
        .into_iter()
        .map(|order| due[order])
        .collect();
    let folder = points_folder(dir);
    std::fs::create_dir_all(&folder).map_err(|source| Error::Write {
        path: folder,
        source,
    })?;
    let work = Work::new(sweep, dir, options, &due);
    monitor.begins();
    let (ended, interrupted) = work.run(options.jobs, monitor)?;
    let mut fates: Vec<Option<Ended>> = points.iter().map(|_| None).collect();
    for (&at, end) in due.iter().zip(ended) {
        fates[at] = Some(end.unwrap_or(Ended::Stopped));
    }
    let states = write_tables(sweep, dir)?;
    let outcome = |((point, fate), state): ((&Point, Option<Ended>), PointState)| {
        let ended = match (fate, state) {
            (Some(ended), _) => ended,
            (None, PointState::Done(results)) => Ended::Kept(results),
            (None, PointState::Failed(message)) => Ended::Failed(message),
            (None, PointState::Outdated | PointState::Missing) => Ended::Elsewhere,
        };
        PointOutcome::new(point, dir, ended)
    };
    Ok(SweepOutcome {
        points: points.iter().zip(fates).zip(states).map(outcome).collect(),
        stale: stale_folders(sweep, dir),
        interrupted,
    })
}

/// Refuses points, given by index, if their folders have complete results that must be kept.
fn check_folders(
    points: &[Point],
    places: &[usize],
    dir: &Path,
    existing: Existing,
) -> Result<(), Error> {
    let refused = |&at: &usize| check_folder(&points[at], dir, existing).err();
    let mut refusals = places.iter().filter_map(refused);
    match (refusals.next(), refusals.count()) {
        (None, _) => Ok(()),
        (Some(error), 0) => Err(error),
        (Some(error), more) => Err(error.of_more_points(more)),
    }
}

impl Sweep {
    /// Builds the network of every point, `jobs` at a time, without running any. Returns the
    /// warnings about each point, in the order of the points.
    ///
    /// # Errors
    /// If a point cannot be simulated. It is the error of the first such point.
    pub fn check(&self, jobs: usize) -> Result<Vec<Vec<String>>, Error> {
        let all: Vec<usize> = (0..self.points().len()).collect();
        check(self, &all, jobs)
    }
}

/// Builds the networks of the points with the indices `places`, at most `jobs` at a time, and
/// returns the warnings about each.
fn check(sweep: &Sweep, places: &[usize], jobs: usize) -> Result<Vec<Vec<String>>, Error> {
    let check = |&at: &usize| {
        let point = &sweep.points()[at];
        let scenario = point.scenario();
        let built = Simulation::checked(scenario);
        let built = built.and_then(|mut simulation| {
            let warnings = warnings_before(scenario, &simulation);
            if let Some(warm) = sweep.warm_start() {
                simulation.resume(warm.checkpoint())?;
            }
            Ok(warnings)
        });
        built.map_err(|error| error.of_point(point.name()))
    };
    let threads = Threads::start(jobs.min(places.len())).map_err(Error::threads)?;
    let checked: Vec<Result<Vec<String>, Error>> = threads.run(|crew| match crew {
        Crew::Alone => places.iter().map(check).collect(),
        Crew::Pool => places.par_iter().map(check).collect(),
    });
    checked.into_iter().collect()
}
