//! Everything that determines the results of a scenario. This decides if existing results belong to
//! it.

use std::path::{Path, PathBuf};

use crate::checkpoint::Checkpoint;
use crate::output::Origin;
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::text::error::Error;
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_bytes;
use serde_json::Value;

/// Returns everything that determines the results: the version, the settings with every default,
/// the files to be written, and the content of each file that a setting names.
///
/// # Errors
/// Fails if such a file cannot be read.
pub fn origin_of(scenario: &Scenario) -> Result<Origin, Error> {
    origin(scenario, scenario.resolved())
}

/// Like [`origin_of`], for a run that continues from `checkpoint`. If no setting has changed, its
/// results are equal to the results of the whole run. Otherwise they belong to a branch, which
/// `checkpoint` among the settings describes.
///
/// # Errors
/// Fails if a change contradicts the past of the run, and as [`origin_of`].
pub fn origin_of_branch(scenario: &Scenario, checkpoint: &Checkpoint) -> Result<Origin, Error> {
    let mut settings = scenario.resolved();
    if let Some(branch) = checkpoint.branch(scenario)? {
        settings["checkpoint"] = branch;
    }
    origin(scenario, settings)
}

fn origin(scenario: &Scenario, settings: Value) -> Result<Origin, Error> {
    let mut more = vec![vec![u8::from(scenario.output().pauses)]];
    if scenario.output().fct_txt {
        more.push(b"fct.txt".to_vec());
    }
    if scenario.output().exact_buffers {
        more.push(b"exact_buffers".to_vec());
    }
    let files = contents(scenario)?.into_iter();
    more.extend(files.map(|(_, content)| content));
    Ok(Origin::new(settings, &more))
}

/// Returns the content of each file that a setting names, in the order of the tables.
pub(crate) fn contents(scenario: &Scenario) -> Result<Vec<(PathBuf, Vec<u8>)>, Error> {
    let files = named_files(scenario).into_iter();
    let read = files.map(|(kind, path)| {
        let content = content(kind, &scenario.folder().join(&path))?;
        Ok((path, content))
    });
    read.collect()
}

/// Returns the content of the file at `path`, or nothing if it is not a regular file: such a file
/// can be read only once, and has already been read.
fn content(kind: FileKind, path: &Path) -> Result<Vec<u8>, Error> {
    match std::fs::metadata(path) {
        Ok(facts) if !facts.is_file() => Ok(Vec::new()),
        _ => read_bytes(kind, path),
    }
}

/// Returns the files that `scenario` names, as paths that are relative to the working folder or
/// absolute.
#[must_use]
pub fn input_files(scenario: &Scenario) -> Vec<PathBuf> {
    let files = named_files(scenario).into_iter();
    let folder = scenario.folder();
    files.map(|(_, path)| folder.join(path)).collect()
}

/// Returns the files that a scenario names, in the order of its tables.
fn named_files(scenario: &Scenario) -> Vec<(FileKind, PathBuf)> {
    let topology = scenario.topology_config().path();
    let topology = topology.map(|path| (FileKind::TOPOLOGY, path.to_owned()));
    let workloads = scenario.workloads().iter().flat_map(|workload| {
        let files = workload.profile().into_iter().chain(workload.file());
        files.map(|file| (FileKind::of(file.content), PathBuf::from(file.path)))
    });
    topology.into_iter().chain(workloads).collect()
}
