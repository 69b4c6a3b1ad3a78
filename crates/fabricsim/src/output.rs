//! Files and folders of results: written whole, by one process at a time, and never over the results
//! of something else unless the user says so.

mod differences;
mod folder;
mod lock;
mod origin;
mod whole_file;

use std::path::{Path, PathBuf};

use fabricsim_scenario::text::error::Error;

pub use folder::{ResultFolder, new_file_in, remove_left_over};
pub use folder::{is_being_replaced, partial_name, write_in_folder};
pub use lock::FolderLock;
pub use origin::{Origin, ResultSet};
pub use origin::{RUN, Unclaimed};
pub use whole_file::write_whole;

/// What happens to complete results of something else that are in a folder already.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Existing {
    /// They stay, and nothing is run.
    #[default]
    Keep,
    /// They go when the new ones are complete.
    Replace,
}

/// A folder that results are written to.
#[derive(Clone, Copy, Debug)]
pub struct Destination<'a> {
    pub dir: &'a Path,
    pub existing: Existing,
}

impl<'a> Destination<'a> {
    /// Writes to `dir`, where results of something else have the fate that `existing` says.
    #[must_use]
    pub const fn new(dir: &'a Path, existing: Existing) -> Self {
        Self { dir, existing }
    }
}

/// Results of something else are kept.
impl<'a, P: AsRef<Path> + ?Sized> From<&'a P> for Destination<'a> {
    fn from(dir: &'a P) -> Self {
        Self::new(dir.as_ref(), Existing::Keep)
    }
}

/// How what is written has ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Ending {
    /// By itself: files get their names.
    Whole,
    /// Somebody stopped it: files are called `*.partial.*`.
    Interrupted,
}

impl Ending {
    /// The name of the file that is called `name` when it is whole.
    pub fn name(self, name: &str) -> String {
        match self {
            Self::Whole => name.to_owned(),
            Self::Interrupted => partial_name(name),
        }
    }
}

/// The error of a file or folder that cannot be written.
pub fn cannot_write(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.into();
    move |source| Error::Write { path, source }
}
