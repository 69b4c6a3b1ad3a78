//! The part of a packet that depends on the simulation.

use super::stamps::Stamps;
use fabricsim_base::checkpoint::{LoadError, Reader, Stored, Writer};

/// The part of a packet beside its own fields, or one slot of it.
///
/// The header is the one type parameter of a packet, so a simulation pays only for what it runs. A
/// header without room for a value reads nothing there, and writes to it are lost.
pub trait Header: Copy + Default + Send + Stored + Sync + std::fmt::Debug + 'static {
    /// Whether [`Self::assign`] does less than copy the whole header.
    const PARTIAL: bool = false;

    /// Returns whether switches write telemetry into a data packet only where it has
    /// [`Flags::PROBE`](super::Flags::PROBE). Without it they write into every one.
    #[inline]
    fn is_probed(&self) -> bool {
        false
    }

    /// Whether packets have room for a number of credit. Without it transports leave credit out of
    /// their code.
    const CREDIT: bool = false;

    /// Returns the number of credit: on data and [`PacketKind::Request`](super::PacketKind::Request)
    /// the number up to which the sender asks for credit, or 0 where it uses none; on
    /// [`PacketKind::Grant`](super::PacketKind::Grant) the number up to which it has it. Numbers
    /// count bytes on the wire.
    #[inline]
    fn credit(&self) -> u64 {
        0
    }

    /// Sets the number of credit, where there is room.
    #[inline]
    fn set_credit(&mut self, _number: u64) {}

    /// `true` if packets have room for stamps.
    const STAMPED: bool = false;

    /// Returns the place of the packet's arrival among events of its time.
    #[inline]
    fn stamps(&self) -> Stamps {
        Stamps::default()
    }

    /// Sets the stamps.
    #[inline]
    fn set_stamps(&mut self, _stamps: Stamps) {}

    /// Returns the tag, which holds the slot of a telemetry of any kind
    /// ([`TelemetryKind`](crate::plugin::TelemetryKind)).
    #[inline]
    fn tag(&self) -> u64 {
        0
    }

    /// Sets the tag.
    #[inline]
    fn set_tag(&mut self, _tag: u64) {}

    /// Appends the header to what goes to another rank: quickly, where every packet has it. By
    /// default as a checkpoint holds it.
    #[inline]
    fn pack(&self, out: &mut Writer) {
        self.store(out);
    }

    /// Returns the header that [`Self::pack`] has written.
    ///
    /// # Errors
    /// When `input` holds something else.
    #[inline]
    fn unpack(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        Self::fetch(input)
    }

    /// Becomes a copy of `other` in all that is in use; the rest may stay as it was.
    #[inline]
    fn assign(&mut self, other: &Self) {
        *self = *other;
    }
}

impl Header for () {}
