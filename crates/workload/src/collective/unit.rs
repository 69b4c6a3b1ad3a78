//! Converts the steps of a member to operations for one part of a buffer.

use super::form::Transfer;
use super::shape::Shape;
use super::transfers::Use;
use crate::graph::{Blocks, Operation, ProgramBuilder, Step};

/// One part of the buffer of one collective.
pub(super) struct Unit<'a> {
    unit: u32,
    builder: &'a mut ProgramBuilder,
    step: &'a dyn Fn(Step) -> Step,
    /// The beginning of the collective.
    begin: u32,
    /// For each channel with blocks in the part: the operation that all later ones follow, which is
    /// the beginning, the end of a step, or the last receipt of the round before.
    after: Vec<u32>,
    /// The last receipt of each channel.
    last: Vec<u32>,
    shape: &'a Shape,
    /// For each block, the receipts that wrote it.
    writers: Vec<Vec<u32>>,
    /// Operations since the last wait.
    since: Vec<u32>,
}

impl<'a> Unit<'a> {
    /// Returns part number `unit` of `shape`. The operations of each channel follow `after`, and
    /// forwarded messages only `begin`. `builder` gets them as `step` returns them.
    pub(super) fn new(
        shape: &'a Shape,
        unit: u32,
        builder: &'a mut ProgramBuilder,
        (begin, after): (u32, Vec<u32>),
        step: &'a dyn Fn(Step) -> Step,
    ) -> Self {
        Self {
            unit,
            builder,
            step,
            begin,
            last: after.clone(),
            after,
            shape,
            writers: vec![Vec::new(); shape.unit_blocks() as usize],
            since: Vec::new(),
        }
    }

    /// Adds the operations of `steps`. Returns the last receipt of each channel.
    pub(super) fn add(mut self, steps: &[Transfer]) -> Vec<u32> {
        for step in steps {
            match *step {
                Transfer::Send(blocks) if self.has(blocks) => self.send(blocks),
                Transfer::Receive(blocks, used) if self.has(blocks) => self.receive(blocks, used),
                Transfer::Forward(received, sent) if self.has(sent) => self.forward(received, sent),
                Transfer::Send(_) | Transfer::Receive(..) | Transfer::Forward(..) => {}
                Transfer::Wait => self.wait(),
            }
        }
        self.last
    }

    /// Returns `true` if the part has `blocks`.
    fn has(&self, blocks: Blocks) -> bool {
        let division = self.shape.division.as_ref();
        division.is_none_or(|division| division.has(self.unit, blocks.first))
    }

    /// Returns the number of the channel of `blocks` among the channels of the part.
    fn lane(&self, blocks: Blocks) -> usize {
        let division = self.shape.division.as_ref();
        division.map_or(0, |division| division.channel(blocks.first) as usize)
    }

    fn send(&mut self, blocks: Blocks) {
        let operation = self.add_step(Step::Send(self.own(blocks)));
        let mut is_first = true;
        for &before in written(&mut self.writers, blocks).iter().flatten() {
            self.builder.after_end(operation, before);
            is_first = false;
        }
        if is_first {
            self.builder
                .after_end(operation, self.after[self.lane(blocks)]);
        }
    }

    fn receive(&mut self, blocks: Blocks, used: Use) {
        let operation = self.add_step(Step::Receive(self.own(blocks)));
        let lane = self.lane(blocks);
        self.builder.after_end(operation, self.after[lane]);
        self.last[lane] = operation;
        for writers in written(&mut self.writers, blocks) {
            match used {
                Use::Reduce => writers.push(operation),
                Use::Replace => {
                    writers.clear();
                    writers.push(operation);
                }
                Use::Apart => {}
            }
        }
    }

    fn forward(&mut self, received: Blocks, sent: Blocks) {
        let receipt = self.add_step(Step::Receive(self.own(received)));
        self.builder.after_end(receipt, self.begin);
        let operation = self.add_step(Step::Send(self.own(sent)));
        self.builder.after_end(operation, receipt);
    }

    fn wait(&mut self) {
        let joined = self.builder.add(Step::Fixed(Operation::Join));
        for before in self.since.drain(..) {
            self.builder.after_end(joined, before);
        }
        self.after.fill(joined);
        // The join has waited for all receipts.
        self.writers.iter_mut().for_each(Vec::clear);
    }

    fn add_step(&mut self, step: Step) -> u32 {
        let operation = self.builder.add((self.step)(step));
        self.since.push(operation);
        operation
    }

    /// Returns `blocks` in this part.
    const fn own(&self, blocks: Blocks) -> Blocks {
        Blocks {
            unit: self.unit,
            ..blocks
        }
    }
}

/// Returns the receipts that wrote each of `blocks`.
fn written(writers: &mut [Vec<u32>], blocks: Blocks) -> &mut [Vec<u32>] {
    let first = blocks.first as usize;
    &mut writers[first..first + blocks.count as usize]
}
