//! The algorithms of a harm test: the TCP algorithms.

use fabricsim_base::input::{SettingValue, ValueKind};
use fabricsim_scenario::cc::registry::{AnyCcConfig, CONGESTION_CONTROLS, CcEntry, Transport};
use fabricsim_scenario::text::document::Document;
use fabricsim_scenario::text::error::Error;
use serde::Serialize;
use toml::de::DeTable;

/// The `[[cc]]` tables: settings of algorithms that differ from their defaults.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct TcpAlgorithms(Vec<AnyCcConfig>);

impl SettingValue for TcpAlgorithms {
    const KIND: ValueKind = ValueKind::List(&ValueKind::Table(&[]));
    type Bare = Self;

    fn given(&self) -> Option<&Self> {
        Some(self)
    }
}

impl TcpAlgorithms {
    /// Returns the tables in the order of the text.
    #[must_use]
    pub fn tables(&self) -> &[AnyCcConfig] {
        &self.0
    }

    /// Reads and removes the `[[cc]]` tables of `root`.
    pub(super) fn read<'a>(document: &Document<'a>, root: &mut DeTable<'a>) -> Result<Self, Error> {
        let entries: Vec<CcEntry> = tcp_entries().copied().collect();
        let mut tables: Vec<AnyCcConfig> = Vec::new();
        for section in document.sections(root, "cc")? {
            let (title, span) = (section.title.clone(), section.span.clone());
            let table = AnyCcConfig::read_algorithm(document, section, &entries)?;
            let name = table.name();
            if tables.iter().any(|other| other.name() == name) {
                let message = format!("{title}: `{name}` has a table already");
                return Err(document.diagnostic(span, message, "put its keys into one"));
            }
            tables.push(table);
        }
        Ok(Self(tables))
    }
}

/// Returns the TCP algorithms that read no telemetry, because Internet routers do not
/// provide.
pub(super) fn tcp_entries() -> impl Iterator<Item = &'static CcEntry> {
    let all = CONGESTION_CONTROLS.iter();
    all.filter(|cc| cc.transport == Transport::Tcp && cc.telemetry.is_none())
}

/// Returns the TCP algorithm called `name` with its default settings.
pub(super) fn tcp_named(name: &str) -> Option<AnyCcConfig> {
    tcp_entries().find(|entry| entry.name == name)?;
    AnyCcConfig::by_name(name)
}
