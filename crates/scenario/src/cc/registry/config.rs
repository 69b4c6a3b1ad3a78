//! The `[cc]` table of every algorithm.

use std::sync::Arc;

use fabricsim_base::input::{ConfigError, Key};
use fabricsim_base::units::{Bytes, Rate};
use fabricsim_core::plugin::{
    CcContext, CreditRules, DynFactory, Feedback, MarkingThresholds, TelemetryId, Transport,
};
use fabricsim_network::AnyFactory;
use fabricsim_pint::{DIGEST, PintConfig};
use fabricsim_transport::tcp::{ClassConfig, Opening};
use serde::Serialize;
use toml::de::DeTable;

use super::entry::{CcEntry, DynCcConfig};
use super::list::{CONGESTION_CONTROLS, CcRegistry};
use super::tcp_class::TcpClassKeys;
use crate::text::document::{Document, Section};
use crate::text::error::Error;

/// The `[cc]` table: an algorithm and its settings.
#[derive(Clone, Debug)]
pub struct AnyCcConfig {
    entry: CcEntry,
    config: Arc<dyn DynCcConfig>,
    /// Settings of TCP connections; `None` outside scenarios.
    connections: Option<TcpClassKeys>,
}

impl PartialEq for AnyCcConfig {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
            && self.config.value() == other.config.value()
            && self.connections == other.connections
    }
}

impl Serialize for AnyCcConfig {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut table = serde_json::Map::new();
        table.insert("kind".to_owned(), self.name().into());
        let mut extend = |value| {
            if let serde_json::Value::Object(keys) = value {
                table.extend(keys);
            }
        };
        extend(self.config.value());
        if let Some(keys) = &self.connections {
            extend(serde_json::to_value(keys).unwrap_or_default());
        }
        table.serialize(serializer)
    }
}

