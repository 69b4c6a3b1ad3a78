//! Positions of the parts of a scenario in its text.

use std::ops::Range;

use fabricsim_core::input::ConfigError;
use toml::Spanned;
use toml::de::DeTable;

use crate::read::queries::QueryPlaces;
use crate::schema::part::{Blame, Part};
use crate::text::document::{Document, Section};
use crate::text::error::Error;

/// The places of parts that are checked together.
pub(crate) struct TextBlame<'d, 'a> {
    document: &'d Document<'a>,
    topology: Range<usize>,
    profile: Range<usize>,
    cc: Range<usize>,
    buffer: Range<usize>,
    rules: Range<usize>,
    policy: Range<usize>,
    /// The `[[queue]]` tables.
    pub(crate) queues: Vec<Section<'a>>,
    /// The tables of queries, where there are some.
    pub(crate) queries: Option<QueryPlaces<'a>>,
}

impl<'d, 'a> TextBlame<'d, 'a> {
    /// Notes the places of the tables of `root`, as long as they are there.
    pub(crate) fn of(document: &'d Document<'a>, root: &DeTable<'a>) -> Self {
        let place = |key: &str| root.get(key).map_or(0..0, Spanned::span);
        let within = |table: &str, key: &str| {
            root.get(table)
                .and_then(|table| table.get_ref().as_table()?.get(key))
                .map_or(0..0, Spanned::span)
        };
        Self {
            document,
            topology: place("topology"),
            profile: place("profile"),
            cc: place("cc"),
            buffer: within("switch", "buffer"),
            rules: within("switch", "ecn_rules"),
            policy: within("routing", "policy"),
            queues: Vec::new(),
            queries: None,
        }
    }

    /// Returns the table of a part, where it has been kept.
    fn section(&self, part: Part) -> Option<&Section<'a>> {
        match part {
            Part::Queue(index) => self.queues.get(index),
            Part::Query(index) => Some(self.queries.as_ref()?.section(index)),
            _ => None,
        }
    }
}

impl Blame for TextBlame<'_, '_> {
    fn part(&self, part: Part, message: String, help: String) -> Error {
        let place = match part {
            Part::Topology => self.topology.clone(),
            Part::Profile => self.profile.clone(),
            Part::Cc => self.cc.clone(),
            Part::SwitchBuffer => self.buffer.clone(),
            Part::SwitchRules => self.rules.clone(),
            Part::RoutingPolicy => self.policy.clone(),
            Part::Queue(_) | Part::Pint | Part::Query(_) => {
                self.section(part).map_or(0..0, |own| own.span.clone())
            }
        };
        self.document.diagnostic(place, message, help)
    }

    fn key(&self, part: Part, error: ConfigError) -> Error {
        match (part, &self.queries) {
            (Part::Pint, Some(queries)) => queries.refuse_all(self.document, error),
            _ => match self.section(part) {
                Some(section) => self.document.refuse(section, error),
                None => self.part(part, error.message, error.help),
            },
        }
    }
}
