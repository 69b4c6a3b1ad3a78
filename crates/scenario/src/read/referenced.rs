//! Reads the files that tables name.

use std::path::Path;

use fabricsim_core::input::ConfigError;

use crate::schema::part::Reason;
use crate::text::file_kind::FileKind;
use crate::text::input_file::read_named;

/// Reads the file that `key` of a table names.
///
/// # Errors
/// One of the key when the file cannot be read, and one in the file when that is no text.
pub(crate) fn read_referenced(
    key: &'static str,
    kind: FileKind,
    path: &Path,
) -> Result<String, Reason> {
    read_named(kind, path, |reason, help| {
        let path = path.display();
        let message = format!("cannot read {kind} `{path}`: {reason}");
        Reason::Key(ConfigError::new(key, message, help))
    })
}
