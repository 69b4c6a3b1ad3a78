//! Files that get their names when they are complete.

use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

/// Prefix for the names of temporary files written by the holder of their folder's lock; they are
/// left behind when the process is killed.
pub(super) const TEMPORARY: &str = ".tmp-fabricsim-";

/// Prefix for the names of temporary files written without a lock.
const UNLOCKED: &str = ".tmp-one-fabricsim-";

/// A file in `folder` that is to be renamed. Others may read it as they may read any new file of
/// the user's: results are shared.
///
/// Only for whoever has the lock of the folder: the next one removes what is left.
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
        // The system takes off what the user's mask says.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}
