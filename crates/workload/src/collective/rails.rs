//! Nodes of several hosts, and the order of their members along the rings of channels.

use super::CollectiveOperation;
use super::shape::Shape;

/// The nodes of a group: so many consecutive members each.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Rails {
    pub(super) local: u32,
    pub(super) nodes: u32,
}

impl Rails {
    /// Returns the nodes of the group of `shape`.
    pub(super) const fn of(shape: &Shape) -> Self {
        Self {
            local: shape.local_size,
            nodes: shape.ranks / shape.local_size,
        }
    }

    /// Returns `true` if a message between nodes leaves by another member than the last one of a
    /// ring in its node.
    pub(super) const fn has_relays(self) -> bool {
        self.local > 1 && self.nodes > 1
    }

    /// Returns the number of times at which a block with the number `place` crosses nodes in
    /// `operation` on a ring: a reduction ends at the member with this position, and a gather begins
    /// there.
    pub(super) const fn crossings(self, operation: CollectiveOperation, place: u32) -> u32 {
        use CollectiveOperation as Operation;
        let reduced = if place % self.local == self.local - 1 {
            1
        } else {
            0
        };
        let gathered = if place.is_multiple_of(self.local) {
            1
        } else {
            0
        };
        match operation {
            Operation::ReduceScatter => self.nodes - reduced,
            Operation::AllGather => self.nodes - gathered,
            _ => 2 * self.nodes - reduced - gathered,
        }
    }

    /// Returns the position of `member` in the ring of `channel`, which begins in each node with
    /// the place of the same number.
    pub(super) const fn position(self, channel: u32, member: u32) -> u32 {
        let place = member % self.local;
        let first = channel % self.local;
        member - place + (place + self.local - first) % self.local
    }

    /// Returns the member at `position` in the ring of `channel`.
    pub(super) const fn member(self, channel: u32, position: u32) -> u32 {
        let place = position % self.local;
        position - place + (place + channel % self.local) % self.local
    }
}
