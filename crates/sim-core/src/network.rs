//! The network: hosts and switches, connected by links and run by the engine.

mod applications;
mod callback;
mod change;
mod checkpoint;
mod counters;
mod deadlock;
mod driver;
mod egress;
mod forwarder;
mod health;
mod host;
mod line;
mod meter;
mod node;
mod node_config;
mod orders;
mod pause_clock;
mod remote;
mod room;
mod state;
mod steering;
mod switch;

pub use callback::{Progress, RunCallback, Stop};
pub use change::{Change, LinkChange, LinkEnds};
pub use counters::Counters;
pub use deadlock::BlockedPort;
pub use driver::Skipped;
pub use egress::LinkConfig;
pub use forwarder::ForwarderConfig;
pub use host::HostConfig;
pub use line::{LineTable, LineTiming};
pub use meter::PortSample;
pub use node::HOST_COST;
pub use node_config::{NodeConfig, RemoteConfig};
pub use orders::{Hearing, Order};
pub use room::{Overload, Room};
pub use steering::{Desk, Step};
pub use switch::SwitchConfig;
pub use switch::plan::{EpochOrder, EpochPlan, Obstacle};

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::plugin::{Application, Model, PathResolver};
use applications::AppNetwork;
use driver::{FlowState, NetworkDriver, Synchronize};
use fabricsim_base::flow::{FlowRequest, FlowSource, ResolvedPath};
use fabricsim_base::id::{FlowId, NodeId, PortId};
use fabricsim_base::ranks::Shares;
use fabricsim_base::rng::Stream;
use fabricsim_base::units::{Duration, Time};
use fabricsim_engine::{Engine, Interrupt, Probe, Threads, Wiring};
use forwarder::Forwarder;
use host::Host;
use node::Node;
use remote::Remote;
use switch::Switch;

/// Finds the path of a flow when it starts, and provides the changes to the network during a run;
/// `R` is the forwarding table of a switch.
pub trait NetworkControl<R>: Send {
    /// Resolves the path of `request` in the idle network, its NIC port and the addresses of its
    /// packets; returns `None` if no route leads to the destination. Assigns the source port if the
    /// workload has not set one.
    fn resolve(&mut self, id: FlowId, request: &mut FlowRequest) -> Option<ResolvedPath>;

    /// Returns the resolver for flows that applications start, with the current routes. Called only
    /// if the network has applications: once, and after each change.
    fn resolver(&self) -> Option<Arc<dyn PathResolver>> {
        None
    }

    /// Called if no route led to the destination of `request`, which an application has started.
    /// `place` is its index among the unreachable flows.
    fn on_unreachable(&mut self, _place: usize, _request: &FlowRequest) {}

    /// Returns the time of the next change; [`Time::MAX`] for never.
    fn next_change(&self) -> Time {
        Time::MAX
    }

    /// Returns all changes at the time of [`Self::next_change`], in order. Called once for each
    /// such time, after all earlier events; flows that start afterwards are resolved later.
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
    /// The node and the port at the far end of each port of each node.
    wiring: Vec<Vec<(NodeId, PortId)>>,
    /// The end time of the last run, if it was reached.
    reached: Time,
    /// The reason why the last run returned.
    stop: Stop,
    /// Index of the steering program's application among the applications of each host, by node.
    steered_by: Vec<usize>,
    /// The hosts, in the order of their ids.
    hosts: Vec<NodeId>,
    /// Observers and applications of the nodes on other ranks.
    remote: Remote<M>,
}

