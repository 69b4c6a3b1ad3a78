//! Counters and lists of the flows of a run.

use std::sync::Arc;

use super::fast_forward::FastForward;
use super::watch_schedule::WatchSchedule;
use crate::network::Overload;
use crate::network::applications::AppNetwork;
use crate::network::health::Health;
use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::flow::{Completion, FlowRequest};
use fabricsim_base::units::{Bytes, Duration, Time};

/// State of the flows outside the hosts; it lives as long as the network.
#[derive(Checkpointed, Debug)]
#[checkpoint(plain)]
pub(in crate::network) struct FlowState {
    /// Number of flows of the source that were due; each has its number.
    pub(in crate::network) numbered: u64,
    /// Number of flows of the source that never end.
    pub(in crate::network) endless: u64,
    /// Number of flows of applications that were due.
    pub(in crate::network) by_applications: u64,
    /// State shared by the hosts in a network with applications.
    #[checkpoint(elsewhere)]
    pub(in crate::network) applications: Option<Arc<AppNetwork>>,
    /// Number of pending timers and flows of applications.
    pub(in crate::network) pending: u64,
    /// The reason why applications make the run end; `None` if they do not.
    pub(in crate::network) overload: Option<Overload>,
    pub(in crate::network) finished: u64,
    /// Flows between hosts without a route.
    pub(in crate::network) unreachable: Vec<FlowRequest>,
    /// Completions in the order of (finish, flow), not yet collected by the user.
    pub(in crate::network) completions: Vec<Completion>,
    /// Time at which the number of acknowledged bytes was last seen to change.
    pub(in crate::network) progress_at: Time,
    pub(in crate::network) acknowledged: Bytes,
    /// Number of checks since then that found events, but no progress.
    pub(in crate::network) vain_looks: u32,
    pub(in crate::network) health: Health,
    #[checkpoint(elsewhere)]
    pub(in crate::network) schedule: WatchSchedule,
    /// Time at which the last flow ended or an unreachable flow was to start.
    pub(in crate::network) settled: Time,
    /// A time before which the run cannot be over, because one of the started flows takes longer
    /// even at the highest rate.
    #[checkpoint(elsewhere)]
    pub(in crate::network) not_over_before: Time,
    /// The highest rate of a host in bit/s, computed on first use.
    #[checkpoint(elsewhere)]
    pub(in crate::network) fastest: Option<u64>,
    /// All nodes have executed all events before this time, including nodes that run lazily.
    pub(in crate::network) level: Time,
    /// The end of the last epoch.
    pub(in crate::network) ran: Time,
    /// The search for periods to skip; `None` if nothing is skipped.
    #[checkpoint(elsewhere)]
    pub(in crate::network) forward: Option<Box<FastForward>>,
}

impl FlowState {
    /// Returns the state before the first flow. A run ends as stalled after `stall_after` without
    /// progress.
    pub(in crate::network) fn new(stall_after: Duration) -> Self {
        Self {
            numbered: 0,
            endless: 0,
            by_applications: 0,
            applications: None,
            pending: 0,
            overload: None,
            finished: 0,
            unreachable: Vec::new(),
            completions: Vec::new(),
            progress_at: Time::ZERO,
            acknowledged: Bytes::ZERO,
            vain_looks: 0,
            health: Health::new(stall_after),
            schedule: WatchSchedule::default(),
            settled: Time::ZERO,
            not_over_before: Time::ZERO,
            fastest: None,
            level: Time::ZERO,
            ran: Time::ZERO,
            forward: None,
        }
    }

    /// Returns `true` if all flows that are not endless have ended. A run with only endless flows
    /// continues.
    pub(in crate::network) const fn has_ended(&self) -> bool {
        let others = self.numbered + self.by_applications > self.endless;
        self.started() - self.finished == self.endless && (others || self.endless == 0)
    }

    /// Returns the number of flows handed to their hosts.
    pub(in crate::network) const fn started(&self) -> u64 {
        self.numbered + self.by_applications - self.unreachable.len() as u64
    }
}
