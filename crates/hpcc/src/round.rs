//! The two kinds of updates of HPCC's rule.

/// Position of an acknowledgement in its round trip. At the first one (`updateWc` in the paper),
/// the reference of the rule changes to the new rate.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Round {
    /// A round trip has passed since the last commit.
    New,
    /// The reference was already committed in this round trip.
    Same,
}

impl Round {
    /// Returns the round of an acknowledgement of all bytes below `cumulative`. `next_commit` is
    /// the `snd_nxt` at the last commit.
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
