//! Parts of a scenario that diagnostics are about.

use std::fmt;

use fabricsim_core::input::ConfigError;

use crate::text::error::Error;

/// A part of a scenario.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Part {
    /// `[topology]`.
    Topology,
    /// `profile`.
    Profile,
    /// `[cc]`.
    Cc,
    /// The key `buffer` of `[switch]`.
    SwitchBuffer,
    /// The key `ecn_rules` of `[switch]`.
    SwitchRules,
    /// The key `policy` of `[routing]`.
    RoutingPolicy,
    /// A `[[queue]]`, from 0.
    Queue(usize),
    /// `[pint]`.
    Pint,
    /// A `[[query]]`, from 0.
    Query(usize),
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Topology => f.write_str("[topology]"),
            Self::Profile => f.write_str("profile"),
            Self::Cc => f.write_str("[cc]"),
            Self::SwitchBuffer | Self::SwitchRules => f.write_str("[switch]"),
            Self::RoutingPolicy => f.write_str("[routing]"),
            Self::Queue(index) => write!(f, "[[queue]] {}", index + 1),
            Self::Pint => f.write_str("[pint]"),
            Self::Query(index) => write!(f, "[[query]] {}", index + 1),
        }
    }
}

/// Turns what is wrong with a part of a scenario into an error, with its place where there is a
/// text.
pub(crate) trait Blame {
    /// Returns the error of a part as a whole.
    fn part(&self, part: Part, message: String, help: String) -> Error;

    /// Returns the error of a key of a part.
    fn key(&self, part: Part, error: ConfigError) -> Error;
}

/// The parts of a scenario without a text: diagnostics name the scenario and the part.
#[derive(Clone, Debug)]
pub(crate) struct WithoutText {
    /// The name of the scenario.
    pub(crate) scenario: String,
}

impl WithoutText {
    /// Returns the error of what is wrong with the scenario.
    pub(crate) fn error(&self, message: impl Into<String>, help: impl Into<String>) -> Error {
        Error::Unsupported {
            scenario: self.scenario.clone(),
            message: message.into(),
            help: help.into(),
        }
    }

    /// Returns the error of a key of the table `title`.
    pub(crate) fn refused(&self, title: impl fmt::Display, error: ConfigError) -> Error {
        let message = format!("{title}, key `{}`: {}", error.key, error.message);
        self.error(message, error.help)
    }
}

impl Blame for WithoutText {
    fn part(&self, _part: Part, message: String, help: String) -> Error {
        self.error(message, help)
    }

    fn key(&self, part: Part, error: ConfigError) -> Error {
        self.refused(part, error)
    }
}
