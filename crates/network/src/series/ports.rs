//! Ports with the names that appear in their rows.

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_topology::{Tiers, Topology};

use super::rows::SeriesCell;

/// A port with its names.
#[derive(Debug)]
pub(super) struct NamedPort {
    node: NodeId,
    port: PortId,
    /// The name of the node.
    name: Box<str>,
    /// The tier of the link, for example `leaf to spine`.
    tier: Box<str>,
    /// The name of the node at the other end.
    peer: Box<str>,
}

impl NamedPort {
    /// Returns the cells of the columns `node`, `port`, `name`, `tier` and `peer`.
    pub(super) fn cells(&self) -> [SeriesCell<'_>; 5] {
        [
            SeriesCell::Whole(u64::from(self.node.0)),
            SeriesCell::Whole(u64::from(self.port.0)),
            SeriesCell::Text(&self.name),
            SeriesCell::Text(&self.tier),
            SeriesCell::Text(&self.peer),
        ]
    }
}

/// Looks up the names of `ports` in `topology`.
pub(super) fn named(topology: &Topology, ports: &[(NodeId, PortId)]) -> Vec<NamedPort> {
    let tiers = Tiers::of(topology);
    let named = ports.iter().map(|&(node, port)| {
        let peer = topology.ports(node)[port.index()].peer;
        NamedPort {
            node,
            port,
            name: topology.name(node).into(),
            tier: tiers.of_link(node, peer).into(),
            peer: topology.name(peer).into(),
        }
    });
    named.collect()
}

/// Returns `ports` without their names.
pub(super) fn places(ports: &[NamedPort]) -> Vec<(NodeId, PortId)> {
    ports.iter().map(|at| (at.node, at.port)).collect()
}
