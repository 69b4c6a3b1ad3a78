//! The stamps that packets carry where events of one time are ordered by the times at which they
//! were set.

use super::header::Header;
use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::Time;

/// The place of an event among events of its time: by when it was set, then by when the event that
/// set it was set. In nanoseconds, cut to 32 bits.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd, Stored)]
pub struct Stamps {
    /// Time at which the event was set.
    pub set: u32,
    /// Time at which the event that set it was set.
    pub before: u32,
}

impl Stamps {
    /// Returns `time` as stamps count it.
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
