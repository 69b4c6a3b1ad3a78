//! The past of a run with applications: states of the network that may come back, and the calls of
//! applications since.

use std::collections::{BTreeMap, VecDeque};

use super::attempts::FastForward;
use crate::network::applications::Call;
use crate::network::node::Node;
use crate::plugin::Model;
use fabricsim_base::checkpoint::Snapshot;
use fabricsim_base::flow::Flow;
use fabricsim_base::id::FlowId;
use fabricsim_base::units::Time;
use fabricsim_engine::Processes;

/// Largest number of bytes of the states, and of calls.
const MOST_BYTES: usize = 1 << 28;
const MOST_CALLS: usize = 1 << 19;
/// The cost of a call, in messages between nodes.
const CALL: u64 = 2;
/// Number of ended flows after which the past is forgotten, because none of them has set an instant.
const SILENT: u64 = 1 << 16;

/// A state of the network in the past.
#[derive(Debug)]
pub(super) struct Past {
    pub(super) snapshot: Snapshot,
    /// Number of calls before it.
    pub(super) calls: usize,
}

/// The past of a run with applications.
#[derive(Debug, Default)]
pub(super) struct History {
    /// Flows of the source, and the time of the last change of the network or of the beginning of
    /// the run. Earlier states never come back.
    pub(super) era: (u64, Time),
    pub(super) records: bool,
    /// `true` if the states cannot be compared.
    pub(super) is_refused: bool,
    /// The host whose flows set the instants of states by their ends.
    pub(super) host: Option<usize>,
    /// The last end of a flow that has set an instant.
    seen: Time,
    /// Flows that had ended then, or after the last jump.
    pub(super) ended: u64,
    /// The instant of the next state.
    pub(super) due: Option<Time>,
    pub(super) past: Vec<Past>,
    /// The calls at each host since the first state, in the order of their times.
    pub(super) calls: Vec<(usize, Call)>,
    /// `true` if some calls are missing in it.
    has_gaps: bool,
    /// Flows that have started and not ended.
    pub(super) live: BTreeMap<FlowId, Flow>,
    /// The cost of the states since the last one that came back.
    spent: u64,
    /// Times of the calls that were made before the network has reached them.
    pub(super) ahead: VecDeque<Time>,
}

impl History {
    /// Returns `true` if so many flows have ended since the last instant that the past does not
    /// repeat. `ended` is the number of flows that have ended so far.
    pub(super) const fn is_silent(&self, ended: u64) -> bool {
        ended - self.ended > SILENT
    }

    /// Forgets the past, in a new era, after the end of so many flows. Calls are recorded from now
    /// on if `records`.
    pub(super) fn begin(&mut self, era: (u64, Time), ended: u64, records: bool) {
        *self = Self {
            era,
            ended,
            records,
            spent: self.spent,
            ahead: std::mem::take(&mut self.ahead),
            ..Self::default()
        };
    }

    /// Returns `true` if one more state may be compared: all of them together cost a small share of
    /// the run. After a break, there must be room for as many as so far.
    pub(super) fn may_look(&self, forward: &FastForward, messages: u64) -> bool {
        let next = if self.records { 0 } else { self.spent };
        forward.allows(self.spent + next, messages)
    }

    pub(super) const fn pay(&mut self, cost: u64) {
        self.spent += cost;
    }

    /// Notes that a state has come back, which pays for all others.
    pub(super) const fn pays_off(&mut self) {
        self.spent = 0;
    }

    /// Sets the instant of the next state if a flow of the host has ended since the last one. `ended`
    /// is the number of flows that have ended so far.
    pub(super) fn find_instant<M: Model>(
        &mut self,
        processes: &Processes<'_, Node<M>>,
        ended: u64,
    ) {
        if ended == self.ended {
            return;
        }
        let last_end = |node: &Node<M>| node.host()?.own_applications()?.last_end();
        if self.host.is_none() {
            self.host = processes.iter().position(|node| last_end(node).is_some());
        }
        let Some(host) = self.host else { return };
        let last = last_end(processes.process(host));
        if let Some(at) = last.filter(|&at| at > self.seen) {
            self.seen = at;
            self.ended = ended;
            // The current epoch has ended by then.
            self.due = Some(at + processes.lookahead().saturating_mul(2));
        }
    }

    /// Appends the calls of all hosts since the last time. Returns `false` if there were too many.
    pub(super) fn collect<M: Model>(&mut self, processes: &mut Processes<'_, Node<M>>) -> bool {
        let mut are_all = true;
        let mut new = Vec::new();
        let mut index = 0;
        processes.for_each(|node| {
            if let Some(host) = node.host_mut()
                && let Some(applications) = host.own_applications_mut()
            {
                let calls = applications.recorded();
                are_all &= calls.is_some();
                new.extend(calls.into_iter().flatten().map(|call| (index, call)));
            }
            index += 1;
        });
        new.sort_by_key(|&(host, ref call)| (call.at, host));
        self.append(new);
        are_all
    }

    /// Appends calls in the order of their times.
    pub(super) fn append(&mut self, new: Vec<(usize, Call)>) {
        for (_, call) in &new {
            for (flow, _) in &call.made.starts {
                self.live.insert(flow.id, *flow);
            }
            for (id, _) in call.finished() {
                self.live.remove(id);
            }
        }
        self.pay(new.len() as u64 * CALL);
        if self.calls.len() + new.len() > 2 * MOST_CALLS {
            self.has_gaps = true;
        } else if !self.past.is_empty() {
            self.calls.extend(new);
        }
    }

    /// Stores a state.
    pub(super) fn store(&mut self, snapshot: Snapshot) {
        if std::mem::take(&mut self.has_gaps) {
            self.past.clear();
            self.forget_calls();
        }
        self.past.push(Past {
            snapshot,
            calls: self.calls.len(),
        });
        let bytes: usize = self.past.iter().map(|past| past.snapshot.len()).sum();
        if bytes > MOST_BYTES {
            // Every second one, so that both long and short periods can be found.
            let mut left = self.past.len();
            self.past.retain(|_| {
                left -= 1;
                left.is_multiple_of(2)
            });
            self.forget_calls();
        }
        if self.calls.len() > MOST_CALLS {
            self.past.drain(..self.past.len() / 2);
            self.forget_calls();
        }
    }

    /// Forgets the calls before the first state.
    fn forget_calls(&mut self) {
        let first = self
            .past
            .first()
            .map_or(self.calls.len(), |past| past.calls);
        self.calls.drain(..first);
        for past in &mut self.past {
            past.calls -= first;
        }
    }
}

/// Lets all hosts record the calls of their applications, or stops it.
pub(super) fn record<M: Model>(processes: &mut Processes<'_, Node<M>>, on: bool) {
    processes.for_each(|node| {
        if let Some(host) = node.host_mut()
            && let Some(applications) = host.own_applications_mut()
        {
            applications.record(on);
        }
    });
}
