//! The connections of a client, and the choice of a connection for each query.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::flow::Connection;
use fabricsim_base::id::NodeId;
use fabricsim_base::rng::Stream;
use fabricsim_base::units::Bytes;
use fabricsim_core::plugin::{AppContext, AppFlow};

use super::plan::Plan;
use super::{RpcMode, RpcReuse, RpcTargets};

/// The connections of one client.
#[derive(Debug, Stored)]
#[checkpoint(plain)]
pub(super) struct Pool {
    servers: Vec<NodeId>,
    /// Connections that were opened at the start, by server, followed by connections that were
    /// opened for a query.
    connections: Vec<Connection>,
    /// For `reuse = "idle"`: connections without a query, by position of their server; the most
    /// recently used one is last.
    idle: Vec<Vec<usize>>,
    /// Random stream for servers and connections.
    destinations: Stream,
}

/// The destination of a query.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(plain)]
pub(super) struct Target {
    pub(super) server: NodeId,
    /// Position of the connection; `None` if the query is a separate flow.
    pub(super) connection: Option<usize>,
    /// Position of the server.
    place: usize,
}

impl Pool {
    pub(super) const fn new(servers: Vec<NodeId>, destinations: Stream) -> Self {
        Self {
            servers,
            connections: Vec::new(),
            idle: Vec::new(),
            destinations,
        }
    }

    /// Returns the number of connections.
    pub(super) const fn len(&self) -> usize {
        self.connections.len()
    }

    /// Opens the connections that the plan has at the start. Returns `None` if no flow numbers are
    /// left, which ends the run.
    pub(super) fn open(&mut self, context: &mut AppContext<'_>, plan: &Plan) -> Option<()> {
        if plan.reuse == RpcReuse::Never {
            return Some(());
        }
        for place in 0..self.servers.len() {
            let first = self.connections.len();
            for _ in 0..plan.connections {
                self.connect(context, plan, place)?;
            }
            self.idle
                .push((first..self.connections.len()).rev().collect());
        }
        Some(())
    }

    fn connect(
        &mut self,
        context: &mut AppContext<'_>,
        plan: &Plan,
        place: usize,
    ) -> Option<usize> {
        let server = self.servers[place];
        let connection = context.connect(server, plan.class, plan.priority, plan.dst_port);
        self.connections.push(connection.ok()?);
        Some(self.connections.len() - 1)
    }

    /// Chooses the destination of the next query of `slot`. Returns `None` if no flow numbers are
    /// left.
    pub(super) fn choose(
        &mut self,
        context: &mut AppContext<'_>,
        plan: &Plan,
        slot: u64,
    ) -> Option<Target> {
        if plan.mode == RpcMode::Poisson && plan.reuse != RpcReuse::Shared {
            let place = self.draw(self.servers.len());
            let connection = match plan.reuse {
                RpcReuse::Never => None,
                RpcReuse::Idle | RpcReuse::Shared => Some(match self.idle[place].pop() {
                    Some(connection) => connection,
                    None => self.connect(context, plan, place)?,
                }),
            };
            return Some(Target {
                server: self.servers[place],
                connection,
                place,
            });
        }
        let connection = match (plan.mode, plan.targets) {
            (RpcMode::Window, RpcTargets::AllPairs) => index(slot / u64::from(plan.outstanding)),
            (RpcMode::Batch, RpcTargets::AllPairs) => index(slot),
            (RpcMode::Poisson, _) | (_, RpcTargets::Random) => self.draw(self.connections.len()),
        };
        let place = connection / plan.connections as usize;
        Some(Target {
            server: self.servers[place],
            connection: Some(connection),
            place,
        })
    }

    fn draw(&mut self, count: usize) -> usize {
        index(self.destinations.below(count as u64))
    }

    /// Returns the message for a query of `size` to `target`.
    pub(super) fn message(&self, plan: &Plan, target: Target, size: Bytes) -> AppFlow {
        match target.connection {
            Some(connection) => AppFlow::on(&self.connections[connection], size),
            None => plan.flow(target.server, size),
        }
    }

    /// Returns the connection of `target`, or `None` for a query that is a separate flow.
    pub(super) fn connection(&self, target: Target) -> Option<&Connection> {
        Some(&self.connections[target.connection?])
    }

    /// Makes the connection of `target` idle again after its response has arrived.
    pub(super) fn put_back(&mut self, plan: &Plan, target: Target) {
        if plan.reuse == RpcReuse::Idle
            && let Some(connection) = target.connection
        {
            self.idle[target.place].push(connection);
        }
    }
}

fn index(number: u64) -> usize {
    usize::try_from(number).expect("a host has fewer than 2^32 connections")
}
