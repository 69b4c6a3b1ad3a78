//! Destinations of results.

use std::path::Path;

/// Policy for a folder that already contains complete results of another run.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Existing {
    /// The existing results are kept, and no run starts.
    #[default]
    Keep,
    /// The existing results are removed when the new ones are complete.
    Replace,
}

/// A folder for results.
#[derive(Clone, Copy, Debug)]
pub struct Destination<'a> {
    /// Path of the folder.
    pub dir: &'a Path,
    /// Policy for existing results of another run.
    pub existing: Existing,
}

impl<'a> Destination<'a> {
    /// Returns the destination `dir`, with a policy for results of another run in it.
    #[must_use]
    pub const fn new(dir: &'a Path, existing: Existing) -> Self {
        Self { dir, existing }
    }
}

/// Keeps existing results of another run.
impl<'a, P: AsRef<Path> + ?Sized> From<&'a P> for Destination<'a> {
    fn from(dir: &'a P) -> Self {
        Self::new(dir.as_ref(), Existing::Keep)
    }
}
