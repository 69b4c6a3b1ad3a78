//! Why a checkpoint cannot be taken or restored.

use std::fmt;

use super::Stored;

/// State for which a checkpoint has no place.
#[derive(Clone, Debug, Eq, PartialEq, Stored)]
pub struct SaveError {
    /// What it is, such as "the application".
    pub what: String,
    /// Its name.
    pub name: String,
}

impl fmt::Display for SaveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} cannot be saved", self.what, self.name)
    }
}

impl std::error::Error for SaveError {}

/// State that does not fit what it is to be put into.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LoadError {
    /// The sections of the checkpoint that lead to the place, the outermost one first.
    place: Vec<String>,
    problem: String,
}

impl LoadError {
    /// Something is wrong here.
    #[must_use]
    pub fn new(problem: impl Into<String>) -> Self {
        Self {
            place: Vec::new(),
            problem: problem.into(),
        }
    }

    /// The same, in `section`.
    #[must_use]
    pub fn within(mut self, section: &str) -> Self {
        self.place.insert(0, section.to_owned());
        self
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for section in &self.place {
            write!(f, "{section}: ")?;
        }
        f.write_str(&self.problem)
    }
}

impl std::error::Error for LoadError {}
