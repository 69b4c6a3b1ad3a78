//! Limits on the state that a run keeps in memory before it ends.

use std::fmt;

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::id::NodeId;
use fabricsim_base::limits::{MAX_LIVE_FLOWS, MAX_TIMERS_AT_ONCE, MAX_WAITING_ACKS};

/// Limits that protect the machine's memory from runs that can never catch up: flows that start
/// faster than they end, or a host at which data arrives faster than it can send acknowledgements.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Room {
    /// Maximum number of live flows, including flows that start in the same epoch.
    pub live_flows: u64,
    /// Maximum number of acknowledgements that wait at one host. Hosts are checked every
    /// millisecond of simulated time, later on less often.
    pub waiting_acks: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self {
            live_flows: MAX_LIVE_FLOWS,
            waiting_acks: MAX_WAITING_ACKS,
        }
    }
}

/// Limit that a run has reached or exceeded.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Stored)]
#[checkpoint(plain)]
pub enum Overload {
    /// The number of live flows is at [`Room::live_flows`], and another flow was due.
    Flows(u64),
    /// More acknowledgements wait at a host than [`Room::waiting_acks`].
    Acks {
        /// The host.
        host: NodeId,
        /// Number of waiting acknowledgements.
        waiting: usize,
    },
    /// No flow numbers are left for this host, or for workloads if it is `None`.
    FlowNumbers(Option<NodeId>),
    /// The timers of an application at this host expire endlessly at the same time.
    EndlessTimers(NodeId),
}

impl fmt::Display for Overload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flows(live) => write!(
                f,
                "{live} flows are under way, and a run keeps no more: they start faster than the \
                 network carries them"
            ),
            Self::Acks { host, waiting } => write!(
                f,
                "{waiting} acknowledgements wait at host {host}, more than a run keeps: data arrive \
                 there faster than its links take the ACKs away"
            ),
            Self::FlowNumbers(None) => f.write_str(
                "the workloads have started as many flows as there are numbers for in one run",
            ),
            Self::FlowNumbers(Some(host)) => write!(
                f,
                "the applications at host {host} have started as many flows as there are numbers \
                 for at one host"
            ),
            Self::EndlessTimers(host) => write!(
                f,
                "an application at host {host} has set {MAX_TIMERS_AT_ONCE} timers that go off at \
                 one instant, one after the other; give them a delay"
            ),
        }
    }
}
