//! A fixed choice, which keeps packets from closing a cycle of links.

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::id::PortId;
use fabricsim_core::plugin::{PathStability, PortStates};

use super::{Arrival, Chooser, NextHopChoice, PolicyContext, RoutingPolicy};

/// Sends each packet to the neighbor with the lowest number among the equal next hops, also from
/// its host.
///
/// On a hypercube and on an open grid, numbers grow with coordinates. All packets then use the
/// directions in the same order: down along the last dimension, then down along the one before,
/// and so on to the first, then up along the first, and so on to the last. So no chain of links
/// that wait for one another is closed, and PFC cannot deadlock (Dally and Seitz: Deadlock-Free
/// Message Routing in Multiprocessor Interconnection Networks, IEEE Transactions on Computers
/// 1987). A closed dimension of three or more nodes is a cycle by itself, and a failed link lets
/// packets deviate from the order.
#[derive(Clone, Copy, Debug)]
pub struct LowestNeighbor;

impl RoutingPolicy for LowestNeighbor {
    fn name(&self) -> &'static str {
        "lowest-neighbor"
    }

    fn about(&self) -> &'static str {
        "each packet takes the neighbor with the lowest number: free of deadlocks on hypercubes and open grids"
    }

    fn path_stability(&self) -> PathStability {
        PathStability::PerFlow
    }

    fn takes_first_nic(&self) -> bool {
        true
    }

    fn chooser(&self, _: &PolicyContext) -> Chooser {
        Chooser::new(First)
    }
}

#[derive(Checkpointed, Debug)]
struct First;

impl NextHopChoice for First {
    fn choose(&mut self, _: &Arrival<'_>, _: &[PortId], _: &dyn PortStates) -> usize {
        0
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use fabricsim_base::flow::FlowKey;
    use fabricsim_base::id::NodeId;
    use fabricsim_base::units::Duration;

    use super::*;
    use crate::{EcmpHash, GridEnds, MeshConfig, MeshShape, NextHopOrder, Routes, Topology};

    /// Returns `true` if no cycle of links exists in which packets go from each link to the next.
    fn is_acyclic(mesh: Topology) -> bool {
        let mesh = mesh.with_forwarding(Duration::ZERO);
        let routes = Routes::compute(&mesh, NextHopOrder::AscendingNode, EcmpHash::Seeded(1));
        let routes = routes.with_policy(Arc::new(LowestNeighbor), 1);
        let mut follows: BTreeSet<[(NodeId, NodeId); 2]> = BTreeSet::new();
        for &src in mesh.hosts() {
            for &dst in mesh.hosts().iter().filter(|&&dst| dst != src) {
                let key = FlowKey {
                    src,
                    dst,
                    src_port: 10_000,
                    dst_port: 100,
                };
                let nodes = routes.trace(&key);
                let links: Vec<_> = nodes.windows(2).map(|ends| (ends[0], ends[1])).collect();
                follows.extend(links.windows(2).map(|two| [two[0], two[1]]));
            }
        }
        // Remove links that no other link waits for until none is left to remove.
        loop {
            let ends: BTreeSet<_> = follows.iter().map(|two| two[0]).collect();
            let before = follows.len();
            follows.retain(|two| ends.contains(&two[1]));
            if follows.len() == before {
                return follows.is_empty();
            }
        }
    }

    fn mesh(config: MeshConfig) -> Topology {
        config.build().unwrap()
    }

    #[test]
    fn hypercubes_and_open_grids_have_no_cycle_and_closed_ones_do() {
        let cube = MeshConfig {
            shape: MeshShape::Hypercube,
            hosts: Some(16),
            ..MeshConfig::default()
        };
        assert!(is_acyclic(mesh(cube)));
        let grid = |ends| MeshConfig {
            shape: MeshShape::Torus,
            dims: Some(vec![4, 3, 5]),
            ends,
            ..MeshConfig::default()
        };
        assert!(is_acyclic(mesh(grid(GridEnds::Open))));
        assert!(!is_acyclic(mesh(grid(GridEnds::Joined))));
        assert!(!is_acyclic(mesh(MeshConfig::default())));
    }
}
