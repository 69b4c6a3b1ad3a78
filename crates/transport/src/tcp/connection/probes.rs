//! Packets of a connection's probes. A separate probe is a data packet without payload and without
//! [`Bits::ACK`]. The reply to any probe is an ACK packet without [`Bits::ACK`].

use fabricsim_base::units::Time;
use fabricsim_core::packet::{Flags, Packet, PacketKind};
use fabricsim_core::plugin::TelemetryReader;

use super::Connection;
use crate::tcp::header::{Bits, HasTcp};
use crate::tcp::probing::PROBE_BYTES;

impl Connection {
    /// Immediately reflects an arriving probe, with its collected telemetry.
    pub(in crate::tcp) fn reflect<H: HasTcp>(
        &self,
        probe: &Packet<H>,
        mut out: impl FnMut(&Packet<H>),
    ) {
        let mut reply = *probe;
        reply.make_reply(PacketKind::Ack, self.priority);
        reply.flags = Flags::PROBE;
        let header = reply.telemetry.tcp_mut();
        if header.bits.has(Bits::ACK) {
            // A data segment: only its telemetry is returned.
            let telemetry = probe.wire - probe.payload - self.parameters.headers;
            reply.wire = PROBE_BYTES + telemetry;
            header.bits = Bits::TCP;
        }
        out(&reply);
    }

    /// Processes an arriving reply to a probe, and sends the next probe to `out`.
    pub(in crate::tcp) fn on_probe<H: HasTcp>(
        &mut self,
        now: Time,
        packet: &Packet<H>,
        reader: Option<&dyn TelemetryReader<H>>,
        out: impl FnMut(&Packet<H>),
    ) {
        self.sender.on_probe(now, packet.seq, |view| {
            if let Some(reader) = reader {
                reader.read(&packet.telemetry, now, view);
            }
        });
        self.send_probe(now, out);
    }

    /// Handles the timer of probes.
    pub(super) fn on_probe_deadline<H: HasTcp>(&mut self, now: Time, out: impl FnMut(&Packet<H>)) {
        if self.sender.give_up_probe(now) {
            self.send_probe(now, out);
        }
    }

    fn send_probe<H: HasTcp>(&mut self, now: Time, mut out: impl FnMut(&Packet<H>)) {
        let Some(probe) = self.sender.next_probe(now) else {
            return;
        };
        let mut packet = self.packet::<H>(PacketKind::Data, Bits::TCP);
        packet.seq = probe.seq;
        packet.wire = probe.wire;
        packet.sent_at = now;
        packet.flags = Flags::PROBE;
        out(&packet);
    }
}
