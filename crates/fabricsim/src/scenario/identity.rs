//! What decides whether results that are there are those of a scenario.

use std::path::{Path, PathBuf};

use fabricsim_workload::{Sizes, WorkloadConfig};

use super::Scenario;
use crate::error::Error;
use crate::output::Origin;

impl Scenario {
    /// Everything that decides the results: the version, the settings with every default, which files
    /// are to be written, and the content of each file that a setting names.
    ///
    /// # Errors
    /// When such a file cannot be read.
    pub fn origin(&self) -> Result<Origin, Error> {
        let mut more = vec![vec![u8::from(self.output.pauses)]];
        for path in named_files(self) {
            let path = self.folder.join(path);
            more.push(content(path)?);
        }
        Ok(Origin::new(self.resolved(), &more))
    }
}

/// What is in the file at `path`. What is no regular file can be read once only, and has been.
fn content(path: PathBuf) -> Result<Vec<u8>, Error> {
    let read = std::fs::metadata(&path).and_then(|facts| match facts.is_file() {
        true => std::fs::read(&path),
        false => Ok(Vec::new()),
    });
    read.map_err(|source| Error::Read {
        what: "a file of the scenario",
        path,
        source,
    })
}

/// The files that a scenario is made of, in the order of its tables.
fn named_files(scenario: &Scenario) -> Vec<PathBuf> {
    let topology = scenario.topology_config.path().map(Path::to_owned);
    let workloads = scenario
        .workloads
        .iter()
        .filter_map(|workload| match workload {
            WorkloadConfig::List(list) => Some(PathBuf::from(&list.path)),
            // A law that has been read does not say any more that it is a file.
            WorkloadConfig::Poisson(poisson) => {
                Sizes::from(poisson.sizes.name()).file().map(PathBuf::from)
            }
            _ => None,
        });
    topology.into_iter().chain(workloads).collect()
}
