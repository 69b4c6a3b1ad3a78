//! The transport of one host, which turns flows into packets and packets into completions.

use std::ops::AddAssign;

use super::ClassActivity;
use crate::packet::{Header, Packet};
use fabricsim_base::checkpoint::Stored;
use fabricsim_base::flow::{Completion, Flow, FlowRequest};
use fabricsim_base::id::{ClassId, FlowId, PortId};
use fabricsim_base::priority::PrioritySet;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};

/// A flow that has not finished, with the reason.
#[derive(Clone, Debug, Stored)]
pub struct Unfinished {
    /// The flow's number.
    pub id: FlowId,
    /// Request for the flow.
    pub request: FlowRequest,
    /// Acknowledged payload bytes.
    pub acknowledged: Bytes,
    /// Description of the event for which the sender waits.
    pub reason: String,
}

impl Unfinished {
    /// Returns the unfinished state of a routed `flow`.
    #[must_use]
    pub const fn new(flow: &Flow, acknowledged: Bytes, reason: String) -> Self {
        Self {
            id: flow.id,
            request: flow.request,
            acknowledged,
            reason,
        }
    }

    /// Sorts `flows` by number.
    pub fn sort(flows: &mut [Self]) {
        flows.sort_by_key(|unfinished| unfinished.id);
    }
}

/// The sender's state of a flow that has started and not ended.
#[derive(Clone, Copy, Debug, PartialEq, Stored)]
pub struct LiveFlow {
    /// The flow.
    pub flow: Flow,
    /// The pacing rate of its algorithm, or the rate of its port if the algorithm does not pace.
    pub rate: Rate,
    /// The window of its algorithm, in bytes, or `None` without a window.
    pub window: Option<Bytes>,
    /// Acknowledged payload bytes.
    pub acknowledged: Bytes,
    /// The round-trip times that its sender has measured; `None` if it measures none.
    pub round_trip: Option<RoundTrip>,
}

/// Round-trip times that a sender has measured.
#[derive(Clone, Copy, Debug, PartialEq, Stored)]
pub struct RoundTrip {
    /// The smoothed round-trip time (RFC 6298, SRTT).
    pub smoothed: Duration,
    /// The shortest one.
    pub least: Duration,
}

/// The reason why the sender of a flow, or of the stream of a connection, does not send now.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
pub enum Wait {
    /// The connection is not open yet.
    Handshake,
    /// The window is full.
    Window,
    /// The receiver has not granted credit.
    Credit,
    /// The pacing rate allows the next packet at this time.
    Pacing(Time),
    /// A packet is ready, and waits for the port: other packets are ahead, or it is paused.
    Port,
    /// All bytes have been sent, and some are not acknowledged.
    Acknowledgement,
    /// No bytes are left.
    Nothing,
}

/// The part of a live flow that one endpoint knows. If the other side of a connection sends the
/// bytes, each side knows a part.
#[derive(Clone, Copy, Debug, PartialEq, Stored)]
pub enum LivePart {
    /// A flow that has started here and is sent from here.
    Sent(LiveFlow),
    /// A flow that has started here and is sent by the other side of a connection. Its rate and
    /// window are the ones with which that side will begin.
    Fetched(LiveFlow, FlowId),
    /// Rate, window and round-trip times at the side of a connection that sends the bytes of such a
    /// flow.
    Serving(FlowId, Rate, Option<Bytes>, Option<RoundTrip>),
}

/// Counters of sent and received data of an endpoint, for conservation checks.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
#[checkpoint(counter)]
pub struct EndpointCounters {
    /// Payload bytes sent, including retransmissions.
    pub sent: Bytes,
    /// Payload bytes retransmitted.
    pub retransmitted: Bytes,
    /// Payload bytes that arrived, in order or not.
    pub arrived: Bytes,
    /// Payload bytes that were delivered in order.
    pub delivered: Bytes,
    /// Acknowledged payload bytes of this host's flows.
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

/// The effect of an arrival or a deadline on the ports of a host, so that the host does not serve
/// ports unnecessarily.
///
/// If events are ordered by node, the host serves all ports after each deadline and each arrival,
/// except after [`Self::Replied`] and [`Self::Flow`], which report a small change. If events are
/// ordered by insertion, a waiting port has a timer, which [`Self::Rescheduled`] and [`Self::Flow`]
/// move.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PortUpdate {
    /// Packets may have become ready.
    Ready,
    /// Packets may have become ready, and a packet that waits for its pacing has been rescheduled.
    Rescheduled {
        /// The port by which it leaves.
        nic: PortId,
        /// Earliest time at which it may leave; [`Time::MAX`] if it waits for the network.
        at: Time,
    },
    /// A reply has left immediately, which is the only change for the ports.
    Replied,
    /// Only the next packet of one flow has changed.
    Flow {
        /// The port by which it leaves.
        nic: PortId,
        /// Earliest time at which it may leave; [`Time::MAX`] if it waits for the network.
        due: Time,
        /// The time to which its pacing was rescheduled; [`Time::MAX`] if it was not.
        moved: Time,
    },
    /// No packet has become ready; only rates and windows may have changed.
    Unchanged,
}

