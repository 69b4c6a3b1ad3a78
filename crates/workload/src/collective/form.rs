//! The part that a member has in a collective, relative to the member: members with equal forms
//! have the same program.

use std::ops::Range;

use fabricsim_base::units::Duration;

use super::algorithm;
use super::pipeline;
use super::shape::{Detail, Shape};
use super::symmetry::Symmetry;
use super::transfers::{Transfers, Use};
use super::unit::Unit;
use crate::graph::{Blocks, ProgramBuilder, Step};

/// A step of a member in each unit of the buffer. Blocks are relative to the member and have no
/// unit.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) enum Transfer {
    Send(Blocks),
    Receive(Blocks, Use),
    /// A message as it is received, and as it is passed on.
    Forward(Blocks, Blocks),
    Wait,
}

/// A stage of a pipeline.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) struct Stage {
    /// Micro-batches that pass forward before the first one passes backward.
    pub(super) ahead: u32,
    /// The stages before and after it, if any, relative to it.
    pub(super) previous: Option<u32>,
    pub(super) next: Option<u32>,
    pub(super) forward: Duration,
    pub(super) backward: Duration,
}

/// The part of a member in a collective.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(crate) enum Form {
    /// An exchange of blocks.
    Exchange(Vec<Transfer>),
    /// A stage of a pipeline.
    Stage(Stage),
}

/// Collects the steps of `member`.
struct Collector {
    symmetry: Symmetry,
    member: u32,
    steps: Vec<Transfer>,
}

impl Collector {
    fn relative(&self, peer: u32, blocks: &Range<u32>) -> Blocks {
        let peer = self.symmetry.to_peer(self.member, peer);
        Blocks {
            peer,
            unit: 0,
            first: self.symmetry.to_block(self.member, peer, blocks.start),
            count: blocks.end - blocks.start,
        }
    }
}

impl Transfers for Collector {
    fn send(&mut self, to: u32, blocks: Range<u32>) {
        let blocks = self.relative(to, &blocks);
        self.steps.push(Transfer::Send(blocks));
    }

    fn receive(&mut self, from: u32, blocks: Range<u32>, used: Use) {
        let blocks = self.relative(from, &blocks);
        self.steps.push(Transfer::Receive(blocks, used));
    }

    fn forward(&mut self, (from, to): (u32, u32), blocks: Range<u32>) {
        let received = self.relative(from, &blocks);
        let sent = self.relative(to, &blocks);
        self.steps.push(Transfer::Forward(received, sent));
    }

    fn wait(&mut self) {
        self.steps.push(Transfer::Wait);
    }
}

impl Shape {
    /// Returns the part of `member`. The form of an exchange uses the memory of `room`.
    pub(crate) fn form(&self, member: u32, mut room: Vec<Transfer>) -> Form {
        if let Detail::Stages(stages) = &self.detail {
            return Form::Stage(pipeline::stage(self, stages, member));
        }
        room.clear();
        let mut collector = Collector {
            symmetry: Symmetry::of(self),
            member,
            steps: room,
        };
        algorithm::transfer(self, member, &mut collector);
        Form::Exchange(collector.steps)
    }

    /// Adds the operations of a member with the part `form` in collective number `instance` to
    /// `builder`, each as `step` returns it. Returns the first and the last operation.
    pub(crate) fn append(
        &self,
        builder: &mut ProgramBuilder,
        instance: u32,
        form: &Form,
        step: &dyn Fn(Step) -> Step,
    ) -> (u32, u32) {
        let begin = builder.begin_span();
        match form {
            Form::Stage(stage) => pipeline::append(self.chunks, stage, builder, begin, step),
            Form::Exchange(steps) => {
                let channels = self
                    .division
                    .as_ref()
                    .map_or(1, |one| one.channels as usize);
                let mut after = vec![begin; channels];
                for unit in 0..self.units() {
                    let after_all = (begin, after.clone());
                    let ends = Unit::new(self, unit, builder, after_all, step).add(steps);
                    if (self.division.as_ref()).is_some_and(|one| one.ends_round(unit)) {
                        after = ends;
                    }
                }
            }
        }
        (begin, builder.end_span(begin, instance))
    }
}
