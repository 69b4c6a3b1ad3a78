//! The network: hosts and switches wired together and run by the engine.

mod applications;
mod change;
mod counters;
mod deadlock;
mod driver;
mod egress;
mod health;
mod host;
mod line;
mod meter;
mod node;
mod pause_clock;
mod room;
mod switch;
mod watch;

pub use change::{Change, LinkChange, LinkEnds};
pub use counters::Counters;
pub use deadlock::BlockedPort;
pub use egress::LinkConfig;
pub use host::HostConfig;
pub use line::{LineTable, LineTiming};
pub use meter::PortSample;
pub use room::{Overload, Room};
pub use switch::SwitchConfig;
pub use watch::{Progress, Stop, Watch};

use std::sync::Arc;

use crate::engine::{Engine, Interrupt, Probe, Threads, Wiring};
use crate::flow::{Completion, FlowRequest, FlowSource, PathInfo};
use crate::id::{FlowId, NodeId, PortId};
use crate::plugin::{
    Application, Endpoint, EndpointCounters, LiveFlow, Model, PathResolver, QueueReport, Unfinished,
};
use crate::rng::Stream;
use crate::units::{Bytes, Duration, Time};
use applications::AppNetwork;
use driver::{FlowState, NetworkDriver, Synchronize};
use host::Host;
use node::Node;
use switch::Switch;

/// What stands at one place of a network.
#[derive(Debug)]
pub enum NodeConfig<M: Model> {
    /// A host.
    Host(HostConfig<M>),
    /// A switch.
    Switch(SwitchConfig<M>),
}

/// Finds the path of a flow when it starts, and knows what changes the network while it runs; `R` is
/// the forwarding table of a switch.
pub trait NetworkControl<R>: Send {
    /// What the idle network offers `request` and the NIC port it leaves through, or `None` when no
    /// route leads there. Assigns the source port where the workload left it open.
    fn resolve(&mut self, id: FlowId, request: &mut FlowRequest) -> Option<(PathInfo, PortId)>;

    /// Returns what finds the paths of flows that applications start, by the routes that are in force.
    /// Asked for where there are applications: once, and after each change.
    fn resolver(&self) -> Option<Arc<dyn PathResolver>> {
        None
    }

    /// No route led to the destination of `request`, which an application has started. It takes `place`
    /// among the flows without a route.
    fn on_unreachable(&mut self, _place: usize, _request: &FlowRequest) {}

    /// When the network changes next; [`Time::MAX`] for never.
    fn next_change(&self) -> Time {
        Time::MAX
    }

    /// Everything that changes at the time of [`Self::next_change`], in order. Called once for each
    /// such time, when all that happens before it has happened: flows that start from then on are
    /// resolved later.
    fn change(&mut self) -> Vec<Change<R>> {
        Vec::new()
    }
}

/// A simulation of one network.
#[derive(Debug)]
pub struct Network<M: Model> {
    engine: Engine<Node<M>>,
    state: FlowState,
    stall_after: Duration,
    room: Room,
    /// What is at the far end of each port of each node.
    wiring: Vec<Vec<(NodeId, PortId)>>,
    /// The time that the last run was asked to reach, and did.
    reached: Time,
    /// Why the last run came back.
    stop: Stop,
}

