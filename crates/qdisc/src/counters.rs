//! Counters of a queueing discipline.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::{Bytes, Duration};
use fabricsim_core::plugin::Mark;

use crate::sojourn::SojournTimes;

/// The reason why a discipline has dropped a packet.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum DropCause {
    /// The queue was at its limit when the packet arrived.
    Tail,
    /// The AQM rule chose the packet.
    Aqm,
    /// The AQM rule could no longer keep the queue short. Affects packets of the fattest flow if a
    /// limit is exceeded (RFC 8290 section 4.1), and any packet if marks do not help (RFC 9332
    /// section 4.2.3).
    Overload,
}

/// A number of packets and their bytes on the wire.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Stored)]
#[checkpoint(plain)]
pub struct Tally {
    /// Number of packets.
    pub packets: u64,
    /// Bytes of these packets.
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

/// Counters of a discipline. The offered packets are the sum of packets that have left, were
/// dropped or are stored.
#[derive(Clone, Debug, Default, PartialEq, Stored)]
#[checkpoint(plain)]
pub struct DisciplineCounters {
    /// Packets that arrived and left immediately, which are not yet included in `offered`,
    /// `enqueued`, `dequeued` and `sojourn`. At most ports these are most packets, so each updates
    /// only one counter.
    passed: Tally,
    /// Packets that arrived.
    pub offered: Tally,
    /// Packets that were stored.
    pub enqueued: Tally,
    /// Packets that left for the wire.
    pub dequeued: Tally,
    /// Packets that left with a mark of this discipline.
    pub marked: u64,
    /// Packets dropped with [`DropCause::Tail`].
    pub tail_drops: Tally,
    /// Packets dropped with [`DropCause::Aqm`], before or after they were stored.
    pub aqm_drops: Tally,
    /// Packets dropped with [`DropCause::Overload`].
    pub overload_drops: Tally,
    /// Queueing times of the packets that have left.
    pub sojourn: SojournTimes,
}

impl DisciplineCounters {
    /// Returns the counters with all packets included everywhere.
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

    /// Returns the sum of all drops.
    #[must_use]
    pub fn dropped(&self) -> Tally {
        let mut sum = self.tail_drops;
        sum.merge(self.aqm_drops);
        sum.merge(self.overload_drops);
        sum
    }

    /// Adds the counters of `other`.
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

    /// Counts a packet that arrived and is stored.
    #[inline]
    pub(crate) fn on_enqueue(&mut self, size: Bytes) {
        self.offered.add(size);
        self.enqueued.add(size);
    }

    /// Counts a packet that arrived and left immediately.
    #[inline]
    pub(crate) fn on_pass(&mut self, size: Bytes, mark: Mark) {
        self.passed.add(size);
        self.marked += u64::from(mark == Mark::Congestion);
    }

    /// Counts a packet that arrived and is not stored.
    #[inline]
    pub(crate) fn on_refusal(&mut self, size: Bytes, cause: DropCause) {
        self.offered.add(size);
        self.on_drop(size, cause);
    }

    /// Counts a stored packet that is dropped.
    #[inline]
    pub(crate) fn on_drop(&mut self, size: Bytes, cause: DropCause) {
        match cause {
            DropCause::Tail => self.tail_drops.add(size),
            DropCause::Aqm => self.aqm_drops.add(size),
            DropCause::Overload => self.overload_drops.add(size),
        }
    }

    /// Counts a packet that leaves after `sojourn`.
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
