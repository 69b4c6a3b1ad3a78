//! Replies of a receiver.

use fabricsim_base::fifo::Assign as _;
use fabricsim_base::flow::FlowKey;
use fabricsim_base::id::{FlowId, NodeId, PortId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::Time;
use fabricsim_core::packet::{Flags, Header, Packet, PacketKind};
use fabricsim_core::plugin::{ControllerFactory, PortUpdate};

use super::Rdma;
use crate::rdma::reply::Reply;

/// Returns a packet with no meaningful content, to be overwritten.
pub(super) fn blank<H: Header>() -> Packet<H> {
    let nobody = FlowKey {
        src: NodeId(0),
        dst: NodeId(0),
        src_port: 0,
        dst_port: 0,
    };
    Packet::new(PacketKind::Ack, Priority::CONTROL, nobody, FlowId(0))
}

impl<H: Header, F: ControllerFactory<H>> Rdma<H, F> {
    /// Sends the reply `reply_kind`, if any: through `send`, or later when the port is free.
    #[inline(always)]
    pub(super) fn reply(
        &mut self,
        nic: PortId,
        packet: &Packet<H>,
        reply_kind: Reply,
        send: Option<impl FnOnce(&Packet<H>) -> Time>,
    ) -> PortUpdate {
        let Some(kind) = reply_kind.kind() else {
            return PortUpdate::Ready;
        };
        // All replies may have a priority, a queue and a port that differ from the data packet's.
        let priority = self.settings.ack_priority;
        let priority = priority.unwrap_or_else(|| packet.priority());
        let queue = self.settings.ack_queue.unwrap_or(priority);
        let nic = match &self.settings.reply_nics {
            Some(nics) => nics.of(&packet.key, nic),
            None => nic,
        };
        // The ACK is the data packet turned around: it echoes the send time and the congestion
        // mark.
        let port = &mut self.nics[nic.index()];
        let send = send.filter(|_| port.acks.is_empty());
        let reply = if send.is_some() {
            self.reply.assign(packet);
            &mut self.reply
        } else {
            port.acks.push(queue, packet)
        };
        let marked = reply.flags.has(Flags::CONGESTION);
        reply.make_reply(kind, priority);
        let telemetry = packet.wire - packet.payload - self.settings.data_header;
        reply.wire = (self.settings.ack_header + telemetry).max(self.settings.ack_least);
        reply.flags = Flags::NONE
            .and_if(marked, Flags::ECHO)
            .and_if(reply_kind == Reply::Complete, Flags::COMPLETE);
        match reply_kind {
            Reply::Ack(byte) => reply.report_gap(byte, 0),
            Reply::Nack { expected, beyond } => reply.report_gap(expected, beyond),
            Reply::Trimmed { expected, beyond } => {
                reply.flags.set(Flags::TRIMMED);
                reply.report_gap(expected, beyond);
            }
            Reply::Complete | Reply::Silence => reply.report_gap(0, 0),
        }
        let Some(send) = send else {
            return PortUpdate::Ready;
        };
        port.free = send(reply);
        port.acks.pass(queue);
        PortUpdate::Replied
    }
}
