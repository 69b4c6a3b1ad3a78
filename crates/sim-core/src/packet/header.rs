//! The part of a packet that depends on the simulation.

use crate::checkpoint::Stored;

/// The part of a packet beside its own fields, or one slot of it.
///
/// The header is the one type parameter of a packet, so a simulation pays only for what it runs.
pub trait Header: Copy + Default + Send + Stored + Sync + std::fmt::Debug + 'static {
    /// Whether [`Self::assign`] does less than copy the whole header.
    const PARTIAL: bool = false;

    /// Reads one word of every cache line of the header, as a software prefetch. The value only
    /// keeps the loads from being optimized away.
    #[inline]
    fn touch(&self) -> u64 {
        0
    }

    /// Returns whether switches write telemetry into a data packet only where it has
    /// [`Flags::PROBE`](super::Flags::PROBE). Without it they write into every one.
    #[inline]
    fn is_probed(&self) -> bool {
        false
    }

    /// Becomes a copy of `other` in all that is in use; the rest may stay as it was.
    #[inline]
    fn assign(&mut self, other: &Self) {
        *self = *other;
    }
}

impl Header for () {}
