//! The switches that reduce or multicast for a group: a tree with the members as its leaves.

use std::collections::BTreeSet;

use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;

use super::CollectiveAlgorithm;
use super::groups::Groups;
use super::shape::Shape;
use crate::context::WorkloadContext;
use crate::reducers::Reducers;

/// The lower end of an edge of a tree.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum End {
    /// A member of the group.
    Member(u32),
    /// The node of the tree with this number.
    Node(u32),
}

/// An edge down from a node of a tree.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Child {
    pub(super) end: End,
    /// The members below, ascending.
    pub(super) members: Vec<u32>,
}

/// A switch of a tree.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct TreeNode {
    /// Position of the switch in [`Reducers::switches`].
    pub(super) switch: u32,
    /// The number of its parent; `None` for the root.
    pub(super) parent: Option<u32>,
    pub(super) children: Vec<Child>,
}

/// The tree of a group.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Tree {
    /// Its nodes: the root, then the others in the order of their switches.
    pub(super) nodes: Vec<TreeNode>,
    /// The position of the switch of each member.
    pub(super) leaves: Vec<u32>,
}

/// The trees of all groups; `None` for a group that has none because a switch lacks room.
#[derive(Clone, Debug)]
pub(super) struct Trees(pub(super) Vec<Option<Tree>>);

impl Trees {
    /// Chooses the trees of `groups` one after the other, and counts them in `reducers`.
    ///
    /// # Errors
    /// Fails if no switch reduces, or if the switches cannot form the tree of a group.
    pub(super) fn of(
        shape: &Shape,
        groups: &Groups,
        context: &WorkloadContext,
    ) -> Result<(Self, Option<Reducers>), ConfigError> {
        if !shape.algorithm.is_in_network() {
            return Ok((Self(Vec::new()), context.reducers.clone()));
        }
        let Some(mut reducers) = context.reducers.clone() else {
            return Err(ConfigError::new(
                "algorithm",
                format!(
                    "no switch of this network reduces, as \"{}\" needs",
                    shape.algorithm.name()
                ),
                "give [switch] `reduction_trees`, such as 64, or choose another algorithm",
            ));
        };
        let mut trees = Vec::new();
        for group in 0..groups.count() {
            let members = (0..groups.size).map(|member| groups.rank(group, member));
            let hosts: Vec<NodeId> = members.map(|rank| groups.hosts[rank as usize]).collect();
            let tree = match shape.algorithm {
                // A single member exchanges no messages.
                _ if groups.size < 2 => None,
                CollectiveAlgorithm::Nvls => inside(&hosts, context, &reducers)?,
                _ => across(&hosts, context, &reducers)?,
            };
            for node in tree.iter().flat_map(|tree| &tree.nodes) {
                reducers.taken[node.switch as usize] += 1;
            }
            trees.push(tree);
        }
        Ok((Self(trees), Some(reducers)))
    }
}

/// Returns the positions of the switches of `host`, by port.
fn switches<'r>(host: NodeId, context: &WorkloadContext, reducers: &'r Reducers) -> &'r [u32] {
    let position = context.position(host).expect("ranks are placed on hosts");
    &reducers.hosts[position]
}

/// Returns the tree of a group with all members at one switch: the switch inside their server, or
/// otherwise the first one that all of them are linked to. `None` if that has no room.
fn inside(
    hosts: &[NodeId],
    context: &WorkloadContext,
    reducers: &Reducers,
) -> Result<Option<Tree>, ConfigError> {
    let of = |host: NodeId| switches(host, context, reducers);
    let first = of(hosts[0]).iter().copied();
    let shared = first.filter(|switch| hosts.iter().all(|&host| of(host).contains(switch)));
    let order = |&switch: &u32| (!reducers.switches[switch as usize].is_inner, switch);
    let Some(switch) = shared.min_by_key(order) else {
        let stranger = hosts.iter().find(|&&host| {
            let of_first = of(hosts[0]);
            !of(host).iter().any(|switch| of_first.contains(switch))
        });
        return Err(ConfigError::new(
            "algorithm",
            format!(
                "\"nvls\" needs all ranks of a group at one switch, and {} shares none with {}",
                context.names.label(*stranger.unwrap_or(&hosts[0])),
                context.names.label(hosts[0])
            ),
            "let `group_size` be the ranks of a server, or choose \"sharp\"",
        ));
    };
    Ok(reducers
        .has_room(switch)
        .then(|| Tree::new(vec![switch; hosts.len()], switch, &|_| None)))
}

