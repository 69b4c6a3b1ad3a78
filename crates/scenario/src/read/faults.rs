//! All faults of a scenario's tables, not only the first one.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use crate::text::document::{Document, Section};
use crate::text::error::Error;

/// Faults of one text that are told; who has more of them reads these first.
const MOST: usize = 20;

/// The faults that have been found in a document.
#[derive(Debug)]
pub(crate) struct Faults<'d, 'a> {
    document: &'d Document<'a>,
    found: Vec<Error>,
}

impl<'d, 'a> Faults<'d, 'a> {
    /// The faults that have been `found` in `document` so far.
    pub(crate) const fn new(document: &'d Document<'a>, found: Vec<Error>) -> Self {
        Self { document, found }
    }

    /// Keeps the error of `read`, if it is one.
    pub(crate) fn keep<T>(&mut self, read: Result<T, Error>) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(error) => {
                self.found.push(error);
                None
            }
        }
    }

    /// Reads a section. A key that cannot be read is left out, and the rest is read again to find
    /// more; that a table lacks what has been left out is no fault of its own.
    pub(crate) fn section<T>(
        &mut self,
        section: &Section<'a>,
        mut read: impl FnMut(&mut Section<'a>) -> Result<T, Error>,
    ) -> Option<T> {
        let mut rest = section.clone();
        let mut before = self.found.len();
        let begun = before;
        loop {
            let error = match read(&mut rest.clone()) {
                Ok(value) => return (before == begun).then_some(value),
                Err(error) => error,
            };
            let span = match error.diagnostic() {
                Some(found) if self.document.is_whole() => found.span(),
                _ => section.span.clone(),
            };
            if span == section.span && before > begun {
                return None;
            }
            self.found.push(error);
            before = self.found.len();
            if before >= MOST || span == section.span || !remove(&mut rest.table, &span) {
                return None;
            }
        }
    }

    /// Reads a section that may be missing, which then has its defaults.
    pub(crate) fn optional<T: Default>(
        &mut self,
        section: Option<&Section<'a>>,
        read: impl FnMut(&mut Section<'a>) -> Result<T, Error>,
    ) -> Option<T> {
        match section {
            Some(section) => self.section(section, read),
            None => Some(T::default()),
        }
    }

    /// Reads each of `sections`.
    pub(crate) fn sections<'s, T>(
        &mut self,
        sections: impl IntoIterator<Item = &'s Section<'a>>,
        mut read: impl FnMut(&mut Section<'a>) -> Result<T, Error>,
    ) -> Option<Vec<T>>
    where
        'a: 's,
    {
        let read: Vec<Option<T>> = sections
            .into_iter()
            .map(|section| self.section(section, &mut read))
            .collect();
        read.into_iter().collect()
    }

    /// Returns what has been found, in the order of the text.
    ///
    /// # Errors
    /// When something has been found.
    pub(crate) fn result(self) -> Result<(), Error> {
        match self.found.is_empty() {
            true => Ok(()),
            false => Err(Error::all(self.found)),
        }
    }
}

/// Takes the smallest entry of `table` with `span` in it out of the table.
fn remove(table: &mut DeTable<'_>, span: &Range<usize>) -> bool {
    let entry = table.iter_mut().find(|(key, value)| {
        let (key, value) = (key.span(), value.span());
        key.start.min(value.start) <= span.start && span.end <= key.end.max(value.end)
    });
    let Some((key, value)) = entry else {
        return false;
    };
    let is_inside = match value.get_mut() {
        DeValue::Table(inner) => remove(inner, span),
        _ => false,
    };
    if !is_inside {
        let key = key.get_ref().clone();
        table.remove(&*key);
    }
    true
}
