//! Kinds of telemetry: configurations name them, and networks carry them without knowing their
//! content.

use std::fmt;
use std::marker::PhantomData;

use fabricsim_base::checkpoint::{LoadError, Reader, Stored as _, Writer};
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::Rate;

use super::{CcContext, Hop, PortOrder, Telemetry, TelemetryView};
use crate::packet::{Header, Packet};

/// A kind of telemetry with one slot of 64 bits, which every network can carry.
///
/// A new kind needs no registration. The algorithm that reads it names it by [`TelemetryId::of`].
/// In networks with such an algorithm, packets have room for the slot, switches have
/// [`Self::Switch`], and controllers see the slot in
/// [`TelemetryView::of`](super::TelemetryView::of).
pub trait TelemetryKind: fmt::Debug + 'static {
    /// The name in messages and tables.
    const NAME: &'static str;

    /// Bytes on the wire of each data packet if its sender reads this telemetry.
    const WIRE_BYTES: u16;

    /// The content of the slot. Senders write its default, which is the number 0.
    type Slot: Header + From<u64> + Into<u64>;

    /// The telemetry of a switch. It sees every departing packet; writes into packets other than
    /// data are lost.
    type Switch: Telemetry<Self::Slot> + Sync + 'static;

    /// Returns the telemetry of the switch `node` with ports of these `rates`.
    fn switch(network: &CcContext, node: NodeId, rates: &[Rate]) -> Self::Switch;
}

/// The identity of a kind of telemetry.
#[derive(Clone, Copy)]
pub struct TelemetryId {
    name: &'static str,
    wire_bytes: fn(&CcContext) -> u16,
    tag: Option<&'static dyn Tag>,
}

impl TelemetryId {
    /// Returns the identity of `K`.
    #[must_use]
    pub const fn of<K: TelemetryKind>() -> Self {
        Self {
            name: K::NAME,
            wire_bytes: |_| K::WIRE_BYTES,
            tag: Some(&TagOf::<K>(PhantomData)),
        }
    }

    /// Returns the identity of a kind that has its own slot in the network, and takes `wire_bytes`
    /// of a packet.
    #[must_use]
    pub const fn own_slot(name: &'static str, wire_bytes: fn(&CcContext) -> u16) -> Self {
        Self {
            name,
            wire_bytes,
            tag: None,
        }
    }

    /// Returns the name of the kind.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Returns the bytes on the wire of a data packet in `network`.
    #[must_use]
    pub fn wire_bytes(self, network: &CcContext) -> u16 {
        (self.wire_bytes)(network)
    }

    /// Returns the code that carries the kind in the tag of packets; `None` if it has its own slot.
    #[must_use]
    pub const fn tag(self) -> Option<&'static dyn Tag> {
        self.tag
    }
}

impl PartialEq for TelemetryId {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for TelemetryId {}

impl fmt::Debug for TelemetryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A [`TelemetryKind`] with its type erased.
pub trait Tag: fmt::Debug + Send + Sync {
    /// Like [`TelemetryKind::switch`].
    fn switch(&self, network: &CcContext, node: NodeId, rates: &[Rate]) -> TagTelemetry;

    /// Copies the slot in `tag` to `view`.
    fn read(&self, tag: u64, view: &mut TelemetryView);
}

struct TagOf<K>(PhantomData<fn() -> K>);

impl<K: TelemetryKind> fmt::Debug for TagOf<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(K::NAME)
    }
}

impl<K: TelemetryKind> Tag for TagOf<K> {
    fn switch(&self, network: &CcContext, node: NodeId, rates: &[Rate]) -> TagTelemetry {
        let switch = K::switch(network, node, rates);
        TagTelemetry(Box::new(InSlot::<K>(switch)))
    }

    fn read(&self, tag: u64, view: &mut TelemetryView) {
        view.set(K::Slot::from(tag));
    }
}

/// The telemetry of one switch for the tag of packets, with its type erased.
#[derive(Debug)]
pub struct TagTelemetry(Box<dyn TagWriter>);

impl Clone for TagTelemetry {
    fn clone(&self) -> Self {
        Self(self.0.copied())
    }
}

impl<H: Header> Telemetry<H> for TagTelemetry {
    fn on_dequeue(&mut self, packet: &mut Packet<H>, hop: &Hop) {
        let tag = packet.telemetry.tag();
        let tag = self.0.write(&packet.without_telemetry(), tag, hop);
        if packet.takes_telemetry() {
            packet.telemetry.set_tag(tag);
        }
    }

    fn order(&self) -> PortOrder {
        self.0.order()
    }

    fn on_rate(&mut self, port: PortId, rate: Rate) {
        self.0.on_rate(port, rate);
    }

    fn save_state(&self, out: &mut Writer) {
        self.0.save(out);
    }

    fn load_state(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        self.0.load(input)
    }
}

/// The [`Telemetry`] of a slot with its type erased.
trait TagWriter: fmt::Debug + Send + Sync {
    fn copied(&self) -> Box<dyn TagWriter>;
    /// Returns the new value of `tag` for `packet`, which leaves by `hop`.
    fn write(&mut self, packet: &Packet<()>, tag: u64, hop: &Hop) -> u64;
    fn order(&self) -> PortOrder;
    fn on_rate(&mut self, port: PortId, rate: Rate);
    fn save(&self, out: &mut Writer);
    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError>;
}

#[derive(Debug)]
struct InSlot<K: TelemetryKind>(K::Switch);

impl<K: TelemetryKind> TagWriter for InSlot<K> {
    fn copied(&self) -> Box<dyn TagWriter> {
        Box::new(Self(self.0.clone()))
    }

    fn write(&mut self, packet: &Packet<()>, tag: u64, hop: &Hop) -> u64 {
        let mut packet = packet.with_telemetry(K::Slot::from(tag));
        self.0.on_dequeue(&mut packet, hop);
        packet.telemetry.into()
    }

    fn order(&self) -> PortOrder {
        // Nothing is deferred: a tag is written when its packet leaves.
        match self.0.order() {
            PortOrder::Free => PortOrder::Free,
            PortOrder::Restored | PortOrder::Needed => PortOrder::Needed,
        }
    }

    fn on_rate(&mut self, port: PortId, rate: Rate) {
        self.0.on_rate(port, rate);
    }

    fn save(&self, out: &mut Writer) {
        K::NAME.to_owned().store(out);
        self.0.save_state(out);
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        if String::fetch(input)? != K::NAME {
            return Err(LoadError::new("switches write another telemetry"));
        }
        self.0.load_state(input)
    }
}
