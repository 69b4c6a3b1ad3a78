//! Calls of applications: records of what they requested, which a skipped period repeats.

use std::collections::{BTreeMap, VecDeque};

use super::Applications;
use crate::plugin::{PortFactor, Received};
use fabricsim_base::checkpoint::Recurrence;
use fabricsim_base::flow::{Completion, Flow, numbers_of};
use fabricsim_base::id::{FlowId, NodeId, PortId};
use fabricsim_base::units::{Bytes, Duration, Time};

/// Number of calls that one host records.
const MOST_CALLS: usize = 1 << 12;

/// An event at a host in which it calls its applications.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) struct Call {
    pub(in crate::network) at: Time,
    pub(in crate::network) cause: Cause,
    pub(in crate::network) made: Made,
}

/// The cause of a call.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::network) enum Cause {
    /// The host's timer for due requests.
    Due,
    /// A packet, or a deadline of the transport.
    Network {
        /// The flows that end, with their retransmitted bytes.
        finished: Vec<(FlowId, Bytes)>,
        /// The delivered data, with the address of the sender.
        received: Option<(NodeId, Received)>,
    },
}

/// The requests of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::network) struct Made {
    /// Flows that start, with their NIC ports.
    pub(in crate::network) starts: Vec<(Flow, PortId)>,
    /// The time to which the host's timer for due requests was set.
    pub(in crate::network) armed: Option<Time>,
    /// The new factor of the ports' transmission times, if it changes.
    pub(in crate::network) factor: Option<PortFactor>,
}

/// The distance between a recorded period and its repetition.
#[derive(Clone, Debug)]
pub(in crate::network) struct Shift {
    pub(in crate::network) time: Duration,
    /// The distance of the positions of each flow, and of the flow numbers of each host.
    pub(in crate::network) flows: BTreeMap<u32, u64>,
}

impl Shift {
    /// Adds one more period of `found`.
    pub(in crate::network) fn add(&mut self, found: &Recurrence) {
        self.time = self.time + found.period;
        for (&flow, step) in &found.flows {
            let own = self.flows.entry(flow).or_default();
            *own = own.wrapping_add(*step);
        }
    }

    fn of(&self, flow: u32) -> u64 {
        self.flows.get(&flow).copied().unwrap_or(0)
    }

    /// Returns the number in the repetition of the flow that a host had numbered `id`.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "flows are numbered by 32 bits"
    )]
    pub(in crate::network) fn id(&self, host: NodeId, id: FlowId) -> FlowId {
        FlowId(id.0.wrapping_add(self.of(numbers_of(host)) as u32))
    }

    fn flow(&self, flow: &Flow) -> Flow {
        let mut flow = *flow;
        flow.id = self.id(flow.request.src, flow.id);
        flow.request.start += self.time;
        if let Some(place) = &mut flow.stream {
            place.from = place.from.wrapping_add(self.of(place.connection.0));
        }
        flow
    }

    /// Returns the cause in the repetition of a call of `host`.
    pub(in crate::network) fn cause(&self, host: NodeId, cause: &Cause) -> Cause {
        let Cause::Network { finished, received } = cause else {
            return Cause::Due;
        };
        let ids = finished
            .iter()
            .map(|&(id, again)| (self.id(host, id), again));
        Cause::Network {
            finished: ids.collect(),
            received: received.map(|(src, received)| (src, self.received(src, received))),
        }
    }

    fn received(&self, src: NodeId, received: Received) -> Received {
        match received {
            Received::Flow(id) => Received::Flow(self.id(src, id)),
            Received::Stream { connection, until } => Received::Stream {
                connection,
                until: until.wrapping_add(self.of(connection.0)),
            },
        }
    }

    /// Returns `true` if `made` repeats the `recorded` requests.
    pub(in crate::network) fn repeats(&self, recorded: &Made, made: &Made) -> bool {
        let armed = recorded.armed.map(|at| at.saturating_add(self.time));
        let starts = recorded
            .starts
            .iter()
            .map(|(flow, nic)| (self.flow(flow), *nic));
        armed == made.armed
            && recorded.factor == made.factor
            && starts.eq(made.starts.iter().copied())
    }
}

impl Cause {
    /// Returns the cause of a call after the end of the flows `ended` and the delivery of
    /// `received`.
    pub(in crate::network) fn network(
        ended: &[Completion],
        received: Option<(NodeId, Received)>,
    ) -> Self {
        let finished = ended.iter().map(|done| (done.flow.id, done.retransmitted));
        Self::Network {
            finished: finished.collect(),
            received,
        }
    }
}

/// Records of calls, and calls that were made before the network has reached their time.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// The calls since the last time they were taken; `None` if nobody needs them.
    pub(super) recorded: Option<Vec<Call>>,
    /// Time of the last recorded call at the end of a flow.
    pub(super) last_end: Option<Time>,
    /// Calls of the future.
    pub(super) made: VecDeque<Call>,
}

impl Applications {
    /// Begins or ends to record calls.
    pub(in crate::network) fn record(&mut self, on: bool) {
        (self.calls.recorded, self.calls.last_end) = (on.then(Vec::new), None);
    }

    /// Returns the recorded calls since the last time, or `None` if there were too many.
    pub(in crate::network) fn recorded(&mut self) -> Option<Vec<Call>> {
        let recorded = std::mem::take(self.calls.recorded.as_mut()?);
        (recorded.len() < MOST_CALLS).then_some(recorded)
    }

    /// Returns the time of the last recorded call at the end of a flow.
    pub(in crate::network) const fn last_end(&self) -> Option<Time> {
        self.calls.last_end
    }

    /// Adds a call that was made before the network has reached its time.
    pub(in crate::network) fn foresee(&mut self, call: Call) {
        self.calls.made.push_back(call);
    }

    /// Returns `true` if calls of the future were made. Until then, no call is made.
    pub(in crate::network) fn foresees(&self) -> bool {
        !self.calls.made.is_empty()
    }

    /// Removes and returns the first call that was made before its time if it is for `now` and for
    /// this cause.
    pub(in crate::network) fn foreseen(&mut self, now: Time, cause: &Cause) -> Option<Call> {
        let first = self.calls.made.front()?;
        debug_assert!(first.at >= now, "the network does what was recorded");
        if first.at == now && first.cause == *cause {
            self.calls.made.pop_front()
        } else {
            None
        }
    }

    /// Records a call, if calls are recorded.
    pub(in crate::network) fn note(&mut self, call: Call) {
        if let Some(recorded) = &mut self.calls.recorded
            && recorded.len() < MOST_CALLS
        {
            if !call.finished().is_empty() {
                self.calls.last_end = Some(call.at);
            }
            recorded.push(call);
        }
    }

    /// Returns `true` if calls are recorded.
    pub(in crate::network) const fn records(&self) -> bool {
        self.calls.recorded.is_some()
    }
}

impl Call {
    /// Returns the flows that end, with their retransmitted bytes.
    pub(in crate::network) fn finished(&self) -> &[(FlowId, Bytes)] {
        match &self.cause {
            Cause::Due => &[],
            Cause::Network { finished, .. } => finished,
        }
    }
}
