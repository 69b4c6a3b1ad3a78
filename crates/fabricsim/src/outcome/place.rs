//! Where the results of a run go, if they may.

use super::{DISCIPLINES, FCT, PARALLELISM, PARALLELISM_NODES, PAUSES};
use crate::error::Error;
use crate::observe;
use crate::output::{Destination, Origin, RUN, ResultFolder, Unclaimed};
use crate::scenario::Scenario;

/// What a run writes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Extent {
    Results,
    WithProfile,
}

/// Where a run writes, and what its results are of.
pub(super) struct Place<'a> {
    destination: Destination<'a>,
    pub(super) origin: Origin,
    files: Vec<String>,
}

impl<'a> Place<'a> {
    /// Refuses a folder whose results are to be kept.
    pub(super) fn new(
        scenario: &Scenario,
        destination: Destination<'a>,
        extent: Extent,
    ) -> Result<Self, Error> {
        let mut files = planned_files(scenario);
        if extent == Extent::WithProfile {
            files.extend([PARALLELISM, PARALLELISM_NODES].map(str::to_owned));
        }
        let place = Self {
            destination,
            origin: scenario.origin()?,
            files,
        };
        place.check()?;
        Ok(place)
    }

    fn check(&self) -> Result<(), Error> {
        let unclaimed = Unclaimed::Foreign;
        self.origin
            .check(self.destination, &RUN, &self.files, unclaimed)
    }

    /// Opens the folder, if nobody has put other results there since.
    pub(super) fn open(&self) -> Result<ResultFolder, Error> {
        let folder = ResultFolder::open(self.destination.dir)?;
        self.check()?;
        Ok(folder)
    }
}

/// The files that a run of `scenario` writes beside its summary.
fn planned_files(scenario: &Scenario) -> Vec<String> {
    let disciplines = scenario.has_tcp().then_some(DISCIPLINES);
    let pauses = scenario.output.pauses.then_some(PAUSES);
    let series = scenario.observe.iter().flat_map(observe::file_names);
    let answers = scenario
        .queries
        .iter()
        .flat_map(|queries| queries.file_names());
    [Some(FCT), disciplines, pauses]
        .into_iter()
        .flatten()
        .map(str::to_owned)
        .chain(series)
        .chain(answers)
        .collect()
}
