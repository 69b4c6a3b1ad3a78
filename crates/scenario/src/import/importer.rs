//! What a format of another simulator has to do to be imported.

use std::path::{Component, Path, PathBuf};

use fabricsim_base::input::InputError;

use super::{Imported, LeftOut, UnknownKeys};
use crate::text::error::Error;
use crate::text::file_kind::FileKind;
use crate::text::input_file::read_text;

/// A format of another simulator that scenarios are made of.
pub trait Importer: Sync {
    /// Returns the name of the format, as `--format` takes it.
    fn name(&self) -> &'static str;

    /// Returns which files it reads, in a line.
    fn about(&self) -> &'static str;

    /// Returns whether a scenario can be made of `file`: whether it is of this format, and not one
    /// that others name.
    fn recognizes(&self, file: &InputFile) -> bool;

    /// Makes a scenario of the files of `job`, of which it recognizes one at least.
    ///
    /// # Errors
    /// At the first value that cannot be read, that is missing, or that asks for what is not
    /// simulated; when a file that one of them names cannot be read.
    fn import(&self, job: &Job) -> Result<Imported, Error>;
}

/// A file that is imported.
#[derive(Clone, Debug)]
pub struct InputFile {
    /// The file.
    pub path: PathBuf,
    /// Its content.
    pub text: String,
}

impl InputFile {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// When there is no such file, it is too large, or no text.
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

    /// Returns the error that is at `error` in this file.
    #[must_use]
    pub fn error(&self, error: InputError) -> Error {
        Error::input(&self.name(), &self.text, error)
    }

    /// Returns the errors that are at `errors` in this file, of which there is one at least.
    pub(super) fn errors(&self, errors: Vec<InputError>) -> Error {
        let errors = errors.into_iter().map(|error| self.error(error));
        Error::all(errors.collect())
    }

    /// Returns the lines that say something, with their words: without comments (`#`) and blank
    /// lines.
    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        let lines = self.text.lines();
        lines
            .map(|line| line.split('#').next().unwrap_or(line).trim())
            .filter(|line| !line.is_empty())
    }
}

/// What is to be imported, and where the scenario goes.
#[derive(Clone, Debug)]
pub struct Job {
    /// The files that were given, or that were found in the folder that was given.
    pub files: Vec<InputFile>,
    /// The folder that paths in these files start from, where the user says it.
    pub base: Option<PathBuf>,
    /// The folder of the scenario, which its paths start from.
    pub folder: PathBuf,
    /// The name of the scenario.
    pub name: String,
    /// What becomes of keys that the simulator does not read, in configurations that are lists of
    /// keys.
    pub unknown: UnknownKeys,
}

impl Job {
    /// Returns the path that a scenario in [`Job::folder`] has for the file at `path`: relative,
    /// where both are in one tree, and else from the root.
    #[must_use]
    pub fn path_in_scenario(&self, path: &Path) -> String {
        let whole = (path.canonicalize().ok()).zip(self.folder.canonicalize().ok());
        let path = match whole {
            Some((path, folder)) => relative(&path, &folder).unwrap_or(path),
            None => path.to_owned(),
        };
        path.display().to_string()
    }

    /// Returns the only file that `importer` recognizes, or the first one where none is.
    pub(super) fn only(&self, importer: &dyn Importer) -> &InputFile {
        let recognized = self.files.iter().find(|file| importer.recognizes(file));
        recognized
            .or_else(|| self.files.first())
            .expect("a job has a file")
    }
}

/// The lines at the top of a scenario: what it is made of, and all that is left out.
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

/// `path` as seen from `folder`; nothing where they share no more than the root.
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
        // Tests run in the folder of the crate, which lies nowhere below that of devices.
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
