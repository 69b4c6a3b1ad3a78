//! Where tables of a scenario stand, for what turns out to be wrong when its network is built.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::schema::part::Part;
use crate::text::document::Document;
use crate::text::error::{Diagnostic, Error};

/// The places in a scenario's text that messages about its network point at.
#[derive(Clone, Debug)]
pub struct Places {
    topology: Diagnostic,
    profile: Diagnostic,
    queries: Vec<Diagnostic>,
}

impl Places {
    /// The places in `document`, whose tables are `root`.
    pub(crate) fn of(document: &Document<'_>, root: &DeTable<'_>) -> Self {
        let place = |span: Range<usize>| document.unsaid(span);
        let of = |key: &str| place(root.get(key).map_or(0..0, Spanned::span));
        let queries = root.get("query").map(|queries| queries.get_ref());
        let queries = match queries {
            Some(DeValue::Array(items)) => items.iter().map(Spanned::span).map(place).collect(),
            _ => Vec::new(),
        };
        Self {
            topology: of("topology"),
            profile: of("profile"),
            queries,
        }
    }

    /// Something wrong with `part`.
    #[must_use]
    pub fn refuse(&self, part: Part, message: impl Into<String>, help: impl Into<String>) -> Error {
        let place = match part {
            Part::Profile => &self.profile,
            Part::Query(index) => self.queries.get(index).unwrap_or(&self.topology),
            _ => &self.topology,
        };
        Error::Input(Box::new(place.saying(message.into(), help.into())))
    }
}
