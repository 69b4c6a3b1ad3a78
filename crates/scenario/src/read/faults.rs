//! Collects all errors of a scenario's tables, not only the first one.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use crate::text::document::{Document, Section};
use crate::text::error::Error;

/// Maximum number of errors to report for one text; more would not help.
const MOST: usize = 20;

/// The errors found in a document.
#[derive(Debug)]
pub(crate) struct Faults<'d, 'a> {
    document: &'d Document<'a>,
    found: Vec<Error>,
}

impl<'d, 'a> Faults<'d, 'a> {
    /// Creates a collection that starts with the errors `found` in `document`.
    pub(crate) const fn new(document: &'d Document<'a>, found: Vec<Error>) -> Self {
        Self { document, found }
    }

    /// Returns the value of `read`, or keeps its error.
    pub(crate) fn keep<T>(&mut self, read: Result<T, Error>) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(error) => {
                self.found.push(error);
                None
            }
        }
    }

    /// Reads a section. If a key cannot be read, removes the key and reads the rest again to find
    /// more errors. The missing key is then not reported as another error.
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

    /// Reads a section that may be missing; the default replaces a missing one.
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

    /// Returns the errors, in the order of the text.
    ///
    /// # Errors
    /// Fails if there are any.
    pub(crate) fn result(self) -> Result<(), Error> {
        match self.found.is_empty() {
            true => Ok(()),
            false => Err(Error::all(self.found)),
        }
    }
}

/// Removes the smallest entry of `table` that contains `span`.
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
