//! Reads the `[cc]` table, those of workloads and the `[[class]]` tables.

use std::collections::BTreeMap;

use fabricsim_core::id::ClassId;
use toml::de::DeTable;

use crate::cc::registry::AnyCcConfig;
use crate::cc::registry::CcRegistry;
use crate::schema::class::{CLASS_KEYS, ClassTable};
use crate::text::document::{Document, Section};
use crate::text::error::Error;

/// Reads the `[cc]` table.
pub(crate) fn read_default_cc<'a>(
    document: &Document<'a>,
    root: &mut DeTable<'a>,
    custom: &CcRegistry,
) -> Result<AnyCcConfig, Error> {
    match document.section(root, "cc")? {
        Some(section) => AnyCcConfig::read(document, section, custom),
        None => Err(document.diagnostic(
            document.text.len()..document.text.len(),
            "the scenario has no [cc] table",
            "add `[cc]` and `kind = \"hpcc\"`; `fabricsim list` shows all algorithms",
        )),
    }
}

/// The algorithms of classes that have their own, by class.
pub(crate) type ClassCc = BTreeMap<ClassId, AnyCcConfig>;

/// Reads the `[[class]]` tables into `classes`, which holds those of workloads already.
pub(crate) fn read_classes<'a>(
    document: &Document<'a>,
    root: &mut DeTable<'a>,
    custom: &CcRegistry,
    classes: &mut ClassCc,
) -> Result<(), Error> {
    for mut section in document.sections(root, "class")? {
        let Some(cc) = read_cc(document, &mut section, custom)? else {
            return Err(document.diagnostic(
                section.span.clone(),
                format!("{} does not say its algorithm", section.title),
                "add `cc = { kind = \"dcqcn\" }`; `fabricsim list cc` shows all algorithms",
            ));
        };
        let table: ClassTable = document.settings(&section, CLASS_KEYS)?;
        if classes.insert(ClassId(table.id), cc).is_some() {
            return Err(document.diagnostic(
                Document::place(&section, "id"),
                format!("class {} has an algorithm already", table.id),
                "give each class one algorithm: its workload's `cc` table or one [[class]]",
            ));
        }
    }
    Ok(())
}

/// Reads and removes the `cc` table of a workload or class.
pub(crate) fn read_cc<'a>(
    document: &Document<'a>,
    section: &mut Section<'a>,
    custom: &CcRegistry,
) -> Result<Option<AnyCcConfig>, Error> {
    match document.subsection(section, "cc")? {
        Some(cc) => AnyCcConfig::read(document, cc, custom).map(Some),
        None => Ok(None),
    }
}
