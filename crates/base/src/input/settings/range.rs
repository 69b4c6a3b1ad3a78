//! The least and the most that a value can be.

/// On which side of a limit a value is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Bound {
    /// At the limit or above it.
    From,
    /// Above the limit.
    Above,
    /// At the limit or below it.
    To,
    /// Below the limit.
    Below,
}

/// One end of a range.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Limit {
    /// On which side the values are.
    pub bound: Bound,
    /// The limit as it is written in a table: `0.0`, `"64B"`.
    pub written: &'static str,
}

impl Bound {
    /// Returns whether `value` is on this side of `limit`; what cannot be compared is not.
    pub fn holds<T: PartialOrd>(self, value: &T, limit: &T) -> bool {
        match self {
            Self::From => value >= limit,
            Self::Above => value > limit,
            Self::To => value <= limit,
            Self::Below => value < limit,
        }
    }

    /// The words before the limit.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::From => "at least ",
            Self::Above => "above ",
            Self::To => "up to ",
            Self::Below => "below ",
        }
    }
}
