//! Fair queueing with CoDel in each queue.

mod config;
mod lists;

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::flow::FlowKey;
use fabricsim_base::rng::{Purpose, Stream, mix};
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::packet::{Header, Packet};
use fabricsim_core::plugin::Mark;
use fabricsim_engine::Message;

use crate::aqm::codel::{Candidate, Codel, CodelParams};
use crate::aqm::{DisciplineContext, Verdict};
use crate::counters::{DisciplineCounters, DropCause};
use crate::discipline::{Discipline, mark_if, mark_of};
use crate::packet_pool::{Chain, PacketPool};
pub use config::FqCodelConfig;
use lists::{Lists, Which};

/// One of the queues, for the flows with the same hash.
#[derive(Clone, Debug, Default, Stored)]
#[checkpoint(absolute)]
struct Flow {
    packets: Chain,
    /// Bytes that it may still send before other queues get their turn; negative if it has
    /// overspent.
    deficit: i64,
    cc: Codel,
}

/// Flow queueing with CoDel (RFC 8290, following Linux's `fq_codel`): a hash spreads flows over
/// queues, which take turns by deficit round robin (section 4.2). A queue that was empty goes
/// first, once. Each queue has its own CoDel; the backlog below which CoDel does not act is the
/// total of all queues.
///
/// If a limit is exceeded, the fattest queue loses packets from its head: half of its bytes, up to
/// `drop_batch` packets (section 4.1). Memory is counted in bytes on the wire.
#[derive(Checkpointed, Clone, Debug)]
#[checkpoint(absolute)]
#[checkpoint(bound(H: Stored))]
pub struct FqCodel<H> {
    #[checkpoint(rebuilt)]
    params: CodelParams,
    #[checkpoint(rebuilt)]
    quantum: i64,
    #[checkpoint(rebuilt)]
    limit: usize,
    #[checkpoint(rebuilt)]
    memory_limit: u64,
    #[checkpoint(rebuilt)]
    drop_batch: u32,
    /// Makes the hash of each port different.
    #[checkpoint(rebuilt)]
    perturbation: u64,
    flows: Vec<Flow>,
    /// Bytes of each queue, stored separately for a fast search of the maximum.
    backlogs: Vec<u64>,
    lists: Lists,
    pool: PacketPool<H>,
    bytes: u64,
    /// The queue of the last returned packet, and the packet's mark.
    shown: u32,
    mark: Mark,
    counters: DisciplineCounters,
}

impl<H: Header> FqCodel<H> {
    /// Returns empty queues.
    #[must_use]
    pub fn new(config: &FqCodelConfig, context: &DisciplineContext) -> Self {
        let flows = config.flows.max(1);
        Self {
            params: config.params(context),
            quantum: i64::try_from(config.quantum.get().max(1)).unwrap_or(i64::MAX),
            limit: config.limit as usize,
            memory_limit: config.memory_limit.get(),
            drop_batch: config.drop_batch,
            perturbation: Stream::new(context.seed, context.entity, Purpose::Marking).next_u64(),
            flows: vec![Flow::default(); flows as usize],
            backlogs: vec![0; flows as usize],
            lists: Lists::new(flows),
            pool: PacketPool::default(),
            bytes: 0,
            shown: 0,
            mark: Mark::None,
            counters: DisciplineCounters::default(),
        }
    }

