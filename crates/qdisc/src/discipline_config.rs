//! The disciplines of scenarios, with their keys.

use fabricsim_base::input::{ConfigError, Keys};
use serde::de::{DeserializeOwned, Error};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::aqm::AqmConfig;
use crate::aqm::codel::CodelConfig;
use crate::aqm::red::RedConfig;
use crate::aqm::step::StepConfig;
use crate::aqm::tail_drop::TailDropConfig;
use crate::dualpi2::DualPi2Config;
use crate::fq_codel::FqCodelConfig;
use crate::shared_fifo::SharedBufferConfig;
use crate::short_form::ShortForm;

/// The table of a discipline in a scenario. Each [`AqmKind`](crate::AqmKind) is one.
pub trait DisciplineKind: Serialize + DeserializeOwned + 'static {
    /// The name of the kind in scenarios.
    const NAME: &'static str;
    /// A one-line description.
    const ABOUT: &'static str;
    /// Keys of the table, with meaning, unit and default.
    const KEYS: Keys;
    /// One-line forms of the table, such as `"codel target 5ms"`.
    const SHORT_FORMS: &'static [ShortForm];

    /// Checks the settings.
    ///
    /// # Errors
    /// The error names the key, the problem and a suggestion.
    fn validate(&self) -> Result<(), ConfigError>;

    /// Wraps the table in the enum of all disciplines.
    fn into_config(self) -> DisciplineConfig;
}

/// [`DisciplineKind`] with its type erased.
pub(crate) trait AnyKind {
    fn name(&self) -> &'static str;
    fn keys(&self) -> Keys;
    fn value(&self) -> Value;
    fn validate(&self) -> Result<(), ConfigError>;
}

impl<K: DisciplineKind> AnyKind for K {
    fn name(&self) -> &'static str {
        K::NAME
    }

    fn keys(&self) -> Keys {
        K::KEYS
    }

    fn value(&self) -> Value {
        serde_json::to_value(self).expect("settings are plain tables")
    }

    fn validate(&self) -> Result<(), ConfigError> {
        DisciplineKind::validate(self)
    }
}

/// Visits each kind of discipline by its type.
pub trait DisciplineVisitor {
    /// Visits the kind `K`.
    fn visit<K: DisciplineKind>(&mut self);
}

/// Generates the list of kinds.
macro_rules! kinds {
    ($($config:ty;)*) => {
        /// Every kind of discipline: its name in a scenario, a description in one line, and its
        /// keys with their meaning, unit and default.
        pub const KINDS: &[(&str, &str, Keys)] = &[$((
            <$config as DisciplineKind>::NAME,
            <$config as DisciplineKind>::ABOUT,
            <$config as DisciplineKind>::KEYS,
        )),*];

        /// Calls `visitor` with every kind of discipline, in the order of [`KINDS`].
        pub fn visit_kinds(visitor: &mut impl DisciplineVisitor) {
            $(visitor.visit::<$config>();)*
        }
    };
}

kinds! {
    SharedBufferConfig;
    TailDropConfig;
    RedConfig;
    StepConfig;
    CodelConfig;
    FqCodelConfig;
    DualPi2Config;
}

/// The settings of a discipline in a scenario.
///
/// They can also be parsed from one line, similar to Linux's `tc`:
///
/// ```
/// use fabricsim_qdisc::DisciplineConfig;
///
/// let single: DisciplineConfig = "fq_codel flows 1".parse()?;
/// assert_eq!(single.name(), "fq-codel");
/// let error = "fq_codel flow 1".parse::<DisciplineConfig>().unwrap_err();
/// assert!(error.message.contains("`flow`"));
/// # Ok::<(), fabricsim_base::input::InputError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum DisciplineConfig {
    /// A plain queue that is limited by the switch's buffer.
    SharedBuffer(SharedBufferConfig),
    /// One queue with an AQM rule.
    Aqm(AqmConfig),
    /// Many queues with CoDel.
    FqCodel(FqCodelConfig),
    /// Two queues with one controller.
    DualPi2(DualPi2Config),
}

impl DisciplineConfig {
    fn as_kind(&self) -> &dyn AnyKind {
        match self {
            Self::SharedBuffer(config) => config,
            Self::Aqm(config) => config.as_kind(),
            Self::FqCodel(config) => config,
            Self::DualPi2(config) => config,
        }
    }

    /// Returns the name of the kind, as in [`KINDS`].
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.as_kind().name()
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// The error names the key, the problem and a suggestion.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.as_kind().validate()
    }

    /// Returns `true` if only the switch's shared buffer limits the queue.
    #[must_use]
    pub const fn needs_shared_buffer(&self) -> bool {
        matches!(self, Self::SharedBuffer(_))
    }

    /// Returns the number of queues over which it spreads flows; 0 for a single queue.
    #[must_use]
    pub fn flow_queues(&self) -> u64 {
        match self {
            Self::FqCodel(config) => config.flows.into(),
            _ => 0,
        }
    }
}

impl Serialize for DisciplineConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (kind, value) = (self.as_kind(), self.as_kind().value());
        let mut table = serializer.serialize_map(None)?;
        table.serialize_entry("kind", kind.name())?;
        for key in kind.keys() {
            if let Some(value) = value.get(key.name) {
                table.serialize_entry(key.name, value)?;
            }
        }
        table.end()
    }
}

/// Reads a table as the visited kind with its name.
struct TableReader {
    kind: Value,
    table: Map<String, Value>,
    read: Option<serde_json::Result<DisciplineConfig>>,
}

impl DisciplineVisitor for TableReader {
    fn visit<K: DisciplineKind>(&mut self) {
        if self.kind == K::NAME {
            let table = Value::Object(std::mem::take(&mut self.table));
            self.read = Some(serde_json::from_value(table).map(K::into_config));
        }
    }
}

impl<'de> Deserialize<'de> for DisciplineConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut table = Map::deserialize(deserializer)?;
        let kind = table.remove("kind");
        let mut reader = TableReader {
            kind: kind.ok_or_else(|| D::Error::missing_field("kind"))?,
            table,
            read: None,
        };
        visit_kinds(&mut reader);
        let unknown = || D::Error::custom(format!("there is no discipline {}", reader.kind));
        reader.read.ok_or_else(unknown)?.map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests;
