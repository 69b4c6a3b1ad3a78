//! The way of a packet that does not find its port idle into the buffer and a queue.

use super::Switch;
use crate::packet::{Packet, PauseChange};
use crate::plugin::{Admission, Admit, DropReason, Model, Observer, Qdisc};
use fabricsim_base::id::PortId;
use fabricsim_base::units::Time;
use fabricsim_engine::SendBuffer;

impl<M: Model> Switch<M> {
    /// Takes `packet` into the buffer and the queue of `out`, from which it leaves at once if it
    /// can.
    // Apart from the code of packets that find their port idle.
    #[inline(never)]
    pub(super) fn store(
        &mut self,
        now: Time,
        out: usize,
        ingress: PortId,
        packet: &Packet<M::Header>,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        if self.ports[out].egress.is_down() {
            self.lose_at(now, out, packet);
            return;
        }
        let priority = packet.priority();
        if self.defers {
            let is_quiet = priority.is_control() || self.buffer.is_calm();
            if is_quiet || self.may_look_fuller() {
                if self.ports[out].due < now {
                    self.serve_until(now, out, send_buffer);
                }
                if self.pass(now, out, ingress, packet, send_buffer) {
                    return;
                }
                let (egress, size) = (PortId::from_index(out), packet.size());
                if !is_quiet
                    && self.next_due < now
                    && !self.buffer.passes(ingress, egress, priority, size)
                {
                    self.serve_all_until(now, send_buffer);
                }
            } else {
                self.stop_deferring(now, send_buffer);
            }
        }
        self.keep(now, out, ingress, packet, send_buffer);
    }

    /// Takes `packet` into the buffer and the queue of `out`, which has been served up to the present
    /// and whose link is up.
    #[inline(always)]
    pub(super) fn keep(
        &mut self,
        now: Time,
        out: usize,
        ingress: PortId,
        packet: &Packet<M::Header>,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        let egress = PortId::from_index(out);
        let priority = packet.priority();
        if !priority.is_control() {
            match self.buffer.admit(ingress, egress, priority, packet.size()) {
                Admit::Accept => {}
                Admit::AcceptAndPause => {
                    self.send_pause(now, ingress, priority, PauseChange::Pause, send_buffer);
                }
                Admit::Drop => {
                    self.counters.buffer_drops += 1;
                    self.drop_at(now, out, DropReason::Buffer, packet);
                    return;
                }
                Admit::Trim => return self.trim(now, out, ingress, packet, send_buffer),
            }
        }
        let port = &mut self.ports[out];
        if port.is_idle(now, priority)
            && let Some(mark) = port.queue.bypass(false, packet)
        {
            self.transmit(now, out, ingress, packet, mark, send_buffer);
            self.ports[out].note_state();
            if !priority.is_control() {
                self.release(now, out, ingress, priority, packet.size(), send_buffer);
            }
            return;
        }
        let Some(stored) = port.queue.enqueue(now, packet) else {
            self.counters.queue_drops += 1;
            self.drop_at(now, out, DropReason::Queue, packet);
            if !priority.is_control() {
                self.release(now, out, ingress, priority, packet.size(), send_buffer);
            }
            return;
        };
        stored.port = ingress;
        port.open_after = Time::MAX;
        let depth = port.queue.bytes();
        self.counters.max_queue = self.counters.max_queue.max(depth);
        self.observer.on_queue_change(now, self.id, egress, depth);
        self.kick(now, out, ingress, send_buffer);
    }
}
