//! The description of the network to build.

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

/// The description of a network to build.
pub struct Plan<'a> {
    /// Nodes and links.
    pub topology: &'a Topology,
    /// The routes of switches.
    pub routes: &'a Routes,
    /// The properties of the network that algorithms see. Its quirks apply to the whole network.
    pub context: &'a CcContext,
    /// The seed of all random streams.
    pub seed: u64,
    /// The rate of hosts' ports.
    pub nic_rate: Rate,
    /// The time without any arrival after which a run counts as stalled.
    pub stall_after: Duration,
    /// RDMA settings of the hosts.
    pub rdma: Arc<RdmaSettings<ClassFactories>>,
    /// TCP settings, and priorities without PFC.
    pub tcp: TcpPlan,
    /// `true` if the network must support TCP's features: both transports at hosts, queues that are
    /// lossy by priority, and room in headers.
    pub is_mixed: bool,
    /// The kinds of telemetry that algorithms read.
    pub telemetry: Vec<TelemetryId>,
    /// The settings of the digest that algorithms read; `None` if no algorithm reads one.
    pub digest: Option<PintSettings>,
    /// The queries for which packets collect values; `None` without queries.
    pub queries: Option<Arc<Queries>>,
}

impl Plan<'_> {
    /// Returns `true` if an algorithm reads INT.
    pub(crate) fn has_int(&self) -> bool {
        self.telemetry.contains(&INT)
    }

    /// Returns the tag that carries telemetry for algorithms; `None` if no algorithm reads a tag.
    pub(crate) fn tag(&self) -> Option<&'static dyn Tag> {
        self.telemetry.iter().find_map(|kind| kind.tag())
    }

    /// Returns the decoders of the telemetry that algorithms read.
    pub(crate) fn decoders(&self) -> Decoders {
        let decoder = |&kind: &TelemetryId| Decoder::new(kind, self.context);
        Decoders(self.telemetry.iter().map(decoder).collect())
    }
}

/// A plan together with the other inputs of the construction.
#[derive(Clone, Copy)]
pub(crate) struct BuildContext<'a> {
    pub(crate) plan: &'a Plan<'a>,
    /// The parts that differ between nodes and between ports.
    pub(crate) parts: &'a dyn Parts,
    pub(crate) threads: &'a Threads,
    pub(crate) shares: Option<&'a Shares>,
}

/// Inputs of the hosts and switches in a network with both transports.
#[derive(Clone, Debug)]
pub struct TcpPlan {
    /// The transport that carries the flows of each class.
    pub transports: ClassTransports,
    /// TCP settings of the hosts.
    pub settings: Arc<TcpSettings>,
    /// Priorities without PFC.
    pub lossy: LossyConfig,
}

/// The parts of a network that differ between nodes and between ports.
pub trait Parts {
    /// Returns the observer of `node`, which records its results.
    fn log(&self, node: NodeId) -> NodeLog;

    /// Returns the markers of packets at the switch port `port`; `None` if none marks. `number` is
    /// the index of the port among the ports of all nodes.
    fn markers(&self, port: &Port, number: u64) -> Option<Box<Markers>>;

    /// Returns the buffer of a switch with `ports`.
    fn buffer(&self, ports: &[PortBuffer]) -> BufferConfig;

    /// Returns the queues of the TCP priorities at the switch port `port`. `number` is the index of
    /// the port among the ports of all nodes. Not called for networks without TCP's features.
    fn tcp_queues(&self, port: &Port, number: u64) -> Vec<QueuePlan>;
}

/// A queue of TCP.
#[derive(Clone, Debug)]
pub struct QueuePlan {
    /// Priority of the queue.
    pub priority: Priority,
    /// Discipline of the queue; `None` for a plain queue that only the switch's buffer bounds.
    pub discipline: Option<DisciplineConfig>,
    /// Properties of the run and the port for the discipline.
    pub context: DisciplineContext,
}
