//! One writer at a time: locks that end with the process that holds them.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use same_file::Handle;

/// The lock of a folder. The file exists while a process holds the lock, or after such a process
/// was killed. Only the operating system's lock on the file counts, so a left-over file blocks no
/// one.
#[derive(Debug)]
pub struct FolderLock {
    path: PathBuf,
    /// Closed, and so unlocked, after the file has been removed.
    _file: File,
}

impl FolderLock {
    /// Acquires the lock called `name` of `folder`, or returns `None` if another process holds it.
    ///
    /// # Errors
    /// Fails if the file cannot be created.
    pub fn try_take(folder: &Path, name: &str) -> io::Result<Option<Self>> {
        Self::obtain(folder, name, |file| match file.try_lock() {
            Err(TryLockError::WouldBlock) => Ok(false),
            // If the file system has no locks, other writers cannot be excluded.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(true),
        })
    }

    /// Waits until no other process holds the lock called `name` of `folder`, and acquires it.
    ///
    /// # Errors
    /// Fails if the file cannot be created.
    pub fn take(folder: &Path, name: &str) -> io::Result<Self> {
        let taken = Self::obtain(folder, name, |file| {
            match file.lock() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
                Ok(()) | Err(_) => {}
            }
            Ok(true)
        });
        match taken {
            Ok(Some(lock)) => Ok(lock),
            Ok(None) => Err(io::Error::other("a lock that was waited for is not there")),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Self::take(folder, name),
            Err(error) => Err(error),
        }
    }

    fn obtain(
        folder: &Path,
        name: &str,
        lock: impl Fn(&File) -> io::Result<bool>,
    ) -> io::Result<Option<Self>> {
        let path = folder.join(name);
        loop {
            let file = File::options()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)?;
            if !lock(&file)? {
                return Ok(None);
            }
            // The previous holder has removed its file, so this may be a file that other processes
            // cannot see.
            let held = Handle::from_file(file.try_clone()?)?;
            if Handle::from_path(&path).is_ok_and(|there| there == held) {
                return Ok(Some(Self { path, _file: file }));
            }
        }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // If the file cannot be removed, the next holder reuses it.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn a_lock_is_held_by_one_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let first = FolderLock::try_take(folder.path(), "l").unwrap();
        assert!(first.is_some());
        assert!(FolderLock::try_take(folder.path(), "l").unwrap().is_none());
        assert!(FolderLock::try_take(folder.path(), "m").unwrap().is_some());
        drop(first);
        assert!(!folder.path().join("l").exists());
        // A file left by a killed process blocks no one.
        fs::write(folder.path().join("l"), "").unwrap();
        assert!(FolderLock::try_take(folder.path(), "l").unwrap().is_some());
        assert!(!folder.path().join("l").exists());
    }

    #[test]
    fn many_that_wait_are_inside_one_after_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let (inside, entries) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let lock = FolderLock::take(folder.path(), "l").unwrap();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        entries.fetch_add(1, Ordering::SeqCst);
                        assert_eq!(inside.fetch_sub(1, Ordering::SeqCst), 1);
                        drop(lock);
                    }
                });
            }
        });
        assert_eq!(entries.into_inner(), 1_600);
    }
}
