//! Packets and helpers for the tests of the disciplines.

use fabricsim_base::flow::FlowKey;
use fabricsim_base::id::{FlowId, NodeId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Rate, Time};
use fabricsim_core::packet::{Flags, Packet, PacketKind};
use fabricsim_core::plugin::Mark;

use crate::aqm::queue::AqmQueue;
use crate::{
    AqmKind, Discipline, DisciplineConfig, DisciplineContext, DisciplineCounters, DisciplineKind,
};

/// A port of 50 Mbps.
pub(crate) const CONTEXT: DisciplineContext = DisciplineContext {
    seed: 7,
    entity: 3,
    rate: Rate::from_mbps(50),
    packet: Bytes::new(1_514),
};

/// Returns an empty queue with the rule of `config`.
pub(crate) fn rule_queue(config: &impl AqmKind) -> AqmQueue<()> {
    rule_queue_at(config, &CONTEXT)
}

/// Returns an empty queue with the rule of `config` in `context`.
pub(crate) fn rule_queue_at(config: &impl AqmKind, context: &DisciplineContext) -> AqmQueue<()> {
    AqmKind::validate(config).expect("good settings");
    match config.clone().into_config() {
        DisciplineConfig::Aqm(config) => AqmQueue::new(&config, context),
        other => unreachable!("{other:?} is a rule"),
    }
}

/// Returns a packet of flow `flow` with a sender that does not understand marks.
pub(crate) fn flow_packet(flow: u32, wire: u16) -> Packet<()> {
    let key = FlowKey {
        src: NodeId(flow),
        dst: NodeId(1_000_000),
        src_port: 10_000,
        dst_port: 100,
    };
    let mut packet = Packet::new(PacketKind::Data, Priority::new(1), key, FlowId(flow));
    packet.wire = wire;
    packet
}

/// Returns a packet of `priority` with a sender that does not understand marks.
pub(crate) fn packet(priority: u8, wire: u16) -> Packet<()> {
    let key = flow_packet(0, 0).key;
    let mut packet = Packet::new(PacketKind::Data, Priority::new(priority), key, FlowId(0));
    packet.wire = wire;
    packet
}

/// Returns `packet` with `flags`.
pub(crate) fn with(mut packet: Packet<()>, flags: Flags) -> Packet<()> {
    packet.flags.set(flags);
    packet
}

/// Result of one dequeue.
#[derive(Clone, Debug, Default)]
pub(crate) struct Served {
    pub(crate) packet: Option<Packet<()>>,
    pub(crate) marked: bool,
    pub(crate) dropped: usize,
}

/// Dequeues one packet from `queue` at `now`.
pub(crate) fn serve(queue: &mut impl Discipline<()>, now: Time) -> Served {
    let mut dropped = Vec::new();
    let packet = queue.head(now, &mut dropped).copied();
    let marked = packet.is_some() && queue.pop(now) == Mark::Congestion;
    Served {
        packet,
        marked,
        dropped: dropped.len(),
    }
}

/// Returns the counters of `queue`, which must not be plain.
pub(crate) fn counters(queue: &impl Discipline<()>) -> DisciplineCounters {
    queue.counters().expect("the queue has a rule")
}

/// Passes `packet` to `queue` at `now`. Returns `true` if it is stored, and the number of packets
/// that were dropped to make room.
pub(crate) fn offer(
    queue: &mut impl Discipline<()>,
    now: Time,
    packet: &Packet<()>,
) -> (bool, usize) {
    let mut dropped = Vec::new();
    let stored = queue.enqueue(now, packet, &mut dropped).is_some();
    (stored, dropped.len())
}

/// Passes `packets` copies of `packet` to `queue` at `now`.
pub(crate) fn fill(
    queue: &mut impl Discipline<()>,
    now: Time,
    packet: &Packet<()>,
    packets: usize,
) {
    for _ in 0..packets {
        offer(queue, now, packet);
    }
}

/// Dequeues up to `packets` packets from `queue` at `now`.
pub(crate) fn drain(queue: &mut impl Discipline<()>, now: Time, packets: usize) {
    for _ in 0..packets {
        serve(queue, now);
    }
}
