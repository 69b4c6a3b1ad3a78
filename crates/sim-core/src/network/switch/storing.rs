//! The path of a packet through the buffer and a queue, if it cannot be forwarded without queueing.

use super::departure::Gone;
use super::{Sends, Switch};
use crate::packet::{Packet, PacketKind, PauseChange};
use crate::plugin::{Admission, Admit, DropReason, Model, Observer, Qdisc};
use fabricsim_base::id::PortId;
use fabricsim_base::units::Time;

impl<M: Model> Switch<M> {
    /// Stores `packet`, which arrived at `now` by `ingress`, in the buffer and in the queue of
    /// `out`. It leaves immediately if it can.
    // Not inlined, to keep it apart from the code of packets that need no queue.
    #[inline(never)]
    pub(super) fn store(
        &mut self,
        now: Time,
        out: usize,
        ingress: PortId,
        packet: &Packet<M::Header>,
        send_buffer: &mut Sends<M>,
    ) {
        if self.late && !packet.priority().is_control() && !self.buffer.slack().is_calm() {
            self.stop_being_late(now, send_buffer);
        }
        self.keep(now, out, ingress, packet, send_buffer);
    }

    /// [`Self::store`] for a port that has caught up to `now`.
    #[inline(always)]
    pub(super) fn keep(
        &mut self,
        now: Time,
        out: usize,
        ingress: PortId,
        packet: &Packet<M::Header>,
        send_buffer: &mut Sends<M>,
    ) {
        if self.ports[out].egress.is_down() {
            return self.lose_at(now, out, packet);
        }
        let egress = PortId::from_index(out);
        let (priority, size) = (packet.priority(), packet.size());
        if !priority.is_control() {
            match self.buffer.admit(ingress, egress, priority, size) {
                Admit::Accept => {}
                Admit::AcceptAndPause => {
                    self.send_pause(now, ingress, priority, PauseChange::Pause, send_buffer);
                }
                Admit::Drop => return self.drop_at(now, out, DropReason::Buffer, packet),
                Admit::Trim => return self.trim(now, out, ingress, packet, send_buffer),
            }
        }
        let port = &mut self.ports[out];
        if port.is_idle(now, priority)
            && let Some(mark) = port.queue.bypass(false, packet)
        {
            let (event, lane) = ((now, Some(ingress)), send_buffer.lane(out));
            (self.exit(out)).send_passing(event, (packet, now, ingress), mark, lane);
            self.ports[out].note_state();
            self.release(now, out, &Gone::new(ingress, packet), send_buffer);
        } else if !self.enqueue(now, out, ingress, packet, send_buffer) {
            self.drop_at(now, out, DropReason::Queue, packet);
            self.release(now, out, &Gone::new(ingress, packet), send_buffer);
        }
    }

    /// Enqueues `packet` at `out`, then sends the head of the queue if the wire is free.
    /// Returns `false` if the queue rejects the packet.
    #[inline(always)]
    fn enqueue(
        &mut self,
        now: Time,
        out: usize,
        ingress: PortId,
        packet: &Packet<M::Header>,
        send_buffer: &mut Sends<M>,
    ) -> bool {
        let port = &mut self.ports[out];
        let Some(stored) = port.queue.enqueue(now, packet) else {
            return false;
        };
        stored.port = ingress;
        port.open_after = Time::MAX;
        let depth = port.queue.bytes();
        self.counters.note_queue(depth);
        self.observer
            .on_queue_change(now, self.id, PortId::from_index(out), depth);
        self.kick(now, out, ingress, send_buffer);
        true
    }

    /// Cuts the payload off `packet`, which has no room at `port`, and forwards its headers as
    /// control. The headers leave before data, as far as the port's queues allow, and use no buffer
    /// (Handley et al., NDP, SIGCOMM 2017, section 3.1).
    ///
    /// Differs from the paper: NDP's switch cuts the new packet or the last one of the queue,
    /// chosen at random (`htsim/sim/compositequeue.cpp` of uet-htsim). Here the new packet is cut.
    #[cold]
    fn trim(
        &mut self,
        now: Time,
        port: usize,
        ingress: PortId,
        packet: &Packet<M::Header>,
        send_buffer: &mut Sends<M>,
    ) {
        if packet.kind() != PacketKind::Data || packet.payload == 0 {
            return self.drop_at(now, port, DropReason::Buffer, packet);
        }
        self.counters.trimmed += 1;
        self.counters.lost_payload += packet.payload_bytes();
        self.meters[port].dropped += 1;
        if !self.enqueue(now, port, ingress, &packet.trimmed(), send_buffer) {
            self.counters.queue_drops += 1;
            self.counters.headers_lost += 1;
        }
    }
}
