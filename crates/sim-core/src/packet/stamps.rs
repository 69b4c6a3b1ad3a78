//! The stamps of packets, for models that order simultaneous events by the times at which they were
//! set.

use super::header::Header;
use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::Time;

/// The order of an event among events of the same time. Events are sorted by the time at which they
/// were set, then by the time at which their cause was set. Both times are in nanoseconds,
/// truncated to 32 bits.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd, Stored)]
#[checkpoint(plain)]
pub struct Stamps {
    /// Time at which the event was set.
    pub set: u32,
    /// Time at which the cause, the event that set the event, was set.
    pub before: u32,
}

impl Stamps {
    /// Returns `time` in the units of stamps.
    #[inline]
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "times are cut to 32 bits")]
    pub const fn of(time: Time) -> u32 {
        time.as_ns() as u32
    }
}

impl Header for Stamps {
    const STAMPED: bool = true;

    #[inline]
    fn stamps(&self) -> Stamps {
        *self
    }

    #[inline]
    fn set_stamps(&mut self, stamps: Stamps) {
        *self = stamps;
    }
}
