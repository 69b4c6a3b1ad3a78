//! Converts the steps of a member to operations for one part of a buffer.

use super::form::Transfer;
use super::transfers::Use;
use crate::graph::{Blocks, Operation, ProgramBuilder, Step};

/// One part of the buffer of one collective.
pub(super) struct Unit<'a> {
    unit: u32,
    builder: &'a mut ProgramBuilder,
    step: &'a dyn Fn(Step) -> Step,
    /// The operation that all later ones follow: the beginning, or the end of a step.
    after: u32,
    /// For each block, the receipts that wrote it.
    writers: Vec<Vec<u32>>,
    /// Operations since the last wait.
    since: Vec<u32>,
}

impl<'a> Unit<'a> {
    /// Returns part number `unit` of `blocks` blocks. Its operations follow `begin`, and `builder`
    /// gets them as `step` returns them.
    pub(super) fn new(
        blocks: u32,
        unit: u32,
        builder: &'a mut ProgramBuilder,
        begin: u32,
        step: &'a dyn Fn(Step) -> Step,
    ) -> Self {
        Self {
            unit,
            builder,
            step,
            after: begin,
            writers: vec![Vec::new(); blocks as usize],
            since: Vec::new(),
        }
    }

    /// Adds the operations of `steps`.
    pub(super) fn add(mut self, steps: &[Transfer]) {
        for step in steps {
            match *step {
                Transfer::Send(blocks) => self.send(blocks),
                Transfer::Receive(blocks, used) => self.receive(blocks, used),
                Transfer::Wait => self.wait(),
            }
        }
    }

    fn send(&mut self, blocks: Blocks) {
        let operation = self.add_step(Step::Send(self.own(blocks)));
        let mut is_first = true;
        for &before in written(&mut self.writers, blocks).iter().flatten() {
            self.builder.after_end(operation, before);
            is_first = false;
        }
        if is_first {
            self.builder.after_end(operation, self.after);
        }
    }

    fn receive(&mut self, blocks: Blocks, used: Use) {
        let operation = self.add_step(Step::Receive(self.own(blocks)));
        self.builder.after_end(operation, self.after);
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

    fn wait(&mut self) {
        let joined = self.builder.add(Step::Fixed(Operation::Join));
        for before in self.since.drain(..) {
            self.builder.after_end(joined, before);
        }
        self.after = joined;
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
