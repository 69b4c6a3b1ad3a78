//! Records kept while a cell runs: the connection that served each flow, and the packets at the
//! bottleneck.

use fabricsim_core::flow::Completion;
use fabricsim_core::id::{FlowId, NodeId};
use fabricsim_core::packet::{Ecn, Packet};
use fabricsim_core::plugin::{DropReason, Hop, Observer};
use fabricsim_core::units::Time;
use fabricsim_qdisc::SojournTimes;
use rustc_hash::FxHashSet;

use super::wiring::{CLIENT, Header, TO_CLIENT};

/// The notes of one node.
#[derive(Clone, Debug)]
pub(super) enum Log {
    /// None.
    Off,
    /// Those of the client.
    Client(Box<ClientLog>),
    /// Those of the switch.
    Bottleneck(Box<BottleneckLog>),
}

/// Flow that was served, and whether its connection had carried another flow's response before.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Served {
    pub(super) flow: FlowId,
    /// The connection had carried the response of another flow before.
    pub(super) warm: bool,
}

/// Record of the connection that served each flow.
#[derive(Clone, Debug, Default)]
pub(super) struct ClientLog {
    /// The connection of the packet that arrived last.
    last: FlowId,
    /// Connections that have carried a response.
    used: FxHashSet<FlowId>,
    /// In the order of completion.
    pub(super) served: Vec<Served>,
}

/// Record of the packets that the discipline in front of the client has handled since a given time.
#[derive(Clone, Debug)]
pub(super) struct BottleneckLog {
    pub(super) since: Time,
    pub(super) marked: u64,
    pub(super) dropped: u64,
    pub(super) sojourn: SojournTimes,
}

impl BottleneckLog {
    pub(super) fn new(since: Time) -> Self {
        Self {
            since,
            marked: 0,
            dropped: 0,
            sojourn: SojournTimes::default(),
        }
    }
}

impl Observer<Header> for Log {
    #[inline]
    fn on_arrival(&mut self, _now: Time, _node: NodeId, packet: &Packet<Header>) {
        if let Self::Client(log) = self {
            log.last = packet.flow;
        }
    }

    /// A fetch ends with the packet that has just arrived.
    fn on_completion(&mut self, _node: NodeId, completion: &Completion) {
        if let Self::Client(log) = self {
            let warm = !log.used.insert(log.last);
            let flow = completion.flow.id;
            log.served.push(Served { flow, warm });
        }
    }

    /// Nothing marks packets before the bottleneck.
    #[inline]
    fn on_dequeue(&mut self, _node: NodeId, hop: &Hop, packet: &Packet<Header>) {
        match self {
            Self::Bottleneck(log) if hop.port == TO_CLIENT && hop.now >= log.since => {
                log.marked += u64::from(packet.ecn() == Ecn::Congestion);
                log.sojourn.record(hop.now.since(hop.arrived));
            }
            _ => {}
        }
    }

    fn on_drop(&mut self, now: Time, _node: NodeId, _reason: DropReason, packet: &Packet<Header>) {
        match self {
            Self::Bottleneck(log) if packet.key.dst == CLIENT && now >= log.since => {
                log.dropped += 1;
            }
            _ => {}
        }
    }
}
