//! The simulators with lists of keys as configurations.

use std::collections::BTreeSet;

use super::conweave_keys::CONWEAVE_KEYS;
use super::keys::{CONFIG_KEYS, ConfigKey};
use super::relatives_keys::RELATIVES_KEYS;
use super::shared_keys::{PUBLISHED_AND_SIMAI_KEYS, SHARED_KEYS};
use super::simai_keys::SIMAI_KEYS;
use super::words::is_key_like;

/// A simulator with a list of keys and values as its configuration.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Dialect {
    /// The published simulator of HPCC, and simulators that read its configurations with a few more
    /// keys.
    Published,
    /// ConWeave's, which is based on it.
    ConWeave,
    /// SimAI's ns-3 front end, which is also based on it.
    SimAi,
}

impl Dialect {
    /// All dialects. If two of them read a configuration equally well, the first one is chosen.
    pub const ALL: [Self; 3] = [Self::Published, Self::ConWeave, Self::SimAi];

    /// Yields the keys that the simulator reads.
    pub fn keys(self) -> impl Iterator<Item = &'static ConfigKey> {
        let lists: &[&[ConfigKey]] = match self {
            Self::Published => &[
                SHARED_KEYS,
                PUBLISHED_AND_SIMAI_KEYS,
                CONFIG_KEYS,
                RELATIVES_KEYS,
            ],
            Self::ConWeave => &[SHARED_KEYS, CONWEAVE_KEYS],
            Self::SimAi => &[SHARED_KEYS, PUBLISHED_AND_SIMAI_KEYS, SIMAI_KEYS],
        };
        lists.iter().copied().flatten()
    }

    /// Returns the name of the simulator in messages.
    pub(super) const fn simulator(self) -> &'static str {
        match self {
            Self::Published => "the published simulator",
            Self::ConWeave => "ConWeave's simulator",
            Self::SimAi => "SimAI's simulator",
        }
    }

    /// Returns the key called `name`.
    pub(super) fn key(self, name: &str) -> Option<&'static ConfigKey> {
        self.keys().find(|key| key.name == name)
    }

    /// Returns the dialect that knows most of the keys with which lines of `text` begin; `None` if
    /// no line begins with a known key.
    ///
    /// SimAI's simulator gets its topology from a command-line argument, so a text that names a
    /// topology is not for it.
    pub(super) fn of(text: &str) -> Option<Self> {
        let words = text
            .lines()
            .filter_map(|line| line.split_whitespace().next());
        let begins: BTreeSet<&str> = words.filter(|word| is_key_like(word)).collect();
        let names_topology = begins.contains("TOPOLOGY_FILE");
        let known = |dialect: Self| match (dialect, names_topology) {
            (Self::SimAi, true) => 0,
            _ => begins
                .iter()
                .filter(|word| dialect.key(word).is_some())
                .count(),
        };
        // `max_by_key` returns the last of equal values, so reverse the order.
        let best = Self::ALL
            .into_iter()
            .rev()
            .max_by_key(|&dialect| known(dialect))?;
        (known(best) > 0).then_some(best)
    }
}
