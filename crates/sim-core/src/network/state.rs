//! The state of a network that can be read between two steps.

use super::callback::Stop;
use super::counters::Counters;
use super::deadlock::BlockedPort;
use super::host::Host;
use super::meter::PortSample;
use super::node::Node;
use super::switch::Switch;

use super::{Network, deadlock};
use crate::flow::{Completion, FlowRequest};
use crate::id::{NodeId, PortId};
use crate::plugin::{Endpoint, EndpointCounters, LiveFlow, Model, QueueReport, Unfinished};
use crate::units::{Bytes, Time};

impl<M: Model> Network<M> {
    /// Everything before this instant has happened.
    #[must_use]
    pub fn now(&self) -> Time {
        let steered = self.engine.steered_to().unwrap_or(Time::ZERO);
        self.engine.now().max(self.reached).max(steered)
    }

    /// The earliest time at which flows and applications can be added: now, or the end of the epoch
    /// in whose middle a steered run has come back.
    #[must_use]
    pub fn frontier(&self) -> Time {
        self.engine.frontier().max(self.reached)
    }

    /// Returns when the run ended: the time that it was asked to reach, or that of the last event
    /// when it came back for want of something to do.
    #[must_use]
    pub fn ended(&self) -> Time {
        match self.stop {
            Stop::TimeReached | Stop::Interrupted => self.now(),
            Stop::Finished
            | Stop::Stalled
            | Stop::Deadlocked
            | Stop::Horizon
            | Stop::Overloaded(_) => {
                let last = self.engine.processes().map(Node::last_event);
                last.max().unwrap_or(Time::ZERO)
            }
        }
    }

    /// Returns a sample of port `port` of `node` at the current time, which is exact after
    /// [`Self::synchronize`].
    ///
    /// # Panics
    /// When there is no such port.
    #[must_use]
    pub fn port(&self, node: NodeId, port: PortId) -> PortSample {
        self.engine.process(node.index()).sample(self.now(), port)
    }

    /// Shows what the queues of switch ports with rules of their own have done so far to `visit`,
    /// in the order of nodes, ports and priorities.
    pub fn for_each_queue_report(&self, mut visit: impl FnMut(NodeId, PortId, &QueueReport)) {
        for (index, node) in self.engine.processes().enumerate() {
            if let Node::Switch(switch) = node {
                let id = NodeId::from_index(index);
                switch.for_each_report(&mut |port, report| visit(id, port, report));
            }
        }
    }

    /// Shows the flows that have started and not ended to `visit`, in the order of their hosts.
    pub fn for_each_live(&self, mut visit: impl FnMut(&LiveFlow)) {
        for host in self.hosts() {
            host.endpoint().for_each_live(&mut visit);
        }
    }

    /// Epochs run so far.
    #[must_use]
    pub const fn epochs(&self) -> u64 {
        self.engine.epochs()
    }

    /// Flows handed to their hosts so far: all that were due, but those between hosts without a
    /// route.
    #[must_use]
    pub const fn flows_started(&self) -> u64 {
        self.state.started()
    }

    /// Flows that have ended so far.
    #[must_use]
    pub const fn flows_finished(&self) -> u64 {
        self.state.finished
    }

    /// Completions that no watcher has taken, in the order of (finish, flow).
    pub fn take_completions(&mut self) -> Vec<Completion> {
        std::mem::take(&mut self.state.completions)
    }

    /// Flows whose destination no route leads to.
    #[must_use]
    pub fn unreachable(&self) -> &[FlowRequest] {
        &self.state.unreachable
    }

    /// Flows that have started or were about to, and have not ended, in the order of their numbers.
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
        flows.sort_by_key(|unfinished| unfinished.id);
        flows
    }

    pub(super) fn hosts(&self) -> impl Iterator<Item = &Host<M>> {
        self.engine.processes().filter_map(|node| match node {
            Node::Host(host) => Some(&**host),
            Node::Switch(_) => None,
        })
    }

    pub(super) fn switches(&self) -> impl Iterator<Item = &Switch<M>> {
        self.engine.processes().filter_map(|node| match node {
            Node::Host(_) => None,
            Node::Switch(switch) => Some(&**switch),
        })
    }

    /// Sums over all nodes.
    #[must_use]
    pub fn counters(&self) -> Counters {
        let mut sum = Counters::default();
        for node in self.engine.processes() {
            sum += match node {
                Node::Host(host) => host.counters(),
                Node::Switch(switch) => switch.counters(),
            };
        }
        sum
    }

    /// Sums over the transports of all hosts.
    #[must_use]
    pub fn endpoint_counters(&self) -> EndpointCounters {
        let mut sum = EndpointCounters::default();
        for host in self.hosts() {
            sum += host.endpoint().counters();
        }
        sum
    }

    /// Bytes that stand in the queues of switches now.
    #[must_use]
    pub fn queued_bytes(&self) -> Bytes {
        Bytes::new(self.switches().map(Switch::queued).sum())
    }

    /// Switch ports that a neighbor has paused.
    #[must_use]
    pub fn paused_ports(&self) -> usize {
        self.switches()
            .map(|switch| switch.paused_ports().count())
            .sum()
    }

    /// The switch ports of a PFC deadlock in the order in which each waits for the next one, and
    /// the last for the first; empty when there is none. Such ports never go on: all that their
    /// neighbors would have to send first stands at ports that wait themselves.
    #[must_use]
    pub fn deadlock(&self) -> Vec<BlockedPort> {
        deadlock::find(&self.switches().collect::<Vec<_>>(), &self.wiring)
    }

    /// The observers of all nodes, in the order of node ids.
    pub fn observers(&self) -> impl Iterator<Item = &M::Observer> {
        self.engine.processes().map(|node| match node {
            Node::Host(host) => host.observer(),
            Node::Switch(switch) => switch.observer(),
        })
    }
}
