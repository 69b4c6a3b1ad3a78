//! Attempts to find a period: their progress and their cost.

use std::collections::BTreeMap;

use super::Search;
use super::history::History;
use crate::network::node::Node;
use crate::plugin::Model;
use fabricsim_base::checkpoint::Snapshot;
use fabricsim_base::units::{Duration, Time};
use fabricsim_engine::{LogicalProcess as _, Processes};

/// Share of failed attempts in the work of a run, as a divisor.
const SHARE: u64 = 64;
/// The largest cost of the first attempt. Costs are in messages between nodes. After a failed
/// attempt, the next one may cost as much as all failed ones together.
const FIRST: u64 = 1 << 16;
/// The cost of a short epoch, and the number of nodes that add one to it.
const EPOCH: u64 = 32;
const NODES: u64 = 4;
/// Bytes of a snapshot that cost as much as a message.
const BYTES: u64 = 32;

/// The skipped parts of a run.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Skipped {
    /// Simulated time that was skipped.
    pub time: Duration,
    /// Packet-hops that were skipped.
    pub packet_hops: u64,
    /// Number of jumps.
    pub jumps: u64,
    /// Number of failed attempts, by reason.
    pub refused: BTreeMap<String, u64>,
}

/// The search for periods.
#[derive(Debug)]
pub(in crate::network) struct FastForward {
    /// Share of failed attempts in the work of the run, as a divisor; 0 for any share.
    pub(super) share: u64,
    pub(super) phase: Phase,
    /// At the last check: started and finished flows, the last activity of applications, and the
    /// number of calls of applications that the network has yet to reach.
    pub(super) flows: (u64, u64, Time, usize),
    /// The number of messages when one of these changed.
    pub(super) since: u64,
    /// Number of messages at the beginning of the current attempt, and its other costs so far.
    pub(super) begun: u64,
    pub(super) costs: u64,
    /// The cost of attempts that have failed since the last jump.
    pub(super) lost: u64,
    /// Twice the cost of the last attempt that led to a jump.
    pub(super) enough: u64,
    /// The past of a run with applications; `None` if its states cannot be compared.
    pub(super) history: Option<Box<History>>,
    pub(in crate::network) skipped: Skipped,
}

#[derive(Debug, Default)]
pub(super) enum Phase {
    #[default]
    Idle,
    /// Looks for a period of one host.
    Host {
        host: usize,
        /// Time of the next snapshot.
        at: Time,
        anchors: u32,
        first: Option<Snapshot>,
    },
    /// Looks for a period of the network, among the multiples of a period.
    Network {
        first: Snapshot,
        period: Duration,
        periods: u32,
        /// `true` if the period is a known one of the network, so that the first snapshot may be
        /// one of a state that has not settled yet.
        known: bool,
    },
    /// Waits for `at`, to take the first snapshot after a disturbance of a known period.
    Again { at: Time, period: Duration },
}

impl Default for FastForward {
    fn default() -> Self {
        Self {
            share: SHARE,
            phase: Phase::Idle,
            flows: (0, 0, Time::ZERO, 0),
            history: Some(Box::default()),
            since: 0,
            begun: 0,
            costs: 0,
            lost: 0,
            enough: 0,
            skipped: Skipped::default(),
        }
    }
}

impl Phase {
    /// Returns the time of the next snapshot.
    pub(super) fn next(&self) -> Option<Time> {
        match self {
            Self::Idle => None,
            Self::Host { at, .. } | Self::Again { at, .. } => Some(*at),
            Self::Network {
                first,
                period,
                periods,
                ..
            } => Some(first.now() + period.saturating_mul(u64::from(*periods) + 1)),
        }
    }
}

impl FastForward {
    /// Returns the number of calls of applications that the network has yet to reach, and the time
    /// of the first one.
    pub(super) fn ahead(&self) -> (usize, Time) {
        let ahead = self.history.as_ref().map(|history| &history.ahead);
        ahead.map_or((0, Time::MAX), |ahead| {
            (ahead.len(), ahead.front().copied().unwrap_or(Time::MAX))
        })
    }

    /// Begins attempts no matter how many have failed.
    pub(in crate::network) const fn try_always(&mut self) {
        self.share = 0;
    }

    /// Takes the next snapshot of `host` just after its next event.
    pub(super) fn look_at_host<M: Model>(
        &mut self,
        processes: &Processes<'_, Node<M>>,
        host: usize,
        start: Time,
        (anchors, first): (u32, Option<Snapshot>),
    ) -> Search {
        let next = processes.process(host).next_event().max(start);
        let at = next.saturating_add(Duration::from_ps(1));
        self.phase = Phase::Host {
            host,
            at,
            anchors,
            first,
        };
        Search::Cut(at)
    }

    /// Ends the current attempt, which has failed for this reason.
    pub(super) fn fails(&mut self, messages: u64, reason: &str) {
        *self.skipped.refused.entry(reason.to_owned()).or_default() += 1;
        self.phase = Phase::Idle;
        self.lost += self.cost(messages);
        self.since = messages;
    }

    /// Returns the cost of the current attempt.
    pub(super) const fn cost(&self, messages: u64) -> u64 {
        messages - self.begun + self.costs
    }

    /// Returns the largest cost of the next attempt. All failed ones together cost less.
    pub(super) fn most(&self) -> u64 {
        let next = self.lost.next_power_of_two();
        next.max(self.enough).max(FIRST)
    }

    /// Returns `true` if the next attempt may begin.
    pub(super) fn may_begin(&self, messages: u64) -> bool {
        self.allows(self.lost + self.most(), messages)
    }

    /// Returns `true` if a loss of `cost` is a small share of the run so far, including its skipped
    /// part.
    pub(super) fn allows(&self, cost: u64, messages: u64) -> bool {
        let room = (messages + self.skipped.packet_hops).checked_div(self.share);
        room.is_none_or(|room| cost <= room + FIRST)
    }

    /// Counts the cost of a short epoch of so many `nodes`, and of a snapshot of `bytes` at its
    /// end.
    pub(super) const fn pay(&mut self, nodes: usize, bytes: usize) {
        self.costs += cost_of(nodes, bytes);
    }
}

/// Returns the cost of a short epoch of so many `nodes`, and of a snapshot of `bytes` at its end.
pub(super) const fn cost_of(nodes: usize, bytes: usize) -> u64 {
    EPOCH + nodes as u64 / NODES + bytes as u64 / BYTES
}
