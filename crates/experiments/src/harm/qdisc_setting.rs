//! The discipline of a bottleneck, as one line or as a table.

use std::fmt;
use std::str::FromStr;

use fabricsim_base::input::{ConfigError, InputError, ValueKind};
use fabricsim_base::setting_values;
use fabricsim_qdisc::DisciplineConfig;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A discipline, and its name in results.
#[derive(Clone, Debug, PartialEq)]
pub struct QdiscSetting {
    line: String,
    config: DisciplineConfig,
}

impl QdiscSetting {
    /// Returns the discipline.
    #[must_use]
    pub const fn config(&self) -> &DisciplineConfig {
        &self.config
    }

    /// # Errors
    /// If the discipline has invalid settings, or needs the buffer of a switch.
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        if self.config.needs_shared_buffer() {
            return Err(ConfigError::new(
                "qdisc",
                "the bottleneck has no buffer that ports share",
                "for a plain queue write \"pfifo limit 1000\"",
            ));
        }
        self.config.validate().map_err(|error| {
            let message = format!("`{}`: {}", error.key, error.message);
            ConfigError::new("qdisc", message, error.help)
        })
    }
}

setting_values!(QdiscSetting => ValueKind::Either(&[ValueKind::Text, ValueKind::Table(&[])]));

impl Default for QdiscSetting {
    fn default() -> Self {
        "fq_codel flows 1".parse().expect("a good line")
    }
}

impl FromStr for QdiscSetting {
    type Err = InputError;

    fn from_str(line: &str) -> Result<Self, InputError> {
        let config = line.parse()?;
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(Self { line, config })
    }
}

impl From<DisciplineConfig> for QdiscSetting {
    /// Converts a discipline with settings; results name it by its kind.
    fn from(config: DisciplineConfig) -> Self {
        Self {
            line: config.name().to_owned(),
            config,
        }
    }
}

impl fmt::Display for QdiscSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.line)
    }
}

impl<'de> Deserialize<'de> for QdiscSetting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = QdiscSetting;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a discipline such as \"fq_codel flows 1\", or a table with its `kind`")
            }

            fn visit_str<E: Error>(self, line: &str) -> Result<QdiscSetting, E> {
                line.parse().map_err(E::custom)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<QdiscSetting, A::Error> {
                let config = DisciplineConfig::deserialize(MapAccessDeserializer::new(map))?;
                Ok(config.into())
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl Serialize for QdiscSetting {
    /// Serializes the discipline with all its settings.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.config.serialize(serializer)
    }
}
