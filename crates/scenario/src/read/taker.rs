//! Extracts tables from a scenario's text.

use fabricsim_base::input::Key;
use toml::de::DeTable;

use crate::read::tables::{ClassTables, QueueTables, WorkloadTables};
use crate::schema::queue::QUEUE_KEYS;
use crate::text::document::{Document, Section};
use crate::text::error::Error;

/// The rest of a document, and the errors of everything extracted from it.
#[derive(Debug)]
pub(super) struct Taker<'t, 'a> {
    pub(super) document: &'t Document<'a>,
    pub(super) root: &'t mut DeTable<'a>,
    pub(super) faults: &'t mut Vec<Error>,
}

impl<'a> Taker<'_, 'a> {
    /// Returns the value of `taken`, or keeps its error and returns the default.
    pub(super) fn keep<T: Default>(&mut self, taken: Result<T, Error>) -> T {
        taken.unwrap_or_else(|error| {
            self.faults.push(error);
            T::default()
        })
    }

    /// Takes the table `key`, if there is one.
    pub(super) fn section(&mut self, key: &str) -> Option<Section<'a>> {
        let taken = self.document.section(self.root, key);
        self.keep(taken)
    }

    /// Takes the tables of the list `key`.
    pub(super) fn sections(&mut self, key: &str) -> Vec<Section<'a>> {
        let taken = self.document.sections(self.root, key);
        self.keep(taken)
    }

    /// Takes the tables of the list `key`, each with `take`.
    pub(super) fn each<T>(
        &mut self,
        key: &str,
        take: impl Fn(&mut Self, Section<'a>) -> T,
    ) -> Vec<T> {
        let sections = self.sections(key);
        let taken = sections.into_iter().map(|own| take(self, own));
        taken.collect()
    }

    /// Takes the required table `key`. It is missing unless it is in `meant`, the tables that some
    /// key of the text names, exactly or misspelled. The error then suggests `kind`, one of its
    /// kinds; `plural` is the word for all of them.
    pub(super) fn needed(
        &mut self,
        key: &str,
        kind: &str,
        plural: &str,
        meant: &[&str],
    ) -> Option<Section<'a>> {
        if !meant.contains(&key) {
            self.faults.push(self.document.missing(
                &format!("the scenario has no [{key}] table"),
                &format!(
                    "add `[{key}]` and `kind = \"{kind}\"`; `fabricsim list` shows all {plural}"
                ),
            ));
        }
        self.section(key)
    }

    pub(super) fn workload(&mut self, mut own: Section<'a>) -> WorkloadTables<'a> {
        let cc = self.document.subsection(&mut own, "cc");
        let cc = self.keep(cc);
        WorkloadTables { own, cc }
    }

    pub(super) fn class(&mut self, mut own: Section<'a>) -> ClassTables<'a> {
        let cc = match self.document.subsection(&mut own, "cc") {
            Ok(None) => Err(self.document.diagnostic(
                own.span.clone(),
                format!("{} does not say its algorithm", own.title),
                "add `cc = { kind = \"dcqcn\" }`; `fabricsim list cc` shows all algorithms",
            )),
            taken => taken,
        };
        let cc = self.keep(cc);
        ClassTables { own, cc }
    }

    pub(super) fn queue(&mut self, mut own: Section<'a>) -> QueueTables<'a> {
        let known = Key::names(QUEUE_KEYS);
        let unknown = self.document.unknown_keys(&own.title, &own.table, &known);
        let is_misspelled = !unknown.is_empty();
        self.faults.extend(unknown);
        let keys: Vec<_> = own.table.keys().map(|key| key.get_ref().clone()).collect();
        for key in keys.iter().filter(|key| !known.contains(&&***key)) {
            own.table.remove(&**key);
        }
        let discipline = match self.document.line_or_table(&mut own, "discipline") {
            // The misspelled key may be the missing one.
            Ok(None) if !is_misspelled => Err(self.document.diagnostic(
                own.span.clone(),
                format!("{} does not say its discipline", own.title),
                "add `discipline = \"fq_codel\"`; docs/scenarios.md has all kinds",
            )),
            taken => taken,
        };
        let discipline = self.keep(discipline);
        QueueTables { own, discipline }
    }
}
