//! Converts the messages of one part of a buffer to operations.

use std::ops::Range;

use super::shape::Shape;
use super::transfers::{Transfers, Use};
use crate::graph::{OF_A_COLLECTIVE, Operation, ProgramBuilder};

/// One part of the buffer of one collective at one rank.
pub(super) struct Unit<'a> {
    shape: &'a Shape,
    builder: &'a mut ProgramBuilder,
    rank_of: &'a dyn Fn(u32) -> u32,
    member: u32,
    unit: u32,
    channel: u16,
    /// The tag of block 0.
    tag: u64,
    /// The operation that all later ones follow: the beginning, or the end of a step.
    after: u32,
    /// For each block, the receipts that wrote it.
    writers: Vec<Vec<u32>>,
    /// Operations since the last wait.
    step: Vec<u32>,
}

impl<'a> Unit<'a> {
    pub(super) fn new(
        shape: &'a Shape,
        builder: &'a mut ProgramBuilder,
        (begin, first_tag): (u32, u64),
        (member, unit): (u32, u32),
        rank_of: &'a dyn Fn(u32) -> u32,
    ) -> Self {
        let blocks = shape.unit_blocks();
        let first_block = u64::from(unit) * u64::from(blocks);
        let channel = unit % shape.channels;
        Self {
            shape,
            builder,
            rank_of,
            member,
            unit,
            channel: u16::try_from(channel).expect("channels are few"),
            tag: OF_A_COLLECTIVE | (first_tag + first_block),
            after: begin,
            writers: vec![Vec::new(); blocks as usize],
            step: Vec::new(),
        }
    }

    fn tag(&self, blocks: &Range<u32>) -> u64 {
        self.tag + u64::from(blocks.start)
    }
}

impl Transfers for Unit<'_> {
    fn send(&mut self, to: u32, blocks: Range<u32>) {
        let operation = self.builder.add(Operation::Send {
            channel: self.channel,
            to: (self.rank_of)(to),
            size: (self.shape).message(self.unit, (self.member, to), &blocks),
            tag: self.tag(&blocks),
        });
        let written = &self.writers[blocks.start as usize..blocks.end as usize];
        let mut before: Vec<u32> = written.iter().flatten().copied().collect();
        if before.is_empty() {
            before.push(self.after);
        }
        before.sort_unstable();
        before.dedup();
        for before in before {
            self.builder.after_end(operation, before);
        }
        self.step.push(operation);
    }

    fn receive(&mut self, from: u32, blocks: Range<u32>, used: Use) {
        let operation = self.builder.add(Operation::Receive {
            from: (self.rank_of)(from),
            tag: self.tag(&blocks),
        });
        self.builder.after_end(operation, self.after);
        for writers in &mut self.writers[blocks.start as usize..blocks.end as usize] {
            match used {
                Use::Reduce => writers.push(operation),
                Use::Replace => {
                    writers.clear();
                    writers.push(operation);
                }
                Use::Apart => {}
            }
        }
        self.step.push(operation);
    }

    fn wait(&mut self) {
        let joined = self.builder.add(Operation::Join);
        for before in self.step.drain(..) {
            self.builder.after_end(joined, before);
        }
        self.after = joined;
        // The join has waited for all receipts.
        self.writers.iter_mut().for_each(Vec::clear);
    }
}
