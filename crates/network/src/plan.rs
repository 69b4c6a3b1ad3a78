//! What a network is built from.

use std::sync::Arc;

use fabricsim_base::id::NodeId;
use fabricsim_base::priority::Priority;
use fabricsim_base::ranks::Shares;
use fabricsim_base::units::{Duration, Rate};
use fabricsim_core::plugin::{CcContext, Tag, TelemetryId};
use fabricsim_engine::Threads;
use fabricsim_hpcc::INT;
use fabricsim_pint::PintSettings;
use fabricsim_pint::query::Queries;
use fabricsim_qdisc::{
    BufferConfig, DisciplineConfig, DisciplineContext, LossyConfig, Markers, PortBuffer,
};
use fabricsim_topology::{Port, Routes, Topology};
use fabricsim_transport::ClassTransports;
use fabricsim_transport::rdma::RdmaSettings;
use fabricsim_transport::tcp::TcpSettings;

use crate::controllers::ClassFactories;
use crate::decoder::{Decoder, Decoders};
use crate::node_log::NodeLog;

/// What a network is built from.
pub struct Plan<'a> {
    /// Nodes and links.
    pub topology: &'a Topology,
    /// The routes of switches.
    pub routes: &'a Routes,
    /// What algorithms are told of the network; its quirks are those of the whole network.
    pub context: &'a CcContext,
    /// From which random streams follow.
    pub seed: u64,
    /// The rate of hosts' ports.
    pub nic_rate: Rate,
    /// For how long nothing may arrive before a run has stalled.
    pub stall_after: Duration,
    /// What hosts are told of RDMA.
    pub rdma: Arc<RdmaSettings<ClassFactories>>,
    /// TCP, and priorities without PFC.
    pub tcp: TcpPlan,
    /// Whether hosts, switches or packets need what TCP needs of them.
    pub is_mixed: bool,
    /// The kinds of telemetry that algorithms read.
    pub telemetry: Vec<TelemetryId>,
    /// The digests that algorithms read, if one does.
    pub digest: Option<PintSettings>,
    /// What packets are asked on their way, if anything.
    pub queries: Option<Arc<Queries>>,
}

impl Plan<'_> {
    /// Returns `true` if an algorithm reads INT.
    pub(crate) fn has_int(&self) -> bool {
        self.telemetry.contains(&INT)
    }

    /// Returns what carries the telemetry that algorithms read in the tag of packets, if one does.
    pub(crate) fn tag(&self) -> Option<&'static dyn Tag> {
        self.telemetry.iter().find_map(|kind| kind.tag())
    }

    /// Returns what decodes the telemetry that algorithms read.
    pub(crate) fn decoders(&self) -> Decoders {
        let decoder = |&kind: &TelemetryId| Decoder::new(kind, self.context);
        Decoders(self.telemetry.iter().map(decoder).collect())
    }
}

/// A plan with all else that a network is built from.
#[derive(Clone, Copy)]
pub(crate) struct BuildContext<'a> {
    pub(crate) plan: &'a Plan<'a>,
    /// What differs from node to node and from port to port.
    pub(crate) parts: &'a dyn Parts,
    pub(crate) threads: &'a Threads,
    pub(crate) shares: Option<&'a Shares>,
}

/// What hosts and switches with both transports are built from in addition.
#[derive(Clone, Debug)]
pub struct TcpPlan {
    /// The transport that carries the flows of each class.
    pub transports: ClassTransports,
    /// What hosts are told of TCP.
    pub settings: Arc<TcpSettings>,
    /// Priorities without PFC.
    pub lossy: LossyConfig,
}

/// The parts of a network that differ from node to node and from port to port.
pub trait Parts {
    /// Returns what `node` remembers for results.
    fn log(&self, node: NodeId) -> NodeLog;

    /// Returns what marks packets at the switch port `port`, which has this number among the ports of
    /// all nodes; `None` if nothing does.
    fn markers(&self, port: &Port, number: u64) -> Option<Box<Markers>>;

    /// Returns the buffer of a switch with `ports`.
    fn buffer(&self, ports: &[PortBuffer]) -> BufferConfig;

    /// Returns the queues of the priorities of TCP at the switch port `port`, which has this number
    /// among the ports of all nodes. Networks with room for RDMA alone do not ask.
    fn tcp_queues(&self, port: &Port, number: u64) -> Vec<QueuePlan>;
}

/// A queue of TCP.
#[derive(Clone, Debug)]
pub struct QueuePlan {
    /// Its priority.
    pub priority: Priority,
    /// Its discipline; `None` for a plain queue that only the switch's buffer bounds.
    pub discipline: Option<DisciplineConfig>,
    /// What the discipline is told of its place.
    pub context: DisciplineContext,
}
