//! The simulators whose configurations are lists of keys.

use super::conweave_keys::CONWEAVE_KEYS;
use super::keys::{CONFIG_KEYS, ConfigKey};

/// A simulator whose configuration is a list of keys with values.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Dialect {
    /// The published simulator of HPCC.
    Published,
    /// ConWeave's, which grew from it.
    ConWeave,
}

impl Dialect {
    /// Returns the keys that it reads.
    #[must_use]
    pub const fn keys(self) -> &'static [ConfigKey] {
        match self {
            Self::Published => CONFIG_KEYS,
            Self::ConWeave => CONWEAVE_KEYS,
        }
    }

    /// The simulator in messages.
    pub(super) const fn simulator(self) -> &'static str {
        match self {
            Self::Published => "the published simulator",
            Self::ConWeave => "ConWeave's simulator",
        }
    }

    /// The key of this name.
    pub(super) fn key(self, name: &str) -> Option<&'static ConfigKey> {
        self.keys().iter().find(|key| key.name == name)
    }

    /// Returns the dialect of a configuration: that of ConWeave where a line begins with a key that
    /// it alone has, and none where no line begins with a key.
    pub(super) fn of(text: &str) -> Option<Self> {
        let first = |line: &'_ str| line.split_whitespace().next().map(ToOwned::to_owned);
        let words: Vec<String> = text.lines().filter_map(first).collect();
        let has = |dialect: Self| words.iter().any(|word| dialect.key(word).is_some());
        let alone = |word: &String| {
            Self::ConWeave.key(word).is_some() && Self::Published.key(word).is_none()
        };
        match (has(Self::Published), words.iter().any(alone)) {
            (_, true) => Some(Self::ConWeave),
            (true, false) => Some(Self::Published),
            (false, false) => None,
        }
    }
}
