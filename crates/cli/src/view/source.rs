//! The folder of results that a page shows.

use std::path::{Path, PathBuf};

use fabricsim::Error;
use fabricsim::output::partial_name;
use fabricsim_base::input::InputError;
use fabricsim_report::view::Unknown;
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;
use serde_json::Value;

use crate::results::{read_summary, refuse_mixture};

/// A file of results.
pub(super) struct ResultFile {
    pub(super) name: String,
    pub(super) text: String,
}

impl ResultFile {
    /// Returns an error at a word of the file.
    pub(super) fn error(&self, error: InputError) -> Error {
        Error::input(&self.name, &self.text, error)
    }
}

/// The results of a complete run, or the part that an interrupted one has left.
pub(super) struct Source {
    folder: PathBuf,
    is_partial: bool,
    /// The summary.json, or `Null` if there is none.
    pub(super) summary: Value,
}

impl Source {
    pub(super) fn open(folder: &Path) -> Result<Self, Error> {
        refuse_mixture(folder)?;
        let partial = |name: &str| folder.join(partial_name(name));
        let is_partial = !folder.join("topology.csv").exists() && partial("topology.csv").exists();
        let summary = match is_partial {
            true => partial("summary.json"),
            false => folder.join("summary.json"),
        };
        Ok(Self {
            folder: folder.to_owned(),
            is_partial,
            summary: read_summary(&summary)?,
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        match self.is_partial {
            true => self.folder.join(partial_name(name)),
            false => self.folder.join(name),
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If there is none, or it is no text.
    pub(super) fn need(&self, name: &str) -> Result<ResultFile, Error> {
        let path = self.path(name);
        Ok(ResultFile {
            text: read_text(FileKind::RESULTS, &path)?,
            name: path.display().to_string(),
        })
    }

    /// Returns the error of files that do not belong together.
    pub(super) fn refused(&self, unknown: &Unknown) -> Error {
        Error::Unsupported {
            scenario: self.path(unknown.file).display().to_string(),
            message: unknown.to_string(),
            help: "run the scenario again: the files belong to different runs".to_owned(),
        }
    }

    /// Reads a file if the run has written it.
    pub(super) fn get(&self, name: &str) -> Result<Option<ResultFile>, Error> {
        match self.path(name).is_file() {
            true => self.need(name).map(Some),
            false => Ok(None),
        }
    }

    /// Returns a note that the file `name` is missing, and how to get it: by the key `key` of
    /// `[observe]`. `adds` names what the file adds to the page.
    pub(super) fn missing(&self, name: &str, key: &str, adds: &str) -> String {
        let parquet = self.path(name).with_extension("parquet");
        match parquet.exists() {
            true => format!(
                "The page has no {adds}, because the run has written them as Parquet and only CSV \
                 files can be read: run the scenario with `[observe] format = \"csv\"`."
            ),
            false => format!(
                "The page has no {adds}: `{key} = true` in `[observe]` of the scenario, or `--set \
                 observe.{key}=true`, adds them."
            ),
        }
    }

    /// Returns the remarks on the run itself.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.is_partial {
            notes.push("The run was interrupted: the page shows it up to there.".to_owned());
        }
        let unfinished = self.summary.pointer("/flows/unfinished");
        if let Some(count) = unfinished.and_then(Value::as_u64).filter(|n| *n > 0) {
            notes.push(format!(
                "{count} flows have not ended; the list of flows does not have them."
            ));
        }
        notes
    }
}
