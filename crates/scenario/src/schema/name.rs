//! Names of results.

/// The longest name of a folder of results, in bytes: file systems take 255.
const LONGEST_PLAIN_NAME: usize = 200;

/// Returns whether `name` can name a folder or a part of a file name on every system.
#[must_use]
pub fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= LONGEST_PLAIN_NAME
        && !name.starts_with(['.', '-'])
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_'))
}
