//! A folder of results in progress: files are written under temporary names and renamed together
//! after all of them are complete.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use super::lock::FolderLock;
use super::names::{Ending, cannot_write};
use super::new_file::{TEMPORARY, new_file_in};
use super::result_set::{ResultSet, files_of, is_own};
use super::whole_file::replace;
use fabricsim_scenario::text::error::Error;

/// The lock that the writer of a folder holds.
const LOCK: &str = ".fabricsim.lock";

/// Exists while the files of one run replace another run's, and after a process was killed at that
/// moment: the folder then contains files of both runs.
const REPLACING: &str = ".fabricsim-replacing";

/// Returns `true` if `dir` contains files of two runs, because one is just replacing the other or
/// was killed while it did.
#[must_use]
pub fn is_being_replaced(dir: &Path) -> bool {
    dir.join(REPLACING).exists()
}

/// Writes the file `name` of `folder`, without other files of results. Replaces an existing file; a
/// link is replaced, not followed.
///
/// # Errors
/// Fails if the folder cannot be written, or if `write` fails.
pub fn write_in_folder(
    folder: &Path,
    name: &str,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), Error> {
    let path = folder.join(name);
    replace(&path, write).map_err(cannot_write(path))
}

/// Removes the file at `path` if it exists.
fn remove(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(cannot_write(path)(error)),
        _ => Ok(()),
    }
}

/// A folder that only this process writes to.
#[derive(Debug)]
pub struct ResultFolder {
    dir: PathBuf,
    /// Names and the files that will get them, in this order. If they do not, the files are removed
    /// before the lock is released.
    staged: Vec<(String, TempPath)>,
    _lock: FolderLock,
}

impl ResultFolder {
    /// Opens the folder `dir`, and creates it if it is missing. Returns `None` while another
    /// process writes to it. Removes the temporary files of writers that were killed.
    ///
    /// # Errors
    /// Fails if the folder cannot be written.
    pub fn try_open(dir: &Path) -> Result<Option<Self>, Error> {
        fs::create_dir_all(dir).map_err(cannot_write(dir))?;
        let lock = FolderLock::try_take(dir, LOCK).map_err(cannot_write(dir))?;
        let Some(lock) = lock else {
            return Ok(None);
        };
        remove_left_over(dir)?;
        Ok(Some(Self {
            dir: dir.to_owned(),
            staged: Vec::new(),
            _lock: lock,
        }))
    }

    /// Like [`try_open`](Self::try_open).
    ///
    /// # Errors
    /// Also fails if another process is writing to the folder.
    pub fn open(dir: &Path) -> Result<Self, Error> {
        Self::try_open(dir)?.ok_or_else(|| Error::Folder {
            path: dir.to_owned(),
            problem: "another fabricsim is writing to it, so nothing ran".to_owned(),
            help: "wait until that one has ended, or write elsewhere with --out DIR".to_owned(),
        })
    }

    /// Waits until no other process writes to the folder `dir`, and opens it: for results that are
    /// already complete and must not be lost.
    ///
    /// # Errors
    /// Fails if the folder cannot be written.
    pub(super) fn wait_for(dir: &Path) -> Result<Self, Error> {
        fs::create_dir_all(dir).map_err(cannot_write(dir))?;
        let lock = FolderLock::take(dir, LOCK).map_err(cannot_write(dir))?;
        remove_left_over(dir)?;
        Ok(Self {
            dir: dir.to_owned(),
            staged: Vec::new(),
            _lock: lock,
        })
    }

    /// Returns the path of the folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Adds a complete file, to be named `name`.
    pub fn add(&mut self, name: String, file: TempPath) {
        self.staged.push((name, file));
    }

    /// Writes a file, to be named `name`.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn write(
        &mut self,
        name: String,
        write: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> Result<(), Error> {
        let error = |source| cannot_write(self.dir.join(&name))(source);
        let mut file = new_file_in(&self.dir).map_err(error)?;
        write(file.as_file_mut()).map_err(error)?;
        self.add(name, file.into_temp_path());
        Ok(())
    }

    /// Returns the names of all files so far.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.staged.iter().map(|(name, _)| name.as_str())
    }

    /// Gives all files their names. Removes the files of an earlier run that ended in the same way;
    /// a complete run also replaces the files of an interrupted one. Other files stay. `seals` are
    /// the last files of `set`: they are removed first and renamed last, so that the folder never
    /// seems to be complete in between.
    ///
    /// # Errors
    /// Fails if a file cannot be renamed or removed.
    pub fn commit(mut self, set: &ResultSet, ending: Ending, seals: &[&str]) -> Result<(), Error> {
        let staged = std::mem::take(&mut self.staged);
        let mut stale = files_of(&self.dir, set, ending);
        let marker = self.dir.join(REPLACING);
        if ending == Ending::Whole {
            stale.extend(files_of(&self.dir, set, Ending::Interrupted));
            stale.extend(set.partial_files());
            // A process that was killed here has recorded the files that it was removing, and its
            // own.
            let noted = fs::read_to_string(&marker).unwrap_or_default();
            stale.extend(noted.lines().filter(|name| is_own(name)).map(str::to_owned));
            let names = stale.iter().chain(staged.iter().map(|(name, _)| name));
            let names: Vec<&str> = names.map(String::as_str).collect();
            replace(&marker, |file| file.write_all(names.join("\n").as_bytes()))
                .map_err(cannot_write(&marker))?;
        }
        for seal in seals {
            remove(&self.dir.join(seal))?;
        }
        for name in stale {
            if !staged.iter().any(|(new, _)| *new == name) {
                remove(&self.dir.join(name))?;
            }
        }
        let (last, first): (Vec<_>, Vec<_>) = staged
            .into_iter()
            .partition(|(name, _)| seals.contains(&name.as_str()));
        for (name, file) in first.into_iter().chain(last) {
            let path = self.dir.join(name);
            file.persist(&path)
                .map_err(|error| cannot_write(path)(error.error))?;
        }
        match ending {
            Ending::Whole => remove(&marker),
            Ending::Interrupted => Ok(()),
        }
    }
}

