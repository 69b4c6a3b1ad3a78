//! Probes that arrive at a host.

use fabricsim_base::units::Time;
use fabricsim_core::packet::{Packet, PacketKind};

use super::Tcp;
use crate::tcp::header::{Bits, HasTcp};

/// Content of a packet that is part of a probe.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Content {
    /// Only the probe.
    Probe,
    /// Also a segment.
    Segment,
}

impl<H: HasTcp> Tcp<H> {
    /// Handles a probe of the connection in `slot`, at either end.
    #[cold]
    pub(super) fn on_probe(&mut self, now: Time, slot: u32, packet: &Packet<H>) -> Content {
        let connection = self.connections[slot as usize]
            .as_mut()
            .expect("a listed slot holds a connection");
        let (nic, priority) = (connection.nic.index(), connection.priority);
        let acks = &mut self.nics[nic].acks;
        let out = |packet: &Packet<H>| {
            acks.push(priority, packet);
        };
        if packet.kind() == PacketKind::Ack {
            connection.on_probe(now, packet, self.reader.as_deref(), out);
            self.settle(now, slot);
            return Content::Probe;
        }
        connection.reflect(packet, out);
        if packet.telemetry.tcp().bits.has(Bits::ACK) {
            Content::Segment
        } else {
            Content::Probe
        }
    }
}