impl AnyCcConfig {
    /// Returns the workspace's algorithm called `name`, with its default settings.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        let entry = CONGESTION_CONTROLS.iter().find(|cc| cc.name == name)?;
        Some(Self {
            entry: *entry,
            config: entry.default?(),
            connections: (entry.transport == Transport::Tcp).then(TcpClassKeys::default),
        })
    }

    /// Reads the table `section` of one of `entries`, which its `kind` names. For use outside
    /// scenarios: the keys that all algorithms of TCP have in common are not allowed.
    ///
    /// # Errors
    /// Returns the first diagnostic, with its position and a suggested fix.
    pub fn read_algorithm<'a>(
        document: &Document<'a>,
        mut section: Section<'a>,
        entries: &[CcEntry],
    ) -> Result<Self, Error> {
        let entry = entry_of(document, &mut section, entries)?;
        let config = (entry.read_table)(document, &section)?;
        let algorithm = Self {
            entry,
            config,
            connections: None,
        };
        algorithm.checked(document, &section)
    }

    /// Reads the table `section` of a scenario; its `kind` names an algorithm of `registry`.
    pub(crate) fn read_in_scenario<'a>(
        document: &Document<'a>,
        mut section: Section<'a>,
        registry: &CcRegistry,
    ) -> Result<Self, Error> {
        let entry = entry_of(document, &mut section, registry.entries())?;
        let (config, connections) = match entry.transport {
            Transport::Rdma => ((entry.read_table)(document, &section)?, None),
            Transport::Tcp => {
                let keys = read_connections(&entry, document, &mut section)?;
                ((entry.read_table)(document, &section)?, Some(keys))
            }
        };
        let algorithm = Self {
            entry,
            config,
            connections,
        };
        algorithm.checked(document, &section)
    }

    /// Returns the algorithm, read from `section`, if its values are valid.
    fn checked(self, document: &Document<'_>, section: &Section<'_>) -> Result<Self, Error> {
        let valid = self.validate();
        valid.map_err(|error| document.refuse(section, error))?;
        Ok(self)
    }

    /// Returns the algorithm's name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.entry.name
    }

    /// Returns the transport of the algorithm's flows.
    #[must_use]
    pub const fn transport(&self) -> Transport {
        self.entry.transport
    }

    /// Returns the telemetry that the algorithm reads in acknowledgements, if any.
    #[must_use]
    pub const fn telemetry(&self) -> Option<TelemetryId> {
        self.entry.telemetry
    }

    /// Returns the settings of the digest if the algorithm reads one.
    #[must_use]
    pub fn pint(&self) -> Option<PintConfig> {
        let own = || self.typed::<PintConfig>().cloned().unwrap_or_default();
        (self.telemetry() == Some(DIGEST)).then(own)
    }

    /// Returns the configuration if it is a `C`.
    pub(crate) fn typed<C: 'static>(&self) -> Option<&C> {
        self.config.as_any().downcast_ref()
    }

    /// Checks the values of the settings.
    ///
    /// # Errors
    /// Fails if a value has no meaning; the error has the key, a message and help.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.config.validate()
    }

    /// Returns the settings with all defaults filled in.
    #[must_use]
    pub fn resolved(&self, network: &CcContext) -> Self {
        Self {
            entry: self.entry,
            config: self.config.resolved(network),
            connections: self.connections.as_ref().map(|keys| TcpClassKeys {
                ecn: Some(self.feedback()),
                ..keys.clone()
            }),
        }
    }

    /// Returns the bytes of telemetry on a full data packet.
    #[must_use]
    pub fn telemetry_bytes(&self, network: &CcContext) -> u16 {
        let own = self.config.telemetry_bytes(network);
        if self.transport() == Transport::Tcp {
            // Only probes have telemetry; the algorithm has already counted it.
            return own;
        }
        let viewed = self.telemetry().filter(|_| self.entry.factory.is_some());
        own + viewed.map_or(0, |kind| kind.wire_bytes(network))
    }

    /// Returns the thresholds at which ports of `rate` should mark the algorithm's packets, if any.
    #[must_use]
    pub fn marking(&self, rate: Rate) -> Option<MarkingThresholds> {
        self.config.marking(rate)
    }

    /// Returns the rules of receivers for granting credit, if the algorithm uses credit.
    #[must_use]
    pub fn credit(&self, mtu: Bytes, network: &CcContext) -> Option<CreditRules> {
        self.config.credit(mtu, network)
    }

    /// Returns the lowest rate if the user has set one.
    #[must_use]
    pub fn lowest_rate(&self) -> Option<Rate> {
        self.config.lowest_rate()
    }

    /// Returns the feedback of marks that TCP connections use.
    fn feedback(&self) -> Feedback {
        let set = self.connections.as_ref().and_then(|keys| keys.ecn);
        set.unwrap_or_else(|| self.config.feedback())
    }

    /// Returns the algorithm with TCP connections that use `feedback` for marks.
    #[must_use]
    pub fn with_feedback(self, feedback: Feedback) -> Self {
        let keys = self.connections.unwrap_or_default();
        Self {
            connections: Some(TcpClassKeys {
                ecn: Some(feedback),
                ..keys
            }),
            ..self
        }
    }

    /// Returns how TCP connections are opened.
    pub(crate) fn opening(&self) -> Opening {
        let keys = self.connections.as_ref();
        keys.map(|keys| keys.opening).unwrap_or_default()
    }

    /// Returns the factory of boxed controllers; `None` if the controllers are compiled for each
    /// header.
    #[must_use]
    pub fn dyn_factory(&self) -> Option<Arc<dyn DynFactory>> {
        Some(self.entry.factory?(&*self.config))
    }

    /// Returns the factory of controllers for RDMA flows; `None` for an algorithm of TCP.
    #[must_use]
    pub fn rdma_factory(&self) -> Option<AnyFactory> {
        if self.transport() != Transport::Rdma {
            return None;
        }
        if let Some(compiled) = AnyFactory::compiled(self.config.as_any()) {
            return Some(compiled);
        }
        Some(AnyFactory::viewed(self.dyn_factory()?, self.telemetry()))
    }

    /// Returns the TCP settings of the class's flows; `None` for an algorithm of RDMA. Both ends of
    /// a connection request the same feedback.
    pub(crate) fn tcp_class(&self, network: &CcContext) -> Option<ClassConfig> {
        if self.transport() != Transport::Tcp {
            return None;
        }
        Some(ClassConfig {
            cc: self.dyn_factory()?,
            network: Arc::new(network.clone()),
            feedback: self.feedback(),
            opening: self.opening(),
            ..ClassConfig::default()
        })
    }
}

/// Takes the `kind` from a table and finds the entry that it names.
fn entry_of<'a>(
    document: &Document<'a>,
    section: &mut Section<'a>,
    entries: &[CcEntry],
) -> Result<CcEntry, Error> {
    let names: Vec<&'static str> = entries.iter().map(|cc| cc.name).collect();
    let kind = document.kind(section, &names)?;
    let entry = entries.iter().find(|entry| entry.name == kind);
    Ok(*entry.expect("`kind` is one of the names it was given"))
}

/// Takes the keys from a table that all algorithms of TCP have.
fn read_connections<'a>(
    entry: &CcEntry,
    document: &Document<'a>,
    section: &mut Section<'a>,
) -> Result<TcpClassKeys, Error> {
    document.refuse_unknown(&section.title, &section.table, &Key::names(&entry.keys()))?;
    let mut shared = Section {
        table: DeTable::new(),
        ..section.clone()
    };
    for key in TcpClassKeys::KEYS {
        if let Some((key, value)) = section.table.remove_entry(key.name) {
            shared.table.insert(key, value);
        }
    }
    document.settings(&shared, TcpClassKeys::KEYS)
}
