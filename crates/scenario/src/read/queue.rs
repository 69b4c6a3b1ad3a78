//! Reads the `[[queue]]` tables.

use fabricsim_core::input::{InputError, Key};
use fabricsim_qdisc::DisciplineConfig;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::kinds::Registry;
use crate::schema::queue::{QUEUE_KEYS, QueuePlace, QueueRule};
use crate::text::document::{Document, Section};
use crate::text::error::Error;

/// Reads the `[[queue]]` tables, each with the place of its `priorities`, of its `rate` and of
/// itself.
pub(crate) fn read_queues<'a>(
    document: &Document<'a>,
    root: &mut DeTable<'a>,
    registry: &Registry,
) -> Result<Vec<(QueueRule, Section<'a>)>, Error> {
    let mut rules = Vec::new();
    for mut section in document.sections(root, "queue")? {
        document.refuse_unknown(&section.title, &section.table, &Key::names(QUEUE_KEYS))?;
        let discipline = read_discipline(document, &mut section, registry)?;
        let place: QueuePlace = document.settings(&section, QUEUE_KEYS)?;
        place
            .validate()
            .map_err(|error| document.refuse(&section, error))?;
        rules.push((QueueRule { discipline, place }, section));
    }
    Ok(rules)
}

/// Reads and removes the key `discipline`.
fn read_discipline<'a>(
    document: &Document<'a>,
    section: &mut Section<'a>,
    registry: &Registry,
) -> Result<DisciplineConfig, Error> {
    let Some(value) = section.table.get("discipline") else {
        return Err(document.diagnostic(
            section.span.clone(),
            format!("{} does not say its discipline", section.title),
            "add `discipline = \"fq_codel\"`; docs/scenarios.md has all kinds",
        ));
    };
    match value.get_ref() {
        DeValue::String(_) => {
            let (_, value) = section
                .table
                .remove_entry("discipline")
                .expect("it has just been seen");
            read_line(document, &section.title, &value)
        }
        _ => {
            let Some(table) = document.subsection(section, "discipline")? else {
                unreachable!("it has just been seen");
            };
            read_table(document, table, registry)
        }
    }
}

fn read_line(
    document: &Document<'_>,
    title: &str,
    value: &Spanned<DeValue<'_>>,
) -> Result<DisciplineConfig, Error> {
    let text = value.get_ref().as_str().unwrap_or_default();
    text.parse().map_err(|error: InputError| {
        let span = value.span();
        // The words stand where they are in the text unless it has escapes.
        let plain = document
            .text
            .get(span.start + 1..span.end.saturating_sub(1))
            == Some(text);
        let span = if plain {
            let place = error.span.clone();
            span.start + 1 + place.start..span.start + 1 + place.end
        } else {
            span
        };
        let message = format!("{title}, key `discipline`: {}", error.message);
        document.diagnostic(span, message, error.help)
    })
}

fn read_table<'a>(
    document: &Document<'a>,
    mut section: Section<'a>,
    registry: &Registry,
) -> Result<DisciplineConfig, Error> {
    let config = registry.read_discipline(document, &mut section)?;
    config
        .validate()
        .map_err(|error| document.refuse(&section, error))?;
    Ok(config)
}
