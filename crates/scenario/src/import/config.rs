//! Keys and words of a configuration, each with its place.

use std::ops::Range;

use fabricsim_core::input::InputError;

use super::dialect::Dialect;
use super::keys::{ConfigKey, Words};
use super::value::{Value, Word};
use crate::text::messages::nearest;

/// A configuration of the published simulator or of one that grew from it: `KEY value ...`,
/// separated by white space. Of a key that is given several times the last one holds.
#[derive(Clone, Debug)]
pub struct Configuration<'t> {
    text: &'t str,
    dialect: Dialect,
    entries: Vec<Entry<'t>>,
}

/// A key and what follows it.
#[derive(Clone, Debug)]
struct Entry<'t> {
    key: &'static ConfigKey,
    span: Range<usize>,
    words: Vec<Word<'t>>,
}

impl<'t> Configuration<'t> {
    /// Reads a configuration of the published simulator. A line may end in a comment (`#`).
    ///
    /// # Errors
    /// At a word that is no key, and where a key has too few words behind it.
    pub fn parse(text: &'t str) -> Result<Self, InputError> {
        Self::parse_as(text, Dialect::Published)
    }

    /// Reads a configuration of the simulator of `dialect`.
    ///
    /// # Errors
    /// At a word that is no key, and where a key has too few words behind it.
    pub fn parse_as(text: &'t str, dialect: Dialect) -> Result<Self, InputError> {
        let mut words = words(text);
        let mut entries: Vec<Entry<'t>> = Vec::new();
        while let Some(word) = words.next() {
            let known = dialect.key(word.text);
            let key = known.ok_or_else(|| unknown(&word, dialect))?;
            let mut entry = Entry {
                key,
                span: word.span,
                words: Vec::new(),
            };
            let mut count = match key.words {
                Words::Count(count) => count,
                Words::Map => 1,
            };
            while entry.words.len() < count {
                let Some(word) = words.next().filter(|word| dialect.key(word.text).is_none())
                else {
                    return Err(too_few(&entry, text));
                };
                entry.words.push(word);
                if key.words == Words::Map && entry.words.len() == 1 {
                    count += 2 * pairs(&entry)?;
                }
            }
            entries.retain(|earlier| earlier.key.name != key.name);
            entries.push(entry);
        }
        Ok(Self {
            text,
            dialect,
            entries,
        })
    }

    /// The whole text.
    pub(super) const fn text(&self) -> &'t str {
        self.text
    }

    /// The simulator that reads it.
    pub(super) const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The keys that are given, in their order.
    pub(super) fn given(&self) -> impl Iterator<Item = &'static ConfigKey> {
        self.entries.iter().map(|entry| entry.key)
    }

    /// Returns the value of `name`, which is the simulator's own where none is given.
    ///
    /// # Errors
    /// Where there is no such value.
    pub(super) fn value(&self, name: &'static str) -> Result<Value<'t>, InputError> {
        if let Some(entry) = self.entries.iter().find(|entry| entry.key.name == name) {
            return Ok(Value::new(name, entry.words.clone()));
        }
        let end = self.text.len()..self.text.len();
        let key = self.dialect.key(name);
        let default = key.expect("only keys of the list are asked for").default;
        match default {
            Some(default) => {
                let words = default.split_whitespace().map(|text| Word {
                    text,
                    span: end.clone(),
                });
                Ok(Value::new(name, words.collect()).absent())
            }
            None => Err(InputError::new(
                end,
                format!("the configuration has no `{name}`"),
                format!(
                    "add the key; {} has no value for it where it is not given",
                    self.dialect.simulator()
                ),
            )),
        }
    }

    /// Returns the file that `name` says, with its place; nothing where the key is not given.
    #[must_use]
    pub fn file(&self, name: &str) -> Option<(&'t str, Range<usize>)> {
        let entry = self.entries.iter().find(|entry| entry.key.name == name)?;
        let word = entry.words.first()?;
        Some((word.text, word.span.clone()))
    }

    /// Returns the file with the nodes of the trace, where the configuration asks for a trace.
    ///
    /// # Errors
    /// When the key that asks for it is neither 0 nor 1.
    pub fn trace_file(&self) -> Result<Option<(&'t str, Range<usize>)>, InputError> {
        if self.dialect.key("ENABLE_TRACE").is_none() {
            return Ok(None);
        }
        Ok(match self.value("ENABLE_TRACE")?.flag()? {
            true => self.file("TRACE_FILE"),
            false => None,
        })
    }
}

/// The words of `text`, without comments.
fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut offset = 0;
    text.split_inclusive('\n').flat_map(move |line| {
        let start = offset;
        offset += line.len();
        let content = line.split('#').next().unwrap_or(line);
        let mut rest = start;
        content
            .split_inclusive(|c: char| c.is_ascii_whitespace())
            .filter_map(move |part| {
                let start = rest;
                rest += part.len();
                let text = part.trim_end();
                (!text.is_empty()).then(|| Word {
                    text,
                    span: start..start + text.len(),
                })
            })
    })
}

fn unknown(word: &Word<'_>, dialect: Dialect) -> InputError {
    let lower: Vec<String> = dialect
        .keys()
        .iter()
        .map(|key| key.name.to_lowercase())
        .collect();
    let known: Vec<&str> = lower.iter().map(String::as_str).collect();
    let help = match nearest(word.text, &known) {
        Some(name) => format!("did you mean `{}`?", name.to_uppercase()),
        None => {
            "remove the line, if a relative of the simulator reads it; the guide lists all keys"
                .to_owned()
        }
    };
    InputError::new(
        word.span.clone(),
        format!(
            "{} reads no key `{}`, and passes over it without a word",
            dialect.simulator(),
            word.text
        ),
        help,
    )
}

fn too_few(entry: &Entry<'_>, text: &str) -> InputError {
    let end = entry
        .words
        .last()
        .map_or(entry.span.end, |word| word.span.end);
    let wanted = match entry.key.words {
        Words::Count(1) => "write its value behind it".to_owned(),
        Words::Count(count) => format!("write its {count} values behind it"),
        Words::Map => "write the number of rates, and then a rate and a value for each".to_owned(),
    };
    InputError::new(
        entry.span.start..end.min(text.len()),
        format!("the values of `{}` stop too soon", entry.key.name),
        wanted,
    )
}

/// The number of pairs that an entry of a map announces.
fn pairs(entry: &Entry<'_>) -> Result<usize, InputError> {
    const MOST: usize = 64;
    let word = entry.words.first().expect("the number has been read");
    let count = word.text.parse::<usize>().ok();
    count.filter(|&count| count <= MOST).ok_or_else(|| {
        InputError::new(
            word.span.clone(),
            format!(
                "`{}` of `{}` is no number of rates",
                word.text, entry.key.name
            ),
            format!("write how many pairs of a rate and a value follow, up to {MOST}"),
        )
    })
}
