//! A pipeline of stages: micro-batches pass forward through all of them, and their gradients back.
//!
//! Each member is a stage. The first order is from Huang et al., "GPipe" (NeurIPS 2019: all
//! forward, then all backward). The second is from Narayanan et al., "PipeDream" (SOSP 2019), in
//! the form with a flush at the end of "Efficient Large-Scale Language Model Training on GPU
//! Clusters" (SC 2021, section 2.2): a stage first passes as many micro-batches forward as there
//! are stages behind it, then alternates between one forward and one backward.

use super::CollectiveAlgorithm;
use super::shape::Shape;
use super::stages::Stages;
use crate::graph::{OF_A_COLLECTIVE, Operation, ProgramBuilder};

/// One pass of a micro-batch through a stage.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Pass {
    Forward(u32),
    Backward(u32),
}

/// Returns the passes of `batches` micro-batches through `stage` of `stages`, in order.
fn order(algorithm: CollectiveAlgorithm, stage: u32, stages: u32, batches: u32) -> Vec<Pass> {
    let ahead = match algorithm {
        CollectiveAlgorithm::OneForwardOneBackward => (stages - 1 - stage).min(batches),
        _ => batches,
    };
    let mut order: Vec<Pass> = (0..ahead).map(Pass::Forward).collect();
    for batch in ahead..batches {
        order.extend([Pass::Forward(batch), Pass::Backward(batch - ahead)]);
    }
    order.extend((batches - ahead..batches).map(Pass::Backward));
    order
}

/// Adds the operations of `stage` to `builder`.
pub(super) fn append(
    shape: &Shape,
    times: &Stages,
    builder: &mut ProgramBuilder,
    (begin, first_tag, stage): (u32, u64, u32),
    rank_of: &dyn Fn(u32) -> u32,
) {
    let batches = shape.chunks;
    let tag = |batch: u32| OF_A_COLLECTIVE | (first_tag + u64::from(batch));
    let mut before = begin;
    for pass in order(shape.algorithm, stage, shape.ranks, batches) {
        let (batch, span, from, to) = match pass {
            Pass::Forward(batch) => (
                batch,
                times.forward[stage as usize],
                stage.checked_sub(1),
                Some(stage + 1).filter(|&next| next < shape.ranks),
            ),
            Pass::Backward(batch) => (
                batch,
                times.backward[stage as usize],
                Some(stage + 1).filter(|&next| next < shape.ranks),
                stage.checked_sub(1),
            ),
        };
        let compute = builder.add(Operation::Compute { stream: 0, span });
        builder.after_end(compute, before);
        if let Some(from) = from {
            let from = rank_of(from);
            let tag = tag(batch);
            let receive = builder.add(Operation::Receive { from, tag });
            builder.after_end(receive, begin);
            builder.after_end(compute, receive);
        }
        if let Some(to) = to {
            let send = builder.add(Operation::Send {
                channel: 0,
                to: rank_of(to),
                size: shape.message(batch, (stage, stage), &(0..1)),
                tag: tag(batch),
            });
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
        let order = |stage| order(CollectiveAlgorithm::OneForwardOneBackward, stage, 3, 3);
        assert_eq!(order(2), [F(0), B(0), F(1), B(1), F(2), B(2)]);
        assert_eq!(order(1), [F(0), F(1), B(0), F(2), B(1), B(2)]);
        assert_eq!(order(0), [F(0), F(1), F(2), B(0), B(1), B(2)]);
    }
}
