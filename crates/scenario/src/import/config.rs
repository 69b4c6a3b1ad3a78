//! Keys and words of a configuration, with their positions.

use std::ops::Range;

use fabricsim_base::input::InputError;

use super::LeftOut;
use super::dialect::Dialect;
use super::keys::{ConfigKey, Role, Words};
use super::unknown::{Unknown, UnknownKeys, refused};
use super::value::Value;
use super::words::{Word, is_key_like, words};

/// A configuration of the published simulator or of one based on it: `KEY value ...`, separated by
/// white space. If a key is given several times, the last value counts.
#[derive(Clone, Debug)]
pub struct Configuration<'t> {
    text: &'t str,
    dialect: Dialect,
    entries: Vec<Entry<'t>>,
    /// Words that are not keys and that the user wants to ignore.
    passed_over: Vec<Unknown<'t>>,
    /// Values that later ones replace.
    replaced: Vec<LeftOut>,
}

/// A key and the words after it.
#[derive(Clone, Debug)]
struct Entry<'t> {
    key: &'static ConfigKey,
    word: Word<'t>,
    words: Vec<Word<'t>>,
}

impl<'t> Configuration<'t> {
    /// Reads a configuration of the published simulator. A line may end with a comment (`#`, `//`
    /// or braces).
    ///
    /// # Errors
    /// Returns all words that are not keys, and all keys that are followed by too few words.
    pub fn parse(text: &'t str) -> Result<Self, Vec<InputError>> {
        Self::parse_as(text, Dialect::Published, UnknownKeys::Refused)
    }

    /// Reads a configuration of the simulator of `dialect`.
    ///
    /// # Errors
    /// Returns all words that are not keys, unless `unknown` ignores them, and all keys that are
    /// followed by too few words.
    pub fn parse_as(
        text: &'t str,
        dialect: Dialect,
        unknown: UnknownKeys,
    ) -> Result<Self, Vec<InputError>> {
        let mut reader = Reader {
            words: words(text),
            next: 0,
            dialect,
            entries: Vec::new(),
            unknown: Vec::new(),
            errors: Vec::new(),
        };
        while reader.read_one() {}
        let Reader {
            entries,
            unknown: mut found,
            mut errors,
            ..
        } = reader;
        let mut config = Self {
            text,
            dialect,
            entries: Vec::new(),
            passed_over: Vec::new(),
            replaced: Vec::new(),
        };
        for entry in entries {
            config.give(entry);
        }
        found.extend(config.take_switched_on());
        found.sort_by_key(|unknown| unknown.span().start);
        match unknown {
            UnknownKeys::PassedOver => config.passed_over = found,
            UnknownKeys::Refused if found.is_empty() => {}
            UnknownKeys::Refused => errors.insert(0, refused(&found, dialect)),
        }
        match errors.is_empty() {
            true => Ok(config),
            false => Err(errors),
        }
    }

    /// Adds `entry`. It replaces an earlier entry of its key, except that pairs of a map are added
    /// to the earlier ones, as in the published simulator.
    fn give(&mut self, mut entry: Entry<'t>) {
        let earlier = self
            .entries
            .iter()
            .position(|it| it.key.name == entry.key.name);
        if let Some(earlier) = earlier {
            let earlier = self.entries.remove(earlier);
            let now = entry.word.line;
            let effect = match entry.key.words {
                Words::Map => {
                    // If two pairs have the same rate, the simulator finds the first one.
                    entry.words.extend(earlier.words.into_iter().skip(1));
                    format!("line {now} gives the key again: its values hold for its rates")
                }
                Words::Count(_) => {
                    format!("line {now} gives the key again, and its value holds")
                }
            };
            let key = format!("{} of line {}", entry.key.name, earlier.word.line);
            self.replaced.push(LeftOut::new(key, effect));
        }
        self.entries.push(entry);
    }

    /// Removes keys of related simulators that enable features we do not simulate.
    fn take_switched_on(&mut self) -> Vec<Unknown<'t>> {
        let is_on = |entry: &Entry<'t>| match entry.key.role {
            Role::Idle { at, .. } => entry.words.first().is_none_or(|word| word.text != at),
            _ => false,
        };
        let switch = |name: &str| self.entries.iter().find(|it| it.key.name == name);
        let asks = |entry: &Entry<'t>| match entry.key.role {
            Role::PartOf(name) => switch(name).is_none_or(is_on),
            _ => is_on(entry),
        };
        let asking: Vec<bool> = self.entries.iter().map(asks).collect();
        let mut taken = Vec::new();
        let mut kept = Vec::new();
        for (entry, asks) in std::mem::take(&mut self.entries).into_iter().zip(asking) {
            match asks {
                true => taken.push(Unknown::switched_on(entry.key, &entry.word, &entry.words)),
                false => kept.push(entry),
            }
        }
        self.entries = kept;
        taken
    }

    /// Returns the whole text.
    pub(super) const fn text(&self) -> &'t str {
        self.text
    }

    /// Returns the simulator of the configuration.
    pub(super) const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Yields the given keys, in order.
    pub(super) fn given(&self) -> impl Iterator<Item = &'static ConfigKey> {
        self.entries.iter().map(|entry| entry.key)
    }

    /// Yields ignored words, and values that later ones replace.
    pub(super) fn not_read(&self) -> impl Iterator<Item = LeftOut> {
        let passed_over = self.passed_over.iter().map(Unknown::passed_over);
        passed_over.chain(self.replaced.iter().cloned())
    }

    /// Returns the value of `name`, or the simulator's default if none is given.
    ///
    /// # Errors
    /// Fails if there is neither.
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
                    line: 0,
                });
                Ok(Value::new(name, words.collect()).absent())
            }
            None => Err(InputError::new(
                end,
                format!("the configuration has no `{name}`"),
                format!(
                    "add the key; {} has no value for it if it is not given",
                    self.dialect.simulator()
                ),
            )),
        }
    }

    /// Returns the value of `name` if it is given.
    pub(super) fn given_value(&self, name: &'static str) -> Option<Value<'t>> {
        let entry = self.entries.iter().find(|entry| entry.key.name == name)?;
        Some(Value::new(name, entry.words.clone()))
    }

    /// Returns the path that `name` gives, with its position; `None` if the key is not given.
    #[must_use]
    pub fn file(&self, name: &str) -> Option<(&'t str, Range<usize>)> {
        let entry = self.entries.iter().find(|entry| entry.key.name == name)?;
        let word = entry.words.first()?;
        Some((word.text, word.span.clone()))
    }

    /// Returns the file with the traced nodes if the configuration enables the trace.
    ///
    /// # Errors
    /// Fails if the key that enables it is neither 0 nor 1.
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

/// Reader of keys with their words.
struct Reader<'t> {
    words: Vec<Word<'t>>,
    next: usize,
    dialect: Dialect,
    entries: Vec<Entry<'t>>,
    unknown: Vec<Unknown<'t>>,
    errors: Vec<InputError>,
}

