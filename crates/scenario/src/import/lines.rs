//! The lines of a scenario, with their origins.

use std::fmt::Display;
use std::ops::Range;

use fabricsim_base::input::InputError;

use super::value::Value;

/// The origin of a line of a scenario: its position in the configuration, and the key there.
pub(super) type Origin = (Range<usize>, &'static str);

/// Column at which comments after values begin.
const COMMENT: usize = 34;
/// Maximum width of wrapped comments.
const WIDTH: usize = 100;

/// A scenario under construction.
#[derive(Debug, Default)]
pub(super) struct Lines {
    text: String,
    origins: Vec<Option<Origin>>,
}

impl Lines {
    fn line(&mut self, line: &str, origin: Option<Origin>) {
        self.text.push_str(line);
        self.text.push('\n');
        self.origins.push(origin);
    }

    /// Adds a comment.
    pub(super) fn comment(&mut self, text: &str) {
        self.line(&format!("# {}", plain(text)), None);
    }

    /// Adds a comment for an item in a list, wrapped.
    pub(super) fn wrapped_comment(&mut self, text: &str) {
        let mut line = "#  ".to_owned();
        for word in plain(text).split_whitespace() {
            if line.len() + 1 + word.len() > WIDTH {
                self.line(&line, None);
                line = "#    ".to_owned();
            }
            line.push(' ');
            line.push_str(word);
        }
        self.line(&line, None);
    }

    /// Adds an empty line.
    pub(super) fn blank(&mut self) {
        self.line("", None);
    }

    /// Begins a table.
    pub(super) fn table(&mut self, header: &str) {
        self.line("", None);
        self.line(header, None);
    }

    /// Adds a key with a text that does not come from the configuration.
    pub(super) fn text_key(&mut self, key: &str, text: &str) {
        self.line(&format!("{key} = {}", quoted(text)), None);
    }

    /// Adds a key with a constant value, in TOML syntax.
    pub(super) fn plain_key(&mut self, key: &str, value: impl Display) {
        self.line(&format!("{key} = {value}"), None);
    }

    /// Adds lines verbatim, such as a list.
    pub(super) fn block(&mut self, text: &str) {
        for line in text.lines() {
            self.line(line, None);
        }
    }

    /// Adds a key with a value, in TOML syntax, converted from `from`.
    pub(super) fn key(&mut self, key: &str, value: impl Display, from: &Value<'_>) {
        let line = format!("{key} = {value}");
        let line = format!("{line:<COMMENT$} # {}", plain(&from.origin()));
        self.line(&line, Some((from.span(), from.key)));
    }

    /// Adds a key with a text converted from `from`.
    pub(super) fn quoted_key(&mut self, key: &str, value: impl Display, from: &Value<'_>) {
        self.key(key, quoted(&value.to_string()), from);
    }

    /// Adds a list converted from `from`.
    pub(super) fn list(&mut self, key: &str, items: &[String], from: &Value<'_>) {
        self.line(&format!("{key} = ["), Some((from.span(), from.key)));
        for item in items {
            self.line(&format!("    {item},"), Some((from.span(), from.key)));
        }
        self.line("]", Some((from.span(), from.key)));
    }

    /// The text so far.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Appends `other`.
    pub(super) fn append(&mut self, other: Self) {
        self.text.push_str(&other.text);
        self.origins.extend(other.origins);
    }

    /// Returns the text and the origins of its lines.
    pub(super) fn finish(self) -> (String, Vec<Option<Origin>>) {
        (self.text, self.origins)
    }
}

/// Formats `text` as a TOML string.
pub(super) fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string().trim().to_owned()
}

/// Replaces characters of `text` that would end a comment.
fn plain(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// Formats a number as a TOML float, which needs a fraction.
pub(super) fn float(number: f64) -> String {
    format!("{number:?}")
}

/// Rejects a flag unless it is `wanted`.
pub(super) fn demand(
    value: &Value<'_>,
    wanted: &str,
    why: &str,
    help: &str,
) -> Result<(), InputError> {
    match value.word() == wanted {
        true => Ok(()),
        false => Err(value.wrong(why, help)),
    }
}
