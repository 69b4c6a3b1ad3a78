//! The series `hop_delays`: queueing delays of the packets of each flow at each hop.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::id::{FlowId, NodeId, PortId};
use fabricsim_base::units::Time;
use fabricsim_core::packet::{Packet, PacketKind};
use fabricsim_core::plugin::{Hop, Interest, Observer};
use fabricsim_topology::Topology;

use super::rows::{CellKind, Columns, Rows, SeriesCell};
use super::selection::FlowFilter;
use super::{Scope, Series, View};
use crate::node_log::AttachedObserver;

/// The queueing delays of each flow at each switch port that it crosses. The delay of a packet is
/// the time from the arrival of its last byte to the beginning of its transmission, pauses
/// included. Only data packets count. Acknowledgements and packets that lost their payload do not.
#[derive(Checkpointed, Debug)]
#[checkpoint(absolute)]
pub struct HopDelays {
    #[checkpoint(rebuilt)]
    filter: FlowFilter,
}

impl Series for HopDelays {
    fn columns() -> Columns {
        &[
            ("flow", CellKind::Whole),
            ("hop", CellKind::Whole),
            ("node", CellKind::Whole),
            ("port", CellKind::Whole),
            ("name", CellKind::Text),
            ("peer", CellKind::Text),
            ("packets", CellKind::Whole),
            ("delay_ns", CellKind::Nanoseconds),
            ("mean_ns", CellKind::Nanoseconds),
            ("max_ns", CellKind::Nanoseconds),
        ]
    }

    fn new(scope: &Scope<'_>) -> Self {
        Self {
            filter: scope.flows.clone(),
        }
    }

    fn recorder(scope: &Scope<'_>, node: NodeId) -> Option<Box<dyn AttachedObserver>> {
        let ports = scope.topology.ports(node);
        let mut chosen = vec![false; ports.len()];
        for port in scope.queues_of(node) {
            chosen[port.index()] = true;
        }
        chosen.contains(&true).then(|| {
            let hosts = ports.iter().map(|port| scope.topology.is_host(port.peer));
            Box::new(SwitchDelays {
                time: scope.time.clone(),
                filter: scope.flows.clone(),
                chosen,
                hosts: hosts.collect(),
                delays: BTreeMap::new(),
            }) as Box<dyn AttachedObserver>
        })
    }

    fn is_sampled(&self) -> bool {
        false
    }

    fn finish(&mut self, view: &View<'_>, rows: &mut dyn Rows) -> io::Result<()> {
        for (flow, delays) in self.by_flow(view) {
            let hops = hops(&delays, view.topology);
            let mut order: Vec<_> = delays.iter().zip(hops).collect();
            order.sort_by_key(|((place, _), hop)| (*hop, *place));
            if !rows.has_room(order.len(), &|| format!("flow {flow} and later flows")) {
                break;
            }
            for (((node, port), delay), hop) in order {
                let peer = view.topology.ports(*node)[port.index()].peer;
                rows.write(&[
                    SeriesCell::Whole(u64::from(flow.0)),
                    SeriesCell::Whole(hop),
                    SeriesCell::Whole(u64::from(node.0)),
                    SeriesCell::Whole(u64::from(port.0)),
                    SeriesCell::Text(view.topology.name(*node)),
                    SeriesCell::Text(view.topology.name(peer)),
                    SeriesCell::Whole(delay.packets),
                    SeriesCell::Picoseconds(delay.total_ps),
                    SeriesCell::Picoseconds((delay.total_ps + delay.packets / 2) / delay.packets),
                    SeriesCell::Picoseconds(delay.max_ps),
                ])?;
            }
        }
        Ok(())
    }
}

/// The delays of a flow, keyed by switch and port.
type FlowDelays = BTreeMap<(NodeId, PortId), Delay>;

impl HopDelays {
    /// Returns the delays of the chosen flows.
    fn by_flow(&self, view: &View<'_>) -> BTreeMap<FlowId, FlowDelays> {
        let ended = view.ended.iter();
        let ended = ended.filter(|flow| self.filter.takes(flow.flow, flow.class, flow.size));
        let mut chosen: BTreeSet<FlowId> = ended.map(|flow| flow.flow).collect();
        view.network.for_each_live(&mut |live| {
            let request = &live.flow.request;
            if self.filter.takes(live.flow.id, request.class, request.size) {
                chosen.insert(live.flow.id);
            }
        });
        let mut flows: BTreeMap<FlowId, FlowDelays> = BTreeMap::new();
        for (node, recorder) in view.network.recorders::<SwitchDelays>() {
            for ((flow, port), delay) in &recorder.delays {
                if chosen.contains(flow) {
                    let delays = flows.entry(*flow).or_default();
                    delays.insert((node, *port), *delay);
                }
            }
        }
        flows
    }
}

/// Returns the number of each hop. The first switch after the sender has number 1. If paths of
/// several lengths lead to a switch, the shortest counts. A hop has number 0 if no observed ports
/// connect it to the first one.
fn hops(delays: &FlowDelays, topology: &Topology) -> Vec<u64> {
    let first = delays.iter().filter(|(_, delay)| delay.from_host);
    let mut reached: BTreeMap<NodeId, u64> = first.map(|((node, _), _)| (*node, 1)).collect();
    let mut last: Vec<NodeId> = reached.keys().copied().collect();
    for hop in 2.. {
        let mut next = Vec::new();
        for (node, port) in delays.keys() {
            let peer = topology.ports(*node)[port.index()].peer;
            if last.contains(node) && !reached.contains_key(&peer) {
                reached.insert(peer, hop);
                next.push(peer);
            }
        }
        if next.is_empty() {
            break;
        }
        last = next;
    }
    let numbers = delays.keys().map(|(node, _)| reached.get(node).copied());
    numbers.map(|hop| hop.unwrap_or(0)).collect()
}

/// The recorder of a switch.
#[derive(Checkpointed, Debug)]
#[checkpoint(absolute)]
struct SwitchDelays {
    #[checkpoint(rebuilt)]
    time: Range<Time>,
    #[checkpoint(rebuilt)]
    filter: FlowFilter,
    /// By port: `true` if the packets that leave through the port are observed.
    #[checkpoint(rebuilt)]
    chosen: Vec<bool>,
    /// By port: `true` if the port is linked to a host.
    #[checkpoint(rebuilt)]
    hosts: Vec<bool>,
    delays: BTreeMap<(FlowId, PortId), Delay>,
}

/// The delays of a flow's packets at a port.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
#[checkpoint(absolute)]
struct Delay {
    packets: u64,
    total_ps: u64,
    max_ps: u64,
    /// `true` if a packet arrived directly from a host.
    from_host: bool,
}

impl Observer<()> for SwitchDelays {
    fn interest(&self) -> Interest {
        Interest::DEQUEUES
    }

    fn on_dequeue(&mut self, _node: NodeId, hop: &Hop, packet: &Packet<()>) {
        let is_data =
            packet.kind() == PacketKind::Data && packet.payload > 0 && !packet.is_trimmed();
        if !is_data
            || !self.time.contains(&hop.now)
            || !self.chosen[hop.port.index()]
            || !self.filter.takes_id(packet.flow)
        {
            return;
        }
        let delay = self.delays.entry((packet.flow, hop.port)).or_default();
        let waited = hop.now.since(hop.arrived).as_ps();
        delay.packets += 1;
        delay.total_ps += waited;
        delay.max_ps = delay.max_ps.max(waited);
        delay.from_host |= self.hosts[hop.ingress.index()];
    }

    fabricsim_base::saves_state!();
}
