//! The end of a link that is not the port's own.

use fabricsim_core::choices;
use fabricsim_core::id::NodeId;
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
    /// The kind of `node`.
    #[must_use]
    pub fn of(topology: &Topology, node: NodeId) -> Self {
        if topology.is_host(node) {
            Self::Hosts
        } else {
            Self::Switches
        }
    }
}
