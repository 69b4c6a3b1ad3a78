//! What a receiver sends back.

use fabricsim_core::id::PortId;
use fabricsim_core::packet::{Flags, Header, Packet};
use fabricsim_core::plugin::ControllerFactory;

use super::Rdma;
use crate::rdma::receiver::Reply;

impl<H: Header, F: ControllerFactory<H>> Rdma<H, F> {
    /// Sends `reply_kind` back, if it is something.
    #[inline(always)]
    pub(super) fn reply(&mut self, nic: PortId, packet: &Packet<H>, reply_kind: Reply) {
        let Some(kind) = reply_kind.kind() else {
            return;
        };
        let priority = self.settings.ack_priority;
        let priority = priority.unwrap_or_else(|| packet.priority());
        // The ACK is the data packet turned round: it echoes when that was sent and what it saw.
        let reply = self.nics[nic.index()].acks.push(priority, packet);
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
    }
}
