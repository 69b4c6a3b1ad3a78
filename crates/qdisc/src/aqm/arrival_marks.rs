//! Marks of packets that a rule decides about when they come.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::fifo::{Assign, Fifo};
use fabricsim_core::plugin::Mark;

use crate::discipline::mark_if;

/// The number of a packet among all that came.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
struct PacketNumber(u64);

impl Assign for PacketNumber {}

/// The marks of the packets of a [`Line`](crate::line::Line), decided when they come. The switch sets
/// a mark when the packet leaves, where it counts it.
#[derive(Clone, Debug, Default, Stored)]
pub(crate) struct ArrivalMarks {
    marked: Fifo<PacketNumber>,
    /// Packets that have come.
    pushed: u64,
    /// Those of them that are gone.
    popped: u64,
}

impl ArrivalMarks {
    /// A packet comes and is stored at the end.
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