/// Data that a packet has delivered.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(plain)]
pub enum Received {
    /// The last byte of a separate flow.
    Flow(FlowId),
    /// More of the stream of a connection.
    Stream {
        /// The connection.
        connection: FlowId,
        /// All bytes of the stream before this one have been delivered.
        until: u64,
    },
}

/// The transport of one host. The host moves packets and calls the endpoint, which makes all
/// decisions.
pub trait Endpoint<H: Header>: Send + std::fmt::Debug {
    /// Starts `flow` now; it leaves through port `nic`.
    fn start(&mut self, now: Time, flow: &Flow, nic: PortId);

    /// Handles `packet` (never a pause frame), which has arrived at port `nic`. Appends ended flows
    /// to `done`.
    ///
    /// `send` is present if the port is free, nothing is paused, and no packet of a flow is ready.
    /// It sends a reply on the wire of `nic` now, and returns the time at which the wire is free
    /// again.
    fn on_packet(
        &mut self,
        now: Time,
        nic: PortId,
        packet: &Packet<H>,
        done: &mut Vec<Completion>,
        send: Option<impl FnOnce(&Packet<H>) -> Time>,
    ) -> PortUpdate;

    /// Called when port `nic` is free: passes the packet that leaves now to `send`, if any may.
    /// Returns `true` if it has sent one. `send` returns the time at which the wire is free again;
    /// the port is not polled before that.
    fn poll(
        &mut self,
        now: Time,
        nic: PortId,
        paused: PrioritySet,
        send: impl FnOnce(&Packet<H>) -> Time,
    ) -> bool;

    /// Returns the time at which `poll` will next have a packet for `nic`, if nothing happens until
    /// `at`. The wire becomes free at `at`, which is now or later. The result is `at` or earlier if
    /// a packet is ready by then, and [`Time::MAX`] if all packets wait for the network.
    fn next_send(&mut self, at: Time, nic: PortId, paused: PrioritySet) -> Time;

    /// Returns the data that the last packet has delivered. Hosts with applications call this after
    /// each packet; other hosts never do. It may name a flow again if a late copy of its packets
    /// arrives.
    fn take_received(&mut self) -> Option<Received> {
        None
    }

    /// Returns `true` if the arrival of `packet`, possibly after other packets, may end a flow that
    /// started here or deliver the last missing byte of a flow that ends here. For data, the result
    /// only needs to be right for the last packet of a flow and for all later ones. Called only in
    /// steered runs.
    fn may_complete(&self, _packet: &Packet<H>) -> bool {
        true
    }

    /// Returns the alignment, in bytes, of messages in the stream of a connection of `class`.
    fn message_alignment(&self, _class: ClassId) -> Bytes {
        Bytes::new(1)
    }

    /// Returns the time of the next call to [`Self::on_deadline`]; [`Time::MAX`] for never.
    fn deadline(&self) -> Time;

    /// Called when `deadline` is reached.
    fn on_deadline(&mut self, now: Time, done: &mut Vec<Completion>) -> PortUpdate;

    /// Returns the reason why the flow with this number in its packets does not send at `now`, or
    /// `None` if it is not sent from here. Called only for observers that need it.
    fn wait(&self, _now: Time, _flow: FlowId) -> Option<Wait> {
        None
    }

    /// Returns the flows that have started here and not ended, in the order of their numbers.
    fn unfinished(&self) -> Vec<Unfinished>;

    /// Calls `visit` with the parts of flows that have started and not ended, in any fixed order.
    /// Not called on the packet path. If an endpoint does not implement this, its flows do not
    /// appear in samples.
    fn for_each_live(&self, _visit: impl FnMut(&LivePart)) {}

    /// Returns the number of acknowledgements that wait for a port. Not called on the packet path.
    fn waiting_acks(&self) -> usize {
        0
    }

    /// Returns the counters of sent and received data.
    fn counters(&self) -> EndpointCounters;

    /// Returns the activity of congestion control until `now`, by class. Not called on the packet path.
    fn activity(&self, _now: Time) -> ClassActivity {
        ClassActivity::default()
    }

    fabricsim_base::plugin_state!("the transport");
}
