//! Files that get their names after they are complete.

use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

/// Prefix for the names of temporary files written by the holder of their folder's lock; they are
/// left behind when the process is killed.
pub(super) const TEMPORARY: &str = ".tmp-fabricsim-";

/// Prefix for the names of temporary files written without a lock.
const UNLOCKED: &str = ".tmp-one-fabricsim-";

/// Creates a file in `folder` that will be renamed. It has the permissions of any new file of the
/// user, because results are shared.
///
/// The caller must hold the lock of the folder, because the next holder removes left-over files.
pub fn new_file_in(folder: &Path) -> io::Result<NamedTempFile> {
    temporary(folder, TEMPORARY)
}

/// Like [`new_file_in`], for a file that is written without a lock.
pub(super) fn lone_file_in(folder: &Path) -> io::Result<NamedTempFile> {
    temporary(folder, UNLOCKED)
}

fn temporary(folder: &Path, prefix: &str) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The system subtracts the user's mask.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}
