//! Parts of a scenario that diagnostics are about.

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
    /// A `[[queue]]`, from 0.
    Queue(usize),
    /// `[pint]`.
    Pint,
    /// A `[[query]]`, from 0.
    Query(usize),
}

/// Turns what is wrong with a part of a scenario into an error, with its place where there is a text.
pub(crate) trait Blame {
    /// Returns the error of a part as a whole.
    fn part(&self, part: Part, message: String, help: String) -> Error;

    /// Returns the error of a key of a part.
    fn key(&self, part: Part, error: ConfigError) -> Error;
}
