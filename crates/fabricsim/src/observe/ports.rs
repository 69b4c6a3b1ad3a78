//! Ports with the names that their rows have.

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_topology::Topology;

use crate::utilization::tiers::Tiers;

/// A port and its names.
#[derive(Debug)]
pub(super) struct NamedPort {
    pub(super) node: NodeId,
    pub(super) port: PortId,
    /// The name of the node.
    pub(super) name: Box<str>,
    /// The tier of the link: `leaf to spine`.
    pub(super) tier: Box<str>,
    /// The name of the node at the other end.
    pub(super) peer: Box<str>,
}

/// `ports` of `topology` with their names.
pub(super) fn named(
    topology: &Topology,
    ports: impl IntoIterator<Item = (NodeId, PortId)>,
) -> Vec<NamedPort> {
    let tiers = Tiers::of(topology);
    let named = ports.into_iter().map(|(node, port)| {
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
