//! Names of nodes: the name of a node, and the nodes that match a name or a pattern.

use fabricsim_base::id::NodeId;
use rustc_hash::FxHashMap;

use crate::error::TopologyError;
use crate::graph::Topology;
use crate::names::NodeNames;

/// Maximum number of bytes of a name.
const LONGEST_NAME: usize = 100;

impl Topology {
    /// Returns the name of `node`.
    ///
    /// # Panics
    /// Panics if there is no such node.
    #[must_use]
    pub fn name(&self, node: NodeId) -> &str {
        self.names.get(node.index())
    }

    /// Returns the name of `node` with its number, for messages: `tor3 (node 19)`.
    ///
    /// # Panics
    /// Panics if there is no such node.
    #[must_use]
    pub fn label(&self, node: NodeId) -> String {
        format!("{} (node {node})", self.name(node))
    }

    /// Returns the names of the tiers from the hosts up; empty if the topology does not name them.
    /// The tier of a node is its distance to the nearest host, in links.
    #[must_use]
    pub fn tier_names(&self) -> &[String] {
        &self.tier_names
    }

    /// Renames the nodes to `names`, in the order of their numbers. By default, nodes are called
    /// `host0` or `switch1`, by their numbers.
    ///
    /// # Errors
    /// Fails if the number of names differs from the number of nodes, a name is not a valid
    /// [name](is_name), or two nodes have the same name.
    pub fn with_names(mut self, names: &[String]) -> Result<Self, TopologyError> {
        if names.len() != self.len() {
            return Err(TopologyError::Names {
                names: names.len(),
                nodes: self.len(),
            });
        }
        let mut known = FxHashMap::default();
        for (number, name) in names.iter().enumerate() {
            let node = NodeId::from_index(number);
            if !is_name(name) {
                return Err(TopologyError::Name {
                    node,
                    name: name.clone(),
                });
            }
            if let Some(other) = known.insert(name.as_str(), node) {
                return Err(TopologyError::SameName {
                    a: other,
                    b: node,
                    name: name.clone(),
                });
            }
        }
        self.names = NodeNames::of(names.iter());
        Ok(self)
    }

    /// Renames the nodes to `names`, which the caller knows to differ.
    pub(crate) fn called(mut self, names: NodeNames) -> Self {
        self.names = names;
        self
    }

    /// Names the tiers `names`, from the hosts up.
    pub(crate) fn with_tier_names(mut self, names: Vec<String>) -> Self {
        self.tier_names = names.into();
        self
    }
}

/// Returns `true` if `text` can be the name of a node: up to 100 letters, digits and `_`, `-`, `.`,
/// `/` and `:`, with at least one letter.
#[must_use]
pub fn is_name(text: &str) -> bool {
    text.len() <= LONGEST_NAME
        && text.chars().any(char::is_alphabetic)
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':'))
}

/// Finds nodes of a topology by their names.
#[derive(Debug)]
pub struct NodeFinder<'a> {
    topology: &'a Topology,
    numbers: FxHashMap<&'a str, NodeId>,
}

impl<'a> NodeFinder<'a> {
    /// Creates a finder for the nodes of `topology`.
    #[must_use]
    pub fn new(topology: &'a Topology) -> Self {
        let nodes = (0..topology.len()).map(NodeId::from_index);
        Self {
            topology,
            numbers: nodes.map(|node| (topology.name(node), node)).collect(),
        }
    }

    /// Finds the node called `name`.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.numbers.get(name).copied()
    }

    /// Returns the nodes with names that match `pattern`, ascending; `*` matches any characters but
    /// `/`.
    #[must_use]
    pub fn matching(&self, pattern: &str) -> Vec<NodeId> {
        let nodes = (0..self.topology.len()).map(NodeId::from_index);
        nodes
            .filter(|&node| fits(pattern.as_bytes(), self.topology.name(node).as_bytes()))
            .collect()
    }

    /// Yields the names of all nodes, in the order of their numbers.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        let topology = self.topology;
        (0..topology.len()).map(|node| topology.name(NodeId::from_index(node)))
    }
}

