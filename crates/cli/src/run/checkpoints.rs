//! The checkpoints that are asked for.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use fabricsim::outcome::WantedCheckpoint;
use fabricsim::prelude::Time;

use super::RunArgs;

/// The checkpoints that are asked for, of a run whose results go to `dir`.
pub(super) fn wanted_checkpoints(args: &RunArgs, dir: &Path) -> Vec<WantedCheckpoint> {
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
    let at = args.checkpoint_at.iter();
    at.map(|&at| WantedCheckpoint { at, path: path(at) })
        .collect()
}
