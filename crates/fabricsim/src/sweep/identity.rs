//! What decides whether results that are there are those of a point.

use std::path::{Path, PathBuf};

use fabricsim_report::Digest;
use fabricsim_workload::{Sizes, WorkloadConfig};

use crate::error::Error;
use crate::input_file::{FileKind, read_bytes};
use crate::scenario::Scenario;

/// The digest of everything that decides the results of `scenario`: the version, the settings with
/// every default, which files are to be written, and the content of each file that a setting names,
/// relative to `folder`.
pub(super) fn scenario_digest(scenario: &Scenario, folder: &Path) -> Result<String, Error> {
    let mut digest = Digest::new();
    // Each part ends with a byte that no text has.
    let mut add = |part: &[u8]| {
        digest.update(part);
        digest.update(&[0xff]);
    };
    add(env!("CARGO_PKG_VERSION").as_bytes());
    add(scenario.resolved().to_string().as_bytes());
    add(&[u8::from(scenario.output.pauses)]);
    for (kind, path) in named_files(scenario) {
        add(&read_bytes(kind, &folder.join(path))?);
    }
    Ok(digest.to_string())
}

/// The files that a scenario is made of, in the order of its tables.
fn named_files(scenario: &Scenario) -> Vec<(FileKind, PathBuf)> {
    let topology = scenario.topology_config.path();
    let topology = topology.map(|path| (FileKind::TOPOLOGY, path.to_owned()));
    let workloads = scenario
        .workloads
        .iter()
        .filter_map(|workload| match workload {
            WorkloadConfig::List(list) => Some((FileKind::FLOWS, PathBuf::from(&list.path))),
            // A law that has been read does not say any more that it is a file.
            WorkloadConfig::Poisson(poisson) => {
                let sizes = Sizes::from(poisson.sizes.name());
                let file = sizes.file().map(PathBuf::from);
                file.map(|path| (FileKind::SIZES, path))
            }
            _ => None,
        });
    topology.into_iter().chain(workloads).collect()
}
