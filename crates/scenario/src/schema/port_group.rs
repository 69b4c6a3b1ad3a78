//! Groups of switch ports that are observed together.

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::input::{NodeRange, NumberRange};
use fabricsim_base::settings;
use fabricsim_topology::Topology;

use crate::schema::far_end::FarEnd;

settings! {
    /// A group of ports with a name.
    pub struct PortGroup {
        /// Its name.
        pub name: String = required,
        /// Switches, such as ["8"].
        #[note("(default all)")]
        pub nodes: Option<Vec<NodeRange>> = none,
        /// Their ports, such as ["0..4"].
        #[note("(default all)")]
        pub ports: Option<Vec<NumberRange>> = none,
        /// Only ports with a link to "hosts" or to "switches".
        #[note("(default both)")]
        pub towards: Option<FarEnd> = none,
    }
}

impl PortGroup {
    /// Returns the members of the group among `ports`, in the same order.
    #[must_use]
    pub fn choose(&self, ports: &[(NodeId, PortId)], topology: &Topology) -> Vec<(NodeId, PortId)> {
        let member = |&&(node, port): &&(NodeId, PortId)| {
            let peer = topology.ports(node)[port.index()].peer;
            NodeRange::any_contains(self.nodes.as_deref(), node)
                && NumberRange::any_contains(self.ports.as_deref(), u32::from(port.0))
                && self
                    .towards
                    .is_none_or(|only| only == FarEnd::of(topology, peer))
        };
        ports.iter().filter(member).copied().collect()
    }
}
