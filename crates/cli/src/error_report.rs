//! An error as the terminal shows it.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;

use fabricsim::Error;
use fabricsim_scenario::text::error::escaped;
use miette::{Diagnostic, LabeledSpan, SourceCode};

/// Longest message in characters. Some messages quote input of any length.
const MOST: usize = 2_000;

/// Characters kept from the end of a message that is cut.
const END: usize = 500;

/// An error with bounded and escaped texts, safe to print on a terminal.
///
/// The quoted lines of a file are already escaped.
#[derive(Debug)]
pub(crate) struct ErrorReport {
    error: Error,
    message: String,
    help: Option<String>,
    cause: Option<Cause>,
}

/// The cause of an error, as the operating system describes it.
#[derive(Debug)]
struct Cause {
    message: String,
    cause: Option<Box<Self>>,
}

impl ErrorReport {
    pub(crate) fn new(error: Error) -> Self {
        Self {
            message: fit(&error.to_string()),
            help: error.help().map(|help| fit(&help.to_string())),
            cause: error.source().map(Cause::of),
            error,
        }
    }
}

impl Cause {
    fn of(error: &(dyn StdError + 'static)) -> Self {
        Self {
            message: fit(&error.to_string()),
            cause: error.source().map(|cause| Box::new(Self::of(cause))),
        }
    }
}

/// Returns `text` escaped, and cut in its middle if it is too long.
fn fit(text: &str) -> String {
    let shown = match text.char_indices().nth(MOST) {
        None => Cow::Borrowed(text),
        Some((most, _)) => {
            let begin = text[..most].char_indices().nth(MOST - END);
            let begin = begin.map_or(most, |(at, _)| at);
            let end = text.char_indices().rev().nth(END - 1);
            let end = end.map_or(most, |(at, _)| at);
            Cow::Owned(format!("{} ... {}", &text[..begin], &text[end..]))
        }
    };
    escaped(&shown).into_owned()
}

impl fmt::Display for ErrorReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for Cause {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

impl StdError for ErrorReport {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.cause.as_ref().map(|cause| cause as _)
    }
}

impl Diagnostic for ErrorReport {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as _)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.error.source_code()
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.error.labels()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_are_cut_in_the_middle() {
        let text = format!("begin{}end", "é".repeat(100_000));
        let shown = fit(&text);
        assert!(shown.starts_with("beginé") && shown.ends_with("éend"));
        assert_eq!(shown.chars().count(), MOST + 5);
        assert_eq!(fit("as \u{1b}[1mit is"), "as \\u001b[1mit is");
        let just = "x".repeat(MOST);
        assert_eq!(fit(&just), just);
    }
}
