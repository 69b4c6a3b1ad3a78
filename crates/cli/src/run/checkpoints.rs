//! The checkpoints that a run writes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use fabricsim::identity::input_files;
use fabricsim::outcome::WantedCheckpoint;
use fabricsim::output::refuse_input;
use fabricsim::prelude::Time;
use fabricsim::{Error, Scenario};

use super::RunArgs;

/// Returns the requested checkpoints of a run of `scenario` that writes its results to `dir`.
///
/// # Errors
/// If a checkpoint would overwrite a file that the run reads.
pub(super) fn wanted_checkpoints(
    args: &RunArgs,
    scenario: &Scenario,
    dir: &Path,
) -> Result<Vec<WantedCheckpoint>, Error> {
    let several = args.checkpoint_at.len() > 1;
    let path = |at: Time| match &args.checkpoint {
        None => {
            let mut name = dir.as_os_str().to_owned();
            name.push(format!(".{at}.checkpoint"));
            PathBuf::from(name)
        }
        Some(path) if several => {
            let extension = path.extension().unwrap_or_default();
            let mut last = OsString::from(at.to_string());
            if !extension.is_empty() {
                last.push(".");
                last.push(extension);
            }
            path.with_extension(last)
        }
        Some(path) => path.clone(),
    };
    let mut inputs = input_files(scenario);
    inputs.extend(args.scenario.scenario.iter().chain(&args.from).cloned());
    let at = args.checkpoint_at.iter();
    at.map(|&at| {
        let path = path(at);
        refuse_input(&path, &inputs)?;
        Ok(WantedCheckpoint { at, path })
    })
    .collect()
}
