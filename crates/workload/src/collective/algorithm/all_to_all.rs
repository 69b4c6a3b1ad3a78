//! All-to-all: each member has a block for each other member.
//!
//! Thakur, Rabenseifner, Gropp (2005): all messages posted at once for medium sizes, pairwise
//! exchange for large ones. In step k, a member receives from the k-th member behind it, as in the
//! ring, so that a step is a permutation for any number of members.

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
