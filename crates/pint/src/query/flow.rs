//! Groups packets into the flows of a query.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::id::{FlowId, NodeId};
use fabricsim_core::packet::Packet;

use super::value::FlowDefinition;
use crate::hash::GlobalHash;

/// Properties that the packets of a flow share. Absent ones may differ between packets.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Stored)]
#[checkpoint(absolute)]
pub struct FlowKey {
    /// Number of the transfer.
    pub flow: Option<FlowId>,
    /// Sending host.
    pub src: Option<NodeId>,
    /// Receiving host.
    pub dst: Option<NodeId>,
}

impl FlowKey {
    /// Returns the flow of a data `packet` according to `definition`.
    #[inline]
    #[must_use]
    pub fn of<H>(definition: FlowDefinition, packet: &Packet<H>) -> Self {
        let (src, dst) = (packet.key.src, packet.key.dst);
        let (flow, src, dst) = match definition {
            FlowDefinition::FiveTuple => (Some(packet.flow), Some(src), Some(dst)),
            FlowDefinition::Pair => (None, Some(src), Some(dst)),
            FlowDefinition::Destination => (None, None, Some(dst)),
        };
        Self { flow, src, dst }
    }

    /// Returns a hash of the key.
    pub(super) fn number(self) -> u64 {
        let node = |node: Option<NodeId>| node.map_or(u64::MAX, |node| u64::from(node.0));
        let flow = self.flow.map_or(u64::MAX, |flow| u64::from(flow.0));
        GlobalHash::new(flow).value(node(self.src), node(self.dst))
    }
}
