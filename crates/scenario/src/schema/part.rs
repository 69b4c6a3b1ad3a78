//! Parts of a scenario to which diagnostics refer.

use std::fmt;

use fabricsim_base::input::{ConfigError, InputError};

use crate::text::error::Error;

/// A part of a scenario.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Part {
    /// `[topology]`.
    Topology,
    /// `[host]`.
    Host,
    /// `profile`.
    Profile,
    /// `[switch]`.
    Switch,
    /// `[rdma]`.
    Rdma,
    /// `[tcp]`.
    Tcp,
    /// `[routing]`.
    Routing,
    /// `[run]`.
    Run,
    /// `[output]`.
    Output,
    /// `[cc]`.
    Cc,
    /// The key `buffer` of `[switch]`.
    SwitchBuffer,
    /// The key `ecn_rules` of `[switch]`.
    SwitchRules,
    /// The key `policy` of `[routing]`.
    RoutingPolicy,
    /// A `[[workload]]`, from 0.
    Workload(usize),
    /// The key `id` of a `[[class]]`, from 0.
    ClassId(usize),
    /// A `[[queue]]`, from 0.
    Queue(usize),
    /// The key `discipline` of a `[[queue]]`, from 0.
    Discipline(usize),
    /// An `[[event]]`, from 0.
    Event(usize),
    /// `[observe]`.
    Observe,
    /// `[capture]`.
    Capture,
    /// `[pint]`.
    Pint,
    /// A `[[query]]`, from 0.
    Query(usize),
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Topology => f.write_str("[topology]"),
            Self::Host => f.write_str("[host]"),
            Self::Profile => f.write_str("profile"),
            Self::Switch | Self::SwitchBuffer | Self::SwitchRules => f.write_str("[switch]"),
            Self::Rdma => f.write_str("[rdma]"),
            Self::Tcp => f.write_str("[tcp]"),
            Self::Routing | Self::RoutingPolicy => f.write_str("[routing]"),
            Self::Run => f.write_str("[run]"),
            Self::Output => f.write_str("[output]"),
            Self::Cc => f.write_str("[cc]"),
            Self::Workload(index) => write!(f, "[[workload]] {index}"),
            Self::ClassId(index) => write!(f, "[[class]] {index}"),
            Self::Queue(index) | Self::Discipline(index) => write!(f, "[[queue]] {index}"),
            Self::Event(index) => write!(f, "[[event]] {index}"),
            Self::Observe => f.write_str("[observe]"),
            Self::Capture => f.write_str("[capture]"),
            Self::Pint => f.write_str("[pint]"),
            Self::Query(index) => write!(f, "[[query]] {index}"),
        }
    }
}

/// A rejected part of a scenario, and the reason.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) part: Part,
    pub(crate) reason: Reason,
}

/// Reason for rejecting a part of a scenario.
#[derive(Debug)]
pub(crate) enum Reason {
    /// The value of a key of the part.
    Key(ConfigError),
    /// Words of a part that is a line; the position is relative to the line.
    Words(InputError),
    /// The part as a whole.
    Whole { message: String, help: String },
    /// A file that the part names; the error has a position in the file.
    File(Error),
}

impl From<ConfigError> for Reason {
    fn from(error: ConfigError) -> Self {
        Self::Key(error)
    }
}

impl From<InputError> for Reason {
    fn from(error: InputError) -> Self {
        Self::Words(error)
    }
}

impl From<Error> for Reason {
    fn from(error: Error) -> Self {
        Self::File(error)
    }
}

impl Part {
    /// Rejects the part for `reason`.
    pub(crate) fn refused(self, reason: impl Into<Reason>) -> Refused {
        let reason = reason.into();
        Refused { part: self, reason }
    }

    /// Rejects the part as a whole.
    pub(crate) fn refused_whole(
        self,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Refused {
        self.refused(Reason::Whole {
            message: message.into(),
            help: help.into(),
        })
    }
}

/// Substitutes for a text: diagnostics name the scenario and the part instead of a position.
#[derive(Clone, Debug)]
pub(crate) struct WithoutText {
    /// The name of the scenario.
    pub(crate) scenario: String,
}

impl WithoutText {
    /// Returns an error of the scenario.
    pub(crate) fn error(&self, message: impl Into<String>, help: impl Into<String>) -> Error {
        Error::Unsupported {
            scenario: self.scenario.clone(),
            message: message.into(),
            help: help.into(),
        }
    }

    /// Returns the error for a rejected part.
    pub(crate) fn refuse(&self, refused: Refused) -> Error {
        match refused.reason {
            Reason::Key(error) => {
                let part = refused.part;
                let message = format!("{part}, key `{}`: {}", error.key, error.message);
                self.error(message, error.help)
            }
            Reason::Words(InputError { message, help, .. }) | Reason::Whole { message, help } => {
                self.error(message, help)
            }
            Reason::File(error) => error,
        }
    }
}