impl<'t> Reader<'t> {
    /// Reads a key with its words, or unknown words. Returns `false` at the end.
    fn read_one(&mut self) -> bool {
        let Some(word) = self.words.get(self.next).cloned() else {
            return false;
        };
        self.next += 1;
        let Some(key) = self.dialect.key(word.text) else {
            let rest = self.rest_of_line(word.line);
            self.unknown.push(Unknown::key(self.dialect, word, rest));
            return true;
        };
        let words = match key.words {
            Words::Count(count) => self.values(&word, count),
            Words::Map => self.values(&word, 1),
        };
        let mut entry = Entry { key, word, words };
        match key.words {
            Words::Map => self.read_pairs(&mut entry),
            Words::Count(count) if entry.words.len() < count => {
                let wanted = match count {
                    1 => "write its value after it".to_owned(),
                    _ => format!("write its {count} values after it"),
                };
                self.refuse(&entry, "its values stop too soon", wanted);
            }
            Words::Count(_) => {}
        }
        let rest = self.rest_of_line(entry.word.line);
        if !rest.is_empty() {
            self.unknown.push(Unknown::behind(key, rest));
        }
        self.entries.push(entry);
        true
    }

    /// Returns the words up to the next key or to the end of `line`.
    fn rest_of_line(&mut self, line: usize) -> Vec<Word<'t>> {
        let is_one = |word: &Word<'_>| word.line == line && self.dialect.key(word.text).is_none();
        let from = self.next;
        let rest = self.words[from..].iter().take_while(|word| is_one(word));
        let rest: Vec<Word<'t>> = rest.cloned().collect();
        self.next += rest.len();
        rest
    }

    /// Returns up to `count` values of the key `of`. They may be on the next lines, unless they
    /// look like keys there.
    fn values(&mut self, of: &Word<'t>, count: usize) -> Vec<Word<'t>> {
        let is_value = |word: &Word<'_>| {
            self.dialect.key(word.text).is_none()
                && (word.line == of.line || !is_key_like(word.text))
        };
        let from = self.next;
        let values = self.words[from..].iter().take(count);
        let values: Vec<Word<'t>> = values.take_while(|word| is_value(word)).cloned().collect();
        self.next += values.len();
        values
    }

    /// Reads the pairs of a map; `entry` already has their number.
    fn read_pairs(&mut self, entry: &mut Entry<'t>) {
        /// Maximum number of pairs of a map; a larger number is an error.
        const MOST: usize = 64;
        let count = entry
            .words
            .first()
            .and_then(|word| word.text.parse::<usize>().ok());
        let Some(count) = count.filter(|&count| count <= MOST) else {
            let help = format!(
                "write how many pairs of a rate and a value follow, up to {MOST}, and then the pairs"
            );
            self.rest_of_line(entry.word.line);
            self.refuse(entry, "its first value is no number of pairs", help);
            return;
        };
        let pairs = 2 * count;
        let numbers = self.words[self.next..]
            .iter()
            .take_while(|word| word.is_number_like());
        let on_line = numbers
            .clone()
            .filter(|word| word.line == entry.word.line)
            .count();
        let there = numbers.count();
        let found = if there < pairs { there } else { on_line };
        if there < pairs || on_line > pairs {
            let right = found / 2;
            let message = format!(
                "the count is wrong: {count} pairs of a rate and a value are announced, and {found} \
                 numbers follow"
            );
            let help = match found % 2 {
                0 => format!("write {} {right}, or correct the pairs", entry.key.name),
                _ => "write a rate and a value for each pair".to_owned(),
            };
            self.next += found;
            self.refuse(entry, message, help);
            return;
        }
        let from = self.next;
        entry
            .words
            .extend_from_slice(&self.words[from..from + pairs]);
        self.next += pairs;
    }

    fn refuse(&mut self, entry: &Entry<'t>, message: impl std::fmt::Display, help: String) {
        let start = entry.word.span.start;
        let end = entry
            .words
            .last()
            .map_or(entry.word.span.end, |word| word.span.end);
        let message = format!("{}: {message}", entry.key.name);
        self.errors.push(InputError::new(start..end, message, help));
    }
}
