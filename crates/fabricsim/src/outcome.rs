//! Runs a scenario and writes a folder of results.

mod checkpoints;
mod cpu_clock;
pub(crate) mod jobs;
mod parts;
mod place;
mod published;
mod recorder;
pub(crate) mod rpc;
pub(crate) mod serving;
mod stragglers;
mod summed;
mod tables;
mod topology;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::time::Instant;

use fabricsim_base::ranks::Ranks;
use fabricsim_base::units::Time;
use fabricsim_core::network::{Progress, RunCallback, Stop};
use fabricsim_engine::Interrupt;
use fabricsim_topology::Routes;
use serde::Serialize;

use crate::capture::Capture;
use crate::checkpoint::Checkpoint;
use crate::output::{Destination, Ending, Origin, RUN, ResultFolder, cannot_write};
use crate::query_files::write_query_results;
use crate::simulation::{Expectation, Simulation};
use crate::summary::{Measured, summarize};
use checkpoints::Checkpoints;
pub use checkpoints::{TakenCheckpoint, WantedCheckpoint};
use cpu_clock::CpuClock;
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::text::error::Error;
pub use jobs::JobSummary;
use jobs::write_job_results;
pub use parts::{RunParts, run_in_parts_to_folder};
use parts::{begin_observation, run_in_parts};
pub use place::ResultPlace;
use recorder::Recorder;
pub use rpc::RpcSummary;
use rpc::write_rpc_results;
use serving::write_serving_results;
pub use serving::{ServingSummary, ServingTimes};
pub use stragglers::RankTimes;
use tables::write_tables;

use crate::ranks::usage;
use crate::utilization::ExpectedUtilization;
use crate::warnings::early_warnings;

pub use crate::capture::CaptureSummary;
pub use crate::output::{Existing, write_whole};
pub use crate::summary::{Status, Summary};

const FCT: &str = "fct.csv";
const SUMMARY: &str = "summary.json";
const QUEUE_STATS: &str = "queue_stats.csv";
const PAUSES: &str = "pauses.csv";

/// Watches a run from outside, every few hundred windows.
pub trait Monitor: Send {
    /// Reports the progress of the run. Return `false` to stop it.
    fn progress(&mut self, progress: &Progress, expected: Expectation) -> bool;

    /// Receives a warning before the run begins, with a suggested fix.
    fn warns(&mut self, _warning: &str) {}

    /// Called after the network has been built, when the run begins: from now on there are results
    /// to keep.
    fn begins(&mut self) {}

    /// Returns the handle by which another thread can end the run immediately.
    fn interrupt(&self) -> Interrupt {
        Interrupt::default()
    }
}

/// A monitor that ignores everything.
impl Monitor for () {
    fn progress(&mut self, _progress: &Progress, _expected: Expectation) -> bool {
        true
    }
}

/// Runs `scenario` on `threads` threads and writes `fct.csv` and `summary.json` into `destination`.
/// The folder is created for the first result, and locked during the run. Files receive their names
/// together after all are complete, and only then are the files of an earlier run removed. An
/// interrupted run leaves `fct.partial.csv` and `summary.partial.json` next to them.
///
/// # Errors
/// Fails if the folder has complete results of another scenario that must be kept, if another
/// process is writing to it, if the scenario cannot be simulated, or if a file cannot be written.
pub fn run_to_folder<'a>(
    scenario: &Scenario,
    destination: impl Into<Destination<'a>>,
    threads: usize,
    monitor: &mut dyn Monitor,
) -> Result<Summary, Error> {
    run_in_parts_to_folder(scenario, destination, threads, monitor, RunParts::default())
}

/// A simulation that has not begun.
pub struct Run<'s> {
    scenario: &'s Scenario,
    threads: usize,
    ranks: Option<Arc<dyn Ranks>>,
    simulation: Simulation,
    /// Expected loads and routes of the intact network.
    utilization: ExpectedUtilization,
    routes: Routes,
    from: Option<&'s Checkpoint>,
    checkpoints: Checkpoints,
}

