//! An error in the form in which it is shown.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;

use fabricsim::Error;
use fabricsim_scenario::text::error::escaped;
use miette::{Diagnostic, LabeledSpan, SourceCode};

/// Characters of a message. Some quote what was written, however long that is.
const MOST: usize = 2_000;

/// Characters of its end that are kept.
const END: usize = 500;

/// An error whose words are fit for a terminal: of bounded length, and without anything that it
/// would obey. The lines of the file that it shows are already.
#[derive(Debug)]
pub(crate) struct ErrorReport {
    error: Error,
    message: String,
    help: Option<String>,
    cause: Option<Cause>,
}

/// Why something happened, as the operating system says it.
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

/// `text`, cut in its middle where it is long, and escaped.
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
