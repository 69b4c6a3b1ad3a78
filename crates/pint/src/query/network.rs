//! The network of the queries.

use fabricsim_base::id::NodeId;
use fabricsim_base::units::Duration;

/// The properties of a network that queries depend on.
#[derive(Clone, Debug)]
pub struct QueryNetwork {
    /// Maximum number of switches on a path between two hosts.
    pub longest_path: u16,
    /// T, the averaging time of utilizations.
    pub base_rtt: Duration,
    /// The switches, in ascending order.
    pub switches: Vec<NodeId>,
    /// The links between switches.
    pub links: Vec<(NodeId, NodeId)>,
    /// Maximum number of ports of a switch.
    pub most_ports: u16,
}