/// A run after its end: all its files except the summary are in the folder.
pub struct Ran {
    /// The summary, which has not been written yet.
    pub summary: Summary,
    /// Says if the run completed or was interrupted; the names of the files depend on it.
    pub ending: Ending,
}

impl Ran {
    /// Writes the summary into `folder`, as the last file.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn summarize(&mut self, folder: &mut ResultFolder) -> Result<(), Error> {
        let name = self.ending.name(SUMMARY);
        let mut files: Vec<String> = folder.names().map(str::to_owned).collect();
        files.push(name.clone());
        self.summary.files = files;
        write_json(folder, name, &self.summary)
    }

    /// Writes the summary and gives all files their names.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn finish(mut self, mut folder: ResultFolder) -> Result<Summary, Error> {
        self.summarize(&mut folder)?;
        let seal = self.ending.name(SUMMARY);
        folder.commit(&RUN, self.ending, &[&seal])?;
        Ok(self.summary)
    }

    /// Like [`finish`](Self::finish), with one more file after the summary if the run completed.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn finish_with(
        mut self,
        mut folder: ResultFolder,
        last: &str,
        write: impl FnOnce(&Summary, &mut File) -> io::Result<()>,
    ) -> Result<Summary, Error> {
        if self.ending == Ending::Interrupted {
            return self.finish(folder);
        }
        self.summarize(&mut folder)?;
        folder.write(last.to_owned(), |file| write(&self.summary, file))?;
        folder.commit(&RUN, self.ending, &[SUMMARY, last])?;
        Ok(self.summary)
    }
}

impl<'s> Run<'s> {
    /// Builds the network of `scenario`.
    ///
    /// # Errors
    /// Fails if the scenario cannot be simulated.
    pub fn new(scenario: &'s Scenario, threads: usize) -> Result<Self, Error> {
        Self::on_ranks(scenario, threads, None)
    }

    /// Like [`new`](Self::new), together with other ranks, which do the same with their run.
    ///
    /// # Errors
    /// Fails like [`new`](Self::new).
    pub fn on_ranks(
        scenario: &'s Scenario,
        threads: usize,
        ranks: Option<Arc<dyn Ranks>>,
    ) -> Result<Self, Error> {
        let simulation = Simulation::on_ranks(scenario, threads, ranks.clone())?;
        Ok(Self {
            scenario,
            threads,
            ranks,
            utilization: ExpectedUtilization::of(scenario, &simulation),
            routes: simulation.routes().clone(),
            simulation,
            from: None,
            checkpoints: Checkpoints::default(),
        })
    }

