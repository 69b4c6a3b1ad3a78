//! The `[cc]` table of an algorithm of TCP.

use fabricsim_core::input::ConfigError;
use fabricsim_transport::tcp::{CcTable, ClassConfig, Feedback, Opening, TcpCc};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toml::de::DeTable;

use crate::schema::keys::Keys;
use crate::text::document::{Document, Section};
use crate::text::error::Error;

/// An algorithm of TCP and what else the flows of its class have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TcpClass {
    /// The algorithm of both sides.
    #[serde(flatten)]
    pub cc: TcpCc,
    /// What connections do about marks.
    #[serde(flatten)]
    pub keys: TcpClassKeys,
}

/// The keys that the tables of all algorithms of TCP have.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct TcpClassKeys {
    /// The feedback of marks; absent means the one that the algorithm is made for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn: Option<Feedback>,
    /// How connections are opened.
    pub opening: Opening,
}

struct Table<'d, 'a> {
    document: &'d Document<'a>,
    section: &'d Section<'a>,
}

impl CcTable for Table<'_, '_> {
    type Error = Error;

    fn settings<T: DeserializeOwned>(&mut self, keys: Keys) -> Result<T, Error> {
        self.document.settings(self.section, keys)
    }
}

impl TcpClass {
    /// The algorithm called `name` as it comes.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        let cc = TcpCc::by_name(name)?;
        Some(Self {
            cc,
            keys: TcpClassKeys::default(),
        })
    }

    /// Reads the algorithm called `name`, which has `keys`; `None` when TCP has none of that name.
    pub(crate) fn read<'a>(
        name: &str,
        keys: Keys,
        document: &Document<'a>,
        section: &Section<'a>,
    ) -> Option<Result<Self, Error>> {
        TcpCc::by_name(name)?;
        let known: Vec<&'static str> = keys.iter().map(|(key, _)| *key).collect();
        let title = &section.title;
        if let Err(error) = document.refuse_unknown(title, &section.table, &known) {
            return Some(Err(error));
        }
        let mut own = section.clone();
        let mut shared = Section {
            table: DeTable::new(),
            ..section.clone()
        };
        for (key, _) in ClassConfig::KEYS {
            if let Some((key, value)) = own.table.remove_entry(*key) {
                shared.table.insert(key, value);
            }
        }
        let shared = match document.settings(&shared, ClassConfig::KEYS) {
            Ok(shared) => shared,
            Err(error) => return Some(Err(error)),
        };
        let mut table = Table {
            document,
            section: &own,
        };
        let cc = TcpCc::read(name, &mut table)?;
        Some(cc.map(|cc| Self { cc, keys: shared }))
    }

    /// # Errors
    /// Names the key, what is wrong and what would be right.
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        self.cc.validate()
    }

    /// The settings with every default filled in.
    pub(crate) fn resolved(&self) -> Self {
        Self {
            cc: self.cc.clone(),
            keys: TcpClassKeys {
                ecn: Some(self.feedback()),
                ..self.keys.clone()
            },
        }
    }

    fn feedback(&self) -> Feedback {
        self.keys.ecn.unwrap_or_else(|| self.cc.feedback())
    }

    /// How flows of the class are carried. Both sides want the same feedback.
    pub(crate) fn class(&self) -> ClassConfig {
        ClassConfig {
            cc: self.cc.clone(),
            feedback: self.feedback(),
            opening: self.keys.opening,
            ..ClassConfig::default()
        }
    }
}
