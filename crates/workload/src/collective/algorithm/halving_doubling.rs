//! Recursive halving and doubling, for powers of two.
//!
//! Thakur, Rabenseifner, Gropp (2005): recursive halving for the reduce-scatter,
//! recursive doubling for the all-gather; both together are Rabenseifner's all-reduce.

use super::super::CollectiveOperation;
use super::super::transfers::{Transfers, Use};

/// Runs `operation` among `count` members, a power of two.
pub(super) fn transfer(
    operation: CollectiveOperation,
    count: u32,
    member: u32,
    to: &mut impl Transfers,
) {
    if operation != CollectiveOperation::AllGather {
        let mut distance = count / 2;
        while distance > 0 {
            let partner = member ^ distance;
            // The half with the block of this member stays; the partner receives the other half.
            to.send(partner, half(partner, distance));
            to.receive(partner, half(member, distance), Use::Reduce);
            distance /= 2;
        }
    }
    if operation != CollectiveOperation::ReduceScatter {
        let mut distance = 1;
        while distance < count {
            let partner = member ^ distance;
            to.send(partner, half(member, distance));
            to.receive(partner, half(partner, distance), Use::Replace);
            distance *= 2;
        }
    }
}

/// Returns the aligned group of `length` blocks, a power of two, that contains the block of
/// `member`.
const fn half(member: u32, length: u32) -> std::ops::Range<u32> {
    let first = member / length * length;
    first..first + length
}
