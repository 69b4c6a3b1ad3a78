//! The simulators whose configurations are lists of keys.

use super::conweave_keys::CONWEAVE_KEYS;
use super::keys::{CONFIG_KEYS, ConfigKey};
use super::simai_keys::SIMAI_KEYS;

/// A simulator whose configuration is a list of keys with values.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Dialect {
    /// The published simulator of HPCC.
    Published,
    /// ConWeave's, which grew from it.
    ConWeave,
    /// SimAI's ns-3 front end, which grew from it, too.
    SimAi,
}

impl Dialect {
    /// Returns the keys that it reads.
    #[must_use]
    pub const fn keys(self) -> &'static [ConfigKey] {
        match self {
            Self::Published => CONFIG_KEYS,
            Self::ConWeave => CONWEAVE_KEYS,
            Self::SimAi => SIMAI_KEYS,
        }
    }

    /// The simulator in messages.
    pub(super) const fn simulator(self) -> &'static str {
        match self {
            Self::Published => "the published simulator",
            Self::ConWeave => "ConWeave's simulator",
            Self::SimAi => "SimAI's simulator",
        }
    }

    /// The key of this name.
    pub(super) fn key(self, name: &str) -> Option<&'static ConfigKey> {
        self.keys().iter().find(|key| key.name == name)
    }

    /// Returns the dialect of a configuration: that of ConWeave or SimAI where a line begins with a
    /// key that it alone has, and none where no line begins with a key.
    pub(super) fn of(text: &str) -> Option<Self> {
        let first = |line: &'_ str| line.split_whitespace().next().map(ToOwned::to_owned);
        let words: Vec<String> = text.lines().filter_map(first).collect();
        let has = |dialect: Self, word: &String| dialect.key(word).is_some();
        let grown = [Self::ConWeave, Self::SimAi].into_iter().find(|&dialect| {
            let others = [Self::Published, Self::ConWeave, Self::SimAi];
            let alone = |word: &String| {
                let mut others = others.into_iter().filter(|&other| other != dialect);
                has(dialect, word) && !others.any(|other| has(other, word))
            };
            words.iter().any(alone)
        });
        let published = words.iter().any(|word| has(Self::Published, word));
        grown.or_else(|| published.then_some(Self::Published))
    }
}
