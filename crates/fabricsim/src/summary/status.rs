//! Ends of runs.

use serde::{Deserialize, Serialize};

use super::FlowCounts;

/// Reason why a run ended.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// All flows have ended.
    Finished,
    /// The scenario's `stop_at` came before all flows had ended.
    TimeReached,
    /// Flows are left and nothing moves.
    Stalled,
    /// Switch ports have a cyclic buffer dependency: a PFC deadlock.
    Deadlocked,
    /// Flows are left that start, or go on, after more than 53 days of simulated time.
    BeyondHorizon,
    /// There was more to remember than a run keeps.
    Overloaded,
    /// Somebody stopped it; the results are partial.
    Interrupted,
}

impl Status {
    /// The name in `summary.json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::TimeReached => "time-reached",
            Self::Stalled => "stalled",
            Self::Deadlocked => "deadlocked",
            Self::BeyondHorizon => "beyond-horizon",
            Self::Overloaded => "overloaded",
            Self::Interrupted => "interrupted",
        }
    }
    /// Returns `true` if flows are left that can never finish: nothing moves them any more, or no
    /// route led to their destinations when they were due, however the run ended.
    #[must_use]
    pub const fn leaves_flows(self, flows: &FlowCounts) -> bool {
        match self {
            Self::Stalled | Self::Deadlocked | Self::BeyondHorizon | Self::Overloaded => true,
            Self::Finished | Self::TimeReached => flows.unreachable > 0,
            Self::Interrupted => false,
        }
    }
}
