//! Rings: each member sends to the next one what it has received from the one before.
//!
//! Thakur, Rabenseifner, Gropp: "Optimization of Collective Communication Operations in MPICH"
//! (IJHPCA 19(1), 2005) has the all-gather; the reduce-scatter is the same the other way
//! round, and both together are the all-reduce of Patarasuk and Yuan: "Bandwidth optimal all-reduce
//! algorithms for clusters of workstations" (JPDC 69(2), 2009). Differs in nothing but
//! the numbers of blocks: member i ends with block i reduced.

use std::ops::Range;

use super::super::CollectiveOperation;
use super::super::transfers::{Transfers, Use};

/// The place of a member in a ring.
pub(super) struct Ring {
    count: u32,
    position: u32,
    next: u32,
    previous: u32,
    /// The first block of the ring, and how many follow one another in each place.
    first_block: u32,
    block: u32,
    /// The place whose block is at `first_block`, and whether blocks go backwards from there.
    backwards: Option<u32>,
}

impl Ring {
    /// The ring over all of `count` members: one block of each.
    pub(super) const fn forwards(count: u32, member: u32) -> Self {
        Self {
            count,
            position: member,
            next: (member + 1) % count,
            previous: (member + count - 1) % count,
            first_block: 0,
            block: 1,
            backwards: None,
        }
    }

    /// The ring the other way round, with the blocks behind those of the first one.
    const fn backwards(count: u32, member: u32) -> Self {
        Self {
            count,
            position: count - 1 - member,
            next: (member + count - 1) % count,
            previous: (member + 1) % count,
            first_block: count,
            block: 1,
            backwards: Some(count - 1),
        }
    }

    /// A ring at `position` of `count` places between the members `previous` and `next`, each of
    /// which has `block` blocks, from `first_block` on.
    pub(super) const fn between(
        (position, count): (u32, u32),
        (previous, next): (u32, u32),
        (first_block, block): (u32, u32),
    ) -> Self {
        Self {
            count,
            position,
            next,
            previous,
            first_block,
            block,
            backwards: None,
        }
    }

    /// The blocks of the place `back` places behind this one.
    fn blocks(&self, back: u32) -> Range<u32> {
        let place = (self.position + 2 * self.count - back) % self.count;
        let place = self.backwards.map_or(place, |last| last - place);
        let first = self.first_block + place * self.block;
        first..first + self.block
    }

    /// Leaves the sum of all members in the blocks of each place.
    pub(super) fn reduce_scatter(&self, to: &mut impl Transfers) {
        for step in 1..self.count {
            to.send(self.next, self.blocks(step));
            to.receive(self.previous, self.blocks(step + 1), Use::Reduce);
        }
    }

    /// Sends the blocks of each place around.
    pub(super) fn all_gather(&self, to: &mut impl Transfers) {
        for step in 1..self.count {
            to.send(self.next, self.blocks(step - 1));
            to.receive(self.previous, self.blocks(step), Use::Replace);
        }
    }

    /// Runs `operation`.
    pub(super) fn run(&self, operation: CollectiveOperation, to: &mut impl Transfers) {
        if operation != CollectiveOperation::AllGather {
            self.reduce_scatter(to);
        }
        if operation != CollectiveOperation::ReduceScatter {
            self.all_gather(to);
        }
    }
}

/// Two rings the opposite way round, each with half of the blocks.
pub(super) fn both_ways(
    operation: CollectiveOperation,
    count: u32,
    member: u32,
    to: &mut impl Transfers,
) {
    Ring::forwards(count, member).run(operation, to);
    Ring::backwards(count, member).run(operation, to);
}

/// Sends to the next member and receives from the one before.
pub(super) fn shift(count: u32, member: u32, to: &mut impl Transfers) {
    let ring = Ring::forwards(count, member);
    to.send(ring.next, 0..1);
    to.receive(ring.previous, 0..1, Use::Apart);
}
