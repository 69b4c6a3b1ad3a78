//! The state of a network that can be read between two steps.

use std::collections::BTreeMap;

use super::callback::Stop;
use super::counters::Counters;
use super::deadlock::BlockedPort;
use super::host::Host;
use super::meter::PortSample;
use super::node::Node;
use super::switch::Switch;
use super::switch::plan::EpochPlan;

use super::{Network, deadlock};
use crate::plugin::{
    BufferUse, ClassActivity, Endpoint, EndpointCounters, LiveFlow, LivePart, Model, QueueReport,
    Unfinished,
};
use fabricsim_base::checkpoint::Stored;
use fabricsim_base::flow::{Completion, FlowRequest};
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::ranks::gather;
use fabricsim_base::units::{Bytes, Time};

impl<M: Model> Network<M> {
    /// Returns the time before which all events have been executed.
    #[must_use]
    pub fn now(&self) -> Time {
        let steered = self.engine.steered_to().unwrap_or(Time::ZERO);
        self.engine.now().max(self.reached).max(steered)
    }

    /// Returns the earliest time at which flows and applications can be added: now, or the end of
    /// the current epoch if a steered run has returned in the middle of it.
    #[must_use]
    pub fn frontier(&self) -> Time {
        self.engine.frontier().max(self.reached)
    }

    /// Returns the time at which the run ended: its end time if that was reached, otherwise the
    /// time of the last event.
    #[must_use]
    pub fn ended(&self) -> Time {
        match self.stop {
            Stop::TimeReached | Stop::Interrupted => self.now(),
            Stop::Finished
            | Stop::Stalled
            | Stop::Deadlocked
            | Stop::Horizon
            | Stop::Overloaded(_) => {
                let here = self.engine.processes().map(|(_, node)| node.last_event());
                let here = here.max().unwrap_or(Time::ZERO);
                self.gathered(here).into_iter().max().unwrap_or(here)
            }
        }
    }

    /// Returns the slowest plan of a switch of this rank: see [`EpochPlan`].
    #[must_use]
    pub fn epoch_plan(&self) -> EpochPlan {
        let plans = self.engine.processes().filter_map(|(_, node)| match node {
            Node::Switch(switch) => Some(switch.plan()),
            Node::Host(_) | Node::Forwarder(_) => None,
        });
        plans
            .min_by_key(|plan| plan.order)
            .unwrap_or(EpochPlan::FASTEST)
    }

    /// Returns samples of `ports` at the current time, in their order. They are exact after
    /// [`Self::synchronize`].
    ///
    /// # Panics
    /// Panics if there is no such port.
    #[must_use]
    pub fn ports(&self, ports: &[(NodeId, PortId)]) -> Vec<PortSample> {
        let now = self.now();
        let here = ports.iter().map(|&(node, port)| {
            let node = self.engine.process(node.index());
            node.map(|node| node.sample(now, port))
        });
        let mut all = self.gathered(here.collect::<Vec<_>>());
        let sample = |place: usize| {
            let of_rank = all.iter_mut().find_map(|rank| rank[place].take());
            of_rank.expect("each node is on a rank")
        };
        (0..ports.len()).map(sample).collect()
    }

    /// Returns the statistics of all switch queues with their own disciplines, in the order of
    /// nodes, ports and priorities.
    #[must_use]
    pub fn queue_reports(&self) -> Vec<(NodeId, PortId, QueueReport)> {
        let mut here = Vec::new();
        for switch in self.switches() {
            switch.for_each_report(&mut |port, report| {
                here.push((switch.id(), port, report.clone()));
            });
        }
        self.in_order(here, |(node, _, _)| *node)
    }

    /// Returns the largest use of each switch's buffer so far, in the order of nodes, as far as the
    /// buffers know it.
    #[must_use]
    pub fn buffer_uses(&self) -> Vec<(NodeId, BufferUse)> {
        let uses = self.switches().filter_map(|switch| {
            let largest = switch.largest_use()?;
            Some((switch.id(), largest))
        });
        self.in_order(uses.collect(), |(node, _)| *node)
    }

    /// Calls `visit` with all live flows, in any order. Rates, windows and round-trip times are the
    /// ones of the hosts that send the bytes.
    pub fn for_each_live(&self, mut visit: impl FnMut(&LiveFlow)) {
        let mut fetched = Vec::new();
        let mut serving = BTreeMap::new();
        self.for_each_part(|part| match *part {
            LivePart::Sent(live) => visit(&live),
            LivePart::Fetched(live, connection) => fetched.push((live, connection)),
            LivePart::Serving(connection, rate, window, round_trip) => {
                serving.insert(connection, (rate, window, round_trip));
            }
        });
        for (mut live, connection) in fetched {
            if let Some(&served) = serving.get(&connection) {
                (live.rate, live.window, live.round_trip) = served;
            }
            visit(&live);
        }
    }

    /// Calls `visit` with the parts of live flows that the hosts of all ranks know.
    fn for_each_part(&self, mut visit: impl FnMut(&LivePart)) {
        if self.engine.shares().is_none() {
            for host in self.hosts() {
                host.endpoint().for_each_live(&mut visit);
            }
            return;
        }
        let mut here = Vec::new();
        for host in self.hosts() {
            (host.endpoint()).for_each_live(&mut |part: &LivePart| here.push(*part));
        }
        self.gathered(here).iter().flatten().for_each(visit);
    }

    /// Returns the number of epochs so far.
    #[must_use]
    pub const fn epochs(&self) -> u64 {
        self.engine.epochs()
    }

