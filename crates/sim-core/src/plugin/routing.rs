//! Where a switch sends a packet next.

use crate::flow_key::FlowKey;
use crate::id::PortId;

/// The forwarding decision of one switch.
pub trait Routing: Send + Sync {
    /// The egress port for packets with `key`, or `None` when their destination cannot be reached.
    ///
    /// Called once for each packet that arrives.
    fn pick(&self, key: &FlowKey) -> Option<PortId>;
}
