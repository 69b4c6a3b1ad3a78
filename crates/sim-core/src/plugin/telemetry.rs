//! Telemetry that a switch writes into the packets that leave it.

use crate::checkpoint::{Checkpointed, LoadError, Reader, Stored, Writer};
use crate::id::PortId;
use crate::packet::{Header, Packet};
use crate::units::{Bytes, Rate, Time};

/// An egress port at the moment a packet leaves its queue.
#[derive(Clone, Copy, Debug)]
pub struct Hop {
    /// The time of the dequeue.
    pub now: Time,
    /// Time at which the packet's last byte had arrived at the switch.
    pub arrived: Time,
    /// The port through which it came.
    pub ingress: PortId,
    /// The egress port.
    pub port: PortId,
    /// The rate of its link.
    pub rate: Rate,
    /// Bytes left in the queues of the port, all priorities, without this packet.
    pub queue: Bytes,
    /// Bytes that the port has sent before this packet.
    pub sent: Bytes,
}

/// The telemetry of one switch. Called at every dequeue, after the buffer has been released and the
/// packet marked.
pub trait Telemetry<H: Header>: Clone + Send + std::fmt::Debug {
    /// Writes what `hop` looks like into `packet`; models that measure ports see every packet here,
    /// and write into data packets only.
    fn on_dequeue(&mut self, packet: &mut Packet<H>, hop: &Hop);

    /// Returns whether the order matters in which packets leave different ports, because the ports
    /// share something. Where it does not, the packets of each port are shown in order.
    #[inline]
    fn needs_order(&self) -> bool {
        true
    }

    /// Asks for the memory that the next packets through `port` will need, as
    /// [`Qdisc::prefetch`](crate::plugin::Qdisc::prefetch) does.
    #[inline]
    fn prefetch(&self, _port: PortId) {}

    /// The link at `port` has another rate from now on. Models that know rates by port follow it.
    fn on_rate(&mut self, _port: PortId, _rate: Rate) {}

    crate::plugin_state!("the telemetry");
}

/// Nothing is written.
#[derive(Checkpointed, Clone, Copy, Debug, Default)]
pub struct NoTelemetry;

impl<H: Header> Telemetry<H> for NoTelemetry {
    #[inline]
    fn on_dequeue(&mut self, _packet: &mut Packet<H>, _hop: &Hop) {}

    #[inline]
    fn needs_order(&self) -> bool {
        false
    }

    crate::saves_state!();
}

/// One, then the other.
impl<H: Header, A: Telemetry<H>, B: Telemetry<H>> Telemetry<H> for (A, B) {
    #[inline]
    fn on_dequeue(&mut self, packet: &mut Packet<H>, hop: &Hop) {
        self.0.on_dequeue(packet, hop);
        self.1.on_dequeue(packet, hop);
    }

    fn needs_order(&self) -> bool {
        self.0.needs_order() || self.1.needs_order()
    }

    #[inline]
    fn prefetch(&self, port: PortId) {
        self.0.prefetch(port);
        self.1.prefetch(port);
    }

    fn on_rate(&mut self, port: PortId, rate: Rate) {
        self.0.on_rate(port, rate);
        self.1.on_rate(port, rate);
    }

    fn save_state(&self, out: &mut Writer) {
        self.0.save_state(out);
        self.1.save_state(out);
    }

    fn load_state(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        self.0.load_state(input)?;
        self.1.load_state(input)
    }
}

/// Optional telemetry: `None` writes nothing.
impl<H: Header, T: Telemetry<H>> Telemetry<H> for Option<T> {
    #[inline]
    fn on_dequeue(&mut self, packet: &mut Packet<H>, hop: &Hop) {
        if let Some(telemetry) = self {
            telemetry.on_dequeue(packet, hop);
        }
    }

    fn needs_order(&self) -> bool {
        self.as_ref().is_some_and(Telemetry::needs_order)
    }

    #[inline]
    fn prefetch(&self, port: PortId) {
        if let Some(telemetry) = self {
            telemetry.prefetch(port);
        }
    }

    fn on_rate(&mut self, port: PortId, rate: Rate) {
        if let Some(telemetry) = self {
            telemetry.on_rate(port, rate);
        }
    }

    fn save_state(&self, out: &mut Writer) {
        self.is_some().store(out);
        if let Some(telemetry) = self {
            out.section(|out| telemetry.save_state(out));
        }
    }

    fn load_state(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        match (bool::fetch(input)?, self) {
            (true, Some(own)) => input.section("telemetry", |input| own.load_state(input)),
            (false, None) => Ok(()),
            (true, None) if input.renews_control() => input.take_section().map(|_| ()),
            (false, Some(_)) if input.renews_control() => Ok(()),
            _ => Err(LoadError::new("switches write other telemetry")),
        }
    }
}
