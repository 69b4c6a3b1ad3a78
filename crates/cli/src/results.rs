//! Result files: how to find, read and name them.

mod places;
mod selection;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fabricsim::Error;
use fabricsim::output::{is_being_replaced, partial_name};
use fabricsim_base::input::InputError;
use fabricsim_report::{FctRecord, read_any_fct};
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;
use serde_json::Value;

pub(crate) use self::places::{Place, places};
pub(crate) use self::selection::{FlowSelection, no_such_class, places_with_flows};

/// The flows of an interrupted run.
pub(crate) const PARTIAL: &str = "fct.partial.csv";

/// Returns the file of flows at `path`, which may be a folder: of fabricsim, or of the published
/// simulator.
pub(crate) fn fct_file(path: &Path) -> PathBuf {
    if !path.is_dir() {
        return path.to_owned();
    }
    let ours = path.join("fct.csv");
    let published = path.join("fct.txt");
    if !ours.exists() && published.exists() {
        published
    } else {
        ours
    }
}

/// Reads the flows of a file, or of the file in a folder of results.
pub(crate) fn read_flows(path: &Path) -> Result<Vec<FctRecord>, Error> {
    refuse_mixture(path)?;
    let path = fct_file(path);
    let partial = path.with_file_name(PARTIAL);
    if path.ends_with("fct.csv") && !path.exists() && partial.exists() {
        return Err(Error::Unsupported {
            scenario: path.display().to_string(),
            message: "the run was interrupted".to_owned(),
            help: format!(
                "give `{}` for the flows that had finished",
                partial.display()
            ),
        });
    }
    let text = read_text(FileKind::RESULTS, &path)?;
    let name = path.display().to_string();
    read_any_fct(&text).map_err(|error| Error::input(&name, &text, error))
}

/// Refuses a folder that holds the files of two runs.
pub(crate) fn refuse_mixture(path: &Path) -> Result<(), Error> {
    let folder = match path.is_dir() {
        true => Some(path),
        false => path.parent(),
    };
    match folder.filter(|folder| is_being_replaced(folder)) {
        None => Ok(()),
        Some(folder) => Err(Error::Unsupported {
            scenario: folder.display().to_string(),
            message: "a run is replacing the results of another one, or was killed while it did"
                .to_owned(),
            help: "run the scenario into the folder again".to_owned(),
        }),
    }
}

/// Returns the path of the summary that belongs to the file of flows at `path`.
pub(crate) fn summary_beside(path: &Path) -> PathBuf {
    let name = match path.ends_with(PARTIAL) {
        true => partial_name("summary.json"),
        false => "summary.json".to_owned(),
    };
    path.with_file_name(name)
}

/// Reads a summary.json; `Null` if there is none.
pub(crate) fn read_summary(path: &Path) -> Result<Value, Error> {
    if !path.exists() {
        return Ok(Value::Null);
    }
    let text = read_text(FileKind::SUMMARY, path)?;
    serde_json::from_str(&text).map_err(|error| {
        let before: usize = text
            .split_inclusive('\n')
            .take(error.line().saturating_sub(1))
            .map(str::len)
            .sum();
        let at = (before + error.column().saturating_sub(1)).min(text.len());
        let diagnostic = InputError::new(
            at..at,
            error.to_string(),
            "run the scenario again: the file is damaged",
        );
        Error::input(&path.display().to_string(), &text, diagnostic)
    })
}

/// Describes the flows of a class by the `summary` of their run: `incast flows`. Adds the number of
/// the class if several workloads are of that kind.
pub(crate) fn class_name(summary: &Value, class: u16) -> String {
    let workloads = summary.pointer("/scenario/workload");
    let workloads = workloads.and_then(Value::as_array);
    let workloads = workloads.map_or(&[][..], Vec::as_slice);
    let kind_of = |workload: &Value| workload["kind"].as_str().map(str::to_owned);
    let own = workloads.get(usize::from(class)).and_then(kind_of);
    match own {
        Some(kind) => {
            let alike = workloads.iter().filter_map(kind_of);
            match alike.filter(|other| *other == kind).count() {
                1 => format!("{kind} flows"),
                _ => format!("{kind} flows (class {class})"),
            }
        }
        None => format!("flows of class {class}"),
    }
}

/// Returns the default names of results: the name of the folder, or of the file if it is not just
/// called `fct`. If two results would have the same name, all are named by their paths.
pub(crate) fn names(paths: &[PathBuf]) -> Vec<String> {
    let short: Vec<String> = paths.iter().map(|path| name(path)).collect();
    let distinct: BTreeSet<&String> = short.iter().collect();
    if distinct.len() == short.len() {
        return short;
    }
    paths
        .iter()
        .map(|path| path.display().to_string())
        .collect()
}

fn name(path: &Path) -> String {
    // `.` and `..` have no name of their own; a link is called as the user calls it.
    let whole = match path.file_name() {
        Some(_) => None,
        None => path.canonicalize().ok(),
    };
    let path = whole.as_deref().unwrap_or(path);
    let last = |path: &Path| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    let stem = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    let named = match stem {
        _ if path.is_dir() => last(path),
        Some(stem) if stem == "fct" => path.parent().and_then(last),
        stem => stem,
    };
    named.unwrap_or_else(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_called_after_its_folder() {
        let paths = ["no/hpcc/fct.csv", "no/mine.csv"].map(PathBuf::from);
        assert_eq!(names(&paths), ["hpcc", "mine"]);
        let paths = ["no/a/fct.csv", "other/a/fct.txt"].map(PathBuf::from);
        assert_eq!(names(&paths), ["no/a/fct.csv", "other/a/fct.txt"]);
    }
}
