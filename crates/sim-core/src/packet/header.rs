//! The part of a packet that depends on the simulation.

use crate::units::Time;

/// What a packet carries beside its own fields: the telemetry header, or nothing.
///
/// The header is the one type parameter of the network, so a simulation pays only for what it runs.
pub trait Header: Copy + Default + Send + Sync + std::fmt::Debug + 'static {
    /// Whether packets that arrive at one instant are told apart by [`Causes`], as an event list
    /// does that executes events of one time in the order in which they were set. Only models that
    /// follow such a simulator event by event need it.
    const CAUSAL: bool = false;

    /// Why the packet was sent when it was; kept where [`Self::CAUSAL`] holds.
    #[inline]
    fn causes(&self) -> Causes {
        Causes::default()
    }

    /// Reads one word of every cache line of the header, as a software prefetch. The value only keeps
    /// the loads from being optimized away.
    #[inline]
    fn touch(&self) -> u64 {
        0
    }

    /// Whether [`Self::assign`] does less than copy the whole header.
    const PARTIAL: bool = false;

    /// Becomes a copy of `other` in all that is in use; the rest may stay as it was.
    #[inline]
    fn assign(&mut self, other: &Self) {
        *self = *other;
    }

    /// Remembers why the packet was sent when it was.
    #[inline]
    fn set_causes(&mut self, _causes: Causes) {}
}

impl Header for () {}

/// Where an event stands among events of its time: by when it was set, then by when the event that
/// set it was set. In nanoseconds, cut to 32 bits.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub struct Causes {
    /// When the event was set.
    pub set: u32,
    /// When the event that set it was set.
    pub before: u32,
}

impl Causes {
    /// `time` as causes count it.
    #[inline]
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "times are cut to 32 bits")]
    pub const fn stamp(time: Time) -> u32 {
        time.as_ns() as u32
    }
}
