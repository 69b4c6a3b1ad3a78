//! Kinds of results, and the files that a record lists.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::names::{Ending, partial_name};

/// A kind of results: the file that records their origin, and the names of its keys.
#[derive(Clone, Copy, Debug)]
pub struct ResultSet {
    pub(super) record: &'static str,
    pub(super) settings: &'static str,
    pub(super) checksum: &'static str,
    pub(super) option: &'static str,
}

/// The results of a run.
pub const RUN: ResultSet = ResultSet {
    record: "summary.json",
    settings: "scenario",
    checksum: "scenario_checksum",
    option: "--out",
};

/// Files that every interrupted run leaves.
const PARTIAL: [&str; 2] = ["fct.csv", "summary.json"];

/// The files of runs with summaries that do not list them.
const UNLISTED: [&str; 5] = [
    "fct.csv",
    "pauses.csv",
    "queue_stats.csv",
    "parallelism.json",
    "parallelism_nodes.csv",
];

impl ResultSet {
    /// Returns a kind of results with the JSON file `record` for their origin; `option` is the
    /// option for their folder.
    #[must_use]
    pub const fn new(record: &'static str, option: &'static str) -> Self {
        Self {
            record,
            settings: "settings",
            checksum: "settings_checksum",
            option,
        }
    }

    /// Returns the files that an interrupted run may have left without listing them.
    pub(super) fn partial_files(&self) -> impl Iterator<Item = String> {
        let is_run = self.record == RUN.record;
        let names = PARTIAL.into_iter().filter(move |_| is_run);
        names.map(partial_name)
    }
}

/// Returns the names in the list of files of a record.
pub(super) fn listed(record: &serde_json::Map<String, Value>) -> Vec<String> {
    let names = record.get("files").and_then(Value::as_array);
    let names = names.into_iter().flatten().filter_map(Value::as_str);
    names
        .filter(|name| is_own(name))
        .map(str::to_owned)
        .collect()
}

/// Returns `true` if `name` is the name of a file in the folder itself.
pub(super) fn is_own(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', ':'])
}

/// Returns the files of `set` in `dir` that belong to a run that ended like `ending`.
pub(super) fn files_of(dir: &Path, set: &ResultSet, ending: Ending) -> Vec<String> {
    let name = ending.name(set.record);
    let record = fs::read(dir.join(&name)).ok();
    let record = record.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    let Some(Value::Object(record)) = record else {
        return Vec::new();
    };
    let mut files = listed(&record);
    if !record.contains_key("files") && set.record == RUN.record {
        let query_files = record.get("query_files").and_then(Value::as_array);
        let query_files = query_files.into_iter().flatten().filter_map(Value::as_str);
        let query_files = query_files.filter(|name| is_own(name) && name.starts_with("query_"));
        let series = record.get("observed").and_then(Value::as_array);
        let series = series.into_iter().flatten();
        let series = series.filter_map(|series| series.get("file")?.as_str());
        let names = UNLISTED.into_iter().chain(query_files);
        let names = names.chain(series.filter(|name| is_own(name)));
        files.extend(names.map(str::to_owned));
        files.extend(UNLISTED.map(partial_name));
    }
    files.push(name);
    files
}
