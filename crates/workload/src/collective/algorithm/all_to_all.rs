//! All-to-all: each member has a block for each other one.
//!
//! Thakur, Rabenseifner, Gropp (2005): all messages posted at once for medium sizes,
//! pairwise exchange for large ones. The place of the peers of step k is that of the ring: the k-th
//! behind this one, so that a step is a permutation for any number of members.

use super::super::shape::{Detail, Shape};
use super::super::transfers::{Transfers, Use};

/// All messages at once, each member beginning with the next one.
pub(super) fn direct(shape: &Shape, member: u32, to: &mut impl Transfers) {
    for step in 1..shape.ranks {
        exchange(shape, member, step, to);
    }
}

/// One step after the other: a member begins one when its messages of the step before have been
/// acknowledged and that of the peer has come.
pub(super) fn pairwise(shape: &Shape, member: u32, to: &mut impl Transfers) {
    for step in 1..shape.ranks {
        exchange(shape, member, step, to);
        to.wait();
    }
}

fn exchange(shape: &Shape, member: u32, step: u32, to: &mut impl Transfers) {
    let count = shape.ranks;
    // Where sizes differ, a pair may have nothing to say.
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
