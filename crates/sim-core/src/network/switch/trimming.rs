//! Packets whose payload is cut off instead of their being dropped.

use super::Switch;
use crate::packet::{Packet, PacketKind};
use crate::plugin::{DropReason, Model, Observer, Qdisc};
use fabricsim_base::id::PortId;
use fabricsim_base::units::Time;
use fabricsim_engine::SendBuffer;

impl<M: Model> Switch<M> {
    /// Sends the headers of `packet`, which has no room at `port`, on as control: they leave before
    /// data, as far as the port's queues let them, and take no buffer (Handley et al., NDP, SIGCOMM
    /// 2017, section 3.1).
    ///
    /// Differs from the paper: NDP's switch cuts the new packet or the last one of the queue, as a
    /// draw says (`htsim/sim/compositequeue.cpp` of uet-htsim). Here the new packet is cut.
    #[cold]
    pub(super) fn trim(
        &mut self,
        now: Time,
        port: usize,
        ingress: PortId,
        packet: &Packet<M::Header>,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        if packet.kind() != PacketKind::Data || packet.payload == 0 {
            self.counters.buffer_drops += 1;
            self.drop_at(now, port, DropReason::Buffer, packet);
            return;
        }
        self.counters.trimmed += 1;
        self.counters.lost_payload += packet.payload_bytes();
        self.meters[port].dropped += 1;
        let state = &mut self.ports[port];
        let Some(stored) = state.queue.enqueue(now, &packet.trimmed()) else {
            self.counters.queue_drops += 1;
            self.counters.headers_lost += 1;
            return;
        };
        stored.port = ingress;
        state.note_state();
        let depth = state.queue.bytes();
        self.counters.max_queue = self.counters.max_queue.max(depth);
        let number = PortId::from_index(port);
        self.observer.on_queue_change(now, self.id, number, depth);
        self.kick(now, port, ingress, send_buffer);
    }
}
