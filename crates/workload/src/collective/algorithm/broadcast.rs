//! Broadcasts: along a binomial tree, or along a chain.
//!
//! Thakur, Rabenseifner, Gropp (2005) have the binomial tree. The chain is the ring of
//! NCCL's broadcast: with `chunks` it is a pipeline.

use super::super::transfers::{Transfers, Use};

/// The binomial tree: in each round all that have the data send it, to members half as far away.
pub(super) fn binomial(count: u32, root: u32, member: u32, to: &mut impl Transfers) {
    let place = (member + count - root) % count;
    let member_at = |place: u32| (place + root) % count;
    // The lowest bit of the place says from whom the data comes; the root has none.
    let mut reach = match place {
        0 => count.next_power_of_two(),
        _ => place & place.wrapping_neg(),
    };
    if place > 0 {
        to.receive(member_at(place - reach), 0..1, Use::Replace);
    }
    while reach > 1 {
        reach /= 2;
        if place + reach < count {
            to.send(member_at(place + reach), 0..1);
        }
    }
}

/// The chain: each member sends to the next one what it has received.
pub(super) fn chain(count: u32, root: u32, member: u32, to: &mut impl Transfers) {
    let place = (member + count - root) % count;
    if place > 0 {
        to.receive((member + count - 1) % count, 0..1, Use::Replace);
    }
    if place + 1 < count {
        to.send((member + 1) % count, 0..1);
    }
}
