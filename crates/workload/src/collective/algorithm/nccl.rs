//! Rings, chains and double trees of NCCL: each channel has its own, and blocks of its own.
//!
//! Source: NCCL 2.30.7, `src/graph/trees.cc` and `src/graph/connect.cc`. In the ring of channel c, the
//! hosts of each node begin with place c and follow one another, so that channels leave a node
//! through different network interfaces. In the trees of channel c, they are a chain from place c
//! on, whose first host is in the double tree over nodes. The first half of the channels has the
//! first tree, the others have the second.
//!
//! A ring leaves a node by the interface by which it enters it, if the search of
//! `src/graph/search.cc` finds one (`crossNic` is 0 at first). The first host has that interface, so
//! it relays messages from the last one to the next node: PXN, which `ncclTopoComputePaths` in
//! `src/graph/paths.cc` allows in the direction to the network.
//!
//! Differs from NCCL: a search of the node's topology decides the order of hosts there; both
//! children of a node are children of its first host (`NCCL_TOPO_PATTERN_TREE`); a relay sends whole
//! messages, not each step of the buffer between the two hosts.

use super::super::nccl::Division;
use super::super::shape::Shape;
use super::super::transfers::{Transfers, Use};
use super::super::{CollectiveAlgorithm as Algorithm, Rails};
use super::double_tree;
use super::ring::{Relay, Ring};

/// Passes the messages of `member` in one round of all channels to `to`.
pub(super) fn transfer(shape: &Shape, division: &Division, member: u32, to: &mut impl Transfers) {
    let rails = Rails::of(shape);
    let count = shape.ranks;
    for channel in 0..division.channels {
        let position = rails.position(channel, member);
        let at = |steps: u32| rails.member(channel, (position + steps) % count);
        let place = position % rails.local;
        let (mut previous, mut next, mut relay) = (at(count - 1), at(1), None);
        if rails.has_relays() {
            let last = rails.local - 1;
            if place == 0 {
                previous = at(count - rails.local);
                relay = Some(Relay {
                    ends: (at(last), at(rails.local)),
                    ahead: last,
                });
            }
            if place == last {
                next = at(count - last);
            }
        }
        match shape.algorithm {
            Algorithm::Ring => {
                let blocks = (channel * count, 1);
                let ring = Ring::between((position, count), (previous, next), blocks);
                ring.with_relay(relay).run(shape.operation, to);
            }
            Algorithm::Chain => {
                let root = rails.position(channel, shape.root);
                let place = (position + count - root) % count;
                let blocks = channel..channel + 1;
                // The host whose messages this one relays is the last one of the chain, or before
                // this one if the chain begins in the middle of the node.
                let relay = relay.filter(|relay| (place + relay.ahead) % count + 1 < count);
                let is_before = relay.is_some_and(|relay| place + relay.ahead >= count);
                if let Some(relay) = relay.filter(|_| is_before) {
                    to.forward(relay.ends, blocks.clone());
                }
                if place > 0 {
                    to.receive(previous, blocks.clone(), Use::Replace);
                }
                if place + 1 < count {
                    to.send(next, blocks.clone());
                }
                if let Some(relay) = relay.filter(|_| !is_before) {
                    to.forward(relay.ends, blocks);
                }
            }
            _ => {
                let tree = u32::from(channel >= division.all_channels.div_ceil(2));
                let (parent, children) = neighbors(rails, (channel, tree), member);
                double_tree::up(&(channel..channel + 1), parent, &children, to);
                double_tree::down(&(channel..channel + 1), parent, &children, to);
            }
        }
    }
}

/// Returns the parent and the children of `member` in tree `tree` of `channel`.
fn neighbors(
    rails: Rails,
    (channel, tree): (u32, u32),
    member: u32,
) -> (Option<u32>, Vec<Option<u32>>) {
    let local = rails.local;
    let position = rails.position(channel, member);
    let at = |position: u32| rails.member(channel, position);
    let mut children = Vec::new();
    if position % local + 1 < local {
        children.push(Some(at(position + 1)));
    }
    if !position.is_multiple_of(local) {
        return (Some(at(position - 1)), children);
    }
    let nodes = double_tree::rooted(tree, position / local, rails.nodes);
    let first_of = |node: Option<u32>| node.map(|node| at(node * local));
    children.extend(nodes.children.map(first_of));
    (first_of(nodes.parent), children)
}
