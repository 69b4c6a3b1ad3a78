//! Hosts that forward packets for other hosts, as the GPUs of a ring without a switch.

use fabricsim_base::id::NodeId;
use fabricsim_base::units::Duration;

use crate::graph::Topology;

impl Topology {
    /// Returns the same network with hosts that forward: packets may pass through every host with
    /// several links, and take `delay` for it before they are queued.
    #[must_use]
    pub fn with_forwarding(self, delay: Duration) -> Self {
        Self {
            forwarding: Some(delay),
            ..self
        }
    }

    /// Returns the time of a packet's way through a host that forwards it; `None` if hosts do not
    /// forward.
    #[must_use]
    pub const fn forwarding(&self) -> Option<Duration> {
        self.forwarding
    }

    /// Returns `true` if packets may pass through `node`: a switch, or a host that forwards.
    ///
    /// # Panics
    /// Panics if there is no such node.
    #[must_use]
    pub fn forwards(&self, node: NodeId) -> bool {
        !self.is_host(node)
            || self.forwarding.is_some() && self.ports(node).len() > 1 && !self.is_aggregator(node)
    }

    /// Yields the nodes that forward, in ascending order: the switches and the hosts that forward.
    pub fn forwarders(&self) -> impl Iterator<Item = NodeId> + '_ {
        let nodes = (0..self.len()).map(NodeId::from_index);
        nodes.filter(|&node| self.forwards(node))
    }

    /// Returns the time that a packet for another host takes through `node`, apart from queues and
    /// transmission; zero at switches.
    ///
    /// # Panics
    /// Panics if there is no such node.
    #[must_use]
    pub fn pass_delay(&self, node: NodeId) -> Duration {
        match self.forwarding {
            Some(delay) if self.is_host(node) => delay,
            _ => Duration::ZERO,
        }
    }
}
