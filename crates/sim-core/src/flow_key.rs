//! The addresses of a packet.

use crate::id::NodeId;

/// What a switch reads to choose a path: the addresses and ports of a packet.
///
/// An acknowledgement carries its own key, with source and destination swapped, so it may take
/// another path than the data.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct FlowKey {
    /// The host that sent the packet.
    pub src: NodeId,
    /// The host that the packet goes to.
    pub dst: NodeId,
    /// Source port.
    pub src_port: u16,
    /// Destination port.
    pub dst_port: u16,
}

impl FlowKey {
    /// The key of packets in the other direction.
    #[inline]
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self {
            src: self.dst,
            dst: self.src,
            src_port: self.dst_port,
            dst_port: self.src_port,
        }
    }
}