impl<M: Model> Network<M> {
    /// Returns a network of `nodes`, in the order of their ids. `wiring[i][p]` is the far end of
    /// port `p` of node `i`.
    ///
    /// Results do not depend on `threads`, nor on the ranks in `shares`. Each rank builds the
    /// network with its own nodes and calls the same methods.
    ///
    /// # Panics
    /// Panics if a link has no delay, if the ports of a node do not match its wiring, or if a node
    /// belongs to another rank than `shares` says.
    #[must_use]
    pub fn new(
        nodes: Vec<NodeConfig<M>>,
        wiring: &[Vec<(NodeId, PortId)>],
        threads: &Threads,
        shares: Option<Shares>,
        stall_after: Duration,
    ) -> Self {
        // The engine's lookahead is the shortest of these delays.
        let channels = nodes
            .iter()
            .zip(wiring)
            .map(|(config, far_ends)| {
                let delays = config.delays();
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
        // Every rank keeps the full list of nodes, so that indices are the same, but builds only
        // its own.
        let mut hosts = Vec::new();
        let mut remote = Remote::default();
        let mut processes = Vec::with_capacity(nodes.len());
        for (index, config) in nodes.into_iter().enumerate() {
            let id = NodeId::from_index(index);
            if config.is_host() {
                hosts.push(id);
            }
            let is_here = shares.as_ref().is_none_or(|shares| shares.is_here(index));
            processes.push(match config {
                NodeConfig::Host(host) => Some(Node::Host(Box::new(Host::new(id, host)))),
                NodeConfig::Switch(switch) => Some(Node::Switch(Box::new(Switch::new(id, switch)))),
                NodeConfig::Forwarder(forwarder) => {
                    Some(Node::Forwarder(Box::new(Forwarder::new(id, forwarder))))
                }
                NodeConfig::Elsewhere(config) => {
                    remote.observers.push((id, config.observer));
                    None
                }
            });
            let has_state = processes.last().is_some_and(Option::is_some);
            assert_eq!(has_state, is_here, "a rank has the state of its own nodes");
        }
        Self {
            engine: Engine::on_ranks(processes, channels, threads, shares),
            state: FlowState::new(stall_after),
            stall_after,
            room: Room::default(),
            wiring: wiring.to_vec(),
            reached: Time::ZERO,
            stop: Stop::TimeReached,
            steered_by: Vec::new(),
            hosts,
            remote,
        }
    }

    /// Executes all events before `until`: flows of `source` start, packets move, flows end. Stops
    /// early if no event is left or if no progress is made.
    pub fn run_until(
        &mut self,
        until: Time,
        source: &mut dyn FlowSource,
        control_plane: &mut dyn NetworkControl<M::Routing>,
        callback: &mut dyn RunCallback,
    ) -> Stop {
        let stop = self.drive(until, source, control_plane, callback, |engine, driver| {
            engine.run(driver);
            ControlFlow::Continue(())
        });
        stop.expect("only whoever steers a run pauses it")
    }

    /// Like [`run_until`](Self::run_until), but on the calling thread alone. Notifies `probe` of
    /// each epoch and of each node in it, by its index.
    pub fn run_probed(
        &mut self,
        until: Time,
        source: &mut dyn FlowSource,
        control_plane: &mut dyn NetworkControl<M::Routing>,
        callback: &mut dyn RunCallback,
        probe: &mut dyn Probe,
    ) -> Stop {
        // A probe measures all epochs.
        let forward = self.state.forward.take();
        let stop = self.drive(until, source, control_plane, callback, |engine, driver| {
            engine.run_probed(driver, probe);
            ControlFlow::Continue(())
        });
        self.state.forward = forward;
        stop.expect("only whoever steers a run pauses it")
    }

    /// Drives the engine by `run`, which returns `Break` if it was paused: the result is then
    /// `None`, unless a panic or an interrupt came first.
    fn drive(
        &mut self,
        until: Time,
        source: &mut dyn FlowSource,
        control_plane: &mut dyn NetworkControl<M::Routing>,
        callback: &mut dyn RunCallback,
        run: impl FnOnce(&mut Engine<Node<M>>, &mut NetworkDriver<'_, M::Routing>) -> ControlFlow<()>,
    ) -> Option<Stop> {
        let mut driver = NetworkDriver {
            until,
            source,
            control_plane,
            state: &mut self.state,
            stall_after: self.stall_after,
            room: self.room,
            wiring: &self.wiring,
            callback,
            stop: Stop::TimeReached,
            changed: self.reached,
        };
        driver.share_routes();
        self.engine.set_interrupt(driver.callback.interrupt());
        let ran = run(&mut self.engine, &mut driver);
        self.engine.set_interrupt(Interrupt::default());
        let stop = if self.engine.is_broken() {
            Stop::Interrupted
        } else {
            driver.stop
        };
        self.reached = driver.changed;
        self.stop = stop;
        if ran.is_break() && !self.engine.is_broken() {
            return None;
        }
        if stop == Stop::TimeReached {
            self.reached = self.reached.max(until);
        }
        Some(stop)
    }

    /// Skips periods in which the state repeats ([`Skipped`]) from now on. Results stay the same.
    pub fn set_fast_forward(&mut self) {
        self.state.forward.get_or_insert_default();
    }

    /// Looks for periods no matter how many attempts have failed, for tests.
    pub fn fast_forward_always(&mut self) {
        let forward = self.state.forward.get_or_insert_default();
        forward.try_always();
    }

    /// Returns the skipped parts of the run, if it skips any.
    #[must_use]
    pub fn skipped(&self) -> Option<&Skipped> {
        Some(&self.state.forward.as_ref()?.skipped)
    }

    /// Adds an application to `host` and calls it for the first time now. It draws from `stream`.
    /// It receives the events of flows that start from now on.
    ///
    /// # Panics
    /// Panics if `host` is not a host.
    pub fn add_application(
        &mut self,
        host: NodeId,
        application: Box<dyn Application>,
        stream: Stream,
    ) {
        if self.state.applications.is_none() {
            self.join_hosts();
        }
        let now = self.frontier();
        self.state.pending += 1;
        assert!(
            self.hosts.binary_search(&host).is_ok(),
            "applications run on hosts"
        );
        if self.engine.process(host.index()).is_none() {
            if let Some(applications) = &self.state.applications {
                applications.listen(host);
            }
            let place = self
                .remote
                .applications
                .partition_point(|(at, _)| *at <= host);
            self.remote.applications.insert(place, (host, application));
            return;
        }
        self.engine.update(host.index(), |node| {
            if let Some(host) = node.host_mut() {
                host.add_application(now, application, stream);
                // Discard the report: the pending start is already counted.
                host.take_app_news();
            }
        });
    }

    /// Tells all hosts that the network has applications.
    fn join_hosts(&mut self) {
        let count = u32::try_from(self.hosts.len()).expect("a network has fewer than 2^32 nodes");
        let here = |index| self.engine.process(index).is_some();
        let here = (0..self.engine.count()).map(here).collect();
        let network = Arc::new(AppNetwork::new(here, count));
        for (host, rank) in self.hosts.iter().zip(0..) {
            self.engine.update(host.index(), |node| {
                let is_alone = node.switch().is_none();
                if let Some(host) = node.host_mut() {
                    host.join(&network, rank, is_alone);
                }
            });
        }
        self.state.applications = Some(network);
    }

    /// Calls `visit` with the observers of the nodes of this rank, in the order of node ids.
    pub fn for_each_observer(&mut self, mut visit: impl FnMut(NodeId, &mut M::Observer)) {
        for index in 0..self.engine.count() {
            self.engine.update(index, |node| {
                visit(NodeId::from_index(index), node.observer_mut());
            });
        }
    }

    /// Sets the limits of memory at which a run ends.
    pub const fn set_room(&mut self, room: Room) {
        self.room = room;
    }

    /// Lets nodes that are behind execute their remaining events before [`Self::now`]. Nodes are
    /// only behind if the last run ended for another reason than reaching its end time. Does
    /// nothing in the middle of an epoch of a steered run.
    pub fn synchronize(&mut self) {
        let now = self.now();
        if self.state.level < now && self.engine.steered_to().is_none() {
            self.state.level = now;
            self.engine.run(&mut Synchronize(Some(now)));
        }
    }
}
