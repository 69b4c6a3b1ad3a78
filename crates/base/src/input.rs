//! Errors in user input, with their place in the text.

mod range;
mod settings;

use std::fmt;
use std::ops::Range;

#[cfg(feature = "serde")]
pub use range::deserialize_range;
pub use range::{NodeRange, NumberRange};
#[cfg(feature = "serde")]
pub use settings::{Apart, Given, Refusal, check_limits, default_list, default_value};
pub use settings::{
    Bound, Choice, DefaultValue, Key, Keys, Limit, Quantity, SettingValue, Text, ValueKind,
    describe_limits,
};

/// An error in an input text: its place, the problem and a suggestion.
///
/// The caller that has read the text adds the text and the file name. So parsers need no files, and
/// a message can still underline the place.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InputError {
    /// The erroneous bytes of the text; empty at the end of a text that stops too soon.
    pub span: Range<usize>,
    /// Description of the problem, in one sentence without a final period.
    pub message: String,
    /// Suggested fix.
    pub help: String,
}

impl InputError {
    /// Returns an error at `span` of the text.
    pub fn new(span: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            help: help.into(),
        }
    }

    /// Returns the line and column of the error in `text`, both counted from one.
    #[must_use]
    pub fn line_column(&self, text: &str) -> (usize, usize) {
        let before = &text.as_bytes()[..self.span.start.min(text.len())];
        let line = before.split(|&b| b == b'\n').count();
        let column = before.rsplit(|&b| b == b'\n').next().map_or(0, <[u8]>::len) + 1;
        (line, column)
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.help)
    }
}

impl std::error::Error for InputError {}

/// An invalid value in a configuration table: the key, the problem and a suggestion.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ConfigError {
    /// The key inside its table.
    pub key: &'static str,
    /// Description of the problem, in one sentence without a final period.
    pub message: String,
    /// Suggested fix.
    pub help: String,
}

impl ConfigError {
    /// Returns an error in the value of `key`.
    pub fn new(key: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            key,
            message: message.into(),
            help: help.into(),
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {} ({})", self.key, self.message, self.help)
    }
}

impl std::error::Error for ConfigError {}

/// In errors of types that are parsed from text, the text between the problem and an example of a
/// valid value.
pub const EXAMPLE_MARK: &str = "; write it like ";

/// Splits an error with an [`EXAMPLE_MARK`] into the problem and the example without its backticks.
#[must_use]
pub fn split_example(error: &str) -> (&str, Option<&str>) {
    match error.rsplit_once(EXAMPLE_MARK) {
        Some((what, example)) => (what, Some(example.trim_matches('`'))),
        None => (error, None),
    }
}

/// Parses a range of numbers, written `0..16` (0 to 15) or `7`; `what` is the singular of the
/// numbered things.
///
/// # Errors
/// Returns the problem and a suggestion.
pub fn parse_range(text: &str, what: &str) -> Result<Range<u32>, String> {
    let number = |s: &str| s.trim().parse::<u32>().ok();
    let range = match text.split_once("..") {
        Some((first, end)) => number(first).zip(number(end)),
        None => number(text).and_then(|first| Some((first, first.checked_add(1)?))),
    };
    match range {
        Some((first, end)) if first < end => Ok(first..end),
        Some(_) => Err(format!(
            "the range `{text}` is empty; the second number is the one after the last {what}"
        )),
        None => Err(format!(
            "`{text}` is not a range of {what}s{EXAMPLE_MARK}`0..16`"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_from_one() {
        let text = "first\nsecond word\n";
        let error = InputError::new(13..17, "bad", "good");
        assert_eq!(error.line_column(text), (2, 8));
        assert_eq!(
            InputError::new(18..18, "short", "more").line_column(text),
            (3, 1)
        );
    }
}
