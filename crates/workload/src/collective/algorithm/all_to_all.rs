//! All-to-all: each member has a block for each other member.
//!
//! Thakur, Rabenseifner, Gropp (2005): all messages posted at once for medium sizes, pairwise
//! exchange for large ones. In step k, a member receives from the k-th member behind it, as in the
//! ring, so that a step is a permutation for any number of members.

use super::super::Rails;
use super::super::shape::{Detail, Shape};
use super::super::transfers::{Transfers, Use};

/// Sends all messages at once; each member begins with the next member.
pub(super) fn direct(shape: &Shape, member: u32, to: &mut impl Transfers) {
    for step in 1..shape.ranks {
        exchange(shape, member, step, to);
    }
}

/// Does one step after the other: a member begins a step as soon as its messages of the previous
/// step have been acknowledged and the peer's message has arrived.
pub(super) fn pairwise(shape: &Shape, member: u32, to: &mut impl Transfers) {
    for step in 1..shape.ranks {
        exchange(shape, member, step, to);
        to.wait();
    }
}

/// Passes data for other nodes through the host of the same node on the rail of the receiver, as
/// PXN of NCCL does (`NCCL_P2P_PXN_LEVEL` 2 in `src/graph/search.cc`): a rail has the hosts with
/// the same place in their nodes.
///
/// Block `node * local + place` of a message inside of a node is the data for a host of `node`, from
/// the member with `place`. A host sends the data of its whole node to each host of its rail in one
/// message, which has the blocks of the receiver's node.
///
/// Differs from NCCL: the message to the rail is one message, and leaves when all of its data are
/// there. There, up to 8 messages share a receipt.
pub(super) fn pxn(shape: &Shape, member: u32, to: &mut impl Transfers) {
    let Rails { local, nodes } = Rails::of(shape);
    let (node, place) = (member / local, member % local);
    for distance in 0..nodes {
        let (there, back) = ((node + distance) % nodes, (node + nodes - distance) % nodes);
        for step in 1..local {
            let next = (place + step) % local;
            let previous = (place + local - step) % local;
            let own = there * local + place;
            to.send(node * local + next, own..own + 1);
            // Data for this member itself stay apart; other data go on to the rail.
            let used = if distance == 0 {
                Use::Apart
            } else {
                Use::Reduce
            };
            let other = there * local + previous;
            to.receive(node * local + previous, other..other + 1, used);
        }
        if distance > 0 {
            to.send(there * local + place, there * local..(there + 1) * local);
            let blocks = node * local..(node + 1) * local;
            to.receive(back * local + place, blocks, Use::Apart);
        }
    }
}

fn exchange(shape: &Shape, member: u32, step: u32, to: &mut impl Transfers) {
    let count = shape.ranks;
    // If sizes differ, a pair may have no bytes to exchange.
    let speaks = |from: u32, to: u32| match &shape.detail {
        Detail::Parts(parts) => parts.bytes(from, to) > 0,
        _ => true,
    };
    let next = (member + step) % count;
    let previous = (member + count - step) % count;
    if speaks(member, next) {
        to.send(next, next..next + 1);
    }
    if speaks(previous, member) {
        to.receive(previous, member..member + 1, Use::Apart);
    }
}