/// Returns the tree of a group over the switches of its hosts: the switch of the first NIC of each,
/// and the switches between. `None` if switches without room leave no tree.
///
/// The root is the switch with the least distance to the farthest of these switches, then with the
/// smallest sum of distances, the fewest trees, and the lowest number. The next switch towards it
/// is one of the tree if there is one, then one with the fewest trees, then with the lowest number.
fn across(
    hosts: &[NodeId],
    context: &WorkloadContext,
    reducers: &Reducers,
) -> Result<Option<Tree>, ConfigError> {
    let mut leaves = Vec::new();
    for &host in hosts {
        let own = switches(host, context, reducers).iter().copied();
        let order = |switch: &u32| reducers.switches[*switch as usize].is_inner;
        let Some(leaf) = own.min_by_key(order) else {
            return Err(ConfigError::new(
                "algorithm",
                format!(
                    "\"sharp\" needs switches, and {} is linked to none",
                    context.names.label(host)
                ),
                "choose an algorithm of hosts, such as \"ring\"",
            ));
        };
        leaves.push(leaf);
    }
    let distinct: BTreeSet<u32> = leaves.iter().copied().collect();
    if !distinct.iter().all(|&leaf| reducers.has_room(leaf)) {
        return Ok(None);
    }
    let mut reach = vec![Some((0, 0)); reducers.switches.len()];
    for &leaf in &distinct {
        for (all, own) in reach.iter_mut().zip(distances(leaf, reducers)) {
            *all = all
                .zip(own)
                .map(|((most, sum), own)| (own.max(most), sum + own));
        }
    }
    let roots = reach.iter().zip(0u32..);
    let roots = roots.filter_map(|(reach, switch)| {
        let (most, sum) = (*reach)?;
        Some((most, sum, reducers.taken[switch as usize], switch))
    });
    let Some((.., root)) = roots.min() else {
        return Ok(None);
    };
    let to_root = distances(root, reducers);
    let mut parents: Vec<Option<u32>> = vec![None; reducers.switches.len()];
    for &leaf in &distinct {
        let mut switch = leaf;
        while switch != root && parents[switch as usize].is_none() {
            let own = to_root[switch as usize].expect("the root is reached from each leaf");
            let neighbors = reducers.switches[switch as usize].neighbors.iter().copied();
            let closer = neighbors.filter(|&next| to_root[next as usize] == Some(own - 1));
            let next = closer.min_by_key(|&next| {
                let is_new = next != root && parents[next as usize].is_none();
                (is_new, reducers.taken[next as usize], next)
            });
            let next = next.expect("a switch away from the root has a neighbor closer to it");
            parents[switch as usize] = Some(next);
            switch = next;
        }
    }
    let parent = |switch: u32| parents[switch as usize];
    Ok(Some(Tree::new(leaves, root, &parent)))
}

/// Returns the number of links from `start` to each switch over switches with room.
fn distances(start: u32, reducers: &Reducers) -> Vec<Option<u64>> {
    let mut distances = vec![None; reducers.switches.len()];
    distances[start as usize] = Some(0);
    let mut queue = vec![start];
    let mut head = 0;
    while let Some(&switch) = queue.get(head) {
        head += 1;
        let next = distances[switch as usize].map(|own: u64| own + 1);
        for &neighbor in &reducers.switches[switch as usize].neighbors {
            if distances[neighbor as usize].is_none() && reducers.has_room(neighbor) {
                distances[neighbor as usize] = next;
                queue.push(neighbor);
            }
        }
    }
    distances
}

impl Tree {
    /// Joins the switches `leaves` of the members to `root`, with the parent of each switch.
    fn new(leaves: Vec<u32>, root: u32, parent: &dyn Fn(u32) -> Option<u32>) -> Self {
        let mut used: BTreeSet<u32> = BTreeSet::new();
        for &leaf in &leaves {
            let up = std::iter::successors(Some(leaf), |&switch| parent(switch));
            used.extend(up);
        }
        used.remove(&root);
        let order: Vec<u32> = std::iter::once(root).chain(used).collect();
        let number = |switch: u32| {
            let place = order.iter().position(|&other| other == switch);
            NodeId::from_index(place.expect("each switch on the way is in the tree")).0
        };
        let mut nodes: Vec<TreeNode> = (order.iter())
            .map(|&switch| TreeNode {
                switch,
                parent: parent(switch).map(number),
                children: Vec::new(),
            })
            .collect();
        for (member, &leaf) in (0..).zip(&leaves) {
            let (mut at, mut end) = (number(leaf), End::Member(member));
            loop {
                let node = &mut nodes[at as usize];
                match node.children.iter_mut().find(|child| child.end == end) {
                    Some(child) => child.members.push(member),
                    None => node.children.push(Child {
                        end,
                        members: vec![member],
                    }),
                }
                let Some(parent) = node.parent else { break };
                (at, end) = (parent, End::Node(at));
            }
        }
        Self { nodes, leaves }
    }

    /// Returns the number of messages of the collective `shape` on all edges, and their bytes.
    pub(super) fn traffic(&self, shape: &Shape) -> (f64, f64) {
        let mut messages = 0u64;
        for block in 0..shape.unit_blocks() {
            let part = shape.part(block);
            for child in self.nodes.iter().flat_map(|node| &node.children) {
                messages += u64::from(part.goes_up(&child.members));
                messages += u64::from(part.goes_down(&child.members));
            }
        }
        let messages = messages as f64 * f64::from(shape.units());
        // No message is empty: see `Shape::message`.
        (messages, messages * shape.block_bytes().max(1.0))
    }
}

#[cfg(test)]
mod tests;
