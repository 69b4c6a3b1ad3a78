//! Telemetry that a switch writes into the packets that leave it.

use crate::packet::{Header, Packet};
use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Stored, Writer};
use fabricsim_base::id::PortId;
use fabricsim_base::units::{Bytes, Rate, Time};
use fabricsim_engine::SendBuffer;

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

/// How a packet leaves a port, for telemetry that puts off what it writes.
#[derive(Clone, Copy, Debug)]
pub struct Leaving {
    /// Number of packets that have left through the port before it, in this epoch; `None` for a packet
    /// that the link loses.
    pub place: Option<u32>,
    /// The port of the arrival because of which it leaves at once: its own, or that of the frame that
    /// ends a pause. `None` where it leaves because the wire has become free, and so after all that
    /// happens at the very same time because of arrivals.
    pub by: Option<PortId>,
}

/// The packets that a switch has sent in this epoch. The next nodes have not seen them.
#[derive(Debug)]
pub struct SentPackets<'a, H>(&'a mut SendBuffer<Packet<H>>);

impl<'a, H: Header> SentPackets<'a, H> {
    /// Those in `send_buffer`.
    pub(crate) const fn new(send_buffer: &'a mut SendBuffer<Packet<H>>) -> Self {
        Self(send_buffer)
    }

    /// Returns the packet that has left through `port` after `place` others.
    ///
    /// # Panics
    /// When there is none.
    #[inline]
    pub fn at(&mut self, port: PortId, place: u32) -> &mut Packet<H> {
        self.0.sent_mut(port.index(), place as usize)
    }
}

/// How far the calls of a telemetry about different ports have to be in the order of time.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum PortOrder {
    /// They need not be: the ports share nothing.
    Free,
    /// Calls of [`Telemetry::on_departure`] need not be: everything that depends on the order waits for
    /// [`Telemetry::complete`].
    Restored,
    /// All have to be.
    Needed,
}

/// The telemetry of one switch. Called at every departure, after the packet has been marked.
pub trait Telemetry<H: Header>: Clone + Send + std::fmt::Debug {
    /// Writes what `hop` looks like into `packet`; models that measure ports see every packet here,
    /// and write into data packets only.
    fn on_dequeue(&mut self, packet: &mut Packet<H>, hop: &Hop);

    /// Like [`on_dequeue`](Self::on_dequeue), but may leave work for [`complete`](Self::complete), to do
    /// it for many packets in a row or in the order of time. Until then `packet` can be found by the
    /// port of `hop` and the place in `leaving`. The switch calls this if nothing reads the
    /// written telemetry before the end of the epoch, and events have the order of nodes
    /// ([`ByNode`](crate::plugin::ByNode)).
    #[inline]
    fn on_departure(&mut self, packet: &mut Packet<H>, hop: &Hop, _leaving: Leaving) {
        self.on_dequeue(packet, hop);
    }

    /// Does what has been put off. Called when all packets of the epoch have left, or all before some
    /// time in it. Those of each port were shown in order. At one and the same time those that leave at
    /// once because they arrive come first, in the order of the ports in [`Leaving::by`], and then those
    /// that have waited, in the order of their ports.
    #[inline]
    fn complete(&mut self, _packets: &mut SentPackets<'_, H>) {}

    /// Returns how far calls about different ports have to be in the order of time. Calls about one
    /// port always are. A switch runs faster if they need not be.
    #[inline]
    fn order(&self) -> PortOrder {
        PortOrder::Needed
    }

    /// The link at `port` has another rate from now on. Models that know rates by port follow it.
    fn on_rate(&mut self, _port: PortId, _rate: Rate) {}

    fabricsim_base::plugin_state!("the telemetry");
}

/// Nothing is written.
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

/// One, then the other.
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
