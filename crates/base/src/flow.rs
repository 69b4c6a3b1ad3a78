//! A flow: the request of a workload and its result.

mod connection;

pub use connection::Connection;

use crate::checkpoint::Stored;
use crate::id::{ClassId, FlowId, NodeId, PortId};
use crate::priority::Priority;
use crate::units::{Bytes, Duration, Rate, Time};

/// Size of a flow that never ends. It is larger than every size that a user may set ([`MAX_SIZE`]),
/// and a link of 10 Tbps needs 42 days for it.
///
/// [`MAX_SIZE`]: crate::limits::MAX_SIZE
pub const ENDLESS: Bytes = Bytes::new(1 << 62);

/// A transfer requested by a workload: `size` bytes from `src` to `dst` at `start`.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(plain)]
pub struct FlowRequest {
    /// The sending host.
    pub src: NodeId,
    /// The receiving host.
    pub dst: NodeId,
    /// Payload bytes, at least one.
    pub size: Bytes,
    /// Earliest time at which the first packet may leave.
    #[checkpoint(record)]
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

impl FlowRequest {
    /// Returns `true` if the flow never ends. A run ends when all other flows have ended.
    #[must_use]
    pub const fn is_endless(&self) -> bool {
        self.size.get() >= ENDLESS.get()
    }
}

/// The addresses and ports of a packet, by which switches choose its path.
///
/// An acknowledgement has its own key, with source and destination swapped, so it may take a
/// different path than the data.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Stored)]
#[checkpoint(plain)]
pub struct FlowKey {
    /// The host that sent the packet, or the address of its NIC.
    pub src: NodeId,
    /// The destination host of the packet, or the address of its NIC.
    pub dst: NodeId,
    /// Source port.
    pub src_port: u16,
    /// Destination port.
    pub dst_port: u16,
}

impl FlowKey {
    /// Returns the key of packets in the other direction.
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

/// Flows in the order of their start times. They are generated when they are due, so memory is
/// proportional to live flows.
pub trait FlowSource: Send {
    /// Returns the start time of the next flow, or `None` if there are no more. Never decreases.
    fn next_start(&self) -> Option<Time>;

    /// Returns the next flow. Flows with the same start time have a fixed order.
    fn next_flow(&mut self) -> Option<FlowRequest>;

    crate::plugin_state!("the source of flows");
}

/// Properties of the path between a pair of hosts in the idle network.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(plain)]
pub struct PathInfo {
    /// Twice the propagation delay plus the transmission time of one MTU payload at each hop.
    pub base_rtt: Duration,
    /// The lowest link rate on the path.
    pub bottleneck: Rate,
    /// Number of switches on the path.
    pub switches: u16,
}

impl PathInfo {
    /// Returns the bandwidth-delay product: `base_rtt` times `bottleneck`.
    #[must_use]
    pub fn bdp(&self) -> Bytes {
        self.bottleneck.bytes_in(self.base_rtt)
    }
}

/// The addresses at the two ends of a flow: its hosts, or NICs if flows are bound to them.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
pub struct Ends {
    /// The source address of data.
    pub src: NodeId,
    /// The destination address of data.
    pub dst: NodeId,
}

impl Ends {
    /// Returns the addresses of the hosts of `request`, which all their NICs share.
    #[must_use]
    pub const fn of_hosts(request: &FlowRequest) -> Self {
        Self {
            src: request.src,
            dst: request.dst,
        }
    }

    /// Returns the addresses of packets in the other direction.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self {
            src: self.dst,
            dst: self.src,
        }
    }
}

/// The path of a flow when it starts.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
pub struct ResolvedPath {
    /// Properties of the path in the idle network.
    pub path: PathInfo,
    /// The NIC port by which the flow leaves its host.
    pub nic: PortId,
    /// The addresses at both ends.
    pub ends: Ends,
    /// The completion time of the flow in the idle network.
    pub ideal: Duration,
}

impl ResolvedPath {
    /// Returns the flow `id` of `request`, which is not part of a connection, on this path.
    #[must_use]
    pub const fn flow(&self, id: FlowId, request: FlowRequest) -> Flow {
        Flow {
            id,
            request,
            path: self.path,
            ends: self.ends,
            ideal: self.ideal,
            stream: None,
        }
    }
}

/// Returns the number under which the numbers of the flows of the applications at `host` are positions
/// in a relative form ([`Writer::in_flow`](crate::checkpoint::Writer::in_flow)).
#[must_use]
pub const fn numbers_of(host: NodeId) -> u32 {
    u32::MAX - host.0
}

/// A flow with its number and path, in the form that hosts receive.
#[derive(Clone, Copy, Debug, PartialEq, Stored)]
pub struct Flow {
    /// The flow's number.
    pub id: FlowId,
    /// Request for the flow, with `src_port` filled in.
    pub request: FlowRequest,
    /// Properties of the path in the idle network.
    pub path: PathInfo,
    /// The addresses at both ends.
    pub ends: Ends,
    /// The completion time of the flow in the idle network, by the routes when it started.
    pub ideal: Duration,
    /// The place of a message in the stream of a connection; `None` for a separate flow.
    pub stream: Option<StreamPlace>,
}

impl Flow {
    /// Returns a flow that is not part of a connection, between the addresses of its hosts.
    #[must_use]
    pub const fn new(id: FlowId, request: FlowRequest, path: PathInfo) -> Self {
        let ends = Ends::of_hosts(&request);
        Self {
            id,
            request,
            path,
            ends,
            ideal: Duration::ZERO,
            stream: None,
        }
    }

    /// Returns the addresses and ports of the flow's data packets.
    #[inline]
    #[must_use]
    pub fn key(&self) -> FlowKey {
        FlowKey {
            src: self.ends.src,
            dst: self.ends.dst,
            src_port: self.request.src_port.unwrap_or_default(),
            dst_port: self.request.dst_port,
        }
    }

    /// Returns the number in the flow's packets: its own, or the number of its connection.
    #[must_use]
    pub fn carrier(&self) -> FlowId {
        self.stream.map_or(self.id, |place| place.connection)
    }
}

/// The bytes that a message occupies in one direction of a connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(plain)]
pub struct StreamPlace {
    /// The connection's number.
    pub connection: FlowId,
    /// Position of the message's first byte in the stream. There may be gaps between messages
    /// (`Endpoint::message_alignment`).
    #[checkpoint(goal)]
    pub from: u64,
}

impl StreamPlace {
    /// Returns the position after the last byte of a message of `size` at this place.
    #[must_use]
    pub const fn end(&self, size: Bytes) -> u64 {
        self.from + size.get()
    }
}

/// A finished flow: its last byte was acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Stored)]
pub struct Completion {
    /// The flow.
    pub flow: Flow,
    /// Time at which the acknowledgement of the last byte reached the sender.
    pub finish: Time,
    /// Payload bytes that were sent more than once.
    pub retransmitted: Bytes,
}

impl Completion {
    /// Returns the flow completion time: from the start to the last acknowledgement.
    #[must_use]
    pub fn fct(&self) -> Duration {
        self.finish.since(self.flow.request.start)
    }
}
