//! The meaning of a key, assembled at compile time.

use super::kind::{Choice, DefaultValue, ValueKind};
use super::range::{Bound, Limit};

/// Maximum length of a meaning in bytes.
const ROOM: usize = 600;

/// A text that grows while constants are evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    bytes: [u8; ROOM],
    len: usize,
}

impl Text {
    /// An empty text.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "constants cannot use the trait")]
    pub const fn new() -> Self {
        Self {
            bytes: [0; ROOM],
            len: 0,
        }
    }

    /// Returns the meaning of a key with `doc` as its comment; `note` replaces the text about
    /// choices and the default.
    #[must_use]
    pub const fn of_key(
        doc: &str,
        kind: ValueKind,
        limits: &[Limit],
        default: DefaultValue,
        note: Option<&str>,
    ) -> Self {
        let mut text = Self::new().first_paragraph(doc);
        if !limits.is_empty() {
            text = text.push(", ").limits(limits);
        }
        if let Some(note) = note {
            return text.push(" ").push(note);
        }
        if let ValueKind::Name(choices) = kind {
            return text.push(": ").choices(choices, default);
        }
        match default {
            DefaultValue::Required => text.push(" (required)"),
            DefaultValue::Absent => text,
            DefaultValue::Value(value) => text.push(" (default ").number(value).push(")"),
        }
    }

    /// Returns the text.
    #[must_use]
    pub const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => panic!("texts are put together from whole texts"),
        }
    }

    /// Returns the number of bytes.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if the text is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the text in an array of its length.
    #[must_use]
    pub const fn cut<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        let mut index = 0;
        while index < N {
            bytes[index] = self.bytes[index];
            index += 1;
        }
        bytes
    }

    const fn byte(mut self, byte: u8) -> Self {
        assert!(self.len < ROOM, "the meaning of a key is too long");
        self.bytes[self.len] = byte;
        self.len += 1;
        self
    }

    const fn push(mut self, text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut index = 0;
        while index < bytes.len() {
            self = self.byte(bytes[index]);
            index += 1;
        }
        self
    }

    /// Appends a number without meaningless decimals.
    const fn number(self, written: &str) -> Self {
        let bytes = written.as_bytes();
        match bytes {
            [whole @ .., b'.', b'0'] => match std::str::from_utf8(whole) {
                Ok(whole) => self.push(whole),
                Err(_) => panic!("numbers are ASCII"),
            },
            _ => self.push(written),
        }
    }

    /// Appends the first paragraph of a comment as one line: without the full stop, and beginning
    /// with a lower-case letter unless it begins with an abbreviation.
    const fn first_paragraph(mut self, doc: &str) -> Self {
        let bytes = doc.as_bytes();
        let start = self.len;
        let mut index = 0;
        let mut breaks = 0;
        let mut gap = false;
        while index < bytes.len() && (breaks < 2 || self.len == start) {
            match bytes[index] {
                b'\n' => {
                    breaks += 1;
                    gap = true;
                }
                b' ' => gap = true,
                byte => {
                    if gap && self.len > start {
                        self = self.byte(b' ');
                    }
                    self = self.byte(byte);
                    gap = false;
                    breaks = 0;
                }
            }
            index += 1;
        }
        assert!(self.len > start, "a key has a comment");
        if self.bytes[self.len - 1] == b'.' {
            self.len -= 1;
        }
        let second = self.bytes[start + 1];
        if !(second.is_ascii_uppercase() || second.is_ascii_digit()) {
            self.bytes[start] = self.bytes[start].to_ascii_lowercase();
        }
        self
    }

    /// Appends the words for a range.
    pub(super) const fn limits(mut self, limits: &[Limit]) -> Self {
        if let [least, most] = limits
            && matches!((least.bound, most.bound), (Bound::From, Bound::To))
        {
            return self.number(least.written).push(" to ").number(most.written);
        }
        let mut index = 0;
        while index < limits.len() {
            if index > 0 {
                self = self.push(", ");
            }
            let limit = limits[index];
            self = self.push(limit.bound.words()).number(limit.written);
            index += 1;
        }
        self
    }

    /// Appends the choices, with remarks and with the default marked.
    const fn choices(mut self, choices: &[Choice], default: DefaultValue) -> Self {
        let mut index = 0;
        while index < choices.len() {
            if index > 0 {
                self = self.push(if index + 1 == choices.len() {
                    " or "
                } else {
                    ", "
                });
            }
            let choice = choices[index];
            self = self.push("\"").push(choice.name).push("\"");
            let chosen = match default {
                DefaultValue::Value(value) => is_quoted(value, choice.name),
                _ => false,
            };
            self = match (chosen, choice.remark.is_empty()) {
                (false, true) => self,
                (true, true) => self.push(" (default)"),
                (false, false) => self.push(" (").push(choice.remark).push(")"),
                (true, false) => self.push(" (default, ").push(choice.remark).push(")"),
            };
            index += 1;
        }
        match default {
            DefaultValue::Required => self.push(" (required)"),
            _ => self,
        }
    }
}

/// Returns the words for a range: `1 to 7`, `above 0, up to 2`, `at least "64B"`.
#[must_use]
pub fn describe_limits(limits: &[Limit]) -> String {
    Text::new().limits(limits).as_str().to_owned()
}

/// Returns `true` if `written` is `name` in quotes.
const fn is_quoted(written: &str, name: &str) -> bool {
    let (written, name) = (written.as_bytes(), name.as_bytes());
    if written.len() != name.len() + 2 {
        return false;
    }
    let mut index = 0;
    while index < name.len() {
        if written[index + 1] != name[index] {
            return false;
        }
        index += 1;
    }
    true
}