impl<M: Model> Network<M> {
    /// A network of `nodes`, in the order of their ids. `wiring[i][p]` says what is at the far end
    /// of port `p` of node `i`. Results do not depend on `threads`.
    ///
    /// # Panics
    /// When some link has no delay, or a node has other ports than its wiring.
    #[must_use]
    pub fn new(
        nodes: Vec<NodeConfig<M>>,
        wiring: &[Vec<(NodeId, PortId)>],
        threads: &Threads,
        stall_after: Duration,
    ) -> Self {
        let channels = nodes
            .iter()
            .zip(wiring)
            .map(|(config, far_ends)| {
                let delays: Vec<Duration> = match config {
                    NodeConfig::Host(host) => host.ports.iter().map(|link| link.delay).collect(),
                    NodeConfig::Switch(switch) => {
                        switch.ports.iter().map(|(link, _)| link.delay).collect()
                    }
                };
                assert_eq!(delays.len(), far_ends.len(), "every port has a far end");
                far_ends
                    .iter()
                    .zip(delays)
                    .map(|(&(peer, port), delay)| Wiring {
                        process: peer.0,
                        channel: u32::from(port.0),
                        delay,
                    })
                    .collect()
            })
            .collect();
        let processes = nodes
            .into_iter()
            .enumerate()
            .map(|(index, config)| match config {
                NodeConfig::Host(host) => {
                    Node::Host(Box::new(Host::new(NodeId::from_index(index), host)))
                }
                NodeConfig::Switch(switch) => {
                    Node::Switch(Box::new(Switch::new(NodeId::from_index(index), switch)))
                }
            })
            .collect();
        Self {
            engine: Engine::new(processes, channels, threads),
            state: FlowState::new(stall_after),
            stall_after,
            room: Room::default(),
            wiring: wiring.to_vec(),
            reached: Time::ZERO,
            stop: Stop::TimeReached,
        }
    }

    /// Runs everything that happens before `until`: flows of `source` start, packets move, flows
    /// end. Stops early when nothing is left to do or nothing moves any more.
    pub fn run_until(
        &mut self,
        until: Time,
        source: &mut dyn FlowSource,
        control_plane: &mut dyn NetworkControl<M::Routing>,
        watch: &mut dyn Watch,
    ) -> Stop {
        self.drive(until, source, control_plane, watch, |engine, driver| {
            engine.run(driver);
        })
    }

    /// Like [`run_until`](Self::run_until), on the calling thread alone; `probe` is told of each
    /// epoch and of each node in it, by its index.
    pub fn run_probed(
        &mut self,
        until: Time,
        source: &mut dyn FlowSource,
        control_plane: &mut dyn NetworkControl<M::Routing>,
        watch: &mut dyn Watch,
        probe: &mut dyn Probe,
    ) -> Stop {
        self.drive(until, source, control_plane, watch, |engine, driver| {
            engine.run_probed(driver, probe);
        })
    }

