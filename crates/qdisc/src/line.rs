//! Packets in the order in which they came, with the times of their arrival.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::fifo::Fifo;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::packet::{Header, Packet};
use fabricsim_core::plugin::Mark;
use fabricsim_engine::Message;

use crate::counters::{DisciplineCounters, DropCause};
use crate::discipline::mark_of;

/// A first-in-first-out queue that knows its bytes and how long its packets have waited.
///
/// The time of the enqueue is written into the stored copy as its arrival, so that packets which
/// begin here (pause frames, a host's own) have one, too. The channel overwrites it when the packet
/// leaves.
#[derive(Clone, Debug, Stored)]
pub(crate) struct Line<H> {
    packets: Fifo<Packet<H>>,
    bytes: u64,
}

impl<H> Default for Line<H> {
    fn default() -> Self {
        Self {
            packets: Fifo::default(),
            bytes: 0,
        }
    }
}

impl<H: Header> Line<H> {
    /// Stores a copy of `packet` at the end.
    #[inline]
    pub(crate) fn push(
        &mut self,
        now: Time,
        packet: &Packet<H>,
        counters: &mut DisciplineCounters,
    ) -> &mut Packet<H> {
        counters.on_enqueue(packet.size());
        self.bytes += u64::from(packet.wire);
        let stored = self.packets.push(packet);
        stored.set_arrival(now);
        stored
    }

    /// Drops the first packet, which goes to `dropped`.
    pub(crate) fn give_up(
        &mut self,
        cause: DropCause,
        counters: &mut DisciplineCounters,
        dropped: &mut Vec<Packet<H>>,
    ) {
        let Some(packet) = self.packets.front() else {
            return;
        };
        dropped.push(*packet);
        self.bytes -= u64::from(packet.wire);
        counters.on_drop(packet.size(), cause);
        self.packets.pop();
    }

    /// The first packet leaves for the wire with `mark`, which is returned if the packet takes it.
    #[inline]
    pub(crate) fn leave(
        &mut self,
        now: Time,
        mark: Mark,
        counters: &mut DisciplineCounters,
    ) -> Mark {
        let Some(packet) = self.packets.front() else {
            return Mark::None;
        };
        let mark = mark_of(packet, mark);
        self.bytes -= u64::from(packet.wire);
        counters.on_dequeue(packet.size(), now.since(packet.arrival()), mark);
        self.packets.pop();
        mark
    }

    /// The first packet.
    #[inline]
    pub(crate) fn front(&self) -> Option<&Packet<H>> {
        self.packets.front()
    }

    /// Returns how long the first packet has waited; no time when there is none.
    #[inline]
    pub(crate) fn wait(&self, now: Time) -> Duration {
        let first = self.packets.front();
        first.map_or(Duration::ZERO, |packet| now.since(packet.arrival()))
    }

    #[inline]
    pub(crate) const fn bytes(&self) -> Bytes {
        Bytes::new(self.bytes)
    }

    #[inline]
    pub(crate) const fn len(&self) -> usize {
        self.packets.len()
    }

    #[inline]
    pub(crate) const fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// The packets, first to last.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Packet<H>> {
        self.packets.iter()
    }
}
