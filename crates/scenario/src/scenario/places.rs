//! Positions of a scenario's tables, for errors that are found when its network is built.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::schema::part::{Part, WithoutText};
use crate::text::document::Document;
use crate::text::error::{Diagnostic, Error};

/// Positions for messages about a scenario's network.
#[derive(Clone, Debug)]
pub(crate) enum Places {
    /// Positions in its text.
    InText(Box<TextPlaces>),
    /// No positions, because a program has built the scenario.
    Without(WithoutText),
}

/// The positions in a scenario's text.
#[derive(Clone, Debug)]
pub(crate) struct TextPlaces {
    topology: Diagnostic,
    profile: Diagnostic,
    routing: Diagnostic,
    capture: Diagnostic,
    queries: Vec<Diagnostic>,
}

impl Places {
    /// Records the positions in `document`, which has the tables `root`.
    pub(crate) fn of(document: &Document<'_>, root: &DeTable<'_>) -> Self {
        let place = |span: Range<usize>| document.unsaid(span);
        let of = |key: &str| place(root.get(key).map_or(0..0, Spanned::span));
        let queries = root.get("query").map(|queries| queries.get_ref());
        let queries = match queries {
            Some(DeValue::Array(items)) => items.iter().map(Spanned::span).map(place).collect(),
            _ => Vec::new(),
        };
        Self::InText(Box::new(TextPlaces {
            topology: of("topology"),
            profile: of("profile"),
            routing: of("routing"),
            capture: of("capture"),
            queries,
        }))
    }

    /// Returns an error at the position of `part`.
    pub(crate) fn refuse(&self, part: Part, message: String, help: String) -> Error {
        let places = match self {
            Self::InText(places) => places,
            Self::Without(name) => return name.error(message, help),
        };
        let place = match part {
            Part::Profile => &places.profile,
            Part::Routing => &places.routing,
            Part::Capture => &places.capture,
            Part::Query(index) => places.queries.get(index).unwrap_or(&places.topology),
            _ => &places.topology,
        };
        Error::Input(Box::new(place.saying(message, help)))
    }
}
