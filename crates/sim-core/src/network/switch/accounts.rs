//! Accounting and reporting of packets, apart from the code that moves them: most of it concerns
//! few packets, and the code that all packets run through stays small enough to be inlined.

use super::Switch;
use crate::packet::Packet;
use crate::plugin::{DropReason, Model, Observer, Qdisc};
use fabricsim_base::id::PortId;
use fabricsim_base::units::Time;
use fabricsim_engine::SendBuffer;

impl<M: Model> Switch<M> {
    /// Tells the observer how much waits at `port` now.
    #[inline]
    pub(super) fn observe_queue(&mut self, now: Time, port: usize) {
        let queue = self.ports[port].queue.bytes();
        let number = PortId::from_index(port);
        self.observer.on_queue_change(now, self.id, number, queue);
    }

    /// Accounts for a packet that the switch drops at `port`, by which it would have left.
    #[cold]
    pub(super) fn drop_at(
        &mut self,
        now: Time,
        port: usize,
        reason: DropReason,
        packet: &Packet<M::Header>,
    ) {
        self.meters[port].dropped += 1;
        self.drop_packet(now, reason, packet);
    }

    /// Accounts for a packet that the switch drops.
    #[cold]
    pub(super) fn drop_packet(
        &mut self,
        now: Time,
        reason: DropReason,
        packet: &Packet<M::Header>,
    ) {
        self.counters.lose(packet);
        self.observer.on_drop(now, self.id, reason, packet);
    }

    /// [`Self::give_up`] where there are some.
    #[cold]
    pub(super) fn give_up_all(
        &mut self,
        now: Time,
        port: usize,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        self.observe_queue(now, port);
        for packet in std::mem::take(&mut self.dropped) {
            self.counters.queue_drops += 1;
            self.drop_at(now, port, DropReason::Queue, &packet);
            let priority = packet.priority();
            self.release(now, port, packet.port, priority, packet.size(), send_buffer);
        }
    }

    /// Accounts for the packets that a queue has dropped at a dequeue.
    #[inline]
    pub(super) fn give_up(
        &mut self,
        now: Time,
        port: usize,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        if !self.dropped.is_empty() {
            self.give_up_all(now, port, send_buffer);
        }
    }
}
