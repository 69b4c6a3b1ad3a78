//! Nodes of several hosts, and the order of their members along the rings of channels.

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
