//! Broadcasts: along a binomial tree, or along a chain.
//!
//! Thakur, Rabenseifner, Gropp (2005) describe the binomial tree. The chain is the ring of NCCL's
//! broadcast: with `chunks` it is a pipeline.

use fabricsim_base::units::Bytes;

use super::super::shape::Shape;
use super::super::transfers::{Transfers, Use};

/// Largest short message, in bytes: an MPI library passes a short message to the network and
/// continues, but waits for the end of a longer one. MPICH has this limit for broadcasts
/// (`MPIR_CVAR_BCAST_SHORT_MSG_SIZE`).
const SHORT: Bytes = Bytes::new(12_288);

/// Builds the binomial tree: in each round, all members that have the data send it to members half
/// as far away.
///
/// A member sends to the largest subtree first, because that has the most rounds left. Its other
/// messages wait: if they shared its link with the first one, all subtrees would begin as late as
/// the last.
pub(super) fn binomial(shape: &Shape, member: u32, to: &mut impl Transfers) {
    let (count, root) = (shape.ranks, shape.root);
    let is_short = shape.size.get() / u64::from(shape.units()) <= SHORT.get();
    let place = (member + count - root) % count;
    let member_at = |place: u32| (place + root) % count;
    // The lowest set bit of the place is the distance to the sender of the data; the root has none.
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
            if !is_short {
                to.wait();
            }
        }
    }
}

/// Builds the chain: each member forwards the data to the next one.
pub(super) fn chain(count: u32, root: u32, member: u32, to: &mut impl Transfers) {
    let place = (member + count - root) % count;
    if place > 0 {
        to.receive((member + count - 1) % count, 0..1, Use::Replace);
    }
    if place + 1 < count {
        to.send((member + 1) % count, 0..1);
    }
}
