//! The simulators whose configurations are lists of keys.

use std::collections::BTreeSet;

use super::conweave_keys::CONWEAVE_KEYS;
use super::keys::{CONFIG_KEYS, ConfigKey};
use super::relatives_keys::RELATIVES_KEYS;
use super::shared_keys::{PUBLISHED_AND_SIMAI_KEYS, SHARED_KEYS};
use super::simai_keys::SIMAI_KEYS;
use super::words::is_key_like;

/// A simulator whose configuration is a list of keys with values.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Dialect {
    /// The published simulator of HPCC, and those that read its configurations with a few keys more.
    Published,
    /// ConWeave's, which grew from it.
    ConWeave,
    /// SimAI's ns-3 front end, which grew from it, too.
    SimAi,
}

impl Dialect {
    /// All of them. Where two read a configuration equally well, it is of the first.
    pub const ALL: [Self; 3] = [Self::Published, Self::ConWeave, Self::SimAi];

    /// Returns the keys that it reads.
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
        self.keys().find(|key| key.name == name)
    }

    /// Returns the dialect that reads most of the keys with which lines of `text` begin; none if no
    /// line begins with a key.
    ///
    /// Only SimAI's simulator is told of its topology elsewhere: a text that names one is not for it.
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
        // Of equals the last one is the greatest.
        let best = Self::ALL
            .into_iter()
            .rev()
            .max_by_key(|&dialect| known(dialect))?;
        (known(best) > 0).then_some(best)
    }
}