    /// Returns the number of flows handed to their hosts so far: all due flows except unreachable
    /// ones.
    #[must_use]
    pub const fn flows_started(&self) -> u64 {
        self.state.started()
    }

    /// Returns the number of flows that have ended so far.
    #[must_use]
    pub const fn flows_finished(&self) -> u64 {
        self.state.finished
    }

    /// Returns and clears the completions that no callback has removed, in the order of (finish,
    /// flow).
    pub fn take_completions(&mut self) -> Vec<Completion> {
        std::mem::take(&mut self.state.completions)
    }

    /// Returns the flows without a route to their destination.
    #[must_use]
    pub fn unreachable(&self) -> &[FlowRequest] {
        &self.state.unreachable
    }

    /// Returns the flows that have started or were about to, and have not ended, in the order of
    /// their numbers.
    #[must_use]
    pub fn unfinished(&self) -> Vec<Unfinished> {
        let mut flows = Vec::new();
        for host in self.hosts() {
            let mut own = host.endpoint().unfinished();
            for flow in &mut own {
                if host.is_paused() {
                    flow.reason
                        .push_str("; its NIC is paused by the switch (PFC)");
                }
                if host.is_cut() {
                    flow.reason.push_str("; a link of its host is down");
                }
            }
            flows.append(&mut own);
            flows.extend(
                host.waiting()
                    .map(|flow| Unfinished::new(flow, Bytes::ZERO, "has not started".to_owned())),
            );
            flows.extend(host.held().map(|(id, &request)| Unfinished {
                id,
                request,
                acknowledged: Bytes::ZERO,
                reason: "has not started, and waits for a route".to_owned(),
            }));
        }
        self.in_order(flows, |unfinished| unfinished.id)
    }

    /// Describes the event for which each unfinished application waits, in the order of hosts.
    #[must_use]
    pub fn applications_wait_for(&self) -> Vec<(NodeId, String)> {
        let waits = self.hosts().flat_map(|host| {
            let reasons = host.applications_wait_for().into_iter();
            reasons.map(|reason| (host.id(), reason))
        });
        self.in_order(waits.collect(), |(host, _)| *host)
    }

    /// Sends `here` to all ranks, and returns the values of all ranks.
    fn gathered<T: Stored>(&self, here: T) -> Vec<T> {
        gather(self.engine.shares().map(|shares| &*shares.ranks), here)
    }

    /// Returns the elements of all ranks in the order of `key`; `here` are the elements of this
    /// rank.
    fn in_order<T: Stored, K: Ord>(&self, here: Vec<T>, key: fn(&T) -> K) -> Vec<T> {
        in_order(self.gathered(here), key)
    }

    /// Returns the hosts of this rank.
    pub(super) fn hosts(&self) -> impl Iterator<Item = &Host<M>> {
        self.engine.processes().filter_map(|(_, node)| node.host())
    }

    /// Returns the switches of this rank, and the ones inside of hosts that forward.
    pub(super) fn switches(&self) -> impl Iterator<Item = &Switch<M>> {
        (self.engine.processes()).filter_map(|(_, node)| node.switch())
    }

    /// Returns the sum of the counters of all nodes.
    #[must_use]
    pub fn counters(&self) -> Counters {
        let mut here = Counters::default();
        for (_, node) in self.engine.processes() {
            here += node.counters();
        }
        let mut sum = Counters::default();
        self.gathered(here).into_iter().for_each(|rank| sum += rank);
        sum
    }

    /// Returns the sum of the counters of all hosts' transports.
    #[must_use]
    pub fn endpoint_counters(&self) -> EndpointCounters {
        let mut here = EndpointCounters::default();
        for host in self.hosts() {
            here += host.endpoint().counters();
        }
        let mut sum = EndpointCounters::default();
        self.gathered(here).into_iter().for_each(|rank| sum += rank);
        sum
    }

    /// Returns the activity of congestion control at all hosts until [`Self::ended`], by class.
    #[must_use]
    pub fn cc_activity(&self) -> ClassActivity {
        let now = self.ended();
        let mut here = ClassActivity::default();
        for host in self.hosts() {
            here += host.endpoint().activity(now);
        }
        let mut sum = ClassActivity::default();
        self.gathered(here).into_iter().for_each(|rank| sum += rank);
        sum
    }

    /// Returns the bytes in the queues of all switches now.
    #[must_use]
    pub fn queued_bytes(&self) -> Bytes {
        let here: u64 = self.switches().map(Switch::queued).sum();
        Bytes::new(self.gathered(here).into_iter().sum())
    }

    /// Returns the number of switch ports that a neighbor has paused.
    #[must_use]
    pub fn paused_ports(&self) -> usize {
        let ports = |switch: &Switch<M>| switch.paused_ports().count();
        let here: usize = self.switches().map(ports).sum();
        self.gathered(here).into_iter().sum()
    }

    /// Returns the switch ports of a PFC deadlock, or an empty vector. Each port waits for the next
    /// one, and the last for the first. Such ports never resume: the packets that their neighbors
    /// must send first wait at ports that are deadlocked themselves.
    #[must_use]
    pub fn deadlock(&self) -> Vec<BlockedPort> {
        let ranks = self.engine.shares().map(|shares| &*shares.ranks);
        deadlock::find(&self.switches().collect::<Vec<_>>(), &self.wiring, ranks)
    }
}

/// Joins `parts` in the order of `key`. A free function, so that it is compiled for each kind of
/// element and not for each kind of network.
fn in_order<T, K: Ord>(parts: Vec<Vec<T>>, key: fn(&T) -> K) -> Vec<T> {
    let mut all: Vec<T> = parts.into_iter().flatten().collect();
    all.sort_by_key(key);
    all
}
