//! One flow over two links that lose or delay selected packets.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use fabricsim_base::flow::{Completion, Flow, FlowRequest, PathInfo, StreamPlace};
use fabricsim_base::id::{ClassId, FlowId, NodeId, PortId};
use fabricsim_base::priority::{Priority, PrioritySet};
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::packet::{Packet, PacketKind};
use fabricsim_core::plugin::{
    Ack, CcContext, Congestion, CongestionControl, ControllerFactory, Endpoint, EndpointCounters,
    FlowStart, Signal,
};
use fabricsim_transport::rdma::{BaseReference, Rdma, RdmaConfig, RdmaSettings, Recovery};

pub(crate) const MTU: u64 = 1_000;
/// Number of packets of a flow: six round trips at line rate.
pub(crate) const PACKETS: u64 = 300;
/// Number of the last packet.
pub(crate) const LAST: u64 = PACKETS - 1;
pub(crate) const RATE: Rate = Rate::from_gbps(100);
/// One-way delay of the wire between the two hosts.
const DELAY: Duration = Duration::from_us(2);
pub(crate) const RTO: Duration = Duration::from_us(100);
const PORT: PortId = PortId(0);
/// Passed instead of a reply function if the wire is busy, so that replies wait.
const NO_REPLY: Option<fn(&Packet<()>) -> Time> = None;

/// Line rate and a fixed window; counts the reported losses.
#[derive(Clone, Debug, Default)]
struct Fixed {
    window: Option<Bytes>,
    gaps: Arc<AtomicU32>,
    timeouts: Arc<AtomicU32>,
}

