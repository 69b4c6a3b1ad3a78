//! Records kept while a cell runs: the connection that served each flow, and the packets at the
//! bottleneck.

use fabricsim_base::flow::{Completion, Flow};
use fabricsim_base::id::{ClassId, FlowId, NodeId, PortId};
use fabricsim_base::units::{Duration, Time};
use fabricsim_core::packet::{Ecn, Packet};
use fabricsim_core::plugin::{DropReason, Hop, Observer};
use fabricsim_qdisc::SojournTimes;
use rustc_hash::FxHashSet;

/// The host that requests data.
pub(super) const CLIENT: NodeId = NodeId(0);

/// Packets and waiting times at the discipline in front of the client while the workload ran.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BottleneckResult {
    /// Packets that left it.
    pub packets: u64,
    /// Packets that it marked.
    pub marked: u64,
    /// Packets that it dropped.
    pub dropped: u64,
    /// The mean time that packets waited.
    pub sojourn_mean: Duration,
    /// The median waiting time, rounded to an eighth.
    pub sojourn_p50: Duration,
    /// The 95th percentile of waiting times, rounded to an eighth.
    pub sojourn_p95: Duration,
}

/// The records of one node.
#[derive(Clone, Debug)]
pub(super) enum Log {
    /// No records.
    Off,
    /// Records of the client.
    Client(Box<ClientLog>),
    /// Records of the switch.
    Bottleneck(Box<BottleneckLog>),
}

impl Log {
    pub(super) fn client(&self) -> Option<&ClientLog> {
        match self {
            Self::Client(log) => Some(log),
            Self::Off | Self::Bottleneck(_) => None,
        }
    }

    pub(super) fn bottleneck(&self) -> Option<&BottleneckLog> {
        match self {
            Self::Bottleneck(log) => Some(log),
            Self::Off | Self::Client(_) => None,
        }
    }
}

/// A served flow and the state of its connection.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Served {
    pub(super) flow: FlowId,
    /// The connection had carried the response of another flow before.
    pub(super) warm: bool,
}

/// Record of the connection that served each flow.
#[derive(Clone, Debug, Default)]
pub(super) struct ClientLog {
    /// The class of the workload.
    class: ClassId,
    /// The connection of the last packet that arrived.
    last: FlowId,
    /// The flows of the workload in the order of their starts.
    pub(super) started: Vec<FlowId>,
    /// Connections that have carried a response.
    used: FxHashSet<FlowId>,
    /// Served flows in the order of completion.
    pub(super) served: Vec<Served>,
}

impl ClientLog {
    pub(super) fn new(class: ClassId) -> Self {
        Self {
            class,
            ..Self::default()
        }
    }
}

/// Record of the packets that the discipline in front of the client has processed since a given
/// time.
#[derive(Clone, Debug)]
pub(super) struct BottleneckLog {
    pub(super) since: Time,
    pub(super) marked: u64,
    pub(super) dropped: u64,
    pub(super) sojourn: SojournTimes,
}

impl BottleneckLog {
    /// The switch.
    pub(super) const NODE: NodeId = NodeId(2);
    /// Its port to the client: the bottleneck of the data.
    const PORT: PortId = PortId(0);

    pub(super) fn new(since: Time) -> Self {
        Self {
            since,
            marked: 0,
            dropped: 0,
            sojourn: SojournTimes::default(),
        }
    }

    /// Returns the results of the record.
    pub(super) fn result(&self) -> BottleneckResult {
        BottleneckResult {
            packets: self.sojourn.count(),
            marked: self.marked,
            dropped: self.dropped,
            sojourn_mean: self.sojourn.mean().unwrap_or_default(),
            sojourn_p50: self.sojourn.quantile(0.5).unwrap_or_default(),
            sojourn_p95: self.sojourn.quantile(0.95).unwrap_or_default(),
        }
    }
}

impl Observer<()> for Log {
    fn on_start(&mut self, _now: Time, _node: NodeId, flow: &Flow) {
        match self {
            Self::Client(log) if flow.request.class == log.class => log.started.push(flow.id),
            _ => {}
        }
    }

    #[inline]
    fn on_arrival(&mut self, _now: Time, _node: NodeId, packet: &Packet<()>) {
        if let Self::Client(log) = self {
            log.last = packet.flow;
        }
    }

    /// The packet that completes a fetch has just arrived, so `last` is its connection.
    fn on_completion(&mut self, _node: NodeId, completion: &Completion) {
        if let Self::Client(log) = self {
            let warm = !log.used.insert(log.last);
            let flow = completion.flow.id;
            log.served.push(Served { flow, warm });
        }
    }

    /// Only the bottleneck marks packets.
    #[inline]
    fn on_dequeue(&mut self, _node: NodeId, hop: &Hop, packet: &Packet<()>) {
        match self {
            Self::Bottleneck(log) if hop.port == BottleneckLog::PORT && hop.now >= log.since => {
                log.marked += u64::from(packet.ecn() == Ecn::Congestion);
                log.sojourn.record(hop.now.since(hop.arrived));
            }
            _ => {}
        }
    }

    fn on_drop(&mut self, now: Time, _node: NodeId, _reason: DropReason, packet: &Packet<()>) {
        match self {
            Self::Bottleneck(log) if packet.key.dst == CLIENT && now >= log.since => {
                log.dropped += 1;
            }
            _ => {}
        }
    }
}
