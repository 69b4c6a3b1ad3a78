//! The parts of a graph that its ranks share.

use std::fmt;
use std::sync::Arc;

use fabricsim_base::choices;
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Duration, Time};

use super::overlap::Slowdown;
use super::pace::Pace;
use super::program::{Operation, Program, Step};
use crate::collective::CollectiveOperation;

choices! {
    /// The connections of messages.
    #[derive(Default)]
    pub enum Connections {
        /// Each ordered pair of ranks keeps a connection for each channel. Messages follow one
        /// another on it.
        #[default]
        Kept = "kept" ("each ordered pair of ranks keeps one for each channel"),
        /// Each message is a separate flow.
        PerMessage = "per-message" ("each message is a flow of its own"),
    }
}

choices! {
    /// The end of a send operation.
    #[derive(Default)]
    pub enum SendEnd {
        /// When the last byte has been acknowledged, as for ASTRA-sim's send nodes and for
        /// LogGOPSim's messages above its size `S` (rendezvous).
        #[default]
        Acknowledged = "acknowledged" ("when its last byte has been acknowledged"),
        /// At once, because the transport has accepted the message, as for LogGOPSim's messages up
        /// to its size `S` (eager).
        Posted = "posted" ("at once: the transport has taken the message"),
    }
}

/// A collective of a graph: one group that does one operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// The group's number within its job.
    pub group: u32,
    /// The operation.
    pub operation: CollectiveOperation,
    /// The algorithm in results.
    pub algorithm: Box<str>,
    /// Number of ranks.
    pub ranks: u32,
    /// The size for computing bandwidths: see [`CollectiveOperation`].
    pub size: Bytes,
    /// The ratio of the bus bandwidth to the algorithm bandwidth.
    pub bus_factor: f64,
}

/// The properties of a graph that results use.
#[derive(Clone, Debug)]
pub struct GraphInfo {
    /// The flow class of the graph's messages.
    pub class: ClassId,
    /// The name of the job.
    pub job: Arc<str>,
    /// The host of each rank.
    pub hosts: Arc<[NodeId]>,
    /// The collectives of the graph.
    pub instances: Arc<[Instance]>,
    /// Number of times that each rank executes its program.
    pub iterations: u32,
    /// Number of iterations at the beginning that statistics leave out.
    pub warm_up: u32,
}

/// The programs of ranks. A rank requests its program when the run begins, to save memory before.
pub(crate) trait Programs: fmt::Debug + Send + Sync {
    /// Returns the program of `rank`, which other ranks may share.
    fn program(&self, rank: u32) -> Arc<Program>;

    /// Returns the operation of `rank` for a step of its program.
    fn operation(&self, rank: u32, step: Step) -> Operation;

    /// Returns the sender and the tag by which the program of `rank` finds the receipt of a message
    /// with `tag` from the rank `from`, or `None` if no receipt expects it.
    fn receipt(&self, rank: u32, from: u32, tag: u64) -> Option<(u32, u64)>;

    /// Returns the number of the first collective of the program of `rank`.
    fn first_instance(&self, rank: u32) -> u32;
}

/// Marks a host without a rank.
const NO_RANK: u32 = u32::MAX;

/// The parts of a graph that all ranks share.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) info: GraphInfo,
    pub(crate) priority: Priority,
    pub(crate) dst_port: u16,
    pub(crate) connections: Connections,
    pub(crate) send_end: SendEnd,
    pub(crate) start: Time,
    /// Time from the end of an iteration of a rank to its next one.
    pub(crate) compute: Duration,
    pub(crate) pace: Pace,
    pub(crate) slowdown: Option<Slowdown>,
    pub(crate) programs: Box<dyn Programs>,
    /// The rank of each host, [`NO_RANK`] for none.
    ranks: Box<[u32]>,
    /// Aggregators of switches. Messages to and from them name the numbers above all ranks.
    aggregators: Box<[NodeId]>,
}

/// The transport settings of the messages of a graph, and its times.
#[derive(Clone, Debug)]
pub(crate) struct Manner {
    pub(crate) priority: Priority,
    pub(crate) dst_port: u16,
    pub(crate) connections: Connections,
    pub(crate) send_end: SendEnd,
    pub(crate) start: Time,
    pub(crate) compute: Duration,
    pub(crate) pace: Pace,
    pub(crate) slowdown: Option<Slowdown>,
}

impl Plan {
    pub(crate) fn new(info: GraphInfo, manner: Manner, programs: Box<dyn Programs>) -> Self {
        let most = info.hosts.iter().map(|host| host.index()).max();
        let mut ranks = vec![NO_RANK; most.map_or(0, |most| most + 1)];
        for (host, rank) in info.hosts.iter().zip(0..) {
            ranks[host.index()] = rank;
        }
        Self {
            info,
            priority: manner.priority,
            dst_port: manner.dst_port,
            connections: manner.connections,
            send_end: manner.send_end,
            start: manner.start,
            compute: manner.compute,
            pace: manner.pace,
            slowdown: manner.slowdown,
            programs,
            ranks: ranks.into(),
            aggregators: Box::default(),
        }
    }

    /// Lets ranks exchange messages with `aggregators`, which have the numbers above all ranks.
    pub(crate) fn with_aggregators(mut self, aggregators: Vec<NodeId>) -> Self {
        let most = aggregators.iter().map(|node| node.index()).max();
        let count = most.map_or(0, |most| most + 1).max(self.ranks.len());
        let mut ranks = std::mem::take(&mut self.ranks).into_vec();
        ranks.resize(count, NO_RANK);
        for (node, number) in aggregators.iter().zip(self.ranks()..) {
            ranks[node.index()] = number;
        }
        self.ranks = ranks.into();
        self.aggregators = aggregators.into();
        self
    }

    /// Returns the number of ranks.
    pub(super) fn ranks(&self) -> u32 {
        NodeId::from_index(self.info.hosts.len()).0
    }

    /// Returns the rank at `host`.
    pub(super) fn rank_of(&self, host: NodeId) -> Option<u32> {
        let rank = self.ranks.get(host.index()).copied();
        rank.filter(|&rank| rank != NO_RANK)
    }

    /// Returns the host of `rank`, or the aggregator with that number.
    pub(super) fn host_of(&self, rank: u32) -> NodeId {
        let (hosts, place) = (&self.info.hosts, rank as usize);
        match hosts.get(place) {
            Some(&host) => host,
            None => self.aggregators[place - hosts.len()],
        }
    }
}
