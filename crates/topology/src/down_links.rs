//! The set of links that are down.

use crate::graph::Topology;
use fabricsim_base::checkpoint::Stored;
use rustc_hash::FxHashMap;

/// A set of links of one topology, by their positions in [`Topology::links`].
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd, Stored)]
#[checkpoint(plain)]
pub struct DownLinks {
    /// One bit for each link.
    words: Vec<u64>,
}

impl DownLinks {
    /// Returns an empty set for `topology`.
    #[must_use]
    pub fn none(topology: &Topology) -> Self {
        Self {
            words: vec![0; topology.links().len().div_ceil(64)],
        }
    }

    /// Returns the links of `topology` that are followed by another link between the same two
    /// nodes.
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

    /// Returns the union of two sets of the same topology.
    pub(crate) fn and(&self, others: &Self) -> Self {
        let words = self.words.iter().zip(&others.words);
        Self {
            words: words.map(|(own, other)| own | other).collect(),
        }
    }

    /// Adds `link` to the set.
    ///
    /// # Panics
    /// Panics if the topology has no such link.
    pub fn insert(&mut self, link: u32) {
        self.words[link as usize / 64] |= 1 << (link % 64);
    }

    /// Returns `true` if `link` is in the set.
    ///
    /// # Panics
    /// Panics if the topology has no such link.
    #[inline]
    #[must_use]
    pub fn contains(&self, link: u32) -> bool {
        self.words[link as usize / 64] >> (link % 64) & 1 != 0
    }

    /// Returns `true` if the size of the set fits `topology`; topologies with similar sizes fit,
    /// too.
    #[must_use]
    pub fn is_of(&self, topology: &Topology) -> bool {
        self.words.len() == topology.links().len().div_ceil(64)
    }

    /// Returns `true` if the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }
}