    fn drive(
        &mut self,
        until: Time,
        source: &mut dyn FlowSource,
        control_plane: &mut dyn NetworkControl<M::Routing>,
        watch: &mut dyn Watch,
        run: impl FnOnce(&mut Engine<Node<M>>, &mut NetworkDriver<'_, M::Routing>),
    ) -> Stop {
        let mut driver = NetworkDriver {
            until,
            source,
            control_plane,
            state: &mut self.state,
            stall_after: self.stall_after,
            room: self.room,
            wiring: &self.wiring,
            watch,
            stop: Stop::TimeReached,
            changed: self.reached,
        };
        driver.share_routes();
        self.engine.set_interrupt(driver.watch.interrupt());
        run(&mut self.engine, &mut driver);
        self.engine.set_interrupt(Interrupt::default());
        let stop = if self.engine.is_broken() {
            Stop::Interrupted
        } else {
            driver.stop
        };
        self.reached = driver.changed;
        self.stop = stop;
        if stop == Stop::TimeReached {
            self.reached = self.reached.max(until);
        }
        stop
    }

    /// Adds an application to `host`, which is called first now. It draws from `stream`. It hears of
    /// flows that start from now on.
    ///
    /// # Panics
    /// When `host` is not a host.
    pub fn add_application(
        &mut self,
        host: NodeId,
        application: Box<dyn Application>,
        stream: Stream,
    ) {
        if self.state.applications.is_none() {
            self.join_hosts();
        }
        let now = self.now();
        self.state.pending += 1;
        self.engine.update(host.index(), |node| match node {
            Node::Host(host) => {
                host.add_application(now, application, stream);
                // What is due has been counted.
                host.take_app_news();
            }
            Node::Switch(_) => panic!("applications run on hosts"),
        });
    }

    /// Lets all hosts know that there are applications.
    fn join_hosts(&mut self) {
        let nodes = self.engine.processes().count();
        let hosts: Vec<usize> = (self.engine.processes().enumerate())
            .filter_map(|(index, node)| matches!(node, Node::Host(_)).then_some(index))
            .collect();
        let count = u32::try_from(hosts.len()).expect("a network has fewer than 2^32 nodes");
        let network = Arc::new(AppNetwork::new(nodes, count));
        for (index, rank) in hosts.into_iter().zip(0..) {
            self.engine.update(index, |node| {
                if let Node::Host(host) = node {
                    host.join(&network, rank);
                }
            });
        }
        self.state.applications = Some(network);
    }

    /// The applications of all hosts, in the order of hosts, and at each in the order in which they were
    /// added.
    pub fn applications(&self) -> impl Iterator<Item = (NodeId, &dyn Application)> {
        self.hosts().flat_map(|host| {
            host.applications()
                .map(|application| (host.id(), application))
        })
    }

    /// What applications wait for that have not done all that they have to do, in the order of hosts.
    #[must_use]
    pub fn applications_wait_for(&self) -> Vec<(NodeId, String)> {
        let waits = self.hosts().flat_map(|host| {
            let reasons = host.applications_wait_for().into_iter();
            reasons.map(|reason| (host.id(), reason))
        });
        waits.collect()
    }

    /// Shows the observers of all nodes to `visit`, in the order of node ids.
    pub fn for_each_observer(&mut self, mut visit: impl FnMut(NodeId, &mut M::Observer)) {
        let count = self.engine.processes().count();
        for index in 0..count {
            self.engine.update(index, |node| {
                visit(
                    NodeId::from_index(index),
                    match node {
                        Node::Host(host) => host.observer_mut(),
                        Node::Switch(switch) => switch.observer_mut(),
                    },
                );
            });
        }
    }

    /// Makes room for more, or ends runs sooner.
    pub const fn set_room(&mut self, room: Room) {
        self.room = room;
    }

    /// Everything before this instant has happened.
    #[must_use]
    pub fn now(&self) -> Time {
        self.engine.now().max(self.reached)
    }

    /// When the run ended: the time that it was asked to reach, or that of the last event when it came
    /// back for want of something to do.
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

    /// Lets nodes that are behind do what they have left to do before [`Self::now`]. Only a run that
    /// has ended in another way than by reaching the time that was asked for leaves such nodes.
    pub fn synchronize(&mut self) {
        let now = self.now();
        if self.state.level < now {
            self.state.level = now;
            self.engine.run(&mut Synchronize(Some(now)));
        }
    }

    /// What port `port` of `node` is like now, which is exact after [`Self::synchronize`].
    ///
    /// # Panics
    /// When there is no such port.
    #[must_use]
    pub fn port(&self, node: NodeId, port: PortId) -> PortSample {
        self.engine.process(node.index()).sample(self.now(), port)
    }

    /// Shows what the queues of switch ports with rules of their own have done so far to `visit`, in the order of
    /// nodes, ports and priorities.
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

    /// Flows handed to their hosts so far: all that were due, but those between hosts without a route.
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
            flows.extend(host.waiting().map(|&flow| Unfinished {
                flow,
                acknowledged: Bytes::ZERO,
                reason: "has not started".to_owned(),
            }));
        }
        flows.sort_by_key(|unfinished| unfinished.flow.id);
        flows
    }

    fn hosts(&self) -> impl Iterator<Item = &Host<M>> {
        self.engine.processes().filter_map(|node| match node {
            Node::Host(host) => Some(&**host),
            Node::Switch(_) => None,
        })
    }

    fn switches(&self) -> impl Iterator<Item = &Switch<M>> {
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

    /// The switch ports of a PFC deadlock in the order in which each waits for the next one, and the
    /// last for the first; empty when there is none. Such ports never go on: all that their
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
