//! One member of a collective: its operations from the form that it shares with other members.

use super::shape::Shape;
use super::symmetry::Symmetry;
use crate::graph::{Blocks, OF_A_COLLECTIVE, Operation, Step};

/// One member of a collective.
pub(crate) struct Member<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) member: u32,
    /// The tag of the first block; the next blocks have consecutive tags. No other collective uses
    /// any of these tags between the same ranks.
    pub(crate) first_tag: u64,
    /// Maps a member of the group to its rank.
    pub(crate) rank_of: &'a dyn Fn(u32) -> u32,
}

impl Member<'_> {
    /// Returns the operation of this member for a step of its program.
    pub(crate) fn operation(&self, step: Step) -> Operation {
        match step {
            Step::Fixed(operation) => operation,
            Step::Send(blocks) => {
                let (peer, first) = self.absolute(blocks);
                let range = first..first + blocks.count;
                let ends = (self.member, peer);
                Operation::Send {
                    channel: self.shape.channel(blocks.unit, first),
                    to: (self.rank_of)(peer),
                    size: self.shape.message(blocks.unit, ends, &range),
                    tag: self.tag(blocks.unit, first),
                }
            }
            Step::Receive(blocks) => {
                let (peer, first) = self.absolute(blocks);
                Operation::Receive {
                    from: (self.rank_of)(peer),
                    tag: self.tag(blocks.unit, first),
                }
            }
        }
    }

    /// Returns the blocks, relative to this member, that begin a message with `tag` between it and
    /// the member `peer`. Their number is not in the tag; it is 0.
    pub(super) fn begun(&self, peer: u32, tag: u64) -> Option<Blocks> {
        let place = (tag & !OF_A_COLLECTIVE).checked_sub(self.first_tag)?;
        let blocks = u64::from(self.shape.unit_blocks());
        let first = u32::try_from(place % blocks).ok()?;
        let symmetry = Symmetry::of(self.shape);
        let peer = symmetry.to_peer(self.member, peer);
        Some(Blocks {
            peer,
            unit: u32::try_from(place / blocks).ok()?,
            first: symmetry.to_block(self.member, peer, first),
            count: 0,
        })
    }

    /// Returns the other member and the first block of its unit.
    fn absolute(&self, blocks: Blocks) -> (u32, u32) {
        let symmetry = Symmetry::of(self.shape);
        let peer = symmetry.peer(self.member, blocks.peer);
        let first = symmetry.block(self.member, blocks.peer, blocks.first);
        (peer, first)
    }

    fn tag(&self, unit: u32, first: u32) -> u64 {
        let before = u64::from(unit) * u64::from(self.shape.unit_blocks());
        OF_A_COLLECTIVE | (self.first_tag + before + u64::from(first))
    }
}
