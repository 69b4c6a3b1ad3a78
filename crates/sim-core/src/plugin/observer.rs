//! Observers of a simulation, which do not influence it.

use crate::packet::{Header, Packet, PauseChange};
use crate::plugin::{Hop, Wait};
use fabricsim_base::flow::{Completion, Flow};
use fabricsim_base::id::{FlowId, NodeId, PortId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Time};

/// The reason why a packet was dropped.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum DropReason {
    /// The shared buffer of the switch had no room.
    Buffer,
    /// The queueing discipline rejected or discarded the packet.
    Queue,
    /// The link lost it.
    Link,
    /// Its link is down. Lost pause frames are not reported.
    LinkDown,
    /// The switch has no route to its destination.
    NoRoute,
}

/// The per-packet calls that an observer needs. All other calls are always made.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Interest(u8);

impl Interest {
    /// No per-packet call.
    pub const NOTHING: Self = Self(0);
    /// [`Observer::on_send`].
    pub const SENDS: Self = Self(1);
    /// [`Observer::on_dequeue`].
    pub const DEQUEUES: Self = Self(2);
    /// [`Observer::on_queue_change`].
    pub const QUEUES: Self = Self(4);
    /// All calls about a switch in time order. Without this flag, calls are in order for each port,
    /// but time may go back from one port to another.
    pub const ORDER: Self = Self(8);
    /// [`Observer::on_event`].
    pub const EVENTS: Self = Self(16);
    /// All per-packet calls, in time order.
    pub const EVERYTHING: Self = Self(31);

    /// Returns the union of the two interests.
    #[inline]
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns `true` if all of `other` is included.
    #[inline]
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Watches one node; each node has its own observer, so threads share nothing. Every method does
/// nothing by default, and with `()` the calls compile to nothing.
pub trait Observer<H: Header>: Send + std::fmt::Debug {
    /// Returns the calls that the observer needs. Fewer calls let a switch run faster; calls that
    /// are not needed may still be made. The switch reads this in each epoch and at each packet.
    #[inline]
    fn interest(&self) -> Interest {
        Interest::EVERYTHING
    }

    /// A flow starts at `node`.
    #[inline]
    fn on_start(&mut self, _now: Time, _node: NodeId, _flow: &Flow) {}

    /// Host `node` sends `packet` on the wire of `port`. If the link loses the packet,
    /// [`Self::on_drop`] has reported it just before; otherwise its time of arrival is known.
    #[inline]
    fn on_send(&mut self, _now: Time, _node: NodeId, _port: PortId, _packet: &Packet<H>) {}

    /// The link of `port` fails: packets on the wire are lost.
    #[inline]
    fn on_link_down(&mut self, _now: Time, _node: NodeId, _port: PortId) {}

    /// `packet` (never a pause frame) has arrived at host `node`, and its transport has not seen it
    /// yet.
    #[inline]
    fn on_arrival(&mut self, _now: Time, _node: NodeId, _packet: &Packet<H>) {}

    /// Host `node` has handled an event: an arrival, the start of a flow, a departure, or a timer.
    /// Flows that were seen in calls since the last event may now wait for something else; after a
    /// timer, any flow may. `wait` returns the reason why the flow with this number in its packets
    /// does not send now, or `None` if the host does not send its data.
    #[inline]
    fn on_event(
        &mut self,
        _now: Time,
        _node: NodeId,
        _timer: bool,
        _wait: &dyn Fn(FlowId) -> Option<Wait>,
    ) {
    }

    /// A flow of `node` ends.
    #[inline]
    fn on_completion(&mut self, _node: NodeId, _completion: &Completion) {}

    /// A packet leaves a queue of switch `node`; `hop` describes the port.
    #[inline]
    fn on_dequeue(&mut self, _node: NodeId, _hop: &Hop, _packet: &Packet<H>) {}

    /// The bytes that wait at `port` of switch `node` have changed: now `queue` bytes wait, over
    /// all priorities. Not called for packets that are forwarded without queueing, because they
    /// never wait.
    #[inline]
    fn on_queue_change(&mut self, _now: Time, _node: NodeId, _port: PortId, _queue: Bytes) {}

    /// A packet is dropped at `node`. A packet that is lost by its link has also left its queue,
    /// which is reported after this call.
    #[inline]
    fn on_drop(&mut self, _now: Time, _node: NodeId, _reason: DropReason, _packet: &Packet<H>) {}

    /// A pause or resume frame arrives at `port` of `node`.
    #[inline]
    fn on_pause(
        &mut self,
        _now: Time,
        _node: NodeId,
        _port: PortId,
        _priority: Priority,
        _change: PauseChange,
    ) {
    }

    fabricsim_base::plugin_state!("the observer");
}

impl<H: Header> Observer<H> for () {
    #[inline]
    fn interest(&self) -> Interest {
        Interest::NOTHING
    }

    fabricsim_base::saves_state!();
}
