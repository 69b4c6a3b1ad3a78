//! Reads the files that tables name.

use std::path::Path;

use fabricsim_base::input::ConfigError;
use fabricsim_workload::{goal_binary_to_text, is_goal_binary};

use crate::read::parquet_flows::{is_parquet, read_as_csv};
use crate::schema::part::Reason;
use crate::text::error::Error;
use crate::text::file_kind::FileKind;
use crate::text::input_file::{first_bytes, read_bytes, read_named};

/// Reads the file that `key` of a table names.
///
/// # Errors
/// Fails if the file cannot be read, the error is at the key; if it is not a text, the error is in
/// the file.
pub(crate) fn read_referenced(
    key: &'static str,
    kind: FileKind,
    path: &Path,
) -> Result<String, Reason> {
    read_named(kind, path, |reason, help| {
        let path = path.display();
        let message = format!("cannot read {kind} `{path}`: {reason}");
        Reason::Key(ConfigError::new(key, message, help))
    })
}

/// Like [`read_referenced`], for a list of flows; Parquet is converted to the text of a CSV.
pub(crate) fn read_flows(key: &'static str, path: &Path) -> Result<String, Reason> {
    match first_bytes(path).is_some_and(|first| is_parquet(&first)) {
        true => read_as_csv(key, path),
        false => read_referenced(key, FileKind::FLOWS, path),
    }
}

/// Like [`read_referenced`], for a graph of operations; binary GOAL is converted to text.
pub(crate) fn read_graph(key: &'static str, path: &Path) -> Result<String, Reason> {
    if !first_bytes(path).is_some_and(|first| is_goal_binary(&first)) {
        return read_referenced(key, FileKind::GRAPH, path);
    }
    let bytes = read_bytes(FileKind::GRAPH, path)?;
    let text = goal_binary_to_text(&bytes);
    Ok(text.map_err(|error| Error::input(&path.display().to_string(), "", error))?)
}
