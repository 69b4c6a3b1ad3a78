//! The packets that a connection sends.

use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::packet::{Flags, Packet, PacketKind};

use super::{Connection, Task};
use crate::tcp::header::{Bits, HasTcp};
use crate::tcp::receiver::Report;
use crate::tcp::sack;
use crate::tcp::timestamps::{clock, later};

impl Connection {
    pub(super) fn packet<H: HasTcp>(&self, kind: PacketKind, bits: Bits) -> Packet<H> {
        let mut packet = Packet::<H>::new(kind, self.priority, self.key, self.id);
        packet.wire = self.parameters.headers;
        let header = packet.telemetry.tcp_mut();
        header.bits = Bits::TCP.with(bits);
        if bits.has(Bits::SYN) {
            header.set_opening(self.class.0, self.feedback);
        }
        packet
    }

    /// Sends an acknowledgement with the contents of `report`.
    pub(super) fn acknowledge<H: HasTcp>(
        &mut self,
        now: Time,
        report: Report,
        mut out: impl FnMut(&Packet<H>),
    ) {
        let bits = Bits::ACK.and_if(report.ece, Bits::ECE);
        let mut packet = self.packet::<H>(PacketKind::Ack, bits);
        packet.sent_at = report.echo;
        let header = packet.telemetry.tcp_mut();
        header.acknowledge(report.cumulative, report.ce_count);
        header.set_timestamp(clock(now));
        sack::report(
            &mut packet,
            &self.receiver.blocks(self.parameters.detection),
        );
        out(&packet);
    }

    pub(super) fn acknowledge_now<H: HasTcp>(&mut self, now: Time, out: impl FnMut(&Packet<H>)) {
        let report = self.receiver.report();
        self.receiver.on_acked();
        self.acknowledge(now, report, out);
    }

    /// Returns the bits of a segment that opens the connection.
    fn opening_bits(&self) -> Bits {
        Bits::SYN.and_if(self.task == Task::Stream, Bits::STREAM)
    }

    /// Sends the next segment. Returns its packet, and `true` if it is a retransmission.
    #[inline(always)]
    pub(in crate::tcp) fn send<H: HasTcp>(&mut self, now: Time) -> (Packet<H>, bool) {
        let segment = self.sender.send(now);
        let report = self.receiver.report();
        self.receiver.on_acked();
        let request = matches!(self.task, Task::Fetch(_)) && segment.payload > 0;
        let opens = self.opens_with_data && self.sender.acknowledged() == 0;
        let mut bits = Bits::ACK
            .and_if(segment.fin, Bits::FIN)
            .and_if(segment.cwr, Bits::CWR)
            .and_if(report.ece, Bits::ECE)
            .and_if(request, Bits::REQUEST);
        if opens {
            bits = bits.with(self.opening_bits());
        }
        let mut packet = self.packet::<H>(PacketKind::Data, bits);
        packet.seq = segment.seq;
        packet.payload = segment.payload;
        packet.wire += segment.payload;
        packet.sent_at = now;
        packet.flags = segment.codepoint.and_if(segment.fin, Flags::LAST);
        if let Some(bytes) = segment.telemetry {
            packet.wire += bytes;
            packet.flags.set(Flags::PROBE);
        }
        let header = packet.telemetry.tcp_mut();
        header.acknowledge(report.cumulative, report.ce_count);
        if !opens {
            header.set_timestamp(later(self.heard, clock(report.echo)));
        }
        header.set_aside(match &self.task {
            Task::Fetch(fetch) => fetch.flow.request.size,
            _ => Bytes::new(self.sender.retransmitted),
        });
        (packet, segment.again)
    }
}
