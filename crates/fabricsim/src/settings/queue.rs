//! The `[[queue]]` tables: which discipline a priority of TCP has at which ports.

use fabricsim_core::input::{ConfigError, InputError};
use fabricsim_core::units::Rate;
use fabricsim_qdisc::DisciplineConfig;
use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Keys;
use crate::document::{Document, Section};
use crate::error::Error;
use crate::kinds::Registry;
use crate::observe::FarEnd;

/// The keys of a `[[queue]]` table.
pub const QUEUE_KEYS: Keys = &[
    (
        "discipline",
        "a line such as \"codel limit 1000 target 5ms\", or a table: { kind = \"codel\", limit = 1000 }",
    ),
    (
        "priorities",
        "list of priorities of TCP, such as [1] (default: all of TCP)",
    ),
    ("rate", "ports of this rate alone (default: all)"),
    (
        "towards",
        "\"hosts\" or \"switches\": ports with these at the other end alone (default: all)",
    ),
];

/// One `[[queue]]` table. The first one that fits a port and priority holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueueRule {
    /// The discipline.
    pub discipline: DisciplineConfig,
    /// Where it is.
    #[serde(flatten)]
    pub place: QueuePlace,
}

/// The ports and priorities of a [`QueueRule`].
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct QueuePlace {
    /// These priorities; empty for all of TCP.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub priorities: Vec<u8>,
    /// Ports of this rate; absent means all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Ports with these at the other end; absent means all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub towards: Option<FarEnd>,
}

impl QueuePlace {
    /// Whether the queue of `priority` is meant at a port of `rate` that leads `towards`.
    pub(crate) fn fits(&self, priority: u8, rate: Rate, towards: FarEnd) -> bool {
        (self.priorities.is_empty() || self.priorities.contains(&priority))
            && self.rate.is_none_or(|only| only == rate)
            && self.towards.is_none_or(|only| only == towards)
    }

    fn validate(&self) -> Result<(), ConfigError> {
        match self.priorities.iter().find(|p| !(1..=7).contains(*p)) {
            None => Ok(()),
            Some(priority) => Err(ConfigError::new(
                "priorities",
                format!("there is no data priority {priority}"),
                "give priorities from 1 to 7",
            )),
        }
    }
}

/// Reads the `[[queue]]` tables, each with the place of its `priorities`, of its `rate` and of itself.
pub(crate) fn read_queues<'a>(
    document: &Document<'a>,
    root: &mut DeTable<'a>,
    registry: &Registry,
) -> Result<Vec<(QueueRule, Section<'a>)>, Error> {
    let mut rules = Vec::new();
    for mut section in document.sections(root, "queue")? {
        let known: Vec<&'static str> = QUEUE_KEYS.iter().map(|(key, _)| *key).collect();
        document.refuse_unknown(&section.title, &section.table, &known)?;
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
        return Err(document.mistake(
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
        document.mistake(span, message, error.help)
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
