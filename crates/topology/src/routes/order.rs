//! The order of equal next hops.

use fabricsim_base::id::{NodeId, PortId};

use crate::graph::Port;

/// The order of equal next hops in the tables, which decides the one that a hash chooses.
///
/// Several links to the same neighbor stay in the order of their ports.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum NextHopOrder {
    /// Neighbors are in ascending order of their ids.
    #[default]
    AscendingNode,
    /// Neighbors are in the order in which a breadth-first search from the destination reaches
    /// them, as in the published HPCC simulator. The search visits the neighbors of a node by
    /// descending id.
    DescendingNode,
}

impl NextHopOrder {
    /// Sorts the `candidates` among the `ports` of a node into this order.
    pub(super) fn sort(self, ports: &[Port], candidates: &mut [PortId]) {
        candidates.sort_unstable_by_key(|port| (self.rank(ports[port.index()].peer), *port));
    }

    /// Returns the sort key of the neighbor `peer`.
    pub(super) const fn rank(self, peer: NodeId) -> u32 {
        match self {
            Self::AscendingNode => peer.0,
            Self::DescendingNode => !peer.0,
        }
    }
}
