//! Reads the files that tables name.

use std::path::Path;

use fabricsim_core::input::ConfigError;

use crate::text::error::Error;
use crate::text::file_kind::FileKind;
use crate::text::input_file::read_named;

/// Reads the file that `key` of a table names. One that cannot be read is an error of the key,
/// which `refuse` makes; one that is no text is an error in the file.
pub(crate) fn read_referenced(
    key: &'static str,
    kind: FileKind,
    path: &Path,
    refuse: &dyn Fn(ConfigError) -> Error,
) -> Result<String, Error> {
    read_named(kind, path, |reason, help| {
        let path = path.display();
        let message = format!("cannot read {kind} `{path}`: {reason}");
        refuse(ConfigError::new(key, message, help))
    })
}
