//! Observers of a simulation, which are not part of it.

use crate::packet::{Header, Packet, PauseChange};
use crate::plugin::Hop;
use fabricsim_base::flow::{Completion, Flow};
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Time};

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum DropReason {
    /// The shared buffer of the switch had no room.
    Buffer,
    /// The queue discipline refused or gave up the packet.
    Queue,
    /// The link lost it.
    Link,
    /// Its link is down. Pause frames that are lost in this way are not reported.
    LinkDown,
    /// The switch has no route to its destination.
    NoRoute,
}

/// The calls for packets that an observer needs. All other calls always come.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Interest(u8);

impl Interest {
    /// None of them.
    pub const NOTHING: Self = Self(0);
    /// [`Observer::on_send`].
    pub const SENDS: Self = Self(1);
    /// [`Observer::on_dequeue`].
    pub const DEQUEUES: Self = Self(2);
    /// [`Observer::on_queue_change`].
    pub const QUEUES: Self = Self(4);
    /// All calls about a switch in the order of time. Without it calls about one port are in order, but
    /// from one port to another times may go back.
    pub const ORDER: Self = Self(8);
    /// All of them, in order.
    pub const EVERYTHING: Self = Self(15);

    /// Returns the interest in the calls of both.
    #[inline]
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns `true` if all of `other` is needed.
    #[inline]
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Watches one node; each node has its own, so nothing is shared between threads. Every method does
/// nothing by default, and with `()` the calls compile to nothing.
pub trait Observer<H: Header>: Send + std::fmt::Debug {
    /// Returns the calls that the observer needs. A switch runs faster the fewer they are; calls that
    /// it does not need may come or not. Asked for in each epoch and at each packet.
    #[inline]
    fn interest(&self) -> Interest {
        Interest::EVERYTHING
    }

    /// A flow starts at `node`.
    #[inline]
    fn on_start(&mut self, _now: Time, _node: NodeId, _flow: &Flow) {}

    /// Host `node` puts `packet` on the wire of `port`. One that the link loses has been reported by
    /// [`Self::on_drop`] just before; of others the time of arrival is known.
    #[inline]
    fn on_send(&mut self, _now: Time, _node: NodeId, _port: PortId, _packet: &Packet<H>) {}

    /// The link of `port` fails: what is on its way to the other end is lost.
    #[inline]
    fn on_link_down(&mut self, _now: Time, _node: NodeId, _port: PortId) {}

    /// `packet` (never a pause frame) has arrived at host `node`, whose transport has not seen it.
    #[inline]
    fn on_arrival(&mut self, _now: Time, _node: NodeId, _packet: &Packet<H>) {}

    /// A flow of `node` ends.
    #[inline]
    fn on_completion(&mut self, _node: NodeId, _completion: &Completion) {}

    /// A packet leaves the queue of switch `node` described by `hop`.
    #[inline]
    fn on_dequeue(&mut self, _node: NodeId, _hop: &Hop, _packet: &Packet<H>) {}

    /// A packet has begun or ended to wait at `port` of switch `node`: `queue` bytes wait there
    /// now, of all priorities. Not called for packets that pass an idle port, which never wait.
    #[inline]
    fn on_queue_change(&mut self, _now: Time, _node: NodeId, _port: PortId, _queue: Bytes) {}

    /// A packet is dropped at `node`. One that its link loses has left its queue, too, which is
    /// told after this.
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
