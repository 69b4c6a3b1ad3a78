//! The limits of a value.

/// The side of a limit on which values are allowed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Bound {
    /// Values at the limit or above it.
    From,
    /// Values above the limit.
    Above,
    /// Values at the limit or below it.
    To,
    /// Values below the limit.
    Below,
}

/// One end of a range.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Limit {
    /// The side on which values are allowed.
    pub bound: Bound,
    /// The limit as written in a table: `0.0`, `"64B"`.
    pub written: &'static str,
}

impl Bound {
    /// Returns `true` if `value` is on this side of `limit`, and `false` if they cannot be
    /// compared.
    pub fn holds<T: PartialOrd>(self, value: &T, limit: &T) -> bool {
        match self {
            Self::From => value >= limit,
            Self::Above => value > limit,
            Self::To => value <= limit,
            Self::Below => value < limit,
        }
    }

    /// Returns the words before the limit.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::From => "at least ",
            Self::Above => "above ",
            Self::To => "up to ",
            Self::Below => "below ",
        }
    }
}
