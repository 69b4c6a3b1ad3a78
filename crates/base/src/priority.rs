//! Priorities of packets.

mod set;

use crate::checkpoint::Stored;
use std::fmt;

pub use set::{PriorityIter, PrioritySet};

/// One of the eight priorities of a packet. Priority 0 is for control frames, which are served
/// first and never paused; 1 to 7 are for flows and their ACKs.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(try_from = "u8", into = "u8")
)]
#[derive(Stored)]
pub struct Priority(u8);

impl Priority {
    /// The number of priorities, and so the length of tables that are indexed by
    /// [`Priority::index`].
    pub const COUNT: usize = 8;

    /// The priority of control frames.
    pub const CONTROL: Self = Self(0);

    /// Returns priority `number`. Use `Priority::try_from` for numbers that a user has chosen.
    ///
    /// # Panics
    /// Panics if `number` is not 0 to 7.
    #[must_use]
    pub const fn new(number: u8) -> Self {
        assert!(number < 8, "priorities are 0 to 7");
        Self(number)
    }

    /// Returns the priority in the three lowest `bits`.
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & 7)
    }

    /// Returns all priorities in ascending order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..8).map(Self)
    }

    /// Returns the number, 0 to 7.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u8 {
        self.0
    }

    /// Returns the index in tables of [`Priority::COUNT`] entries.
    // The mask avoids the bounds check for tables of eight entries.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        (self.0 & 7) as usize
    }

    /// Returns `true` for the priority of control frames, which flows cannot have.
    #[inline]
    #[must_use]
    pub const fn is_control(self) -> bool {
        self.0 == 0
    }
}

impl From<Priority> for u8 {
    fn from(priority: Priority) -> Self {
        priority.0
    }
}

/// The error for a number above 7.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct NoSuchPriority(u8);

impl fmt::Display for NoSuchPriority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no priority {}", self.0)
    }
}

impl std::error::Error for NoSuchPriority {}

impl TryFrom<u8> for Priority {
    type Error = NoSuchPriority;

    fn try_from(number: u8) -> Result<Self, NoSuchPriority> {
        match number {
            0..=7 => Ok(Self(number)),
            _ => Err(NoSuchPriority(number)),
        }
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_eight_priorities() {
        let indices: Vec<usize> = Priority::all().map(Priority::index).collect();
        assert_eq!(indices, (0..Priority::COUNT).collect::<Vec<_>>());
        assert!(Priority::all().eq((0..8).map(Priority::new)));
        assert_eq!(Priority::try_from(7), Ok(Priority::new(7)));
        let error = Priority::try_from(8).expect_err("refused");
        assert_eq!(error.to_string(), "there is no priority 8");
        assert!(Priority::CONTROL.is_control() && !Priority::new(1).is_control());
    }
}
