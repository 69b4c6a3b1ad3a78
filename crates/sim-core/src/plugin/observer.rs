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

/// Watches one node; each node has its own, so nothing is shared between threads. Every method does
/// nothing by default, and with `()` the calls compile to nothing.
pub trait Observer<H: Header>: Send + std::fmt::Debug {
    /// A flow starts at `node`.
    #[inline]
    fn on_start(&mut self, _now: Time, _node: NodeId, _flow: &Flow) {}

    /// Returns whether [`Self::on_send`] does something. Asked for at every packet that a host sends.
    #[inline]
    fn sees_sends(&self) -> bool {
        true
    }

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

    /// Returns whether [`Self::on_dequeue`] does something. Asked for at every dequeue, before what
    /// it is told is put together.
    #[inline]
    fn sees_dequeues(&self) -> bool {
        true
    }

    /// Returns whether calls about different ports of a switch have to be in the order of time.
    /// Where they need not, those about one port are in order, but from one port to another times
    /// may go back, and the switch runs faster. Asked for whenever a switch is run.
    #[inline]
    fn needs_order(&self) -> bool {
        true
    }

    /// A packet leaves the queue of switch `node` described by `hop`.
    #[inline]
    fn on_dequeue(&mut self, _node: NodeId, _hop: &Hop, _packet: &Packet<H>) {}

    /// Returns whether [`Self::on_queue_change`] does something. Where it does not, and
    /// [`Self::needs_order`] is false, a switch may handle the packets of one port before those of the
    /// next, and let packets wait without a queue that leave in the same epoch: it runs faster. Asked for
    /// whenever a switch is run.
    #[inline]
    fn sees_queues(&self) -> bool {
        true
    }

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
    fn sees_sends(&self) -> bool {
        false
    }

    #[inline]
    fn sees_dequeues(&self) -> bool {
        false
    }

    #[inline]
    fn sees_queues(&self) -> bool {
        false
    }

    #[inline]
    fn needs_order(&self) -> bool {
        false
    }

    fabricsim_base::saves_state!();
}
