//! Counters of a queue discipline.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::{Bytes, Duration};
use fabricsim_core::plugin::Mark;

use crate::sojourn::SojournTimes;

/// Why a discipline has dropped a packet.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum DropCause {
    /// The queue was at its limit when the packet came.
    Tail,
    /// The rule that keeps the queue short chose it.
    Aqm,
    /// The rule could no longer keep the queue short: the fattest flow's packets where a limit is
    /// exceeded (RFC 8290 section 4.1), any packet where marks do not help (RFC 9332 section
    /// 4.2.3).
    Overload,
}

/// Packets and their bytes on the wire.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
pub struct Tally {
    /// Number of packets.
    pub packets: u64,
    /// Their bytes.
    pub bytes: Bytes,
}

impl Tally {
    #[inline]
    fn add(&mut self, size: Bytes) {
        self.packets += 1;
        self.bytes += size;
    }

    fn merge(&mut self, other: Self) {
        self.packets += other.packets;
        self.bytes += other.bytes;
    }
}

/// Counters of a discipline. The packets offered are those that have left, those that were dropped
/// and those that it holds.
#[derive(Clone, Debug, Default, PartialEq, Stored)]
pub struct DisciplineCounters {
    /// Packets that came and left at once, which `offered`, `enqueued`, `dequeued` and `sojourn` do
    /// not count yet: at most ports these are most packets, and one look at the counters is enough
    /// for each.
    passed: Tally,
    /// Packets that came.
    pub offered: Tally,
    /// Those of them that were stored.
    pub enqueued: Tally,
    /// Packets that have left for the wire.
    pub dequeued: Tally,
    /// Those of them that were marked here.
    pub marked: u64,
    /// Dropped with [`DropCause::Tail`].
    pub tail_drops: Tally,
    /// Dropped with [`DropCause::Aqm`], before or after they were stored.
    pub aqm_drops: Tally,
    /// Dropped with [`DropCause::Overload`].
    pub overload_drops: Tally,
    /// Waiting times of the packets that have left.
    pub sojourn: SojournTimes,
}

impl DisciplineCounters {
    /// These with all packets in all counters.
    pub(crate) fn settled(&self) -> Self {
        let mut all = Self {
            passed: Tally::default(),
            ..self.clone()
        };
        for tally in [&mut all.offered, &mut all.enqueued, &mut all.dequeued] {
            tally.merge(self.passed);
        }
        all.sojourn.record_none(self.passed.packets);
        all
    }

    /// All drops.
    #[must_use]
    pub fn dropped(&self) -> Tally {
        let mut sum = self.tail_drops;
        sum.merge(self.aqm_drops);
        sum.merge(self.overload_drops);
        sum
    }

    /// Adds what `other` has counted.
    pub fn merge(&mut self, other: &Self) {
        self.passed.merge(other.passed);
        self.offered.merge(other.offered);
        self.enqueued.merge(other.enqueued);
        self.dequeued.merge(other.dequeued);
        self.marked += other.marked;
        self.tail_drops.merge(other.tail_drops);
        self.aqm_drops.merge(other.aqm_drops);
        self.overload_drops.merge(other.overload_drops);
        self.sojourn.merge(&other.sojourn);
    }

    /// A packet came and is stored.
    #[inline]
    pub(crate) fn on_enqueue(&mut self, size: Bytes) {
        self.offered.add(size);
        self.enqueued.add(size);
    }

    /// A packet came and left at once.
    #[inline]
    pub(crate) fn on_pass(&mut self, size: Bytes, mark: Mark) {
        self.passed.add(size);
        self.marked += u64::from(mark == Mark::Congestion);
    }

    /// A packet came and is not stored.
    #[inline]
    pub(crate) fn on_refusal(&mut self, size: Bytes, cause: DropCause) {
        self.offered.add(size);
        self.on_drop(size, cause);
    }

    /// A stored packet is dropped.
    #[inline]
    pub(crate) fn on_drop(&mut self, size: Bytes, cause: DropCause) {
        match cause {
            DropCause::Tail => self.tail_drops.add(size),
            DropCause::Aqm => self.aqm_drops.add(size),
            DropCause::Overload => self.overload_drops.add(size),
        }
    }

    /// A packet leaves after `sojourn`.
    #[inline]
    pub(crate) fn on_dequeue(&mut self, size: Bytes, sojourn: Duration, mark: Mark) {
        self.dequeued.add(size);
        self.marked += u64::from(mark == Mark::Congestion);
        self.sojourn.record(sojourn);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_two_queues_are_those_of_one() {
        let mut one = DisciplineCounters::default();
        let mut two = [DisciplineCounters::default(), DisciplineCounters::default()];
        for number in 0..60u64 {
            let (size, wait) = (Bytes::new(100 + number), Duration::from_us(number));
            for counters in [&mut one, &mut two[usize::from(number % 3 == 0)]] {
                match number % 7 {
                    0 => counters.on_refusal(size, DropCause::Tail),
                    1 => counters.on_enqueue(size),
                    2 => counters.on_drop(size, DropCause::Aqm),
                    3 => counters.on_drop(size, DropCause::Overload),
                    4 => counters.on_dequeue(size, wait, Mark::Congestion),
                    5 => counters.on_dequeue(size, wait, Mark::None),
                    _ => counters.on_pass(size, Mark::Congestion),
                }
            }
        }
        let [mut first, second] = two;
        first.merge(&second);
        assert_eq!(first, one);
        let drops = [one.tail_drops, one.aqm_drops, one.overload_drops];
        assert_eq!(drops.map(|tally| tally.packets), [9, 9, 9]);
        assert_eq!(one.dropped().packets, 27);
        let bytes: u64 = drops.iter().map(|tally| tally.bytes.get()).sum();
        assert_eq!(one.dropped().bytes.get(), bytes);
    }
}
