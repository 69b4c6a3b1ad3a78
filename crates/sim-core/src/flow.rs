//! A flow: what a workload asks for and what comes of it.

use crate::id::{ClassId, FlowId, NodeId};
use crate::priority::Priority;
use crate::units::{Bytes, Duration, Rate, Time};

/// A transfer that a workload asks for: `size` bytes from `src` to `dst` at `start`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct FlowRequest {
    /// The sending host.
    pub src: NodeId,
    /// The receiving host.
    pub dst: NodeId,
    /// Payload bytes, at least one.
    pub size: Bytes,
    /// Earliest time at which the first packet may leave.
    pub start: Time,
    /// Class of the workload that requested the flow.
    pub class: ClassId,
    /// Priority queue of the flow's packets, 1 to 7.
    pub priority: Priority,
    /// Source port, or `None` to have one assigned.
    pub src_port: Option<u16>,
    /// Destination port.
    pub dst_port: u16,
}

/// The addresses and ports of a packet, by which switches choose its path.
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

/// Flows in the order of their start times, produced when they are due: memory follows live flows.
pub trait FlowSource: Send {
    /// The start of the next flow, or `None` when there are no more. It never goes back in time.
    fn next_start(&self) -> Option<Time>;

    /// The next flow. Flows with equal starts come in a fixed order.
    fn next_flow(&mut self) -> Option<FlowRequest>;
}

/// Properties of the path between a pair of hosts in the idle network.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PathInfo {
    /// Twice the propagation delays plus one MTU payload's transmission at each hop.
    pub base_rtt: Duration,
    /// The lowest link rate on the path.
    pub bottleneck: Rate,
    /// Switches on the path.
    pub switches: u16,
}

impl PathInfo {
    /// Bandwidth-delay product: `base_rtt` times `bottleneck`.
    #[must_use]
    pub fn bdp(&self) -> Bytes {
        self.bottleneck.bytes_in(self.base_rtt)
    }
}

/// A flow that has been given its number and path, as hosts see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// The flow's number.
    pub id: FlowId,
    /// Request for the flow, with `src_port` filled in.
    pub request: FlowRequest,
    /// Properties of the path in the idle network.
    pub path: PathInfo,
    /// The place of a message in the stream of a connection; `None` for a flow of its own.
    pub stream: Option<StreamPlace>,
}

impl Flow {
    /// A flow of its own.
    #[must_use]
    pub const fn new(id: FlowId, request: FlowRequest, path: PathInfo) -> Self {
        Self {
            id,
            request,
            path,
            stream: None,
        }
    }

    /// The number that the flow's packets carry: its own, or that of its connection.
    #[must_use]
    pub fn carrier(&self) -> FlowId {
        self.stream.map_or(self.id, |place| place.connection)
    }
}

/// The bytes that a message occupies in one direction of a connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct StreamPlace {
    /// The connection's number.
    pub connection: FlowId,
    /// Position of the message's first byte in the stream. The positions of a stream may leave
    /// gaps between messages ([`crate::plugin::Endpoint::message_alignment`]).
    pub from: u64,
}

impl StreamPlace {
    /// Returns the position after the last byte of a message of `size` that lies here.
    #[must_use]
    pub const fn end(&self, size: Bytes) -> u64 {
        self.from + size.get()
    }
}

/// A flow whose last byte has been acknowledged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Completion {
    /// The flow.
    pub flow: Flow,
    /// Time at which the acknowledgement of the last byte reached the sender.
    pub finish: Time,
    /// Payload bytes that were sent more than once.
    pub retransmitted: Bytes,
}

impl Completion {
    /// Flow completion time: start to last acknowledgement.
    #[must_use]
    pub fn fct(&self) -> Duration {
        self.finish.since(self.flow.request.start)
    }
}
