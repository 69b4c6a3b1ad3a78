//! Two binary trees, each for half of the data. An inner member of one tree is a leaf of the other,
//! so the data uses both directions of all links.
//!
//! Sanders, Speck, Träff: "Two-tree algorithms for full bandwidth broadcast, reduction and scan"
//! (Parallel Computing 35(12), 2009): the first tree is numbered in order; the second is its mirror
//! image for an even number of members and shifted by one for an odd number. Differs from the
//! paper: no schedule assigns the steps of a member to its two trees; as with NCCL, each message
//! leaves as soon as it can.

use std::ops::Range;

use super::super::transfers::{Transfers, Use};

/// The neighbors of a member in a tree.
pub(super) struct Neighbors {
    pub(super) parent: Option<u32>,
    pub(super) children: [Option<u32>; 2],
}

/// Returns the neighbors of place `at`, from 1, in the tree over the places 1 to `count` in their
/// order. Odd places are leaves.
fn in_order(at: u32, count: u32) -> Neighbors {
    let (mut first, mut last, mut parent) = (1, count, None);
    loop {
        let root = root_of(first, last);
        match at.cmp(&root) {
            std::cmp::Ordering::Equal => {
                return Neighbors {
                    parent,
                    children: [
                        (first < root).then(|| root_of(first, root - 1)),
                        (root < last).then(|| root_of(root + 1, last)),
                    ],
                };
            }
            std::cmp::Ordering::Less => last = root - 1,
            std::cmp::Ordering::Greater => first = root + 1,
        }
        parent = Some(root);
    }
}

/// Returns the root of the places `first` to `last`: the subtree before it is complete.
const fn root_of(first: u32, last: u32) -> u32 {
    let count = last - first + 1;
    first - 1 + (1 << count.ilog2())
}

/// Returns the neighbors of `member`, from zero, in tree `tree`, 0 or 1.
fn neighbors(tree: u32, member: u32, count: u32) -> Neighbors {
    let place = |member: u32| match tree {
        0 => member + 1,
        _ if count.is_multiple_of(2) => count - member,
        _ => (member + count - 1) % count + 1,
    };
    let member_at = |place: u32| match tree {
        0 => place - 1,
        _ if count.is_multiple_of(2) => count - place,
        _ => place % count,
    };
    let found = in_order(place(member), count);
    Neighbors {
        parent: found.parent.map(member_at),
        children: found.children.map(|child| child.map(member_at)),
    }
}

/// Returns the neighbors of node `node`, from zero, in tree `tree` of NCCL (`src/graph/trees.cc`):
/// one node is the root, and its only child is the root of the tree in order over the others. The
/// second tree is the mirror image of the first or shifted by one, as above.
pub(super) fn rooted(tree: u32, node: u32, count: u32) -> Neighbors {
    let turn = |node: u32| match tree {
        0 => node,
        _ if count.is_multiple_of(2) => count - 1 - node,
        _ => (node + count - 1) % count,
    };
    let back = |node: u32| match tree {
        0 => node,
        _ if count.is_multiple_of(2) => count - 1 - node,
        _ => (node + 1) % count,
    };
    let found = match turn(node) {
        0 => Neighbors {
            parent: None,
            children: [(count > 1).then(|| root_of(1, count - 1)), None],
        },
        place => {
            let found = in_order(place, count - 1);
            Neighbors {
                parent: Some(found.parent.unwrap_or(0)),
                ..found
            }
        }
    };
    Neighbors {
        parent: found.parent.map(back),
        children: found.children.map(|child| child.map(back)),
    }
}

/// Sums up to the root of each tree and sends the sum down: block 0 on the first tree, block 1 on
/// the second.
pub(super) fn all_reduce(count: u32, member: u32, to: &mut impl Transfers) {
    let trees = [0, 1].map(|tree| (tree..tree + 1, neighbors(tree, member, count)));
    for (block, tree) in &trees {
        up(block, tree.parent, &tree.children, to);
    }
    for (block, tree) in &trees {
        down(block, tree.parent, &tree.children, to);
    }
}

/// Adds the sums of the children and sends the sum to the parent.
pub(super) fn up(
    block: &Range<u32>,
    parent: Option<u32>,
    children: &[Option<u32>],
    to: &mut impl Transfers,
) {
    for &child in children.iter().flatten() {
        to.receive(child, block.clone(), Use::Reduce);
    }
    if let Some(parent) = parent {
        to.send(parent, block.clone());
    }
}

/// Passes the sum from the parent to the children.
pub(super) fn down(
    block: &Range<u32>,
    parent: Option<u32>,
    children: &[Option<u32>],
    to: &mut impl Transfers,
) {
    if let Some(parent) = parent {
        to.receive(parent, block.clone(), Use::Replace);
    }
    for &child in children.iter().flatten() {
        to.send(child, block.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_members_of_one_tree_are_leaves_of_the_other() {
        for count in 2..200 {
            for member in 0..count {
                let inner = |tree| {
                    let found = neighbors(tree, member, count);
                    u32::from(found.children.iter().flatten().count() > 0)
                };
                assert!(inner(0) + inner(1) <= 1, "{member} of {count}");
            }
        }
    }

    #[test]
    fn parents_and_children_agree_and_trees_are_flat() {
        for count in 2..200u32 {
            for tree in 0..2 {
                let mut roots = 0;
                for member in 0..count {
                    let own = neighbors(tree, member, count);
                    for child in own.children.into_iter().flatten() {
                        assert_eq!(neighbors(tree, child, count).parent, Some(member));
                    }
                    roots += u32::from(own.parent.is_none());
                    let mut depth = 0;
                    let mut at = member;
                    while let Some(parent) = neighbors(tree, at, count).parent {
                        (at, depth) = (parent, depth + 1);
                    }
                    assert!(depth <= count.ilog2(), "{member} of {count}: {depth}");
                }
                assert_eq!(roots, 1);
            }
        }
    }

    /// The pictures of `ncclGetBtree` and `ncclGetDtree` for 14, 12 and 13 nodes.
    #[test]
    fn trees_of_nccl_are_the_pictured_ones() {
        let parents = |tree, count| -> Vec<i64> {
            (0..count)
                .map(|node| rooted(tree, node, count).parent.map_or(-1, i64::from))
                .collect()
        };
        let first = [-1, 2, 4, 2, 8, 6, 4, 6, 0, 10, 12, 10, 8, 12];
        assert_eq!(parents(0, 14), first);
        let mirrored = [1, 3, 1, 7, 5, 7, 3, 11, 9, 7, 9, -1];
        assert_eq!(parents(1, 12)[..3], mirrored[..3]);
        assert_eq!(parents(1, 12)[11], mirrored[11]);
        let shifted = [9, -1, 3, 5, 3, 9, 7, 5, 7, 1, 11, 0, 11];
        assert_eq!(parents(1, 13), shifted);
        for count in 1..200 {
            for tree in 0..2 {
                for node in 0..count {
                    let own = rooted(tree, node, count);
                    for child in own.children.into_iter().flatten() {
                        assert_eq!(rooted(tree, child, count).parent, Some(node));
                    }
                }
                let roots = parents(tree, count).iter().filter(|one| **one < 0).count();
                assert_eq!(roots, 1);
            }
        }
    }
}
