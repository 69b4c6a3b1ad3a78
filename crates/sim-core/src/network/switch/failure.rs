//! Failures and other changes of a switch between two epochs: links, rates and routes.

use super::departure::Gone;
use super::{Sends, Switch};
use crate::network::egress::{Egress, LinkState};
use crate::network::line::LineTiming;
use crate::packet::{Packet, PacketKind, PauseChange};
use crate::plugin::{Admission, DropReason, Model, Observer, Qdisc, Release, Routing, Telemetry};
use fabricsim_base::id::PortId;
use fabricsim_base::priority::PrioritySet;
use fabricsim_base::units::{Rate, Time};

impl<M: Model> Switch<M> {
    pub(in crate::network) fn set_routing(&mut self, routing: M::Routing) {
        self.routing.update(routing);
    }

    pub(in crate::network) fn set_rate(&mut self, port: PortId, rate: Rate, timing: LineTiming) {
        let index = port.index();
        self.meters[index].settle_rate(&self.ports[index].egress);
        self.egress(port).set_rate(rate, timing);
        self.telemetry.on_rate(port, rate);
    }

    pub(in crate::network) fn egress(&mut self, port: PortId) -> &mut Egress {
        &mut self.ports[port.index()].egress
    }

    /// Counts `packet`, which was lost on a link that is down.
    #[cold]
    pub(in crate::network) fn lose(&mut self, now: Time, packet: &Packet<M::Header>) {
        if packet.kind() != PacketKind::Pause {
            self.drop_packet(now, DropReason::LinkDown, packet);
        }
    }

    /// Counts `packet`, which was to leave by `port` when its link was down.
    #[cold]
    pub(super) fn lose_at(&mut self, now: Time, port: usize, packet: &Packet<M::Header>) {
        if packet.kind() != PacketKind::Pause {
            self.drop_at(now, port, DropReason::LinkDown, packet);
        }
    }

    /// Counts a packet that the switch drops on its way to `port`.
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

    /// Counts a packet that the switch drops, and notifies the observer.
    #[cold]
    pub(super) fn drop_packet(
        &mut self,
        now: Time,
        reason: DropReason,
        packet: &Packet<M::Header>,
    ) {
        self.counters.lose(reason, packet);
        self.observer.on_drop(now, self.id, reason, packet);
    }

    /// Drops the packets that the queue of `port` has discarded at a dequeue.
    #[cold]
    pub(super) fn give_up(&mut self, now: Time, port: usize, send_buffer: &mut Sends<M>) {
        self.observe_queue(now, port);
        for packet in std::mem::take(&mut self.dropped) {
            self.drop_at(now, port, DropReason::Queue, &packet);
            self.release(now, port, &Gone::new(packet.port, &packet), send_buffer);
        }
    }

    /// Notifies the observer of the bytes that wait at `port` now.
    #[inline]
    pub(super) fn observe_queue(&mut self, now: Time, port: usize) {
        let queue = self.ports[port].queue.bytes();
        let number = PortId::from_index(port);
        self.observer.on_queue_change(now, self.id, number, queue);
    }

    /// Handles a failure of the link at `port`: drops the contents of its queues, which may resume
    /// other neighbors.
    pub(in crate::network) fn link_down(&mut self, now: Time, port: PortId) {
        self.buffer.forget_pauses(port);
        self.egress(port).cut();
        self.ports[port.index()].note_state();
        self.observer.on_link_down(now, self.id, port);
        let index = port.index();
        self.pauses[index].update(now, PrioritySet::default());
        loop {
            let queue = &mut self.ports[index].queue;
            let head = queue
                .head(now, PrioritySet::default(), &mut self.dropped)
                .copied();
            if head.is_some() {
                queue.pop(now);
            }
            let given_up = std::mem::take(&mut self.dropped);
            if head.is_none() && given_up.is_empty() {
                self.observe_queue(now, index);
                return;
            }
            for packet in given_up.iter().chain(&head) {
                self.lose_at(now, index, packet);
                self.free_at_once(now, index, packet);
            }
        }
    }

    /// Releases the buffer space of a packet between two epochs, when frames can only be queued.
    fn free_at_once(&mut self, now: Time, port: usize, packet: &Packet<M::Header>) {
        let gone = Gone::new(packet.port, packet);
        if self.give_back(port, &gone) == Release::Resume
            && self.queue_frame(now, gone.ingress, gone.priority, PauseChange::Resume)
        {
            self.arm(now, gone.ingress.index());
        }
    }

    /// Counts `packets` that had left by `port` and were lost with its link.
    pub(in crate::network) fn count_lost(&mut self, port: PortId, packets: u64) {
        self.meters[port.index()].dropped += packets;
    }

    /// Handles the return of the link at `port`; its queues are empty.
    pub(in crate::network) fn link_up(&mut self, port: PortId) {
        self.egress(port).state = LinkState::Up;
        self.ports[port.index()].note_state();
    }
}
