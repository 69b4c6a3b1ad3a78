//! Rings: each member forwards the blocks from the previous member to the next one.
//!
//! Thakur, Rabenseifner, Gropp: "Optimization of Collective Communication Operations in MPICH"
//! (IJHPCA 19(1), 2005) has the all-gather. The reduce-scatter is the same in the opposite
//! direction, and both together are the all-reduce of Patarasuk and Yuan: "Bandwidth optimal
//! all-reduce algorithms for clusters of workstations" (JPDC 69(2), 2009). Differs only in the
//! numbers of blocks: member i ends with block i reduced.

use std::ops::Range;

use super::super::CollectiveOperation;
use super::super::transfers::{Transfers, Use};

/// The place of a member in a ring.
pub(super) struct Ring {
    count: u32,
    position: u32,
    next: u32,
    previous: u32,
    /// The first block of the ring, and the number of consecutive blocks of each place.
    first_block: u32,
    block: u32,
    /// Set if blocks are numbered backwards: the place that owns `first_block`.
    backwards: Option<u32>,
    relay: Option<Relay>,
}

/// The messages of another place that this one forwards.
#[derive(Clone, Copy)]
pub(super) struct Relay {
    /// The sender and the receiver.
    pub(super) ends: (u32, u32),
    /// The places from this one to the sender.
    pub(super) ahead: u32,
}

impl Ring {
    /// Returns the ring over all of `count` members, with one block for each.
    pub(super) const fn forwards(count: u32, member: u32) -> Self {
        Self {
            count,
            position: member,
            next: (member + 1) % count,
            previous: (member + count - 1) % count,
            first_block: 0,
            block: 1,
            backwards: None,
            relay: None,
        }
    }

    /// Returns the ring in the opposite direction, with blocks numbered after the blocks of the
    /// first ring.
    const fn backwards(count: u32, member: u32) -> Self {
        Self {
            count,
            position: count - 1 - member,
            next: (member + count - 1) % count,
            previous: (member + 1) % count,
            first_block: count,
            block: 1,
            backwards: Some(count - 1),
            relay: None,
        }
    }

    /// Returns a ring at `position` of `count` places, between the members `previous` and `next`.
    /// Each place has `block` blocks, starting at `first_block`.
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
            relay: None,
        }
    }

    /// Returns the same place, which forwards messages of `relay`.
    pub(super) const fn with_relay(self, relay: Option<Relay>) -> Self {
        Self { relay, ..self }
    }

    /// Returns the blocks of the place `back` places behind this one.
    fn blocks(&self, back: u32) -> Range<u32> {
        let place = (self.position + 2 * self.count - back) % self.count;
        let place = self.backwards.map_or(place, |last| last - place);
        let first = self.first_block + place * self.block;
        first..first + self.block
    }

    /// Forwards the block `back` places behind the place whose messages this one relays, if any.
    fn forward(&self, back: u32, to: &mut impl Transfers) {
        if let Some(Relay { ends, ahead }) = self.relay {
            to.forward(ends, self.blocks(self.count + back - ahead));
        }
    }

    /// Reduces so that each place ends with the sum of all members in its own blocks.
    pub(super) fn reduce_scatter(&self, to: &mut impl Transfers) {
        for step in 1..self.count {
            to.send(self.next, self.blocks(step));
            self.forward(step, to);
            to.receive(self.previous, self.blocks(step + 1), Use::Reduce);
        }
    }

    /// Distributes the blocks of each place to all other places.
    pub(super) fn all_gather(&self, to: &mut impl Transfers) {
        for step in 1..self.count {
            to.send(self.next, self.blocks(step - 1));
            self.forward(step - 1, to);
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

/// Runs two rings in opposite directions, each with half of the blocks.
pub(super) fn both_ways(
    operation: CollectiveOperation,
    count: u32,
    member: u32,
    to: &mut impl Transfers,
) {
    Ring::forwards(count, member).run(operation, to);
    Ring::backwards(count, member).run(operation, to);
}

/// Sends to the next member and receives from the previous one.
pub(super) fn shift(count: u32, member: u32, to: &mut impl Transfers) {
    let ring = Ring::forwards(count, member);
    to.send(ring.next, 0..1);
    to.receive(ring.previous, 0..1, Use::Apart);
}
