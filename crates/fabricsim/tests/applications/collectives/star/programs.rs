//! The messages of collectives on the model of a star.

use super::{Link, Message, Star};

/// Returns the parent of each member in the paper's tree in order, built by halving a range.
pub(crate) fn parents(count: usize) -> Vec<Option<usize>> {
    fn fill(first: usize, count: usize, parent: Option<usize>, tree: &mut [Option<usize>]) {
        if count == 0 {
            return;
        }
        let mut before = 1;
        while 2 * before <= count {
            before *= 2;
        }
        let root = first + before - 1;
        tree[root] = parent;
        fill(first, before - 1, Some(root), tree);
        fill(root + 1, count - before, Some(root), tree);
    }
    let mut tree = vec![None; count];
    fill(0, count, None, &mut tree);
    tree
}

/// A tree over members: the parent of each, and its children in the order in which it sends to them.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
}

impl Tree {
    pub(crate) fn new(parents: Vec<Option<usize>>) -> Self {
        let mut children = vec![Vec::new(); parents.len()];
        for (member, parent) in parents.iter().enumerate() {
            if let Some(parent) = *parent {
                children[parent].push(member);
            }
        }
        Self { parents, children }
    }

    /// Returns the tree with all members mirrored or shifted, so that inner members become leaves.
    fn image(&self) -> Self {
        let count = self.parents.len();
        let moved = |one: usize| match count % 2 {
            0 => count - 1 - one,
            _ => (one + 1) % count,
        };
        let mut image = self.clone();
        for member in 0..count {
            let children = self.children[member].iter();
            image.children[moved(member)] = children.map(|&child| moved(child)).collect();
            image.parents[moved(member)] = self.parents[member].map(moved);
        }
        image
    }
}

/// Divides `bytes` into `parts` that differ by at most a byte. An empty part is sent as one byte.
fn parts(bytes: u64, parts: u64) -> Vec<u64> {
    let at = |part: u64| bytes * part / parts;
    (0..parts)
        .map(|part| (at(part + 1) - at(part)).max(1))
        .collect()
}

impl Star {
    /// Hosts alone.
    pub(crate) fn new(hosts: u64, link: Link, mtu: u64) -> Self {
        let links = (0..hosts).map(|_| link).collect();
        Self { links, mtu }
    }

    /// Returns when all members have the sums of `first` and of its image.
    pub(crate) fn two_trees(&self, first: Tree, data: (u64, u64)) -> u64 {
        let second = first.image();
        self.trees(&[first, second], data)
    }

    /// Returns when all members have the sums of `trees`. Each tree has `size` bytes in chunks of at
    /// most `chunk`.
    pub(crate) fn trees(&self, trees: &[Tree], (chunk, size): (u64, u64)) -> u64 {
        let count = trees[0].parents.len();
        let chunks = usize::try_from(size.div_ceil(chunk)).unwrap();
        // The tag is the tree, the direction, and the chunk.
        let message = |from: usize, to: usize, tree: usize, down: bool, number: usize| Message {
            from,
            to,
            channel: tree,
            bytes: chunk.min(size - number as u64 * chunk),
            tag: number * 4 + tree * 2 + usize::from(down),
        };
        let counts = |tree: &Tree| -> Vec<Vec<usize>> {
            let counts = tree.children.iter().map(Vec::len);
            counts.map(|of| vec![of; chunks]).collect()
        };
        let mut missing: Vec<_> = trees.iter().map(counts).collect();
        // Leaves have nothing to wait for, so all trees begin with them.
        let mut first = Vec::new();
        for member in 0..count {
            for number in 0..chunks {
                for (place, tree) in trees.iter().enumerate() {
                    if let (Some(parent), []) = (tree.parents[member], &tree.children[member][..]) {
                        first.push(message(member, parent, place, false, number));
                    }
                }
            }
        }
        self.run(first, |arrived, next| {
            let (number, tree) = (arrived.tag / 4, arrived.tag / 2 % 2);
            let (member, mut complete) = (arrived.to, arrived.tag % 2 == 1);
            if !complete {
                let missing = &mut missing[tree][member][number];
                *missing -= 1;
                if *missing == 0 {
                    match trees[tree].parents[member] {
                        Some(parent) => next.push(message(member, parent, tree, false, number)),
                        None => complete = true,
                    }
                }
            }
            if complete {
                let below = trees[tree].children[member].iter();
                next.extend(below.map(|&child| message(member, child, tree, true, number)));
            }
        })
    }

    /// Returns when all members of a ring have all blocks of all rounds, if a round waits for the
    /// one before it. A round has the bytes of each member's block.
    pub(crate) fn rounds(&self, rounds: &[Vec<u64>]) -> u64 {
        let count = self.links.len();
        let steps = 2 * (count - 1);
        let message = |member: usize, place: usize| Message {
            from: member,
            to: (member + 1) % count,
            channel: 0,
            bytes: rounds[place / steps][(member + 2 * count - 1 - place % steps) % count],
            tag: place,
        };
        let first = (0..count).map(|member| message(member, 0)).collect();
        self.run(first, |arrived, next| {
            let place = arrived.tag + 1;
            if place < rounds.len() * steps {
                next.push(message(arrived.to, place));
            }
        })
    }

    /// Returns when all hosts have the whole buffer by "nvls": the aggregator sends the sum of each
    /// part to its owner, which stores it for all.
    pub(crate) fn nvls(&self, bytes: u64) -> u64 {
        let hosts = self.links.len() - 1;
        let sizes = parts(bytes, hosts as u64);
        // The tag is the phase, and the owner.
        let message = |from: usize, to: usize, phase: usize, owner: usize| Message {
            from,
            to,
            // The second phase has a connection of its own.
            channel: usize::from(phase == 1 || phase == 2),
            bytes: sizes[owner],
            tag: phase * hosts + owner,
        };
        let mut missing = vec![hosts; hosts];
        let pairs = (0..hosts).flat_map(|host| (0..hosts).map(move |owner| (host, owner)));
        let first = pairs.map(|(host, owner)| message(host, hosts, 0, owner));
        self.run(first.collect(), |arrived, next| {
            let (phase, owner) = (arrived.tag / hosts, arrived.tag % hosts);
            match phase {
                0 => {
                    missing[owner] -= 1;
                    if missing[owner] == 0 {
                        next.push(message(hosts, owner, 1, owner));
                    }
                }
                1 => next.push(message(owner, hosts, 2, owner)),
                2 => next.extend((0..hosts).map(|host| message(hosts, host, 3, owner))),
                _ => {}
            }
        })
    }
}
