//! The words of a text with their positions.

use std::ops::Range;

use fabricsim_base::id::NodeId;
use fabricsim_base::input::InputError;

/// A word and its byte range.
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) span: Range<usize>,
}

impl Word<'_> {
    /// Creates an error at this word.
    pub(super) fn wrong(&self, message: impl Into<String>, help: impl Into<String>) -> InputError {
        InputError::new(self.span.clone(), message, help)
    }

    /// Parses a whole number that is not negative.
    pub(super) fn number(&self, help: &str) -> Result<u64, InputError> {
        let Self { text, .. } = self;
        text.parse().map_err(|_| {
            let digits = text.strip_prefix('-').unwrap_or(text);
            let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            let message = match (is_number, digits.len() < text.len()) {
                (false, _) => format!("`{text}` is not a whole number"),
                (true, true) => format!("`{text}` is negative"),
                (true, false) => format!("`{text}` is too large"),
            };
            self.wrong(message, help)
        })
    }

    /// Parses the id of one of `nodes` nodes.
    pub(super) fn node(&self, nodes: u32) -> Result<NodeId, InputError> {
        let help = format!("nodes are numbered 0 to {}", nodes - 1);
        let id = self.number(&help)?;
        match u32::try_from(id) {
            Ok(id) if id < nodes => Ok(NodeId(id)),
            _ => Err(self.wrong(format!("there is no node {id}"), help)),
        }
    }
}

/// Iterator over the words of a text.
pub(super) struct NumberReader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> NumberReader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Returns the next word; if there is none, the error says that `what` is missing.
    pub(super) fn need(&mut self, what: &str, help: &str) -> Result<Word<'a>, InputError> {
        let end = self.text.len();
        self.next()
            .ok_or_else(|| InputError::new(end..end, format!("the file ends before {what}"), help))
    }
}

impl<'a> Iterator for NumberReader<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let rest = self.text[self.at..].trim_start();
        let start = self.text.len() - rest.len();
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        self.at = start + length;
        (length > 0).then(|| Word {
            text: &rest[..length],
            span: start..self.at,
        })
    }
}
