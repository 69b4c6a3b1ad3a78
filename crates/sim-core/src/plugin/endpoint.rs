//! The transport of one host: where flows become packets and packets become completions.

use std::ops::AddAssign;

use crate::packet::{Header, Packet};
use fabricsim_base::checkpoint::Stored;
use fabricsim_base::flow::{Completion, Flow, FlowRequest};
use fabricsim_base::id::{ClassId, FlowId, PortId};
use fabricsim_base::priority::PrioritySet;
use fabricsim_base::units::{Bytes, Rate, Time};

/// A flow that has not been finished, and why.
#[derive(Clone, Debug, Stored)]
pub struct Unfinished {
    /// The flow's number.
    pub id: FlowId,
    /// Request for the flow.
    pub request: FlowRequest,
    /// Payload bytes that the receiver has acknowledged.
    pub acknowledged: Bytes,
    /// Description of what the sender is waiting for.
    pub reason: String,
}

impl Unfinished {
    /// A `flow` that has its path.
    #[must_use]
    pub const fn new(flow: &Flow, acknowledged: Bytes, reason: String) -> Self {
        Self {
            id: flow.id,
            request: flow.request,
            acknowledged,
            reason,
        }
    }

    /// Puts `flows` into the order of their numbers.
    pub fn sort(flows: &mut [Self]) {
        flows.sort_by_key(|unfinished| unfinished.id);
    }
}

/// A flow that has started and not ended, as its sender holds it.
#[derive(Clone, Copy, Debug, PartialEq, Stored)]
pub struct LiveFlow {
    /// The flow.
    pub flow: Flow,
    /// The rate at which its algorithm spaces packets; where it does not, that of the port it
    /// leaves by.
    pub rate: Rate,
    /// The most bytes that its algorithm lets be in flight, or `None` without a window.
    pub window: Option<Bytes>,
    /// Payload bytes that have been acknowledged.
    pub acknowledged: Bytes,
}

/// Part of a live flow that one endpoint knows: of a flow whose bytes the other side sends, each side
/// knows a part.
#[derive(Clone, Copy, Debug, PartialEq, Stored)]
pub enum LivePart {
    /// A flow that has started here, and whose bytes leave here.
    Sent(LiveFlow),
    /// A flow that has started here, and whose bytes the other side of a connection sends. Its rate and
    /// window are those with which that side will begin.
    Fetched(LiveFlow, FlowId),
    /// Rate and window of the side of a connection that sends the bytes of such a flow.
    Serving(FlowId, Rate, Option<Bytes>),
}

/// Counters of what an endpoint has sent and received, for conservation checks.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
pub struct EndpointCounters {
    /// Payload bytes sent, retransmissions included.
    pub sent: Bytes,
    /// Payload bytes retransmitted.
    pub retransmitted: Bytes,
    /// Payload bytes that arrived, in order or not.
    pub arrived: Bytes,
    /// Payload bytes that arrived in order and were delivered.
    pub delivered: Bytes,
    /// Payload bytes of this host's flows that have been acknowledged.
    pub acknowledged: Bytes,
    /// Data packets sent.
    pub packets: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
}

impl AddAssign for EndpointCounters {
    fn add_assign(&mut self, other: Self) {
        self.sent += other.sent;
        self.retransmitted += other.retransmitted;
        self.arrived += other.arrived;
        self.delivered += other.delivered;
        self.acknowledged += other.acknowledged;
        self.packets += other.packets;
        self.timeouts += other.timeouts;
    }
}

/// The change that an arrival or a deadline has made for the ports of a host.
///
/// A host whose events are ordered by node serves all ports after an arrival, but where
/// [`Self::Replied`] or [`Self::Flow`] says that little has changed, and after each deadline. With
/// events in the order of insertion a port that waits has a timer, which [`Self::Rescheduled`] and
/// [`Self::Flow`] move.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PortUpdate {
    /// Packets may have become ready.
    Ready,
    /// The same, and a flow's packet that waits for its pacing has been rescheduled.
    Rescheduled {
        /// The port by which it leaves.
        nic: PortId,
        /// The time at which it may; [`Time::MAX`] when it waits for the network.
        at: Time,
    },
    /// A reply has left at once, and nothing has changed for the ports but that.
    Replied,
    /// Nothing has changed for the ports but the next packet of one flow.
    Flow {
        /// The port by which it leaves.
        nic: PortId,
        /// The time at which it may leave; [`Time::MAX`] when it waits for the network.
        due: Time,
        /// The time to which its pacing has been rescheduled; [`Time::MAX`] where it has not.
        moved: Time,
    },
    /// At most rates and windows have changed, and no packet has become ready.
    Unchanged,
}

