//! Names for the completions of a shell.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::Error;
use clap::{Arg, Command};
use fabricsim_scenario::cc::registry::CONGESTION_CONTROLS;

/// Accepts any text, and offers names to the shell.
///
/// The command itself checks the text, because a registry of additional kinds may know more names,
/// and because its errors suggest similar names.
#[derive(Clone, Debug)]
pub(crate) struct Offered(Vec<&'static str>);

impl Offered {
    pub(crate) fn new(names: impl IntoIterator<Item = &'static str>) -> Self {
        Self(names.into_iter().collect())
    }

    /// Offers the built-in congestion-control algorithms.
    pub(crate) fn algorithms() -> Self {
        Self::new(CONGESTION_CONTROLS.iter().map(|cc| cc.name))
    }
}

impl TypedValueParser for Offered {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().copied().map(PossibleValue::new)))
    }
}
