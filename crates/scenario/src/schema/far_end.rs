//! The far end of a port's link.

use fabricsim_base::choices;
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::input::{NodeRange, NumberRange};
use fabricsim_topology::Topology;

choices! {
    /// Kind of node at the far end of a link.
    pub enum FarEnd {
        /// A host.
        Hosts = "hosts",
        /// A switch.
        Switches = "switches",
    }
}

impl FarEnd {
    /// Returns the kind of `node`.
    #[must_use]
    pub fn of(topology: &Topology, node: NodeId) -> Self {
        if topology.is_host(node) {
            Self::Hosts
        } else {
            Self::Switches
        }
    }
}

/// Yields the ports with numbers in `ports` of `nodes` if their links lead `towards` a kind of
/// node, in the order of nodes and ports. `None` selects all.
pub(crate) fn ports_among(
    topology: &Topology,
    nodes: Option<&[NodeRange]>,
    ports: Option<&[NumberRange]>,
    towards: Option<FarEnd>,
) -> impl Iterator<Item = (NodeId, PortId)> {
    let all = (0..topology.len()).map(NodeId::from_index);
    let all = all.filter(move |node| NodeRange::any_contains(nodes, *node));
    all.flat_map(move |node| {
        let links = topology.ports(node).iter().enumerate();
        links.filter_map(move |(index, link)| {
            let port = PortId::from_index(index);
            let far_end = FarEnd::of(topology, link.peer);
            let chosen = NumberRange::any_contains(ports, u32::from(port.0))
                && towards.is_none_or(|only| only == far_end);
            chosen.then_some((node, port))
        })
    })
}
