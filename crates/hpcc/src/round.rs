//! The two kinds of updates of HPCC's rule.

/// Whether an acknowledgement is the first one of a round trip (`updateWc` in the paper): then the
/// reference of the rule moves to the new rate.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Round {
    /// A round trip has passed since the last commit.
    New,
    /// The reference was committed in this round trip.
    Same,
}

impl Round {
    /// Returns the round of an acknowledgement of all bytes below `cumulative`, when `next_commit`
    /// is the byte that was next to be sent at the last commit.
    #[inline]
    #[must_use]
    pub const fn of(cumulative: u64, next_commit: u64) -> Self {
        if cumulative > next_commit {
            Self::New
        } else {
            Self::Same
        }
    }
}
