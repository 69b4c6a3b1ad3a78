//! Telemetry that a switch writes into departing packets.

use crate::packet::{Header, Packet};
use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Stored, Writer};
use fabricsim_base::id::PortId;
use fabricsim_base::units::{Bytes, Rate, Time};
use fabricsim_engine::SendBuffer;

/// An egress port at the moment at which a packet leaves its queue.
#[derive(Clone, Copy, Debug)]
pub struct Hop {
    /// Time of the dequeue.
    pub now: Time,
    /// Time at which the last byte of the packet arrived at the switch.
    pub arrived: Time,
    /// The ingress port of the packet.
    pub ingress: PortId,
    /// The egress port.
    pub port: PortId,
    /// The rate of its link.
    pub rate: Rate,
    /// Bytes left in the queues of the port, over all priorities, without this packet.
    pub queue: Bytes,
    /// Bytes that the port has sent before this packet.
    pub sent: Bytes,
}

/// The place of a packet among the departures of an epoch, for telemetry that defers its work.
#[derive(Clone, Copy, Debug)]
pub struct Leaving {
    /// Number of packets that left through the port before it in this epoch; `None` if the link
    /// loses the packet.
    pub place: Option<u32>,
    /// The ingress port of the arrival that made the packet leave immediately: its own arrival, or
    /// the arrival of the frame that ends a pause. `None` if the packet leaves because the wire has
    /// become free; it then leaves after everything that arrivals cause at the same time.
    pub by: Option<PortId>,
}

/// The packets that a switch has sent in this epoch. The next nodes have not seen them yet.
#[derive(Debug)]
pub struct SentPackets<'a, H>(&'a mut SendBuffer<Packet<H>>);

impl<'a, H: Header> SentPackets<'a, H> {
    /// Wraps the packets in `send_buffer`.
    pub(crate) const fn new(send_buffer: &'a mut SendBuffer<Packet<H>>) -> Self {
        Self(send_buffer)
    }

    /// Returns the packet with `place` packets before it in this epoch at `port`.
    ///
    /// # Panics
    /// Panics if there is no such packet.
    #[inline]
    pub fn at(&mut self, port: PortId, place: u32) -> &mut Packet<H> {
        self.0.sent_mut(port.index(), place as usize)
    }
}

/// The order in time that calls about different ports need.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum PortOrder {
    /// Any order is fine: the ports share no state.
    Free,
    /// Any order is fine for [`Telemetry::on_departure`], because everything that depends on the
    /// order is deferred to [`Telemetry::complete`].
    Restored,
    /// All calls must be in time order.
    Needed,
}

/// The telemetry of one switch. Called at every departure, after the packet has been marked.
pub trait Telemetry<H: Header>: Clone + Send + std::fmt::Debug {
    /// Writes the state in `hop` into `packet`. Telemetry that measures ports sees every packet
    /// here, but writes only into data packets.
    fn on_dequeue(&mut self, packet: &mut Packet<H>, hop: &Hop);

    /// Like [`on_dequeue`](Self::on_dequeue), but may defer work to [`complete`](Self::complete),
    /// for example to batch it or to process packets in time order. Until then `packet` can be
    /// found by the port of `hop` and the place in `leaving`.
    ///
    /// The switch calls this if nothing reads the written telemetry before the end of the epoch,
    /// and if the events are in the order of nodes ([`ByNode`](crate::plugin::ByNode)).
    #[inline]
    fn on_departure(&mut self, packet: &mut Packet<H>, hop: &Hop, _leaving: Leaving) {
        self.on_dequeue(packet, hop);
    }

    /// Completes the deferred work. Called when all packets of the epoch have left, or all packets
    /// before some time in it.
    ///
    /// The calls about each port were in order. Packets that left at the same time on different
    /// ports have this order: first the packets that left immediately on arrival, by the port in
    /// [`Leaving::by`], then the packets that had waited, by their egress ports.
    #[inline]
    fn complete(&mut self, _packets: &mut SentPackets<'_, H>) {}

    /// Returns the time order that calls about different ports need. Calls about the same port are
    /// always in time order. A switch runs faster if the order of ports is free.
    #[inline]
    fn order(&self) -> PortOrder {
        PortOrder::Needed
    }

    /// The link at `port` has a new rate from now on. Implement this if the telemetry stores rates
    /// of ports.
    fn on_rate(&mut self, _port: PortId, _rate: Rate) {}

    fabricsim_base::plugin_state!("the telemetry");
}

/// Telemetry that writes nothing.
#[derive(Checkpointed, Clone, Copy, Debug, Default)]
pub struct NoTelemetry;

impl<H: Header> Telemetry<H> for NoTelemetry {
    #[inline]
    fn on_dequeue(&mut self, _packet: &mut Packet<H>, _hop: &Hop) {}

    #[inline]
    fn order(&self) -> PortOrder {
        PortOrder::Free
    }

    fabricsim_base::saves_state!();
}

/// Runs the first, then the second.
impl<H: Header, A: Telemetry<H>, B: Telemetry<H>> Telemetry<H> for (A, B) {
    #[inline]
    fn on_dequeue(&mut self, packet: &mut Packet<H>, hop: &Hop) {
        self.0.on_dequeue(packet, hop);
        self.1.on_dequeue(packet, hop);
    }

    #[inline]
    fn on_departure(&mut self, packet: &mut Packet<H>, hop: &Hop, leaving: Leaving) {
        self.0.on_departure(packet, hop, leaving);
        self.1.on_departure(packet, hop, leaving);
    }

    #[inline]
    fn complete(&mut self, packets: &mut SentPackets<'_, H>) {
        self.0.complete(packets);
        self.1.complete(packets);
    }

    #[inline]
    fn order(&self) -> PortOrder {
        self.0.order().max(self.1.order())
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

    #[inline]
    fn on_departure(&mut self, packet: &mut Packet<H>, hop: &Hop, leaving: Leaving) {
        if let Some(telemetry) = self {
            telemetry.on_departure(packet, hop, leaving);
        }
    }

    #[inline]
    fn complete(&mut self, packets: &mut SentPackets<'_, H>) {
        if let Some(telemetry) = self {
            telemetry.complete(packets);
        }
    }

    #[inline]
    fn order(&self) -> PortOrder {
        self.as_ref().map_or(PortOrder::Free, Telemetry::order)
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
