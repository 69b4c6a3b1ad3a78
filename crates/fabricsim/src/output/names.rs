//! Names of complete and interrupted files, and the error for a file that cannot be written.

use std::path::PathBuf;

use fabricsim_scenario::text::error::Error;

/// Outcome of writing results.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Ending {
    /// The run completed: files get their names.
    Whole,
    /// The run was interrupted: files are called `*.partial.*`.
    Interrupted,
}

impl Ending {
    /// Returns the name of a file that is called `name` if the run completed.
    pub fn name(self, name: &str) -> String {
        match self {
            Self::Whole => name.to_owned(),
            Self::Interrupted => partial_name(name),
        }
    }
}

/// Returns the name of the file `name` in an interrupted run: `fct.partial.csv` for `fct.csv`.
#[must_use]
pub fn partial_name(name: &str) -> String {
    match name.rsplit_once('.') {
        Some((stem, ending)) => format!("{stem}.partial.{ending}"),
        None => format!("{name}.partial"),
    }
}

/// Returns the error of a file or folder that cannot be written.
pub fn cannot_write(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.into();
    move |source| Error::Write { path, source }
}