/// Data that a packet has delivered.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
pub enum Received {
    /// The last byte of a flow of its own.
    Flow(FlowId),
    /// More of the stream of a connection.
    Stream {
        /// The connection.
        connection: FlowId,
        /// All bytes of the stream below this one have been delivered.
        until: u64,
    },
}

/// The transport of one host. The host calls it and moves packets; the endpoint decides.
pub trait Endpoint<H: Header>: Send + std::fmt::Debug {
    /// `flow` starts now and leaves through port `nic`.
    fn start(&mut self, now: Time, flow: &Flow, nic: PortId);

    /// `packet` (never a pause frame) has arrived at port `nic`. Flows that end are appended to
    /// `done`. `send` is given where the port is free, nothing is paused, and no packet of a flow is
    /// ready: it puts a reply on the wire of `nic` now, and returns when the wire is free again.
    fn on_packet(
        &mut self,
        now: Time,
        nic: PortId,
        packet: &Packet<H>,
        done: &mut Vec<Completion>,
        send: Option<impl FnOnce(&Packet<H>) -> Time>,
    ) -> PortUpdate;

    /// Port `nic` is free: gives the packet that leaves now to `send`, if any may; whether it has.
    /// `send` returns when the wire is free again; the port is not polled before that.
    fn poll(
        &mut self,
        now: Time,
        nic: PortId,
        paused: PrioritySet,
        send: impl FnOnce(&Packet<H>) -> Time,
    ) -> bool;

    /// Returns when `poll` will next have a packet for `nic` if nothing happens before the wire is
    /// free `at` that time, which may be now or later: `at` or earlier when it has one by then,
    /// [`Time::MAX`] when it waits for the network.
    fn next_send(&mut self, at: Time, nic: PortId, paused: PrioritySet) -> Time;

    /// Returns what the last packet has delivered. Asked for after each packet at hosts that know
    /// applications, and nowhere else. It may name a flow again when a late copy of its packets
    /// arrives.
    fn take_received(&mut self) -> Option<Received> {
        None
    }

    /// Returns whether the arrival of `packet`, after others that may precede it, may end a flow that
    /// starts here or bring the last missing byte of one that ends here. For data it is enough that
    /// the result is right for the last packet of a flow, and for all that come after that one.
    /// Asked for in runs that are steered, and nowhere else.
    fn may_complete(&self, _packet: &Packet<H>) -> bool {
        true
    }

    /// Returns the multiple of bytes at which messages of connections of `class` begin in their
    /// stream.
    fn message_alignment(&self, _class: ClassId) -> Bytes {
        Bytes::new(1)
    }

    /// Returns when [`Self::on_deadline`] wants to be called; [`Time::MAX`] for never.
    fn deadline(&self) -> Time;

    /// Called when `deadline` has come.
    fn on_deadline(&mut self, now: Time, done: &mut Vec<Completion>) -> PortUpdate;

    /// Flows that have started here and not ended, in the order of their numbers.
    fn unfinished(&self) -> Vec<Unfinished>;

    /// Shows the parts of flows that have started and not ended to `visit`, in any fixed order. Not
    /// called on the packet path. An endpoint that shows none is not seen by those who sample
    /// flows.
    fn for_each_live(&self, _visit: impl FnMut(&LivePart)) {}

    /// Acknowledgements that wait for a port. Not called on the packet path.
    fn waiting_acks(&self) -> usize {
        0
    }

    /// Returns the counters of what has been sent and received so far.
    fn counters(&self) -> EndpointCounters;

    fabricsim_base::plugin_state!("the transport");
}
