//! Interface of an importer for a format of another simulator.

use std::path::{Component, Path, PathBuf};

use fabricsim_base::input::InputError;

use super::{Imported, LeftOut, UnknownKeys};
use crate::text::error::Error;
use crate::text::file_kind::FileKind;
use crate::text::input_file::read_text;

/// A format of another simulator that can be converted to scenarios.
pub trait Importer: Sync {
    /// Returns the name of the format, for the option `--format`.
    fn name(&self) -> &'static str;

    /// Returns one line on the files that it reads.
    fn about(&self) -> &'static str;

    /// Returns `true` if `file` has this format and a scenario can be made of it. A file that other
    /// files name, such as a list of flows, is not enough for a scenario.
    fn recognizes(&self, file: &InputFile) -> bool;

    /// Converts the files of `job` to a scenario. It recognizes at least one of them.
    ///
    /// # Errors
    /// Fails at the first value that cannot be read, is missing, or requires a feature we do not
    /// simulate. Also if a file that one of them names cannot be read.
    fn import(&self, job: &Job) -> Result<Imported, Error>;
}

/// A file to import.
#[derive(Clone, Debug)]
pub struct InputFile {
    /// The path of the file.
    pub path: PathBuf,
    /// Text of the file.
    pub text: String,
}

impl InputFile {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// Fails if there is no such file, it is too large, or it is not a text.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let kind = match path.extension().and_then(|end| end.to_str()) {
            Some("topo") => FileKind::TOPOLOGY,
            Some("cm") => FileKind::FLOWS,
            _ => FileKind::CONFIGURATION,
        };
        Ok(Self {
            path: path.to_owned(),
            text: read_text(kind, path)?,
        })
    }

    /// Returns the name of the file in messages.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Converts `error` to an error with the name and text of this file.
    #[must_use]
    pub fn error(&self, error: InputError) -> Error {
        Error::input(&self.name(), &self.text, error)
    }

    /// Converts `errors`, which must not be empty, to an error in this file.
    pub(super) fn errors(&self, errors: Vec<InputError>) -> Error {
        let errors = errors.into_iter().map(|error| self.error(error));
        Error::all(errors.collect())
    }

    /// Yields the lines without comments (`#`), without blank lines.
    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        let lines = self.text.lines();
        lines
            .map(|line| line.split('#').next().unwrap_or(line).trim())
            .filter(|line| !line.is_empty())
    }
}

/// The input of an import, and the destination of the scenario.
#[derive(Clone, Debug)]
pub struct Job {
    /// The files that the user gave, or the files in the folder that the user gave.
    pub files: Vec<InputFile>,
    /// The base folder of relative paths in these files, if the user gives it.
    pub base: Option<PathBuf>,
    /// The folder of the scenario, which is the base of its relative paths.
    pub folder: PathBuf,
    /// The name of the scenario.
    pub name: String,
    /// Treatment of unknown keys, in configurations that are lists of keys.
    pub unknown: UnknownKeys,
}

impl Job {
    /// Returns the path to the file at `path` for a scenario in [`Job::folder`]: relative if both
    /// are in one tree, otherwise absolute.
    #[must_use]
    pub fn path_in_scenario(&self, path: &Path) -> String {
        let whole = (path.canonicalize().ok()).zip(self.folder.canonicalize().ok());
        let path = match whole {
            Some((path, folder)) => relative(&path, &folder).unwrap_or(path),
            None => path.to_owned(),
        };
        path.display().to_string()
    }

    /// Returns the first file that `importer` recognizes, or the first of all files if there is
    /// none.
    pub(super) fn only(&self, importer: &dyn Importer) -> &InputFile {
        let recognized = self.files.iter().find(|file| importer.recognizes(file));
        recognized
            .or_else(|| self.files.first())
            .expect("a job has a file")
    }
}

/// Writes the comment at the top of a scenario: its sources, and everything omitted.
pub(super) fn preamble(sources: &[String], left_out: &[LeftOut], lines: &mut super::lines::Lines) {
    let sources = sources.join(" and ");
    lines.comment(&format!("Made of {sources} by `fabricsim import`."));
    if !left_out.is_empty() {
        lines.comment("Left out or different:");
    }
    for LeftOut { keys, reason } in left_out {
        lines.wrapped_comment(&format!("{}: {reason}", keys.join(", ")));
    }
}

/// Returns `path` relative to `folder`; `None` if they share only the root.
fn relative(path: &Path, folder: &Path) -> Option<PathBuf> {
    let shared = path
        .components()
        .zip(folder.components())
        .take_while(|(a, b)| a == b)
        .count();
    let is_named = |part: Component<'_>| matches!(part, Component::Normal(_));
    if !path.components().take(shared).any(is_named) {
        return path.strip_prefix(folder).ok().map(Path::to_owned);
    }
    let up = folder
        .components()
        .skip(shared)
        .map(|_| Component::ParentDir);
    Some(up.chain(path.components().skip(shared)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_where_they_share_a_folder() {
        let seen = |path: &str, folder: &str| relative(Path::new(path), Path::new(folder));
        assert_eq!(seen("/a/b/c.txt", "/a/b"), Some("c.txt".into()));
        assert_eq!(seen("/a/b/c.txt", "/a/d/e"), Some("../../b/c.txt".into()));
        assert_eq!(seen("/a/b/c.txt", "/d"), None);
        assert_eq!(seen("/c.txt", "/"), Some("c.txt".into()));
    }

    #[cfg(unix)]
    #[test]
    fn a_scenario_in_another_tree_finds_the_file() {
        // Tests run in the folder of the crate, which is not below the folder of devices.
        let folder = Path::new("/dev");
        let job = Job {
            files: Vec::new(),
            base: None,
            folder: folder.to_owned(),
            name: "other".to_owned(),
            unknown: UnknownKeys::Refused,
        };
        let path = Path::new("Cargo.toml");
        let found = folder.join(job.path_in_scenario(path)).canonicalize();
        let meant = path.canonicalize();
        assert_eq!(found.expect("it is found"), meant.expect("it is there"));
    }
}
