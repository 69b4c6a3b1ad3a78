//! What can go wrong before a simulation runs: mistakes in what the user wrote.

use std::ops::Range;
use std::path::PathBuf;

use fabricsim_core::engine::ThreadsError;
use fabricsim_core::input::InputError;
use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};
use thiserror::Error;

/// An error of fabricsim. Each names the file and the place, says what is wrong and what would be
/// right.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// Something a user wrote cannot be used.
    #[error(transparent)]
    Input(Box<Mistake>),
    /// A file cannot be read.
    #[error("cannot read {what} `{}`", path.display())]
    Read {
        /// What the file was wanted for.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// A result cannot be written.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// The scenario is well written, but asks for something that cannot be simulated.
    #[error("{scenario}: {message}")]
    Unsupported {
        /// The scenario's name.
        scenario: String,
        /// What cannot be done, and what to do instead.
        message: String,
    },
    /// The system does not give the threads that were asked for.
    #[error("cannot start {count} threads: {reason}")]
    Threads {
        /// How many were asked for.
        count: usize,
        /// What the system says.
        reason: String,
    },
    /// A flow that was injected cannot be simulated.
    #[error("cannot inject the flow: {0}")]
    Injection(String),
    /// An event that was scheduled cannot be simulated.
    #[error("cannot schedule the event: {0}")]
    Event(String),
}

/// A mistake in a text, with the text itself so that the place can be shown.
#[derive(Debug, Error)]
#[error("{}:{line}:{column}: {message}", text.name())]
pub struct Mistake {
    message: String,
    help: String,
    text: Box<NamedSource<String>>,
    span: Range<usize>,
    line: usize,
    column: usize,
}

impl Mistake {
    /// The line of the mistake, counted from one.
    #[must_use]
    pub const fn line(&self) -> usize {
        self.line
    }

    /// What is wrong.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What would be right.
    #[must_use]
    pub fn remedy(&self) -> &str {
        &self.help
    }

    /// The text at fault.
    #[must_use]
    pub fn faulty_text(&self) -> &str {
        let text = self.text.inner();
        text.get(self.span.clone()).unwrap_or_default()
    }
}

impl Error {
    /// What [`Error::Read`] says of a file of results.
    pub const RESULTS: &'static str = "the results";
    /// What [`Error::Read`] says of a sweep.
    pub const SWEEP: &'static str = "the sweep";
    /// What [`Error::Read`] says of the settings of a harm test.
    pub const HARM: &'static str = "the harm test";
    /// What [`Error::Read`] says of the flows of a harm test.
    pub const WORKLOAD: &'static str = "the workload";

    /// A mistake in `text`, which came from `name`.
    #[must_use]
    pub fn input(name: &str, text: &str, error: InputError) -> Self {
        let (line, column) = error.line_column(text);
        let end = error.span.end.min(text.len());
        let start = error.span.start.min(end);
        Self::Input(Box::new(Mistake {
            message: error.message,
            help: error.help,
            text: Box::new(NamedSource::new(name, text.to_owned())),
            span: start..end,
            line,
            column,
        }))
    }

    pub(crate) fn threads(ThreadsError { count, reason }: ThreadsError) -> Self {
        Self::Threads { count, reason }
    }

    pub(crate) fn unsupported(scenario: &crate::scenario::Scenario, message: String) -> Self {
        Self::Unsupported {
            scenario: scenario.name.clone(),
            message,
        }
    }

    /// The same, said of a point of a sweep.
    pub(crate) fn of_point(self, point: &str) -> Self {
        match self {
            Self::Input(mut mistake) => {
                mistake.message = format!("point {point}: {}", mistake.message);
                Self::Input(mistake)
            }
            Self::Unsupported { scenario, message } => Self::Unsupported {
                scenario: format!("{scenario}, point {point}"),
                message,
            },
            other => other,
        }
    }

    /// The mistake in the user's text, when it is one.
    #[must_use]
    pub fn mistake(&self) -> Option<&Mistake> {
        match self {
            Self::Input(mistake) => Some(mistake),
            _ => None,
        }
    }
}

impl Diagnostic for Error {
    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        match self {
            Self::Input(mistake) => Some(Box::new(&mistake.help)),
            Self::Read { what, .. } => Some(Box::new(match *what {
                Self::RESULTS => {
                    "give an fct.csv, a folder of results with one, or the published simulator's \
                     fct.txt"
                }
                Self::SWEEP => "give the path of a sweep, such as examples/sweeps/loads.toml",
                Self::HARM => "give the path of a TOML file with the keys of docs/harm.md",
                Self::WORKLOAD => {
                    "give `drawn`, `ccafct-seed1` or the path of a CSV with start_ns,size_bytes"
                }
                _ => "give the path of a scenario, such as examples/scenarios/default.toml",
            })),
            Self::Write { .. } => Some(Box::new(
                "give a place that can be written: the folder with --out or [output] dir, the table \
                 of a comparison with --flows, that of slowdowns with --csv",
            )),
            Self::Threads { .. } => Some(Box::new(
                "give fewer --threads (one starts none), or raise the limits of the process: its memory \
                 (ulimit -v) and its threads (ulimit -u)",
            )),
            Self::Injection(_) | Self::Event(_) | Self::Unsupported { .. } => None,
        }
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        match self {
            Self::Input(mistake) => Some(&*mistake.text),
            _ => None,
        }
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        match self {
            Self::Input(mistake) => {
                let label = LabeledSpan::at(mistake.span.clone(), "here");
                Some(Box::new(std::iter::once(label)))
            }
            _ => None,
        }
    }
}