/// Returns `true` if `name` matches `pattern`; `*` matches any characters but `/`.
pub(crate) fn fits(pattern: &[u8], name: &[u8]) -> bool {
    // Remember the last `*` and the end of its match: after a mismatch, extend it by one byte.
    let (mut at, mut in_name) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    loop {
        match (pattern.get(at), name.get(in_name)) {
            (None, None) => return true,
            (Some(b'*'), _) => {
                star = Some((at, in_name));
                at += 1;
            }
            (Some(wanted), Some(letter)) if wanted == letter => {
                at += 1;
                in_name += 1;
            }
            _ => match star {
                Some((place, reached)) if name.get(reached).is_some_and(|&c| c != b'/') => {
                    star = Some((place, reached + 1));
                    at = place + 1;
                    in_name = reached + 1;
                }
                _ => return false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::builder::{FatTreeConfig, LeafSpineConfig, StarConfig};

    #[test]
    fn nodes_of_fabrics_are_called_after_their_tiers() {
        let tree = FatTreeConfig {
            k: 4,
            ..FatTreeConfig::default()
        };
        let tree = tree.build().expect("a fat-tree");
        let name = |node: u32| tree.name(NodeId(node));
        assert_eq!([name(0), name(15)], ["host0", "host15"]);
        assert_eq!([name(16), name(23)], ["tor0", "tor7"]);
        assert_eq!([name(24), name(31)], ["agg0", "agg7"]);
        assert_eq!([name(32), name(35)], ["core0", "core3"]);
        let fabric = LeafSpineConfig::default().build().expect("a leaf-spine");
        assert_eq!(fabric.name(NodeId(64)), "leaf0");
        assert_eq!(fabric.label(NodeId(71)), "spine3 (node 71)");
        let star = StarConfig::default().build().expect("a star");
        let switch = star.switches().next().expect("a switch");
        assert_eq!(star.name(switch), "switch0");
    }

    #[test]
    fn names_are_checked() {
        let star = StarConfig {
            hosts: 2,
            ..StarConfig::default()
        };
        let star = star.build().expect("a star");
        let named = |names: [&str; 3]| {
            let names = names.map(str::to_owned);
            star.clone().with_names(&names).map(drop)
        };
        assert_eq!(named(["a", "b", "rack1/tor"]), Ok(()));
        for name in ["", "17", "0..16", "a b", "a,b", "\"a\"", "pod*"] {
            let refused = named(["a", name, "c"]);
            assert!(
                matches!(
                    refused,
                    Err(TopologyError::Name {
                        node: NodeId(1),
                        ..
                    })
                ),
                "{name}"
            );
        }
        let twice = named(["a", "b", "a"]);
        assert!(matches!(
            twice,
            Err(TopologyError::SameName {
                a: NodeId(0),
                b: NodeId(2),
                ..
            })
        ));
        let few = star.clone().with_names(&["a".to_owned()]);
        assert!(matches!(
            few,
            Err(TopologyError::Names { names: 1, nodes: 3 })
        ));
    }

    #[test]
    fn a_star_stands_for_letters_of_one_part() {
        let fit = |pattern: &str, name: &str| fits(pattern.as_bytes(), name.as_bytes());
        assert!(fit("tor3", "tor3"));
        assert!(!fit("tor3", "tor31"));
        assert!(fit("pod1/tor*", "pod1/tor12"));
        assert!(!fit("pod1/tor*", "pod1/tor12/host0"));
        assert!(fit("pod*/tor*/host0", "pod1/tor12/host0"));
        assert!(fit("*a*b", "aaabab"));
        assert!(!fit("*a*b", "a/b"));
        assert!(!fit("", "a"));
    }

    proptest! {
        #[test]
        fn each_name_means_its_node(k in 1u32..6, leaves in 1u32..6, spines in 1u32..6) {
            let tree = FatTreeConfig { k: 2 * k, ..FatTreeConfig::default() };
            let fabric = LeafSpineConfig { leaves, spines, ..LeafSpineConfig::default() };
            for topology in [tree.build(), fabric.build()] {
                let topology = topology.expect("any counts");
                let finder = NodeFinder::new(&topology);
                for node in (0..topology.len()).map(NodeId::from_index) {
                    let name = topology.name(node);
                    prop_assert!(is_name(name), "{}", name);
                    prop_assert_eq!(finder.find(name), Some(node));
                    prop_assert_eq!(finder.matching(name), [node]);
                }
            }
        }
    }
}
