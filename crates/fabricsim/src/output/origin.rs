//! Origin of results: the settings that determine them, both stored and current.

use std::fs;
use std::io;
use std::path::Path;

use fabricsim_report::Checksum;
use serde_json::{Value, json};

use super::destination::{Destination, Existing};
use super::differences::differences;
use super::folder::{ResultFolder, is_being_replaced};
use super::names::{Ending, cannot_write};
use super::result_set::{ResultSet, listed};
use fabricsim_scenario::text::error::Error;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Ownership of files that no record lists.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Unclaimed {
    /// The files belong to another program or person, so they stay.
    Foreign,
    /// The files belong to fabricsim, because no one else writes there.
    Ours,
}

/// Everything that determines results.
#[derive(Clone, Debug)]
pub struct Origin {
    checksum: String,
    settings: Value,
}

impl Origin {
    /// Returns the origin of results that are determined by `settings` and by `more`, such as the
    /// content of files that settings name.
    #[must_use]
    pub fn new(settings: Value, more: &[Vec<u8>]) -> Self {
        let mut checksum = Checksum::new();
        let text = settings.to_string();
        let first = [VERSION.as_bytes(), text.as_bytes()];
        for part in first.into_iter().chain(more.iter().map(Vec::as_slice)) {
            checksum.update(part);
            // Each part ends with a byte that does not occur in text, so that no two lists of parts
            // are equal.
            checksum.update(&[0xff]);
        }
        Self {
            checksum: checksum.to_string(),
            settings,
        }
    }

    /// Returns the checksum of everything, including the version of fabricsim.
    #[must_use]
    pub fn checksum(&self) -> &str {
        &self.checksum
    }

    /// Returns the settings.
    #[must_use]
    pub const fn settings(&self) -> &Value {
        &self.settings
    }

    /// Checks that results of this origin may be written to the files `planned` of `set`. Fails if
    /// that would overwrite complete results of another origin, or a file that is not a result.
    ///
    /// # Errors
    /// The error names the folder, the differences, and a way out.
    pub fn check(
        &self,
        destination: Destination<'_>,
        set: &ResultSet,
        planned: &[String],
        unclaimed: Unclaimed,
    ) -> Result<(), Error> {
        let Destination { dir, existing } = destination;
        let is_folder = |name: &&String| dir.join(name).is_dir();
        if let Some(name) = planned.iter().find(is_folder) {
            let error = io::Error::new(
                io::ErrorKind::IsADirectory,
                "there is a folder of that name",
            );
            return Err(cannot_write(dir.join(name))(error));
        }
        // With the user's consent, or after a killed replacement, no results are worth keeping.
        if existing == Existing::Replace || is_being_replaced(dir) {
            return Ok(());
        }
        let refuse = |problem: String| {
            let option = set.option;
            Err(Error::Folder {
                path: dir.to_owned(),
                problem,
                help: format!("write elsewhere with {option} DIR, or replace them with --force"),
            })
        };
        // Without a record, or with an interrupted one, the folder has no complete results to
        // protect.
        let record = set.record;
        let stored = Stored::read(dir, set).map_err(cannot_write(dir.join(record)))?;
        let claimed = match stored {
            None => Vec::new(),
            Some(Err(())) if unclaimed == Unclaimed::Ours => return Ok(()),
            Some(Err(())) => {
                return refuse(format!(
                    "its {record} was not written by fabricsim, so nothing ran"
                ));
            }
            Some(Ok(stored)) if stored.is_interrupted => return Ok(()),
            Some(Ok(stored)) if stored.checksum.as_deref() == Some(self.checksum()) => stored.files,
            Some(Ok(stored)) => {
                return refuse(format!(
                    "it has other results, so nothing ran\n  {}",
                    stored.differences(self).join("\n  ")
                ));
            }
        };
        // A file that is not in the record may be the user's own.
        let foreign = |name: &&String| dir.join(name).exists() && !claimed.contains(name);
        match planned.iter().find(foreign) {
            Some(name) if unclaimed == Unclaimed::Foreign => refuse(format!(
                "it has a file {name} that its {record} does not list, so nothing ran"
            )),
            _ => Ok(()),
        }
    }

    /// Checks before any work is done that `files` of this origin may be written to `destination`.
    ///
    /// # Errors
    /// Fails if this would overwrite complete results of another origin, or a file that is no such
    /// result.
    pub fn check_files(
        &self,
        destination: Destination<'_>,
        set: &ResultSet,
        files: &[&str],
    ) -> Result<(), Error> {
        let planned: Vec<String> = files.iter().map(|&name| name.to_owned()).collect();
        self.check(destination, set, &planned, Unclaimed::Foreign)
    }

    /// Writes `files`, each with its content, and the record of `set` with their origin.
    ///
    /// # Errors
    /// Fails if this would overwrite complete results of another origin, if another process is
    /// writing to the folder, or if a file cannot be written.
    pub fn write_files(
        &self,
        destination: Destination<'_>,
        set: &ResultSet,
        files: &[(&str, Vec<u8>)],
    ) -> Result<(), Error> {
        use std::io::Write as _;

        let mut folder = ResultFolder::wait_for(destination.dir)?;
        let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
        self.check_files(destination, set, &names)?;
        for (name, content) in files {
            folder.write((*name).to_owned(), |file| file.write_all(content))?;
        }
        let record = json!({
            "fabricsim_version": VERSION,
            set.checksum: self.checksum,
            "files": names,
            set.settings: self.settings,
        });
        folder.write(set.record.to_owned(), |file| writeln!(file, "{record:#}"))?;
        folder.commit(set, Ending::Whole, &[set.record])
    }
}

/// Information in a record about the results in its folder.
struct Stored {
    version: Option<String>,
    checksum: Option<String>,
    settings: Value,
    files: Vec<String>,
    is_interrupted: bool,
}