/// Removes the files that a killed writer of `dir` has left behind, including its lock. Does
/// nothing without a lock file, or while another process writes to `dir`.
pub fn remove_stale_lock(dir: &Path) {
    if dir.join(LOCK).exists() {
        // Closing the folder also removes the lock file. If it cannot be removed, it blocks no one.
        drop(ResultFolder::try_open(dir));
    }
}

/// Removes the temporary files of a killed writer of `dir`. The caller must hold the lock.
pub fn remove_left_over(dir: &Path) -> Result<(), Error> {
    for entry in fs::read_dir(dir).map_err(cannot_write(dir))?.flatten() {
        let left_over = entry.file_name().to_string_lossy().starts_with(TEMPORARY);
        if left_over && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::result_set::RUN;
    use super::*;

    fn names(dir: &Path) -> BTreeSet<String> {
        let entries = fs::read_dir(dir).unwrap();
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        entries.map(|entry| name(entry.unwrap())).collect()
    }

    /// Writes `files` and a summary that lists them.
    fn fill(dir: &Path, ending: Ending, files: &[&str]) {
        let mut folder = ResultFolder::open(dir).unwrap();
        for name in files {
            let put = |file: &mut File| file.write_all(name.as_bytes());
            folder.write(ending.name(name), put).unwrap();
        }
        let listed: Vec<String> = folder.names().map(str::to_owned).collect();
        let summary = ending.name("summary.json");
        let text = serde_json::json!({ "files": listed }).to_string();
        let put = |file: &mut File| file.write_all(text.as_bytes());
        folder.write(summary.clone(), put).unwrap();
        folder.commit(&RUN, ending, &[&summary]).unwrap();
    }

    #[test]
    fn results_take_the_place_of_the_last_ones_together() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        fs::write(dir.join("mine.txt"), "").unwrap();
        let holds = |wanted: &[&str]| {
            let wanted = wanted.iter().copied().map(str::to_owned);
            assert_eq!(names(dir), wanted.chain(["mine.txt".to_owned()]).collect());
        };
        fill(dir, Ending::Interrupted, &["fct.csv", "a.csv"]);
        holds(&["fct.partial.csv", "a.partial.csv", "summary.partial.json"]);
        fill(dir, Ending::Whole, &["fct.csv", "b.csv"]);
        holds(&["fct.csv", "b.csv", "summary.json"]);
        fill(dir, Ending::Interrupted, &["fct.csv"]);
        let partial = ["fct.partial.csv", "summary.partial.json"];
        holds(&[&["fct.csv", "b.csv", "summary.json"][..], &partial].concat());
        fill(dir, Ending::Whole, &["fct.csv", "c.csv"]);
        holds(&["fct.csv", "c.csv", "summary.json"]);
    }

    #[test]
    fn what_is_not_committed_leaves_the_old_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        fill(dir, Ending::Whole, &["fct.csv"]);
        fs::write(dir.join(".tmp-fabricsim-killed"), "").unwrap();
        fs::write(dir.join(".tmpother"), "").unwrap();
        let mut writer = ResultFolder::open(dir).unwrap();
        assert!(!dir.join(".tmp-fabricsim-killed").exists());
        writer.write("fct.csv".to_owned(), |_| Ok(())).unwrap();
        assert!(ResultFolder::try_open(dir).unwrap().is_none(), "locked");
        let busy = ResultFolder::open(dir).expect_err("locked").to_string();
        assert!(busy.contains("another fabricsim"), "{busy}");
        drop(writer);
        let left: Vec<String> = names(dir).into_iter().collect();
        assert_eq!(left, [".tmpother", "fct.csv", "summary.json"]);
        assert_eq!(fs::read_to_string(dir.join("fct.csv")).unwrap(), "fct.csv");
    }

    #[test]
    fn what_a_killed_writer_was_to_remove_goes_with_the_next_results() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        fill(dir, Ending::Whole, &["fct.csv", "queues.csv"]);
        // Killed after the old summary has been removed: only the marker knows the series.
        fs::write(dir.join(REPLACING), "queues.csv\nsummary.json\nfct.csv").unwrap();
        fs::remove_file(dir.join("summary.json")).unwrap();
        assert!(is_being_replaced(dir));
        fill(dir, Ending::Whole, &["fct.csv"]);
        let left: Vec<String> = names(dir).into_iter().collect();
        assert_eq!(left, ["fct.csv", "summary.json"]);
    }

    #[test]
    fn files_that_are_written_without_a_lock_are_not_taken_for_left_over_ones() {
        let folder = tempfile::tempdir().unwrap();
        let file = super::super::new_file::lone_file_in(folder.path()).unwrap();
        remove_left_over(folder.path()).unwrap();
        assert!(file.path().exists());
    }
}
