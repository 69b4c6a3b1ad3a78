//! Error codes, and the message of the last error of each thread.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use facade::Error;

use crate::types::{
    FABRICSIM_ERROR_ARGUMENT, FABRICSIM_ERROR_BUSY, FABRICSIM_ERROR_FILE, FABRICSIM_ERROR_HANDLE,
    FABRICSIM_ERROR_INTERNAL, FABRICSIM_ERROR_NULL, FABRICSIM_ERROR_SCENARIO, FABRICSIM_OK,
};

/// An error code of the header and its message.
#[derive(Debug)]
pub(crate) struct Failure {
    code: i32,
    text: String,
}

impl Failure {
    pub(crate) fn new(code: i32, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { code, text }
    }

    /// Returns the error for a null pointer in `argument`.
    pub(crate) fn null(argument: &str) -> Self {
        Self::new(FABRICSIM_ERROR_NULL, format!("`{argument}` is null"))
    }

    pub(crate) fn argument(text: impl Into<String>) -> Self {
        Self::new(FABRICSIM_ERROR_ARGUMENT, text)
    }

    /// Returns the error for a handle without an open simulation.
    pub(crate) fn handle() -> Self {
        let text = "there is no simulation of this handle, or it has been closed";
        Self::new(FABRICSIM_ERROR_HANDLE, text)
    }

    pub(crate) fn busy() -> Self {
        let text = "the simulation is running: a callback can send, set timers, ask for the time and \
                    stop the run; all else waits until the run has come back";
        Self::new(FABRICSIM_ERROR_BUSY, text)
    }

    pub(crate) fn internal() -> Self {
        let text = "the library has failed inside; close the simulation and report the message that \
                    stands on the standard error";
        Self::new(FABRICSIM_ERROR_INTERNAL, text)
    }

    /// Returns the error for an unusable scenario: each problem in it, with its position and a
    /// suggested fix.
    pub(crate) fn scenario(error: Error) -> Self {
        Self::new(FABRICSIM_ERROR_SCENARIO, words(error))
    }

    /// Returns the error for a file that cannot be read, cannot be written or has the wrong
    /// content.
    pub(crate) fn file(error: Error) -> Self {
        Self::new(FABRICSIM_ERROR_FILE, words(error))
    }
}

/// Returns one line for each error of `error`, with its position, followed by its help.
fn words(error: Error) -> String {
    let lines = error.each().into_iter().map(|error| {
        let help = match &error {
            Error::Folder { help, .. } | Error::Unsupported { help, .. } => Some(help.clone()),
            Error::Read { source, .. } => Some(source.to_string()),
            other => other.diagnostic().map(|found| found.help().to_owned()),
        };
        match help {
            Some(help) => format!("{error}\n  help: {help}"),
            None => error.to_string(),
        }
    });
    let lines: Vec<String> = lines.collect();
    lines.join("\n")
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::argument(error.to_string())
    }
}

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Returns the message of the last error of this thread.
pub(crate) fn last() -> String {
    LAST.with_borrow(String::clone)
}

/// Runs `function`, remembers its error message for `last`, and stops panics from reaching the
/// caller.
pub(crate) fn guard(function: impl FnOnce() -> Result<(), Failure>) -> i32 {
    let result = catch_unwind(AssertUnwindSafe(function));
    let failure = match result {
        Ok(Ok(())) => return FABRICSIM_OK,
        Ok(Err(failure)) => failure,
        Err(_) => Failure::internal(),
    };
    LAST.set(failure.text);
    failure.code
}
