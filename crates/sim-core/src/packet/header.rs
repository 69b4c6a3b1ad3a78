//! The part of a packet that depends on the simulation.

use super::stamps::Stamps;
use fabricsim_base::checkpoint::{LoadError, Reader, Stored, Writer};

/// The telemetry header of a packet, or one slot of it.
///
/// The header is the only type parameter of a packet, so a simulation pays only for the fields that
/// it uses. If a header has no room for a value, reads return a default, and writes are ignored.
pub trait Header: Copy + Default + Send + Stored + Sync + std::fmt::Debug + 'static {
    /// `true` if [`Self::assign`] copies less than the whole header.
    const PARTIAL: bool = false;

    /// Returns `true` if switches write telemetry only into data packets with
    /// [`Flags::PROBE`](super::Flags::PROBE). Otherwise they write into every data packet.
    #[inline]
    fn is_probed(&self) -> bool {
        false
    }

    /// `true` if packets have room for a credit number. Otherwise transports compile without
    /// credit.
    const CREDIT: bool = false;

    /// Returns the credit number, which counts bytes on the wire. On data and on a
    /// [`PacketKind::Request`](super::PacketKind::Request), the sender requests credit up to this
    /// number; 0 if it uses no credit. On a [`PacketKind::Grant`](super::PacketKind::Grant), the
    /// receiver grants credit up to it.
    #[inline]
    fn credit(&self) -> u64 {
        0
    }

    /// Sets the credit number, if there is room.
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

    /// Returns the tag, which contains the slot of a telemetry of any kind
    /// ([`TelemetryKind`](crate::plugin::TelemetryKind)).
    #[inline]
    fn tag(&self) -> u64 {
        0
    }

    /// Sets the tag.
    #[inline]
    fn set_tag(&mut self, _tag: u64) {}

    /// Appends the header to a message for another rank. Implement this if it can be faster than
    /// the form for checkpoints, which is the default.
    #[inline]
    fn pack(&self, out: &mut Writer) {
        self.store(out);
    }

    /// Returns the header that [`Self::pack`] has written.
    ///
    /// # Errors
    /// Fails if `input` contains something else.
    #[inline]
    fn unpack(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        Self::fetch(input)
    }

    /// Copies the used part of `other`; the unused rest may keep its old values.
    #[inline]
    fn assign(&mut self, other: &Self) {
        *self = *other;
    }
}

impl Header for () {}
