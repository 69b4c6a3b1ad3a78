//! Sets of priorities.

/// A set of the eight priorities.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Priorities(u8);

impl Priorities {
    /// Adds or removes `priority`.
    #[inline]
    pub const fn set(&mut self, priority: u8, present: bool) {
        if present {
            self.0 |= 1 << priority;
        } else {
            self.0 &= !(1 << priority);
        }
    }

    /// Whether `priority` is in the set.
    #[inline]
    #[must_use]
    pub const fn contains(self, priority: u8) -> bool {
        self.0 >> priority & 1 != 0
    }

    /// Whether no priority is in the set.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The set as a mask, bit `i` for priority `i`.
    #[inline]
    #[must_use]
    pub const fn mask(self) -> u8 {
        self.0
    }
}
