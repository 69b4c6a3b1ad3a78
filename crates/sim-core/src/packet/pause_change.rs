//! The two messages of priority-based flow control.

use fabricsim_base::checkpoint::Stored;

/// Action requested by a priority-based flow control frame.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
pub enum PauseChange {
    /// Stop sending.
    Pause,
    /// Resume sending.
    Resume,
}

impl PauseChange {
    /// Returns the word in `pauses.csv`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pause => "pause",
            Self::Resume => "resume",
        }
    }
}
