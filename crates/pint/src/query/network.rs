//! The network that queries are asked in.

use fabricsim_base::id::NodeId;
use fabricsim_base::units::Duration;

/// The network as queries see it.
#[derive(Clone, Debug)]
pub struct QueryNetwork {
    /// The most switches on a path between two hosts.
    pub longest_path: u16,
    /// T of utilizations.
    pub base_rtt: Duration,
    /// The switches, ascending.
    pub switches: Vec<NodeId>,
    /// The links between switches.
    pub links: Vec<(NodeId, NodeId)>,
    /// The most ports of a switch.
    pub most_ports: u16,
}
