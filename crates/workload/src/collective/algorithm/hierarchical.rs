//! An all-reduce in two tiers: rings inside nodes and rings between them.
//!
//! The members of a node (`local_size` consecutive ones) reduce-scatter among themselves. Then the
//! members with the same place in their nodes all-reduce their blocks, and finally each node
//! gathers. ASTRA-sim's hierarchical collectives do the same for two dimensions (Rashidi et al.,
//! ISPASS 2020), and so does NCCL between NVLink and network.

use super::super::transfers::Transfers;
use super::ring::Ring;

/// Runs the all-reduce of `count` members, a multiple of `local`.
pub(super) fn all_reduce(count: u32, local: u32, member: u32, to: &mut impl Transfers) {
    let nodes = count / local;
    let (node, place) = (member / local, member % local);
    let beside = |place: u32| node * local + place;
    let across = |node: u32| node * local + place;
    let inside = Ring::between(
        (place, local),
        (
            beside((place + local - 1) % local),
            beside((place + 1) % local),
        ),
        (0, nodes),
    );
    let outside = Ring::between(
        (node, nodes),
        (
            across((node + nodes - 1) % nodes),
            across((node + 1) % nodes),
        ),
        (place * nodes, 1),
    );
    inside.reduce_scatter(to);
    outside.reduce_scatter(to);
    outside.all_gather(to);
    inside.all_gather(to);
}