impl Stored {
    /// Reads the record of `set` in `dir`. Returns `None` if there is none, and an inner error if
    /// it is malformed.
    ///
    /// # Errors
    /// Fails if there may be a record that cannot be read, such as under a name that no folder can
    /// have.
    fn read(dir: &Path, set: &ResultSet) -> io::Result<Option<Result<Self, ()>>> {
        use io::ErrorKind::{NotADirectory, NotFound};

        let bytes = match fs::read(dir.join(set.record)) {
            Err(error) if matches!(error.kind(), NotFound | NotADirectory) => return Ok(None),
            read => read?,
        };
        let Ok(Value::Object(mut record)) = serde_json::from_slice(&bytes) else {
            return Ok(Some(Err(())));
        };
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        Ok(Some(Ok(Self {
            version: text(record.get("fabricsim_version")),
            checksum: text(record.get(set.checksum)),
            files: listed(&record),
            is_interrupted: record.get("status").and_then(Value::as_str) == Some("interrupted"),
            settings: record.remove(set.settings).unwrap_or_default(),
        })))
    }

    /// Returns the differences between these results and `now`, as lines.
    fn differences(&self, now: &Origin) -> Vec<String> {
        let mut lines = differences(&self.settings, &now.settings);
        if self.version.as_deref() != Some(VERSION) {
            let there = self.version.as_deref().unwrap_or("nothing");
            lines.insert(
                0,
                format!("fabricsim_version: {there} there, {VERSION} now"),
            );
        }
        if lines.is_empty() {
            let line = match self.checksum {
                Some(_) => {
                    "a file that the settings name has another content, or other files are written"
                }
                None => {
                    "an earlier fabricsim wrote them, and did not note the files that settings name"
                }
            };
            lines.push(line.to_owned());
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::super::result_set::files_of;
    use super::*;

    const SET: ResultSet = ResultSet::new("latency.json", "--out");

    fn origin(seed: u64, content: &str) -> Origin {
        Origin::new(json!({ "seed": seed }), &[content.as_bytes().to_vec()])
    }

    #[test]
    fn only_the_same_results_are_replaced_unasked() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let put = |origin: &Origin, existing, name: &str, text: &str| {
            let files = [(name, text.as_bytes().to_vec())];
            origin.write_files(Destination::new(dir, existing), &SET, &files)
        };
        let first = origin(1, "a");
        put(&first, Existing::Keep, "latency.csv", "1").unwrap();
        put(&first, Existing::Keep, "latency.csv", "2").unwrap();
        let read = || fs::read_to_string(dir.join("latency.csv")).unwrap();
        assert_eq!(read(), "2");
        for (other, says) in [
            (origin(2, "a"), "seed: 1 there, 2 now"),
            (origin(1, "b"), "a file that the settings name"),
        ] {
            let error = put(&other, Existing::Keep, "latency.csv", "3").expect_err(says);
            assert!(error.to_string().contains(says), "{error}");
            assert_eq!(read(), "2");
        }
        // A foreign file, with the same settings.
        fs::write(dir.join("latency.svg"), "mine").unwrap();
        let error = put(&first, Existing::Keep, "latency.svg", "3").expect_err("not ours");
        assert!(error.to_string().contains("a file latency.svg"), "{error}");
        put(&origin(2, "a"), Existing::Replace, "latency.svg", "3").unwrap();
        assert!(!dir.join("latency.csv").exists(), "it went with its record");
    }

    #[test]
    fn folders_that_the_system_refuses_are_refused_with_its_words() {
        let folder = tempfile::tempdir().unwrap();
        let files = [("latency.csv", Vec::new())];
        let refused = |dir: &Path| {
            let keep = Destination::new(dir, Existing::Keep);
            let error = origin(1, "").check_files(keep, &SET, &["latency.csv"]);
            assert!(origin(1, "").write_files(keep, &SET, &files).is_err());
            match error.expect_err("no such folder can be") {
                Error::Write { path, source } => {
                    assert!(path.starts_with(dir), "{}", path.display());
                    source
                }
                other => panic!("{other}"),
            }
        };
        let system = |dir: &Path| fs::create_dir(dir).expect_err("no such folder can be");
        let (long, nul) = (
            folder.path().join("x".repeat(300)),
            folder.path().join("a\0b"),
        );
        for dir in [&long, &nul, &folder.path().join("y/".repeat(3_000))] {
            assert_eq!(refused(dir).to_string(), system(dir).to_string());
        }
        #[cfg(unix)]
        {
            let link = folder.path().join("link");
            std::os::unix::fs::symlink(&link, &link).unwrap();
            let looped = fs::metadata(&link).expect_err("a link to itself");
            assert_eq!(refused(&link).to_string(), looped.to_string());
        }
    }

    #[test]
    fn a_folder_that_is_half_replaced_is_nobodys() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let keep = Destination::new(dir, Existing::Keep);
        let files = [("latency.csv", Vec::new())];
        origin(1, "").write_files(keep, &SET, &files).unwrap();
        fs::write(dir.join(".fabricsim-replacing"), "").unwrap();
        origin(2, "").write_files(keep, &SET, &files).unwrap();
        assert!(!is_being_replaced(dir));
        origin(1, "")
            .write_files(keep, &SET, &files)
            .expect_err("whole again");
    }

    #[test]
    fn a_list_of_files_leads_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let text = r#"{"files": ["../a", "/etc/b", "c.csv", ".d", "e\\f", 7]}"#;
        fs::write(folder.path().join("latency.json"), text).unwrap();
        let files = files_of(folder.path(), &SET, Ending::Whole);
        assert_eq!(files, ["c.csv", "latency.json"]);
    }
}
