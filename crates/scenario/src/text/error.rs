//! Errors in the user's input, found before a simulation runs.

mod escape;
mod excerpt;

use std::ops::Range;
use std::path::PathBuf;

use fabricsim_base::input::InputError;
use fabricsim_engine::ThreadsError;
use miette::{LabeledSpan, SourceCode};
use thiserror::Error;

use crate::text::file_kind::{FileKind, Refusal};
pub use escape::escaped;
use excerpt::Excerpt;

/// An error of fabricsim, with the file, the position, a message and help.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The user's input cannot be used.
    #[error(transparent)]
    Input(Box<Diagnostic>),
    /// Several errors in one text: at least two, in the order of the text.
    #[error("{}", .0.first().map_or_else(String::new, ToString::to_string))]
    Several(Vec<Self>),
    /// A file cannot be read.
    #[error("cannot read {kind} `{}`", path.display())]
    Read {
        /// Purpose of reading the file.
        kind: FileKind,
        /// The file.
        path: PathBuf,
        /// Error from the operating system, or the reason for not reading such a file.
        source: std::io::Error,
    },
    /// A result cannot be written.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Error from the operating system.
        source: std::io::Error,
    },
    /// A folder contains data that must not be lost, or another process writes to it.
    #[error("cannot write to the folder `{}`: {problem}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Reason why the folder cannot be written to.
        problem: String,
        /// Suggested fix.
        help: String,
    },
    /// The request is well-formed but cannot be carried out.
    #[error("{scenario}: {message}")]
    Unsupported {
        /// Subject of the request: a scenario, a file or an option.
        scenario: String,
        /// Description of the impossible part.
        message: String,
        /// Suggested fix.
        help: String,
    },
    /// Another rank of the run has failed and has sent its error.
    #[error("rank {rank} has failed: {message}")]
    Elsewhere {
        /// Number of the rank.
        rank: usize,
        /// Message of the rank's error.
        message: String,
    },
    /// The system cannot start the requested number of threads.
    #[error("cannot start {count} threads: {reason}")]
    Threads {
        /// Number of threads requested.
        count: usize,
        /// Reason given by the operating system.
        reason: String,
    },
    /// An injected flow cannot be simulated.
    #[error("cannot inject the flow: {0}")]
    Injection(String),
    /// A timer cannot be set.
    #[error("cannot set the timer: {0}")]
    Timer(String),
    /// An application cannot be added.
    #[error("cannot add the application: {0}")]
    Application(String),
    /// A scheduled event cannot be simulated.
    #[error("cannot schedule the event: {0}")]
    Event(String),
}

/// An error in a text, with the lines around it for showing its position.
#[derive(Clone, Debug, Error)]
#[error("{name}:{line}:{column}: {message}")]
pub struct Diagnostic {
    name: String,
    message: String,
    help: String,
    excerpt: Excerpt,
    faulty: String,
    span: Range<usize>,
    line: usize,
    column: usize,
}

impl Diagnostic {
    /// Creates the diagnostic of `error` in `text`; `name` is the source of the text.
    #[must_use]
    pub fn new(name: &str, text: &str, error: InputError) -> Self {
        let (line, column) = error.line_column(text);
        let end = char_boundary(text, error.span.end);
        let start = char_boundary(text, error.span.start).min(end);
        let begin = text[..start].rfind('\n').map_or(0, |feed| feed + 1);
        Self {
            name: name.to_owned(),
            message: error.message,
            help: error.help,
            excerpt: Excerpt::new(name, text, &(start..end), start - begin),
            faulty: text[start..end].to_owned(),
            span: error.span,
            line,
            column,
        }
    }

    /// Returns the faulty byte range of the text.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns the line number of the error, counted from one.
    #[must_use]
    pub const fn line(&self) -> usize {
        self.line
    }

    /// Returns the description of the error.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the suggested fix.
    #[must_use]
    pub fn help(&self) -> &str {
        &self.help
    }

    /// Returns the faulty text.
    #[must_use]
    pub fn faulty_text(&self) -> &str {
        &self.faulty
    }

    /// Returns a diagnostic at the same position with another message and help.
    pub fn saying(&self, message: String, help: String) -> Self {
        Self {
            message,
            help,
            ..self.clone()
        }
    }

    /// Returns the name of the file or of another source of the text.
    #[must_use]
    pub fn source_name(&self) -> &str {
        &self.name
    }
}

