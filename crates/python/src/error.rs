//! Errors of fabricsim as exceptions of Python.

use std::io;
use std::path::Path;

use fabricsim::Error;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

use crate::key_path::key_at;

/// A text that errors refer to.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The name of the text in messages.
    pub(crate) name: String,
    pub(crate) text: String,
    /// True if the package made the text from values of Python: messages then name the key instead
    /// of the line.
    pub(crate) is_made: bool,
}

/// An error in an input: (file, line, key, message, help), the arguments of `fabricsim.Problem`.
type Problem = (
    Option<String>,
    Option<usize>,
    Option<String>,
    String,
    Option<String>,
);

/// Converts `error` to an exception; `sources` are the texts that it may refer to.
pub(crate) fn raise(py: Python<'_>, error: Error, sources: &[Source]) -> PyErr {
    match error {
        Error::Read { kind, path, source } => {
            os_error(&source, &format!("cannot read {kind}"), &path)
        }
        Error::Write { path, source } => os_error(&source, "cannot write", &path),
        Error::Folder {
            path,
            problem,
            help,
        } => {
            let help = help.replace("--out DIR", "out=DIR");
            let help = help.replace("with --force", "with force=True");
            let text = format!("{}: {problem}\n  help: {help}", path.display());
            exception(py, "ResultsError", (text,))
        }
        error @ (Error::Input(_) | Error::Several(_) | Error::Unsupported { .. }) => {
            let problems: Vec<Problem> = error
                .each()
                .iter()
                .map(|error| problem(error, sources))
                .collect();
            exception(py, "ScenarioError", (problems,))
        }
        error @ (Error::Threads { .. } | Error::Elsewhere { .. }) => {
            PyRuntimeError::new_err(error.to_string())
        }
        error => PyValueError::new_err(error.to_string()),
    }
}

fn problem(error: &Error, sources: &[Source]) -> Problem {
    let Some(found) = error.diagnostic() else {
        return match error {
            Error::Unsupported {
                scenario,
                message,
                help,
            } => (
                Some(scenario.clone()),
                None,
                None,
                message.clone(),
                Some(help.clone()),
            ),
            other => (None, None, None, other.to_string(), None),
        };
    };
    let name = found.source_name();
    let source = sources.iter().find(|source| source.name == name);
    let key = source.and_then(|source| key_at(&source.text, &found.span()));
    let is_made = source.is_some_and(|source| source.is_made);
    let line = (!is_made).then(|| found.line());
    let file = (!is_made).then(|| name.to_owned());
    let (message, help) = (found.message().to_owned(), found.help().to_owned());
    (file, line, key, message, Some(help))
}

/// Converts an error of the operating system about `path` to an exception of Python.
fn os_error(source: &io::Error, what: &str, path: &Path) -> PyErr {
    let why = source.to_string();
    let why = why.split(" (os error").next().unwrap_or_default();
    let text = format!("{what}: {why}");
    match source.raw_os_error() {
        Some(code) => PyOSError::new_err((code, text, path.display().to_string())),
        None => PyOSError::new_err(format!("{text}: `{}`", path.display())),
    }
}

/// Creates an exception of a class that the package defines.
pub(crate) fn exception<'py>(
    py: Python<'py>,
    name: &'static str,
    arguments: impl pyo3::call::PyCallArgs<'py>,
) -> PyErr {
    let made = py
        .import("fabricsim._errors")
        .and_then(|module| module.getattr(name))
        .and_then(|class| class.call1(arguments));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// Returns `KeyboardInterrupt`, for a run that was stopped without an exception.
pub(crate) fn interrupted(py: Python<'_>) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    match CLASS.import(py, "builtins", "KeyboardInterrupt") {
        Ok(class) => PyErr::from_type(class.clone(), ()),
        Err(error) => error,
    }
}
