//! The network: hosts and switches wired together and run by the engine.

mod applications;
mod callback;
mod change;
mod checkpoint;
mod counters;
mod deadlock;
mod driver;
mod egress;
mod health;
mod host;
mod line;
mod meter;
mod node;
mod orders;
mod pause_clock;
mod room;
mod state;
mod steering;
mod switch;

pub use callback::{Progress, RunCallback, Stop};
pub use change::{Change, LinkChange, LinkEnds};
pub use counters::Counters;
pub use deadlock::BlockedPort;
pub use egress::LinkConfig;
pub use host::HostConfig;
pub use line::{LineTable, LineTiming};
pub use meter::PortSample;
pub use orders::{Hearing, Order};
pub use room::{Overload, Room};
pub use steering::{Desk, Step};
pub use switch::SwitchConfig;

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::engine::{Engine, Interrupt, Probe, Threads, Wiring};
use crate::flow::{FlowRequest, FlowSource, ResolvedPath};
use crate::id::{FlowId, NodeId, PortId};
use crate::plugin::{Application, Model, PathResolver};
use crate::rng::Stream;
use crate::units::{Duration, Time};
use applications::AppNetwork;
use driver::{FlowState, NetworkDriver, Synchronize};
use host::Host;
use node::Node;
use switch::Switch;

/// Configuration of one node of a network.
#[derive(Debug)]
pub enum NodeConfig<M: Model> {
    /// A host.
    Host(HostConfig<M>),
    /// A switch.
    Switch(SwitchConfig<M>),
}

/// Finds the path of a flow when it starts, and knows what changes the network while it runs; `R`
/// is the forwarding table of a switch.
pub trait NetworkControl<R>: Send {
    /// Resolves the path of `request` in the idle network, the NIC port through which it leaves and
    /// the addresses of its packets; returns `None` when no route leads to the destination. Assigns
    /// the source port where the workload left it open.
    fn resolve(&mut self, id: FlowId, request: &mut FlowRequest) -> Option<ResolvedPath>;

    /// Returns what finds the paths of flows that applications start, by the routes that are in
    /// force. Asked for where there are applications: once, and after each change.
    fn resolver(&self) -> Option<Arc<dyn PathResolver>> {
        None
    }

    /// No route led to the destination of `request`, which an application has started. It takes
    /// `place` among the flows without a route.
    fn on_unreachable(&mut self, _place: usize, _request: &FlowRequest) {}

    /// Returns when the network changes next; [`Time::MAX`] for never.
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
    /// Node and port at the far end of each port of each node.
    wiring: Vec<Vec<(NodeId, PortId)>>,
    /// The time that the last run was asked to reach, and did.
    reached: Time,
    /// Why the last run came back.
    stop: Stop,
    /// Place of the application of whoever steers among those of each host, by node.
    steered_by: Vec<usize>,
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
            steered_by: Vec::new(),
        }
    }

    /// Runs everything that happens before `until`: flows of `source` start, packets move, flows
    /// end. Stops early when nothing is left to do or nothing moves any more.
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

    /// Like [`run_until`](Self::run_until), on the calling thread alone; `probe` is told of each
    /// epoch and of each node in it, by its index.
    pub fn run_probed(
        &mut self,
        until: Time,
        source: &mut dyn FlowSource,
        control_plane: &mut dyn NetworkControl<M::Routing>,
        callback: &mut dyn RunCallback,
        probe: &mut dyn Probe,
    ) -> Stop {
        let stop = self.drive(until, source, control_plane, callback, |engine, driver| {
            engine.run_probed(driver, probe);
            ControlFlow::Continue(())
        });
        stop.expect("only whoever steers a run pauses it")
    }

    /// Drives the engine by `run`, which breaks off when it has been paused: then the result is
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

    /// Adds an application to `host`, which is called first now. It draws from `stream`. It hears
    /// of flows that start from now on.
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
        let now = self.frontier();
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

    /// The applications of all hosts, in the order of hosts, and at each in the order in which they
    /// were added.
    pub fn applications(&self) -> impl Iterator<Item = (NodeId, &dyn Application)> {
        self.hosts().flat_map(|host| {
            host.applications()
                .map(|application| (host.id(), application))
        })
    }

    /// Returns a description of what each unfinished application waits for, in the order of hosts.
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

    /// Lets nodes that are behind do what they have left to do before [`Self::now`]. Only a run
    /// that has ended in another way than by reaching the time that was asked for leaves such
    /// nodes. In the middle of an epoch of a steered run nothing is done.
    pub fn synchronize(&mut self) {
        let now = self.now();
        if self.state.level < now && self.engine.steered_to().is_none() {
            self.state.level = now;
            self.engine.run(&mut Synchronize(Some(now)));
        }
    }
}