impl Error {
    /// Name that [`Error::Write`] uses for the standard output.
    pub const STANDARD_OUTPUT: &'static str = "the standard output";

    /// Creates an error in `text`; `name` is the source of the text.
    #[must_use]
    pub fn input(name: &str, text: &str, error: InputError) -> Self {
        Self::Input(Box::new(Diagnostic::new(name, text, error)))
    }

    /// Combines the errors `found` in one text, in its order.
    ///
    /// # Panics
    /// Panics if there are none.
    #[must_use]
    pub fn all(mut found: Vec<Self>) -> Self {
        found.sort_by_key(|error| error.diagnostic().map(|found| (found.line, found.column)));
        match found.len() {
            1 => found.remove(0),
            _ => {
                assert!(!found.is_empty(), "an error that says nothing");
                Self::Several(found)
            }
        }
    }

    /// Returns the combined errors, or the error itself if it is a single one.
    #[must_use]
    pub fn each(self) -> Vec<Self> {
        match self {
            Self::Several(found) => found,
            single => vec![single],
        }
    }

    /// Returns the first of several errors, or the error itself.
    fn first(&self) -> &Self {
        match self {
            Self::Several(found) => found.first().unwrap_or(self),
            single => single,
        }
    }

    /// Returns the error for threads that could not be started.
    #[must_use]
    pub fn threads(ThreadsError { count, reason }: ThreadsError) -> Self {
        Self::Threads { count, reason }
    }

    /// Converts an error of a scenario to an error of a point of a sweep.
    pub fn of_point(self, point: &str) -> Self {
        match self {
            Self::Input(mut diagnostic) => {
                diagnostic.message = format!("point {point}: {}", diagnostic.message);
                Self::Input(diagnostic)
            }
            Self::Unsupported {
                scenario,
                message,
                help,
            } => Self::Unsupported {
                scenario: format!("{scenario}, point {point}"),
                message,
                help,
            },
            Self::Several(found) => {
                let mut found = found.into_iter();
                let first = found.next().map(|first| first.of_point(point));
                first.unwrap_or_else(|| Self::Several(Vec::new()))
            }
            other => other,
        }
    }

    /// Adds that `more` other points of the sweep have the same error.
    pub fn of_more_points(self, more: usize) -> Self {
        match self {
            Self::Folder {
                path,
                problem,
                help,
            } => Self::Folder {
                path,
                problem: format!(
                    "{problem}\n{more} more points of the sweep have other results, too"
                ),
                help,
            },
            other => other,
        }
    }

    /// Returns the error in the user's text if it is one; the first of several.
    #[must_use]
    pub fn diagnostic(&self) -> Option<&Diagnostic> {
        match self.first() {
            Self::Input(diagnostic) => Some(diagnostic),
            _ => None,
        }
    }
}

/// Returns the last character boundary of `text` up to byte `at`.
fn char_boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at)
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0)
}

impl miette::Diagnostic for Error {
    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        match self.first() {
            Self::Input(diagnostic) => Some(Box::new(&diagnostic.help)),
            Self::Read { kind, source, .. } => Some(match Refusal::of(source) {
                Some(refusal) => Box::new(&refusal.help),
                None => Box::new(kind.help()),
            }),
            Self::Unsupported { help, .. } => Some(Box::new(help)),
            Self::Folder { help, .. } => Some(Box::new(help)),
            Self::Write { path, .. } if path.as_os_str() == Self::STANDARD_OUTPUT => Some(
                Box::new("free space at its destination, or redirect it elsewhere"),
            ),
            Self::Write { .. } => Some(Box::new(
                "give a writable place: the folder with --out or [output] dir, the table of a \
                 comparison with --flows, the table of slowdowns with --csv",
            )),
            Self::Threads { .. } => Some(Box::new(
                "give fewer --threads (one starts none), or raise the limits of the process: its memory \
                 (ulimit -v) and its threads (ulimit -u)",
            )),
            Self::Elsewhere { .. }
            | Self::Several(_)
            | Self::Injection(_)
            | Self::Timer(_)
            | Self::Application(_)
            | Self::Event(_) => None,
        }
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        match self.first() {
            Self::Input(diagnostic) => Some(&diagnostic.excerpt),
            _ => None,
        }
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        match self.first() {
            Self::Input(diagnostic) => {
                let label = LabeledSpan::at(diagnostic.excerpt.span(), "here");
                Some(Box::new(std::iter::once(label)))
            }
            _ => None,
        }
    }
}
