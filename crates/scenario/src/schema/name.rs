//! Names of results.

/// The longest name of a result folder, in bytes; file systems accept 255.
const LONGEST_PLAIN_NAME: usize = 200;

/// Returns `true` if `name` can be a folder or a part of a file name on every system.
#[must_use]
pub fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= LONGEST_PLAIN_NAME
        && !name.starts_with(['.', '-'])
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_'))
}
