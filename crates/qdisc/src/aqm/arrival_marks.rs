//! Marks of packets for which a rule decides on arrival.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::fifo::{Assign, Fifo};
use fabricsim_core::plugin::Mark;

use crate::discipline::mark_if;

/// The number of a packet in the order of arrivals.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(absolute)]
struct PacketNumber(u64);

impl Assign for PacketNumber {}

/// The marks of the packets of a [`Line`](crate::line::Line), decided on arrival. The switch sets
/// and counts a mark when the packet leaves.
#[derive(Clone, Debug, Default, Stored)]
#[checkpoint(absolute)]
pub(crate) struct ArrivalMarks {
    marked: Fifo<PacketNumber>,
    /// Number of packets that have arrived.
    pushed: u64,
    /// Number of packets that were removed.
    popped: u64,
}

impl ArrivalMarks {
    /// Adds a stored packet at the end.
    #[inline]
    pub(crate) fn push(&mut self, mark: Mark) {
        if mark == Mark::Congestion {
            self.marked.push(&PacketNumber(self.pushed));
        }
        self.pushed += 1;
    }

    /// Returns the mark of the first packet.
    #[inline]
    pub(crate) fn front(&self) -> Mark {
        mark_if(self.marked.front() == Some(&PacketNumber(self.popped)))
    }

    /// Removes the first packet and returns its mark.
    #[inline]
    pub(crate) fn pop(&mut self) -> Mark {
        let mark = self.front();
        if mark == Mark::Congestion {
            self.marked.pop();
        }
        self.popped += 1;
        mark
    }
}