    /// Runs to the end and writes all files except the summary.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn run_with_monitor(
        self,
        folder: &mut ResultFolder,
        origin: &Origin,
        monitor: &mut dyn Monitor,
    ) -> Result<Ran, Error> {
        self.run_by(folder, origin, monitor, Simulation::run_with_callback)
    }

    /// Like [`run_with_monitor`](Self::run_with_monitor), but advances the simulation with `run`.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn run_by(
        self,
        folder: &mut ResultFolder,
        origin: &Origin,
        monitor: &mut dyn Monitor,
        run: impl FnMut(&mut Simulation, Time, &mut dyn RunCallback) -> Stop,
    ) -> Result<Ran, Error> {
        let Self {
            scenario,
            threads,
            ranks,
            mut simulation,
            utilization,
            routes,
            from,
            mut checkpoints,
        } = self;
        // A user who sees the warnings now can stop the run before it takes time.
        early_warnings(&simulation, &utilization, |warning| monitor.warns(warning));
        monitor.begins();
        let fct_path = folder.dir().join(FCT);
        let (mut recorder, temporary) = Recorder::new(scenario, &simulation, folder, monitor)?;
        let (wall, cpu) = (Instant::now(), CpuClock::start(threads));
        let until = (scenario.run().stop_at).map_or(Time::MAX, |after| Time::ZERO + after);
        let mut observation = begin_observation(scenario, folder, from, &mut recorder)?;
        // A place that cannot be written must not become known only after a long run.
        checkpoints.check_places()?;
        let capture = Capture::begin(&mut simulation, folder.dir())?;
        let hops_before = simulation.counters().packet_hops;
        let stop = run_in_parts(
            &mut simulation,
            until,
            &mut recorder,
            ranks.as_deref(),
            (observation.as_mut(), &mut checkpoints),
            run,
        )?;
        // The clocks stop before results are written, which is not part of the run's time.
        let (wall, cpu) = (wall.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
        simulation.gather()?;
        let (cpu, ranks) = usage(ranks.as_deref(), cpu);
        if let Some(source) = recorder.failure {
            return Err(cannot_write(fct_path)(source));
        }
        let (_, mut sum) = recorder.writer.finish().map_err(cannot_write(fct_path))?;
        let status = status_of(stop);
        let ending = ending_of(status);
        folder.add(ending.name(FCT), temporary);
        if let Some(published) = recorder.published {
            published.finish(folder, ending)?;
        }
        let observed =
            observation.map(|own| own.finish(&mut simulation, &recorder.records, folder, ending));
        let captured = capture.map(|own| own.finish(&mut simulation, folder, ending));
        let queries = write_query_results(folder, ending, &simulation, scenario.queries())?;
        write_tables(scenario, &simulation, folder, ending)?;
        let rpc = write_rpc_results(scenario, &simulation, routes, &mut sum, (folder, status))?;
        let serving = write_serving_results(&simulation, &mut sum, (folder, status))?;
        let jobs = write_job_results(&simulation, &mut sum, (folder, status))?;
        // The checksum includes results that are in no file of flows, so it is final only here.
        let end = Measured {
            hops_before,
            status,
            overload: overload_of(stop),
            checksum: simulation.with_downloads(sum).to_string(),
            threads,
            ranks,
            wall,
            cpu,
            utilization,
        };
        let summary = Summary {
            scenario_checksum: origin.checksum().to_owned(),
            scenario: origin.settings().clone(),
            missed_checkpoints: checkpoints.left().map(|wanted| wanted.at).collect(),
            checkpoints: checkpoints.taken,
            observed: observed.transpose()?.unwrap_or_default(),
            captured: captured.transpose()?,
            query_files: queries.iter().map(|query| query.file.clone()).collect(),
            queries,
            rpc,
            serving,
            jobs,
            plan: (simulation.queries()).map(|queries| queries.plan().summary(queries.names())),
            ..summarize(scenario, &simulation, &recorder.records, &end)
        };
        Ok(Ran { summary, ending })
    }
}

fn overload_of(stop: Stop) -> Option<String> {
    match stop {
        Stop::Overloaded(overload) => Some(overload.to_string()),
        _ => None,
    }
}

const fn status_of(stop: Stop) -> Status {
    match stop {
        Stop::Finished => Status::Finished,
        Stop::TimeReached => Status::TimeReached,
        Stop::Stalled => Status::Stalled,
        Stop::Deadlocked => Status::Deadlocked,
        Stop::Horizon => Status::BeyondHorizon,
        Stop::Overloaded(_) => Status::Overloaded,
        Stop::Interrupted => Status::Interrupted,
    }
}

const fn ending_of(status: Status) -> Ending {
    match status {
        Status::Interrupted => Ending::Interrupted,
        _ => Ending::Whole,
    }
}

/// Writes `value` as the JSON file `name` into `folder`.
///
/// # Errors
/// Fails if it cannot be written.
pub fn write_json(
    folder: &mut ResultFolder,
    name: String,
    value: &impl Serialize,
) -> Result<(), Error> {
    folder.write(name, |file| {
        let mut buffered = BufWriter::new(file);
        serde_json::to_writer_pretty(&mut buffered, value)?;
        buffered.flush()
    })
}

/// Returns the share of a run that is done, by acknowledged bytes, from 0 to 1.
#[must_use]
pub fn share_done(progress: &Progress, expected: Expectation) -> f64 {
    if expected.bytes > 0.0 {
        (progress.acknowledged.as_f64() / expected.bytes).min(1.0)
    } else {
        0.0
    }
}
