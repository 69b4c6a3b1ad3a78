//! The reason why a trace cannot be used.

use std::fmt;
use std::ops::Range;

use fabricsim_base::input::InputError;

/// A file of a rank.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum TraceFile {
    /// The execution trace.
    #[default]
    Trace,
    /// Kineto's trace of the device.
    Kineto,
}

/// The reason why a trace cannot be used.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ChakraError {
    /// The rank with the faulty file.
    pub rank: usize,
    /// The faulty file of the rank.
    pub file: TraceFile,
    /// The position of the error in a file of text, if it has one.
    pub place: Option<Range<usize>>,
    /// Description of the error.
    pub message: String,
    /// Suggested fix.
    pub help: String,
}

impl ChakraError {
    pub(super) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            rank: 0,
            file: TraceFile::Trace,
            place: None,
            message: message.into(),
            help: help.into(),
        }
    }

    /// Returns the error of `serde_json` for `text`, with its position.
    pub(super) fn json(text: &str, error: &serde_json::Error, help: &str) -> Self {
        Self {
            place: Some(json_place(text, error)),
            ..Self::new(json_message(error), help)
        }
    }
}

/// Returns the message of `error` without its position, and with words instead of types.
pub(super) fn json_message(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let message = message
        .rfind(" at line ")
        .map_or(&*message, |at| &message[..at]);
    if let Some(field) = message.strip_prefix("missing field ") {
        return format!("the key {field} is missing");
    }
    message
        .replace("invalid type: ", "found ")
        .replace("invalid value: ", "found ")
        .replace("expected u64", "expected a whole number from 0")
        .replace("expected i64", "expected a whole number")
        .replace("expected i128", "expected a whole number")
        .replace("expected f64", "expected a number")
}

/// Returns the position of `error` in `text`.
pub(super) fn json_place(text: &str, error: &serde_json::Error) -> Range<usize> {
    let line = text
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1));
    let at = line.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at..at
}

/// Returns the text of a file.
///
/// # Errors
/// Fails if the file is compressed or no text.
pub(super) fn text_of(bytes: &[u8], help: &str) -> Result<String, ChakraError> {
    uncompressed(bytes)?;
    let text = String::from_utf8(bytes.to_vec());
    text.map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        ChakraError::new(format!("the file is no text: byte {at} is not UTF-8"), help)
    })
}

/// Rejects a file that gzip has compressed.
pub(super) fn uncompressed(bytes: &[u8]) -> Result<(), ChakraError> {
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return Err(ChakraError::new(
            "the file is compressed by gzip",
            "unpack it with gunzip, or with tar if it is an archive",
        ));
    }
    Ok(())
}

/// Finds the rank and node of an error in the list of operations.
pub(super) fn in_trace(
    csv: &str,
    error: InputError,
    name_of: impl Fn(usize, &str) -> Option<String>,
) -> ChakraError {
    let (line, _) = error.line_column(csv);
    let mut cells = csv.lines().nth(line - 1).unwrap_or_default().split(',');
    let rank = cells.next().and_then(|rank| rank.parse().ok());
    let message = match (rank, cells.next()) {
        (Some(rank), Some(id)) => {
            let name = name_of(rank, id).unwrap_or_else(|| format!("node {id}"));
            format!("{name}: {}", error.message)
        }
        _ => error.message,
    };
    ChakraError {
        rank: rank.unwrap_or(0),
        ..ChakraError::new(message, error.help)
    }
}

impl fmt::Display for ChakraError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {}: {} ({})", self.rank, self.message, self.help)
    }
}

impl std::error::Error for ChakraError {}
