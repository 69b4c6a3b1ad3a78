//! Probes of a connection as packets: a probe of its own is a data packet without payload and
//! without [`Bits::ACK`], and what comes back of any probe is an ACK packet without [`Bits::ACK`].

use fabricsim_base::units::Time;
use fabricsim_core::packet::{Flags, Packet, PacketKind};
use fabricsim_core::plugin::TelemetryReader;

use super::Connection;
use crate::tcp::header::{Bits, HasTcp};
use crate::tcp::probing::PROBE_BYTES;

impl Connection {
    /// A probe has arrived and is sent back with the telemetry that it has gathered, at once.
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
            // A segment of data: only its telemetry goes back.
            let telemetry = probe.wire - probe.payload - self.parameters.headers;
            reply.wire = PROBE_BYTES + telemetry;
            header.bits = Bits::TCP;
        }
        out(&reply);
    }

    /// What has come back of a probe has arrived; the next one leaves by `out`.
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

    /// A timer has come.
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