    /// Returns the queue of packets with `key`.
    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the product's upper half is less than the number of queues"
    )]
    fn classify(&self, key: &FlowKey) -> u32 {
        let addresses = u64::from(key.src.0) << 32 | u64::from(key.dst.0);
        let ports = u64::from(key.src_port) << 16 | u64::from(key.dst_port);
        let hash = mix(mix(self.perturbation ^ addresses) ^ ports);
        ((u128::from(hash) * self.flows.len() as u128) >> 64) as u32
    }

    /// Makes room for a packet of `size` that arrives at queue `newcomer`: the fattest queue,
    /// including the new packet, loses packets from its head. Returns `false` if the new packet
    /// itself is lost.
    #[cold]
    fn make_room(&mut self, newcomer: u32, size: u64, dropped: &mut Vec<Packet<H>>) -> bool {
        let of = |queue: usize, bytes: u64| {
            let more = if queue == newcomer as usize { size } else { 0 };
            bytes + more
        };
        let (mut fattest, mut most) = (0, 0);
        for (queue, &bytes) in self.backlogs.iter().enumerate() {
            let bytes = of(queue, bytes);
            if bytes > most {
                (fattest, most) = (queue, bytes);
            }
        }
        let flow = &mut self.flows[fattest];
        let (mut lost, mut packets) = (0, 0);
        let mut is_left = true;
        while packets < self.drop_batch && (packets == 0 || lost < most / 2) {
            packets += 1;
            let Some(packet) = self.pool.front(flow.packets) else {
                // Only the new packet is left in its queue.
                is_left = false;
                break;
            };
            let wire = u64::from(packet.wire);
            dropped.push(*packet);
            self.counters.on_drop(packet.size(), DropCause::Overload);
            self.pool.pop(&mut flow.packets);
            self.backlogs[fattest] -= wire;
            self.bytes -= wire;
            lost += wire;
        }
        flow.cc.add_drops(packets);
        is_left
    }

    /// Drops packets of `queue` until one may leave, and stores its mark in `mark`. Returns `false`
    /// if no packet is left.
    fn serves(&mut self, queue: u32, now: Time, dropped: &mut Vec<Packet<H>>) -> bool {
        let index = queue as usize;
        let Flow { packets, cc, .. } = &mut self.flows[index];
        if packets.is_empty() {
            cc.on_empty();
        }
        while let Some(packet) = self.pool.front(*packets) {
            let candidate = Candidate {
                arrival: packet.arrival(),
                ecn: packet.ecn(),
                left: Bytes::new(self.bytes) - packet.size(),
                is_last: packets.has_one(),
            };
            let verdict = cc.decide(&self.params, now, &candidate);
            if !verdict.drops() {
                self.mark = mark_if(verdict == Verdict::Mark);
                return true;
            }
            dropped.push(*packet);
            self.counters.on_drop(packet.size(), DropCause::Aqm);
            let wire = u64::from(packet.wire);
            self.backlogs[index] -= wire;
            self.bytes -= wire;
            self.pool.pop(packets);
        }
        false
    }

    /// Returns the queue to serve, which has a deficit above zero, with its list.
    fn turn(&mut self) -> Option<(u32, Which)> {
        loop {
            let (queue, which) = self.lists.first()?;
            let flow = &mut self.flows[queue as usize];
            if flow.deficit > 0 {
                return Some((queue, which));
            }
            flow.deficit += self.quantum;
            self.lists.move_to_old(which);
        }
    }
}

impl<H: Header> Discipline<H> for FqCodel<H> {
    fn enqueue(
        &mut self,
        now: Time,
        packet: &Packet<H>,
        dropped: &mut Vec<Packet<H>>,
    ) -> Option<&mut Packet<H>> {
        let queue = self.classify(&packet.key);
        let index = queue as usize;
        let size = u64::from(packet.wire);
        if self.lists.add_new(queue) {
            self.flows[index].deficit = self.quantum;
        }
        let full = self.pool.len() >= self.limit || self.bytes + size > self.memory_limit;
        if full && !self.make_room(queue, size, dropped) {
            self.counters.on_refusal(packet.size(), DropCause::Overload);
            return None;
        }
        self.counters.on_enqueue(packet.size());
        self.backlogs[index] += size;
        self.bytes += size;
        let packets = &mut self.flows[index].packets;
        Some(self.pool.push(packets, now, packet))
    }

    fn select(&mut self, now: Time, dropped: &mut Vec<Packet<H>>) -> bool {
        while let Some((queue, which)) = self.turn() {
            if self.serves(queue, now, dropped) {
                self.shown = queue;
                return true;
            }
            // A new queue that becomes empty waits for a turn of the old ones before it can be new
            // again (section 4.2).
            self.lists.on_empty(which);
        }
        false
    }

    #[inline]
    fn front(&self) -> Option<&Packet<H>> {
        self.pool.front(self.flows[self.shown as usize].packets)
    }

    fn pop(&mut self, now: Time) -> Mark {
        let index = self.shown as usize;
        let flow = &mut self.flows[index];
        let Some(packet) = self.pool.front(flow.packets) else {
            return Mark::None;
        };
        let wire = u64::from(packet.wire);
        let waited = now.since(packet.arrival());
        let mark = mark_of(packet, self.mark);
        self.counters.on_dequeue(packet.size(), waited, mark);
        flow.deficit -= i64::from(packet.wire);
        self.backlogs[index] -= wire;
        self.bytes -= wire;
        self.pool.pop(&mut flow.packets);
        mark
    }

    #[inline]
    fn bytes(&self) -> Bytes {
        Bytes::new(self.bytes)
    }

    #[inline]
    fn packets(&self) -> usize {
        self.pool.len()
    }

    fn for_each(&self, visit: impl FnMut(&Packet<H>)) {
        self.flows
            .iter()
            .flat_map(|flow| self.pool.iter(flow.packets))
            .for_each(visit);
    }

    fn counters(&self) -> Option<DisciplineCounters> {
        Some(self.counters.settled())
    }
}

#[cfg(test)]
mod tests;
