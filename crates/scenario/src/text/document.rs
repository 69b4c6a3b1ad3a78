//! A scenario's text as tables with the positions of their values.

use std::ops::Range;

use fabricsim_base::input::{ConfigError, InputError, SettingValue};
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::text::error::{Diagnostic, Error};
use crate::text::messages::{self, ErrorPlace, Message, suggest};
use crate::text::typed::Value;
use fabricsim_base::input::Keys;

/// A parsed text. It may consist of two files, one after the other, so that an error in a sweep's
/// change of a scenario has a position in the sweep's file.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// The name of the file or of another source of the text.
    pub name: &'a str,
    /// The text of the document. It may consist of two files.
    pub text: &'a str,
    /// Start of the second file in `text`, as a byte offset, and the name of that file.
    second: Option<(usize, &'a str)>,
}

/// One table of a document, with its position.
#[derive(Clone, Debug)]
pub struct Section<'a> {
    /// The table's name in messages: `[cc]`, `[[workload]] 1`.
    pub title: String,
    /// Position at which the table begins.
    pub span: Range<usize>,
    /// The keys and values that have not been read yet.
    pub table: DeTable<'a>,
}

/// A value that is a line of words or a table.
#[derive(Clone, Debug)]
pub enum LineOrTable<'a> {
    /// A line of words.
    Line(Line),
    /// A table.
    Table(Section<'a>),
}

/// A value that is a line of words.
#[derive(Clone, Debug)]
pub struct Line {
    /// The key in messages: `[[queue]] 0, key "discipline"`.
    pub title: String,
    /// Position of the value in the text, including its quotes.
    pub span: Range<usize>,
    /// The words, as one text without the quotes.
    pub text: String,
}

impl<'a> Document<'a> {
    /// Creates a document from one file.
    pub const fn new(name: &'a str, text: &'a str) -> Self {
        Self {
            name,
            text,
            second: None,
        }
    }

    /// Creates a document from two files; the second one begins at byte `start`.
    pub const fn of_two(name: &'a str, text: &'a str, start: usize, second: &'a str) -> Self {
        Self {
            name,
            text,
            second: Some((start, second)),
        }
    }

    /// Returns `true` if the text is from one file.
    pub(crate) const fn is_whole(&self) -> bool {
        self.second.is_none()
    }

