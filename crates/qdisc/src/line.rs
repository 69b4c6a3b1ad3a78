//! Packets in the order of arrival, with their times of arrival.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::fifo::Fifo;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::packet::{Header, Packet};
use fabricsim_core::plugin::Mark;
use fabricsim_engine::Message;

use crate::counters::{DisciplineCounters, DropCause};
use crate::discipline::mark_of;

/// A first-in, first-out queue that counts its bytes and knows the queueing times of its packets.
///
/// It writes the time of the enqueue into the stored copy as its arrival, so that packets created
/// here (pause frames, a host's own packets) also have one. The channel overwrites it when the
/// packet leaves.
#[derive(Clone, Debug, Stored)]
#[checkpoint(plain)]
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

    /// Drops the first packet and appends it to `dropped`.
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

    /// Removes the first packet, which leaves for the wire with `mark`. Returns the mark if the
    /// packet takes it.
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

    /// Returns the first packet.
    #[inline]
    pub(crate) fn front(&self) -> Option<&Packet<H>> {
        self.packets.front()
    }

    /// Returns the time for which the first packet has waited; zero if there is none.
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

    /// Returns the packets, first to last.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Packet<H>> {
        self.packets.iter()
    }
}
