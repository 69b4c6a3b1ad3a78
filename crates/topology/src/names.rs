//! The names of all nodes of a topology.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use crate::node_kind::NodeKind;

/// The names of all nodes, in one text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NodeNames {
    text: Arc<str>,
    /// End of each node's name in `text`.
    ends: Arc<[usize]>,
}

impl NodeNames {
    /// Names nodes by kind and number: `host0`, `switch1`.
    pub(crate) fn by_number(kinds: &[NodeKind]) -> Self {
        Self::of((0u32..).zip(kinds).map(|(number, kind)| match kind {
            NodeKind::Host => Numbered("host", number),
            NodeKind::Switch => Numbered("switch", number),
        }))
    }

    /// Names hosts, numbered from 0, then the switches of each of `tiers`, also numbered from 0.
    pub(crate) fn by_tier(hosts: u32, tiers: &[(&str, u32)]) -> Self {
        let hosts = [("host", hosts)];
        let tiers = hosts.iter().chain(tiers);
        Self::of(tiers.flat_map(|&(tier, count)| (0..count).map(move |n| Numbered(tier, n))))
    }

    pub(crate) fn of(names: impl Iterator<Item = impl fmt::Display>) -> Self {
        let mut text = String::new();
        let mut ends = Vec::with_capacity(names.size_hint().0);
        for name in names {
            let written = write!(text, "{name}");
            debug_assert!(written.is_ok(), "strings take everything");
            ends.push(text.len());
        }
        Self {
            text: text.into(),
            ends: ends.into(),
        }
    }

    pub(crate) fn get(&self, node: usize) -> &str {
        let start = node.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[node]]
    }
}

/// A word with a number after it.
struct Numbered<'a>(&'a str, u32);

impl fmt::Display for Numbered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.0, self.1)
    }
}
