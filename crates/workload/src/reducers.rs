//! The switches that reduce and multicast messages of collectives.

use std::sync::Arc;

use fabricsim_base::id::NodeId;

/// A switch with an aggregator.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Reducer {
    /// The aggregator, which receives and sends messages like a host.
    pub node: NodeId,
    /// Positions of the linked switches, ascending, each once.
    pub neighbors: Vec<u32>,
    /// `true` if the switch is inside a server.
    pub is_inner: bool,
}

/// The switches that reduce and multicast messages of collectives, and their room for trees.
#[derive(Clone, Debug)]
pub struct Reducers {
    /// The switches, in ascending order.
    pub switches: Arc<[Reducer]>,
    /// For each host, in the order of [`WorkloadContext::hosts`](crate::WorkloadContext::hosts), the
    /// positions of its switches, by port.
    pub hosts: Arc<[Vec<u32>]>,
    /// Maximum number of trees of each switch.
    pub room: u32,
    /// The number of trees that earlier workloads have in each switch.
    pub taken: Vec<u32>,
}

impl Reducers {
    /// Returns `true` if the switch at `position` has room for another tree.
    pub(crate) fn has_room(&self, position: u32) -> bool {
        self.taken[position as usize] < self.room
    }
}
