//! The links of a network that carry nothing for now.

use crate::graph::Topology;
use fabricsim_base::checkpoint::Stored;
use rustc_hash::FxHashMap;

/// A set of links of one topology, by their positions in [`Topology::links`].
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd, Stored)]
pub struct DownLinks {
    /// A bit for each link.
    words: Vec<u64>,
}

impl DownLinks {
    /// No link of `topology`.
    #[must_use]
    pub fn none(topology: &Topology) -> Self {
        Self {
            words: vec![0; topology.links().len().div_ceil(64)],
        }
    }

    /// Every link of `topology` beside which a later one joins the same two nodes.
    pub(crate) fn superseded(topology: &Topology) -> Self {
        let mut superseded = Self::none(topology);
        let mut last = FxHashMap::default();
        for (number, link) in (0..).zip(topology.links()) {
            let ends = (link.a.min(link.b), link.a.max(link.b));
            if let Some(earlier) = last.insert(ends, number) {
                superseded.insert(earlier);
            }
        }
        superseded
    }

    /// The links of both sets, which are of one topology.
    pub(crate) fn and(&self, others: &Self) -> Self {
        let words = self.words.iter().zip(&others.words);
        Self {
            words: words.map(|(own, other)| own | other).collect(),
        }
    }

    /// Adds `link`.
    ///
    /// # Panics
    /// When the topology has no such link.
    pub fn insert(&mut self, link: u32) {
        self.words[link as usize / 64] |= 1 << (link % 64);
    }

    /// Returns whether `link` is in the set.
    ///
    /// # Panics
    /// When the topology has no such link.
    #[inline]
    #[must_use]
    pub fn contains(&self, link: u32) -> bool {
        self.words[link as usize / 64] >> (link % 64) & 1 != 0
    }

    /// Returns whether this is a set of links of `topology`, or of one with about as many links.
    #[must_use]
    pub fn is_of(&self, topology: &Topology) -> bool {
        self.words.len() == topology.links().len().div_ceil(64)
    }

    /// Returns whether no link is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }
}
