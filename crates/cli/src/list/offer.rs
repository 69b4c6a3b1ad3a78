//! Names of topics and things for the completions of a shell.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::Error;
use fabricsim_scenario::cc::registry::CONGESTION_CONTROLS;
use fabricsim_scenario::kinds::Registry;

/// Accepts any text, and offers the names of all topics and things to the shell.
///
/// The names are the built-in ones. A registry of additional kinds may know more names, so the
/// command itself checks the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NameParser;

/// Accepts any text, and offers the built-in congestion-control algorithms to the shell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AlgorithmParser;

/// Implements a parser of text with possible values that restrict nothing.
macro_rules! offer {
    ($parser:ty, $names:expr) => {
        impl TypedValueParser for $parser {
            type Value = String;

            fn parse_ref(
                &self,
                command: &clap::Command,
                argument: Option<&clap::Arg>,
                value: &std::ffi::OsStr,
            ) -> Result<String, Error> {
                StringValueParser::new().parse_ref(command, argument, value)
            }

            fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
                Some(Box::new($names.into_iter().map(PossibleValue::new)))
            }
        }
    };
}

offer!(
    NameParser,
    super::names(&super::sections(&Registry::default()))
);
offer!(
    AlgorithmParser,
    CONGESTION_CONTROLS.iter().map(|cc| cc.name)
);
