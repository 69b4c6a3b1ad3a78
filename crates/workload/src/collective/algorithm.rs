//! Algorithms of collectives: they decide which member sends which blocks to which member.

mod all_to_all;
mod broadcast;
mod double_tree;
mod halving_doubling;
mod hierarchical;
mod nccl;
mod ring;

use super::aggregation;
use super::shape::Shape;
use super::transfers::Transfers;
use super::{CollectiveAlgorithm as Algorithm, CollectiveOperation as Operation};
use ring::Ring;

/// Passes the messages that `member` of a group sends and receives to `to`.
pub(super) fn transfer(shape: &Shape, member: u32, to: &mut impl Transfers) {
    let ranks = shape.ranks;
    if ranks < 2 {
        return;
    }
    if let Some(division) = &shape.division {
        return nccl::transfer(shape, division, member, to);
    }
    match shape.algorithm {
        Algorithm::Ring if shape.operation == Operation::SendReceive => {
            ring::shift(ranks, member, to);
        }
        Algorithm::Ring => Ring::forwards(ranks, member).run(shape.operation, to),
        Algorithm::BidirectionalRing => ring::both_ways(shape.operation, ranks, member, to),
        Algorithm::HalvingDoubling => {
            halving_doubling::transfer(shape.operation, ranks, member, to);
        }
        Algorithm::DoubleBinaryTree => double_tree::all_reduce(ranks, member, to),
        Algorithm::Hierarchical => hierarchical::all_reduce(ranks, shape.local_size, member, to),
        Algorithm::Direct => all_to_all::direct(shape, member, to),
        Algorithm::Pairwise => all_to_all::pairwise(shape, member, to),
        Algorithm::Pxn => all_to_all::pxn(shape, member, to),
        Algorithm::Binomial => broadcast::binomial(shape, member, to),
        Algorithm::Chain => broadcast::chain(ranks, shape.root, member, to),
        Algorithm::Sharp | Algorithm::Nvls => aggregation::transfer(shape, member, to),
        // `CollectiveConfig` replaces it by its choice.
        Algorithm::Nccl => {}
        // Their computations make them more than an exchange of blocks, so `pipeline` builds them.
        Algorithm::Gpipe | Algorithm::OneForwardOneBackward => {}
    }
}
