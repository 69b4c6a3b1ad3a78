//! Ends of runs.

use serde::{Deserialize, Serialize};

use super::FlowCounts;

/// Reason why a run ended.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// All flows have ended.
    Finished,
    /// The run reached the scenario's `stop_at` before all flows had ended.
    TimeReached,
    /// Unfinished flows are left, but no packet moves.
    Stalled,
    /// Switch ports have a cyclic buffer dependency: a PFC deadlock.
    Deadlocked,
    /// Flows are left that start, or continue, after more than 53 days of simulated time.
    BeyondHorizon,
    /// The simulation had more packets and events in flight than a run can store.
    Overloaded,
    /// The user stopped it; the results are partial.
    Interrupted,
}

impl Status {
    /// Returns the name in `summary.json`.
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
    /// Returns `true` if flows are left that can never finish: no event can advance them, or no
    /// route led to their destinations when they were due.
    #[must_use]
    pub const fn leaves_flows(self, flows: &FlowCounts) -> bool {
        match self {
            Self::Stalled | Self::Deadlocked | Self::BeyondHorizon | Self::Overloaded => true,
            Self::Finished | Self::TimeReached => flows.unreachable > 0,
            Self::Interrupted => false,
        }
    }
}
