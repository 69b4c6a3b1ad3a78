//! Errors of checkpoints that cannot be saved or loaded.

use std::fmt;

use super::Stored;

/// State that cannot be saved in a checkpoint.
#[derive(Clone, Debug, Eq, PartialEq, Stored)]
pub struct SaveError {
    /// The kind of component, such as "the application".
    pub what: String,
    /// Name of the component's type.
    pub name: String,
}

impl fmt::Display for SaveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} cannot be saved", self.what, self.name)
    }
}

impl std::error::Error for SaveError {}

/// State that does not fit the object into which it is loaded.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LoadError {
    /// The sections of the checkpoint that lead to the place, the outermost one first.
    place: Vec<String>,
    problem: String,
}

impl LoadError {
    /// Returns an error at the current place.
    #[must_use]
    pub fn new(problem: impl Into<String>) -> Self {
        Self {
            place: Vec::new(),
            problem: problem.into(),
        }
    }

    /// Returns the same error, placed within `section`.
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
