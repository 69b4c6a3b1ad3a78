//! The keys and values of a GML file, with their positions.

use std::ops::Range;

use fabricsim_base::input::InputError;

/// Maximum depth of nested brackets.
const DEPTH: usize = 64;

/// A key and its value.
#[derive(Debug)]
pub(super) struct Item<'t> {
    pub(super) key: &'t str,
    pub(super) value: Value<'t>,
    /// The bytes from the key to the end of the value.
    pub(super) span: Range<usize>,
}

/// The value of a key.
#[derive(Debug)]
pub(super) enum Value<'t> {
    /// A number, or a text without its quotes.
    Word(&'t str),
    /// Items in brackets.
    List(Vec<Item<'t>>),
}

/// Parses all items of `text`.
///
/// # Errors
/// Fails at an unmatched bracket or quote, and at a key without a value.
pub(super) fn parse(text: &str) -> Result<Vec<Item<'_>>, InputError> {
    let mut words = Words { text, at: 0 };
    // Open lists: the key of each and its position, and the items around it. A stack, not
    // recursion, so that deep brackets in a file cannot overflow the call stack.
    let mut open: Vec<(&str, usize, Vec<Item<'_>>)> = Vec::new();
    let mut items = Vec::new();
    while let Some((key, span)) = words.next()? {
        if key == "]" {
            let Some((key, start, around)) = open.pop() else {
                return Err(InputError::new(
                    span,
                    "this bracket closes nothing",
                    "remove it",
                ));
            };
            let value = Value::List(std::mem::replace(&mut items, around));
            items.push(Item {
                key,
                value,
                span: start..span.end,
            });
            continue;
        }
        // Every key needs a value: a word, a text or a list.
        let place = span.start..span.start + key.len();
        let Some((value, end)) = words.next()?.filter(|(value, _)| *value != "]") else {
            let message = format!("`{key}` has no value");
            return Err(InputError::new(
                place,
                message,
                "write a number, a text or a list after it",
            ));
        };
        if value == "[" && text.as_bytes()[end.start] == b'[' {
            if open.len() == DEPTH {
                let message = format!("brackets are nested more than {DEPTH} deep");
                return Err(InputError::new(
                    place,
                    message,
                    "give a GML file of a graph",
                ));
            }
            open.push((key, span.start, std::mem::take(&mut items)));
            continue;
        }
        items.push(Item {
            key,
            value: Value::Word(value),
            span: span.start..end.end,
        });
    }
    match open.pop() {
        None => Ok(items),
        Some((key, start, _)) => Err(InputError::new(
            start..start + key.len(),
            format!("the bracket of `{key}` is not closed"),
            "add `]`",
        )),
    }
}

/// Lexer of words, brackets and quoted strings.
struct Words<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Words<'t> {
    /// Returns the next word without its quotes, and its byte range with them.
    fn next(&mut self) -> Result<Option<(&'t str, Range<usize>)>, InputError> {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start();
            let start = self.at + (rest.len() - trimmed.len());
            if let Some(comment) = trimmed.strip_prefix('#') {
                self.at = start + 1 + comment.find('\n').unwrap_or(comment.len());
                continue;
            }
            let length = match trimmed.chars().next() {
                None => return Ok(None),
                Some('[' | ']') => 1,
                Some('"') => match trimmed[1..].find('"') {
                    Some(length) => {
                        self.at = start + length + 2;
                        let word = &self.text[start + 1..start + 1 + length];
                        return Ok(Some((word, start..self.at)));
                    }
                    None => {
                        let message = "this text is not closed";
                        return Err(InputError::new(
                            start..start + 1,
                            message,
                            "add a quote at its end",
                        ));
                    }
                },
                Some(_) => {
                    let ends = |letter: char| letter.is_whitespace() || matches!(letter, '[' | ']');
                    trimmed.find(ends).unwrap_or(trimmed.len())
                }
            };
            self.at = start + length;
            return Ok(Some((&self.text[start..self.at], start..self.at)));
        }
    }
}
