//! A graph as its ranks share it.

use std::fmt;
use std::sync::Arc;

use fabricsim_base::choices;
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Duration, Time};

use super::program::Program;
use crate::collective::{CollectiveAlgorithm, CollectiveOperation};

choices! {
    /// What messages travel on.
    #[derive(Default)]
    pub enum Connections {
        /// Each ordered pair of ranks keeps a connection, one for each channel: messages follow one
        /// another on it.
        #[default]
        Kept = "kept" ("each ordered pair of ranks keeps one for each channel"),
        /// Each message is a flow of its own.
        PerMessage = "per-message" ("each message is a flow of its own"),
    }
}

choices! {
    /// When an operation that sends has ended.
    #[derive(Default)]
    pub enum SendEnd {
        /// When the last byte has been acknowledged, as ASTRA-sim's send nodes and the messages of
        /// LogGOPSim above its size `S` (rendezvous) do.
        #[default]
        Acknowledged = "acknowledged" ("when its last byte has been acknowledged"),
        /// At once: the message has been handed to the transport, as LogGOPSim's messages up to its
        /// size `S` (eager) are.
        Posted = "posted" ("at once: the transport has taken the message"),
    }
}

/// A collective of a graph: one group that does one operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Number of the group among those of its job.
    pub group: u32,
    /// The operation.
    pub operation: CollectiveOperation,
    /// The algorithm.
    pub algorithm: CollectiveAlgorithm,
    /// Number of ranks.
    pub ranks: u32,
    /// The size by which bandwidths are worked out: see [`CollectiveOperation`].
    pub size: Bytes,
    /// The bus bandwidth over the algorithm bandwidth.
    pub bus_factor: f64,
}

/// A graph as results need it.
#[derive(Clone, Debug)]
pub struct GraphInfo {
    /// The flow class of its messages.
    pub class: ClassId,
    /// The name of the job.
    pub job: Arc<str>,
    /// By rank: its host.
    pub hosts: Arc<[NodeId]>,
    /// Its collectives.
    pub instances: Arc<[Instance]>,
    /// How often each rank goes through its program.
    pub iterations: u32,
}

/// Returns the program of a rank, as late as when the run begins.
pub(crate) trait Programs: fmt::Debug + Send + Sync {
    /// The program of `rank`.
    fn program(&self, rank: u32) -> Arc<Program>;
}

/// What stands for the rank of a host that has none.
const NO_RANK: u32 = u32::MAX;

/// What all ranks of a graph share.
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
    pub(crate) programs: Box<dyn Programs>,
    /// By host: its rank, [`NO_RANK`] for none.
    ranks: Box<[u32]>,
}

/// How the messages of a graph travel, and when it runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    pub(crate) priority: Priority,
    pub(crate) dst_port: u16,
    pub(crate) connections: Connections,
    pub(crate) send_end: SendEnd,
    pub(crate) start: Time,
    pub(crate) compute: Duration,
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
            programs,
            ranks: ranks.into(),
        }
    }

    /// The rank at `host`.
    pub(super) fn rank_of(&self, host: NodeId) -> Option<u32> {
        let rank = self.ranks.get(host.index()).copied();
        rank.filter(|&rank| rank != NO_RANK)
    }

    /// The host of `rank`.
    pub(super) fn host_of(&self, rank: u32) -> NodeId {
        self.info.hosts[rank as usize]
    }
}
