//! Choice of the folder for the results of a run, with a check that they may be written there.

use std::any::Any;

use super::jobs::COLLECTIVES;
use super::published::FCT_TXT;
use super::rpc::RPC;
use super::serving::REQUESTS;
use super::topology::TOPOLOGY;
use super::{FCT, PAUSES, QUEUE_STATS};
use crate::buffers::BUFFERS;
use crate::capture::CAPTURE;
use crate::checkpoint::Checkpoint;
use crate::identity::{input_files, origin_of, origin_of_branch};
use crate::observe;
use crate::output::{Destination, Origin, RUN, ResultFolder, Unclaimed, refuse_input};
use crate::query_files;
use fabricsim_base::id::ClassId;
use fabricsim_core::plugin::Application;
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::text::error::Error;
use fabricsim_workload::{RankApplication, RpcClient, ServingRank};

/// The destination of a run's results, and everything that determines these results.
pub struct ResultPlace<'a> {
    destination: Destination<'a>,
    origin: Origin,
    files: Vec<String>,
}

impl<'a> ResultPlace<'a> {
    /// Checks that the folder has no results that must be kept. `more` are files in addition to the
    /// files of every run.
    ///
    /// # Errors
    /// Fails if the folder has complete results of another scenario that must be kept.
    pub fn new(
        scenario: &Scenario,
        destination: Destination<'a>,
        more: &[&str],
    ) -> Result<Self, Error> {
        let mut files = planned_files(scenario);
        files.extend(more.iter().map(|name| (*name).to_owned()));
        let place = Self {
            destination,
            origin: origin_of(scenario)?,
            files,
        };
        place.keep_inputs(scenario)?;
        place.check()?;
        Ok(place)
    }

    /// Like [`Self::new`], for a run of `scenario` that continues from `checkpoint`.
    ///
    /// # Errors
    /// Fails like [`Self::new`], and if a change contradicts the past of the run.
    pub fn of_branch(
        scenario: &Scenario,
        destination: Destination<'a>,
        checkpoint: &Checkpoint,
    ) -> Result<Self, Error> {
        let place = Self {
            destination,
            origin: origin_of_branch(scenario, checkpoint)?,
            files: planned_files(scenario),
        };
        place.keep_inputs(scenario)?;
        place.check()?;
        Ok(place)
    }

    /// Returns everything that determines the results.
    #[must_use]
    pub const fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Rejects results that would overwrite a file that `scenario` names, even if earlier results
    /// may be replaced.
    fn keep_inputs(&self, scenario: &Scenario) -> Result<(), Error> {
        let inputs = input_files(scenario);
        let mut files = self
            .files
            .iter()
            .map(|name| self.destination.dir.join(name));
        files.try_for_each(|file| refuse_input(&file, &inputs))
    }

    fn check(&self) -> Result<(), Error> {
        let unclaimed = Unclaimed::Foreign;
        self.origin
            .check(self.destination, &RUN, &self.files, unclaimed)
    }

    /// Opens the folder, after checking again that it has no other results.
    ///
    /// # Errors
    /// Fails if it has other results by now, or if another process is writing to it.
    pub fn open(&self) -> Result<ResultFolder, Error> {
        let folder = ResultFolder::open(self.destination.dir)?;
        self.check()?;
        Ok(folder)
    }
}

/// Returns the applications of all workloads of `scenario`.
fn applications(scenario: &Scenario) -> Vec<Box<dyn Application>> {
    let workloads = scenario.workloads().iter().enumerate();
    let applications = workloads.flat_map(|(index, workload)| {
        let context = scenario.workload_context(index);
        let found = workload.applications(&context, ClassId(0));
        found.unwrap_or_default()
    });
    applications.map(|(_, application)| application).collect()
}

/// Returns `true` if one of `applications` is an `A`.
fn has<A: Application>(applications: &[Box<dyn Application>]) -> bool {
    applications.iter().any(|application| {
        let any: &dyn Any = &**application;
        any.is::<A>()
    })
}

/// Returns the names of the files that a run of `scenario` writes in addition to its summary.
fn planned_files(scenario: &Scenario) -> Vec<String> {
    let disciplines = scenario.has_tcp().then_some(QUEUE_STATS);
    let pauses = scenario.output().pauses.then_some(PAUSES);
    let series = scenario.observe().into_iter().flat_map(observe::file_names);
    let query_files = scenario
        .queries()
        .into_iter()
        .flat_map(query_files::file_names);
    let has_switches = scenario.topology().forwarders().next().is_some();
    let applications = applications(scenario);
    let rpc = has::<RpcClient>(&applications).then_some(RPC);
    let collectives = has::<RankApplication>(&applications).then_some(COLLECTIVES);
    let serving = has::<ServingRank>(&applications).then_some(REQUESTS);
    let capture = scenario.capture().map(|_| CAPTURE);
    let published = scenario.output().fct_txt.then_some(FCT_TXT);
    [
        Some(FCT),
        published,
        Some(TOPOLOGY),
        has_switches.then_some(BUFFERS),
        disciplines,
        pauses,
        rpc,
        serving,
        collectives,
        capture,
    ]
    .into_iter()
    .flatten()
    .map(str::to_owned)
    .chain(series)
    .chain(query_files)
    .collect()
}
