//! Destinations of results.

use std::path::Path;

/// Policy for a folder that already contains complete results of something other than this run.
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
    /// The folder.
    pub dir: &'a Path,
    /// Policy for existing results of something other than this run.
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
