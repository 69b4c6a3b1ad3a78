//! A pipeline of stages: micro-batches pass forward through all of them, and their gradients back.
//!
//! Each member is a stage. The first order is from Huang et al., "GPipe" (NeurIPS 2019: all
//! forward, then all backward). The second is from Narayanan et al., "PipeDream" (SOSP 2019), in
//! the form with a flush at the end of "Efficient Large-Scale Language Model Training on GPU
//! Clusters" (SC 2021, section 2.2): a stage first passes as many micro-batches forward as there
//! are stages behind it, then alternates between one forward and one backward.

use super::CollectiveAlgorithm;
use super::form::Stage;
use super::shape::Shape;
use super::stages::Stages;
use crate::graph::{Blocks, Operation, ProgramBuilder, Step};

/// One pass of a micro-batch through a stage.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Pass {
    Forward(u32),
    Backward(u32),
}

/// Returns the passes of `batches` micro-batches through a stage that passes `ahead` of them
/// forward before it alternates, in order.
fn order(ahead: u32, batches: u32) -> Vec<Pass> {
    let mut order: Vec<Pass> = (0..ahead).map(Pass::Forward).collect();
    for batch in ahead..batches {
        order.extend([Pass::Forward(batch), Pass::Backward(batch - ahead)]);
    }
    order.extend((batches - ahead..batches).map(Pass::Backward));
    order
}

/// Returns the part of `stage` in `shape` with the computing times `times`.
pub(super) fn stage(shape: &Shape, times: &Stages, stage: u32) -> Stage {
    let last = shape.ranks - 1;
    Stage {
        ahead: match shape.algorithm {
            CollectiveAlgorithm::OneForwardOneBackward => (last - stage).min(shape.chunks),
            _ => shape.chunks,
        },
        previous: (stage > 0).then_some(last),
        next: (stage < last).then_some(1),
        forward: times.forward[stage as usize],
        backward: times.backward[stage as usize],
    }
}

/// Adds the operations of `stage` for `batches` micro-batches to `builder`, each as `step` returns
/// it.
pub(super) fn append(
    batches: u32,
    stage: &Stage,
    builder: &mut ProgramBuilder,
    begin: u32,
    step: &dyn Fn(Step) -> Step,
) {
    let mut before = begin;
    for pass in order(stage.ahead, batches) {
        let (unit, span, from, to) = match pass {
            Pass::Forward(batch) => (batch, stage.forward, stage.previous, stage.next),
            Pass::Backward(batch) => (batch, stage.backward, stage.next, stage.previous),
        };
        let blocks = |peer| Blocks {
            peer,
            unit,
            first: 0,
            count: 1,
        };
        let compute = Operation::Compute { stream: 0, span };
        let compute = builder.add(step(Step::Fixed(compute)));
        builder.after_end(compute, before);
        if let Some(from) = from {
            let receive = builder.add(step(Step::Receive(blocks(from))));
            builder.after_end(receive, begin);
            builder.after_end(compute, receive);
        }
        if let Some(to) = to {
            let send = builder.add(step(Step::Send(blocks(to))));
            builder.after_end(send, compute);
        }
        before = compute;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_go_forward_as_often_as_there_are_stages_behind_them() {
        use Pass::{Backward as B, Forward as F};
        assert_eq!(order(0, 3), [F(0), B(0), F(1), B(1), F(2), B(2)]);
        assert_eq!(order(1, 3), [F(0), F(1), B(0), F(2), B(1), B(2)]);
        assert_eq!(order(2, 3), [F(0), F(1), F(2), B(0), B(1), B(2)]);
    }
}
