//! One writer at a time: locks that end with the process that holds them.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use same_file::Handle;

/// The lock of a folder. The file exists while somebody holds it, or after a process that was
/// killed; it is the operating system's lock on it that counts, so what is left over blocks nobody.
#[derive(Debug)]
pub struct FolderLock {
    path: PathBuf,
    /// Closed, and so unlocked, after the file has been removed.
    _file: File,
}

impl FolderLock {
    /// Takes the lock called `name` of `folder`; `None` when somebody else has it.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn try_take(folder: &Path, name: &str) -> io::Result<Option<Self>> {
        Self::obtain(folder, name, |file| match file.try_lock() {
            Err(TryLockError::WouldBlock) => Ok(false),
            // Where the file system has no locks, nobody can be kept out.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(true),
        })
    }

    /// Takes the lock called `name` of `folder` when nobody else has it any more.
    ///
    /// # Errors
    /// When the file cannot be made.
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
            // Whoever had it before has removed the file, so this may be one that nobody else sees.
            let held = Handle::from_file(file.try_clone()?)?;
            if Handle::from_path(&path).is_ok_and(|there| there == held) {
                return Ok(Some(Self { path, _file: file }));
            }
        }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // A file that stays is taken by the next one.
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
        // What a killed process leaves blocks nobody.
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