    /// Parses the text as TOML.
    pub fn parse(&self) -> Result<DeTable<'a>, Error> {
        match DeTable::parse(self.text) {
            Ok(table) => Ok(table.into_inner()),
            Err(error) => {
                let span = error.span().unwrap_or(0..0);
                let written = self.text.get(span.clone()).unwrap_or_default();
                let Message { message, help } = messages::of_syntax(error.message(), written);
                Err(self.diagnostic(span, message, help))
            }
        }
    }

    /// Creates an error at `span`.
    pub fn diagnostic(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Error {
        let place = self.unsaid(span);
        Error::Input(Box::new(place.saying(message.into(), help.into())))
    }

    /// Adds a position in this text to `error`.
    pub fn error(&self, error: InputError) -> Error {
        self.diagnostic(error.span, error.message, error.help)
    }

    /// Returns the error for a missing table, at the end of the text.
    pub fn missing(&self, message: &str, help: &str) -> Error {
        let end = self.text.len();
        self.diagnostic(end..end, message, help)
    }

    /// Creates an error at `span` without a message.
    pub fn unsaid(&self, span: Range<usize>) -> Diagnostic {
        let (name, text, begin) = match self.second {
            None => (self.name, self.text, 0),
            Some((start, _)) if span.start < start => (self.name, &self.text[..start], 0),
            Some((start, name)) => (name, &self.text[start..], start),
        };
        let span = span.start - begin..span.end.max(span.start) - begin;
        Diagnostic::new(name, text, InputError::new(span, "", ""))
    }

    /// Removes the table `key` from `root`.
    pub fn section(&self, root: &mut DeTable<'a>, key: &str) -> Result<Option<Section<'a>>, Error> {
        let Some((_, value)) = root.remove_entry(key) else {
            return Ok(None);
        };
        self.table(value, format!("[{key}]")).map(Some)
    }

    /// Removes the array of tables `key` from `root`.
    pub fn sections(&self, root: &mut DeTable<'a>, key: &str) -> Result<Vec<Section<'a>>, Error> {
        let Some((_, value)) = root.remove_entry(key) else {
            return Ok(Vec::new());
        };
        let span = value.span();
        match value.into_inner() {
            DeValue::Array(items) => items
                .into_iter()
                .enumerate()
                .map(|(index, item)| self.table(item, format!("[[{key}]] {index}")))
                .collect(),
            _ => Err(self.diagnostic(
                span,
                format!("`{key}` is a list of tables"),
                format!("begin each one with `[[{key}]]`"),
            )),
        }
    }

    /// Removes the table `key` from a section.
    pub fn subsection(
        &self,
        section: &mut Section<'a>,
        key: &str,
    ) -> Result<Option<Section<'a>>, Error> {
        let Some((_, value)) = section.table.remove_entry(key) else {
            return Ok(None);
        };
        let title = format!("{}, table `{key}`", section.title);
        self.table(value, title).map(Some)
    }

    /// Removes `key` from a section if its value is a table; any other value stays.
    pub fn inner_table(
        &self,
        section: &mut Section<'a>,
        key: &str,
    ) -> Result<Option<Section<'a>>, Error> {
        let value = section.table.get(key);
        match value.is_some_and(|value| value.get_ref().is_table()) {
            true => self.subsection(section, key),
            false => Ok(None),
        }
    }

    /// Removes `key` from a section if it is present; its value is a line or a table.
    pub fn line_or_table(
        &self,
        section: &mut Section<'a>,
        key: &str,
    ) -> Result<Option<LineOrTable<'a>>, Error> {
        let value = section.table.get(key);
        let line = value.and_then(|value| {
            Some(Line {
                title: format!("{}, key `{key}`", section.title),
                span: value.span(),
                text: value.get_ref().as_str()?.to_owned(),
            })
        });
        let Some(line) = line else {
            let table = self.subsection(section, key)?;
            return Ok(table.map(LineOrTable::Table));
        };
        section.table.remove(key);
        Ok(Some(LineOrTable::Line(line)))
    }

    fn table(&self, value: Spanned<DeValue<'a>>, title: String) -> Result<Section<'a>, Error> {
        let span = value.span();
        match value.into_inner() {
            DeValue::Table(table) => Ok(Section { title, span, table }),
            _ => Err(self.diagnostic(
                span,
                format!("{title} is a table"),
                format!("write `{title}` on a line of its own and its keys below"),
            )),
        }
    }

    /// Removes `kind` from a section and finds it among `known`.
    pub fn kind(
        &self,
        section: &mut Section<'a>,
        known: &[&'static str],
    ) -> Result<&'static str, Error> {
        let list = known.join(", ");
        let Some((_, value)) = section.table.remove_entry("kind") else {
            return Err(self.diagnostic(
                section.span.clone(),
                format!("{} does not say its kind", section.title),
                format!("add `kind = \"...\"` with one of: {list}"),
            ));
        };
        let span = value.span();
        let DeValue::String(name) = value.into_inner() else {
            return Err(self.diagnostic(
                span,
                "a kind is a name in quotes",
                format!("give one of: {list}"),
            ));
        };
        known
            .iter()
            .copied()
            .find(|kind| *kind == name)
            .ok_or_else(|| {
                self.diagnostic(
                    span,
                    format!("{} has no kind `{name}`", section.title),
                    suggest(&name, known),
                )
            })
    }

    /// Converts a section to settings; any key that is not in `keys` is an error.
    pub fn settings<T: DeserializeOwned>(
        &self,
        section: &Section<'a>,
        keys: Keys,
    ) -> Result<T, Error> {
        let table = Value::table(section.span.clone(), section.table.clone());
        T::deserialize(table).map_err(|fault| {
            let span = fault.span.clone().unwrap_or_else(|| section.span.clone());
            let place = ErrorPlace {
                title: &section.title,
                key: fault.key(),
                written: self.text.get(span.clone()).unwrap_or_default(),
                keys,
                wanted: fault.wanted(keys),
            };
            let Message { message, help } = messages::of_fault(&fault.kind, &place);
            self.diagnostic(span, message, help)
        })
    }

    /// Converts each of `sections`, which have the same keys, to settings.
    pub fn settings_of<'s, T: DeserializeOwned>(
        &self,
        sections: impl IntoIterator<Item = &'s Section<'a>>,
        keys: Keys,
    ) -> Result<Vec<T>, Error>
    where
        'a: 's,
    {
        let sections = sections.into_iter();
        sections.map(|own| self.settings(own, keys)).collect()
    }

    /// Converts a section to settings, if there is one.
    pub fn optional_settings<T: DeserializeOwned + SettingValue>(
        &self,
        section: Option<&Section<'a>>,
    ) -> Result<Option<T>, Error> {
        section
            .map(|section| self.settings(section, T::KIND.keys()))
            .transpose()
    }

    /// Returns the position of the value of `key`, or of the section if the key is not given.
    pub fn place(section: &Section<'a>, key: &str) -> Range<usize> {
        section.place(key)
    }

    /// Returns the error for a rejected value of a section.
    pub fn refuse(&self, section: &Section<'a>, error: ConfigError) -> Error {
        self.error(section.refusal(error))
    }

    /// Rejects keys of `what` that are not `known`.
    ///
    /// # Errors
    /// Fails at the first unknown key.
    pub fn refuse_unknown(
        &self,
        what: &str,
        root: &DeTable<'a>,
        known: &[&'static str],
    ) -> Result<(), Error> {
        let unknown = self.unknown_keys(what, root, known).into_iter().next();
        unknown.map_or(Ok(()), Err)
    }

    /// Returns an error for each key of `what` that is not `known`, in the order of the text.
    pub(crate) fn unknown_keys(
        &self,
        what: &str,
        root: &DeTable<'a>,
        known: &[&'static str],
    ) -> Vec<Error> {
        let keys = root.keys();
        let mut unknown: Vec<_> = keys
            .filter(|key| !known.contains(&&**key.get_ref()))
            .collect();
        unknown.sort_by_key(|key| key.span().start);
        let errors = unknown.into_iter().map(|key| {
            self.diagnostic(
                key.span(),
                format!("{what} has no key or table `{}`", key.get_ref()),
                suggest(key.get_ref(), known),
            )
        });
        errors.collect()
    }
}

impl Section<'_> {
    /// Returns the position of the value of `key`, or of the section if the key is not given.
    pub fn place(&self, key: &str) -> Range<usize> {
        let value = self.table.get(key);
        value.map_or_else(|| self.span.clone(), Spanned::span)
    }

    /// Returns the error for a rejected value, at the value.
    pub fn refusal(&self, error: ConfigError) -> InputError {
        let message = format!("{}, key `{}`: {}", self.title, error.key, error.message);
        InputError::new(self.place(error.key), message, error.help)
    }
}

impl Line {
    /// Returns the error for rejected words, at their position in `document`.
    pub fn refusal(&self, document: &str, error: InputError) -> InputError {
        let words = self.span.start + 1..self.span.end.saturating_sub(1);
        // If the text has escapes, positions in the words differ from positions in the text.
        let span = match document.get(words.clone()) == Some(&self.text) {
            true => words.start + error.span.start..words.start + error.span.end,
            false => self.span.clone(),
        };
        let message = format!("{}: {}", self.title, error.message);
        InputError::new(span, message, error.help)
    }
}