impl CongestionControl<()> for Fixed {
    fn on_ack(&mut self, _ack: &Ack<'_, ()>) {}

    fn window(&self) -> Option<Bytes> {
        self.window
    }

    fn pacing_rate(&self) -> Option<Rate> {
        Some(RATE)
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let counter = match congestion.signal {
            Signal::Loss => &self.gaps,
            _ => &self.timeouts,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

impl ControllerFactory<()> for Fixed {
    type Controller = Self;

    fn build(&self, _start: &FlowStart<'_>) -> Self {
        self.clone()
    }
}

/// Fate of a packet on the wire.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fate {
    Arrives,
    Lost,
    Late(Duration),
}

/// Results of a transfer after all flows have ended.
pub(crate) struct Outcome {
    pub(crate) sender: EndpointCounters,
    pub(crate) receiver: EndpointCounters,
    pub(crate) completions: Vec<Completion>,
    /// Number of gaps reported to the congestion control.
    pub(crate) gaps: u32,
    pub(crate) timeouts: u32,
}

impl Outcome {
    /// Returns the number of retransmitted packets.
    pub(crate) fn again(&self) -> u64 {
        self.sender.retransmitted.get().div_ceil(MTU)
    }
}

struct Host {
    transport: Rdma<(), Fixed>,
    /// Time at which the host's wire is free.
    free: Time,
}

/// Returns two hosts. The first one has started flows of `sizes` bytes to the second one.
fn hosts(sizes: &[u64], connection: bool, recovery: Recovery, cc: &Fixed) -> [Host; 2] {
    let config = RdmaConfig {
        recovery: Some(recovery),
        rto_min: Some(RTO),
        nack_interval: Duration::from_us(10),
        ..RdmaConfig::default()
    };
    let settings = Arc::new(RdmaSettings::new(
        config,
        cc.clone(),
        CcContext::of_nics(RATE),
        BaseReference::Pair,
    ));
    let mut hosts = [0, 1].map(|_| Host {
        transport: Rdma::new(Arc::clone(&settings), vec![RATE]),
        free: Time::ZERO,
    });
    let mut from = 0;
    for (id, size) in (0..).zip(sizes) {
        let request = FlowRequest {
            src: NodeId(0),
            dst: NodeId(1),
            size: Bytes::new(*size),
            start: Time::ZERO,
            class: ClassId(0),
            priority: Priority::new(3),
            src_port: Some(10_000),
            dst_port: 100,
        };
        let path = PathInfo {
            base_rtt: DELAY + DELAY + RATE.transmission(Bytes::new(MTU)),
            bottleneck: RATE,
            switches: 0,
        };
        let mut flow = Flow::new(FlowId(id), request, path);
        if connection {
            let connection = FlowId(1_000);
            flow.stream = Some(StreamPlace { connection, from });
            from += size.next_multiple_of(MTU);
        }
        hosts[0].transport.start(Time::ZERO, &flow, PORT);
    }
    hosts
}

/// Sends flows of `sizes` bytes, all at once, from one host to another. `fate` decides on each
/// packet, given the number of its previous transmissions (0 for ACKs).
pub(crate) fn transfer(
    sizes: &[u64],
    recovery: Recovery,
    window: Option<Bytes>,
    fate: impl FnMut(&Packet<()>, u32) -> Fate,
) -> Outcome {
    transfer_on(false, sizes, recovery, window, fate)
}

/// Same as [`transfer`]; with `connection`, the flows are messages of one connection.
pub(crate) fn transfer_on(
    connection: bool,
    sizes: &[u64],
    recovery: Recovery,
    window: Option<Bytes>,
    mut fate: impl FnMut(&Packet<()>, u32) -> Fate,
) -> Outcome {
    let cc = Fixed {
        window,
        ..Fixed::default()
    };
    let mut hosts = hosts(sizes, connection, recovery, &cc);
    let mut wires: BTreeMap<(Time, u64), (usize, Packet<()>)> = BTreeMap::new();
    let mut copies: BTreeMap<(FlowId, u64), u32> = BTreeMap::new();
    let (mut now, mut sent) = (Time::ZERO, 0u64);
    let mut completions = Vec::new();
    while completions.len() < sizes.len() {
        for (side, host) in hosts.iter_mut().enumerate() {
            while host.free <= now {
                let mut leaving = None;
                let nothing = PrioritySet::default();
                host.transport.poll(now, PORT, nothing, |packet| {
                    leaving = Some(*packet);
                    now + RATE.transmission(packet.size())
                });
                let Some(packet) = leaving else { break };
                host.free = now + RATE.transmission(packet.size());
                let before = copies.entry((packet.flow, packet.seq)).or_default();
                let data = packet.kind() == PacketKind::Data;
                let decided = fate(&packet, if data { *before } else { 0 });
                *before += u32::from(data);
                let at = host.free + DELAY;
                let at = match decided {
                    Fate::Arrives => at,
                    Fate::Late(by) => at + by,
                    Fate::Lost => continue,
                };
                sent += 1;
                wires.insert((at, sent), (1 - side, packet));
            }
        }
        let mut next = wires
            .first_key_value()
            .map_or(Time::MAX, |((at, _), _)| *at);
        for host in &mut hosts {
            let free = host.free.max(now);
            let send = host.transport.next_send(free, PORT, PrioritySet::default());
            next = next.min(send.max(free)).min(host.transport.deadline());
        }
        assert!(next < Time::MAX, "nothing moves at {now}");
        now = next.max(now);
        while let Some(entry) = wires.first_entry()
            && entry.key().0 <= now
        {
            let (side, packet) = entry.remove();
            hosts[side]
                .transport
                .on_packet(now, PORT, &packet, &mut completions, NO_REPLY);
        }
        for host in &mut hosts {
            if host.transport.deadline() <= now {
                host.transport.on_deadline(now, &mut completions);
            }
        }
    }
    // Packets that are still in flight arrive, too.
    for (_, (side, packet)) in std::mem::take(&mut wires) {
        hosts[side]
            .transport
            .on_packet(now, PORT, &packet, &mut completions, NO_REPLY);
    }
    let [sender, receiver] = hosts.map(|host| host.transport.counters());
    Outcome {
        sender,
        receiver,
        completions,
        gaps: cc.gaps.load(Ordering::Relaxed),
        timeouts: cc.timeouts.load(Ordering::Relaxed),
    }
}
