//! Check that every host can reach every other. Paths lead over switches unless hosts forward; if
//! there are no switches, workloads may also use neighbors alone.

use fabricsim_base::id::NodeId;
use rustc_hash::FxHashMap;

use crate::error::TopologyError;
use crate::graph::{Link, Topology};
use crate::node_kind::NodeKind;

impl Topology {
    /// Creates the network of nodes 0..`kinds.len()` joined by `links`.
    ///
    /// Ports of a node are numbered from 0 in the order of its links. Several links between the
    /// same two nodes stay separate. A host may have several links, also to other hosts.
    ///
    /// # Errors
    /// Returns the first error in this order:
    ///
    /// * too many nodes or links, or no host;
    /// * a link to an unknown node, or from a node to itself;
    /// * a delay of zero or above [`MAX_LINK_DELAY`](fabricsim_base::limits::MAX_LINK_DELAY);
    /// * a rate below [`MIN_RATE`](fabricsim_base::limits::MIN_RATE) or above
    ///   [`MAX_RATE`](fabricsim_base::limits::MAX_RATE);
    /// * a loss outside 0..1;
    /// * a node with too many links or none;
    /// * two hosts that no chain of links joins.
    ///
    /// Hosts between them may be in the chain, because hosts can [forward](Self::with_forwarding),
    /// and because workloads may use neighbors alone: see [`Self::hosts_apart`].
    pub fn new(kinds: Vec<NodeKind>, links: Vec<Link>) -> Result<Self, TopologyError> {
        let topology = Self::unchecked(kinds, links)?;
        match unreachable_pair(&topology) {
            Some((a, b)) if !is_joined(&topology) => Err(TopologyError::Disconnected { a, b }),
            _ => Ok(topology),
        }
    }

    /// Returns two hosts that reach each other only over hosts that forward. Returns `None` if there
    /// is no such pair, or no switch: workloads may then use neighbors alone.
    #[must_use]
    pub fn hosts_apart(&self) -> Option<(NodeId, NodeId)> {
        self.switches().next()?;
        unreachable_pair(self)
    }
}

/// Returns `true` if links join all nodes.
fn is_joined(topology: &Topology) -> bool {
    let mut reached = vec![false; topology.len()];
    let mut stack = vec![topology.hosts()[0]];
    while let Some(node) = stack.pop() {
        if !std::mem::replace(&mut reached[node.index()], true) {
            stack.extend(topology.ports(node).iter().map(|port| port.peer));
        }
    }
    reached.iter().all(|&it| it)
}

/// Hosts that are linked to the same islands of switches.
struct Class {
    islands: Vec<u32>,
    hosts: Vec<NodeId>,
}

/// Finds two hosts that reach each other neither directly nor through switches.
///
/// Hosts are compared by the islands (connected parts of the switch graph) to which they are
/// linked. There is nearly always one island, so the time is linear in the number of links.
fn unreachable_pair(topology: &Topology) -> Option<(NodeId, NodeId)> {
    let classes = classes(topology);
    for (index, class) in classes.iter().enumerate() {
        if class.islands.is_empty()
            && let Some(pair) = strangers(topology, class, class)
        {
            return Some(pair);
        }
        for other in &classes[index + 1..] {
            let apart = class
                .islands
                .iter()
                .all(|island| !other.islands.contains(island));
            if apart && let Some(pair) = strangers(topology, class, other) {
                return Some(pair);
            }
        }
    }
    None
}

/// Returns a host of `one` and a host of `other` without a link between them.
///
/// A host has few links, so the search soon finds such a pair.
fn strangers(topology: &Topology, one: &Class, other: &Class) -> Option<(NodeId, NodeId)> {
    one.hosts.iter().find_map(|&a| {
        let linked = |b: NodeId| topology.ports(a).iter().any(|port| port.peer == b);
        let stranger = other.hosts.iter().find(|&&b| b != a && !linked(b))?;
        Some((a, *stranger))
    })
}

/// Groups the hosts by their islands, in the order of their first host.
fn classes(topology: &Topology) -> Vec<Class> {
    let island = islands(topology);
    let mut position: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
    let mut classes: Vec<Class> = Vec::new();
    for &host in topology.hosts() {
        let mut touched: Vec<u32> = topology
            .ports(host)
            .iter()
            .filter_map(|port| island[port.peer.index()])
            .collect();
        touched.sort_unstable();
        touched.dedup();
        let index = *position.entry(touched).or_insert_with_key(|touched| {
            classes.push(Class {
                islands: touched.clone(),
                hosts: Vec::new(),
            });
            classes.len() - 1
        });
        classes[index].hosts.push(host);
    }
    classes
}

/// Returns the number of each switch's island; `None` for hosts.
fn islands(topology: &Topology) -> Vec<Option<u32>> {
    let mut island = vec![None; topology.len()];
    let mut stack = Vec::new();
    let mut count = 0;
    for start in topology.switches() {
        if island[start.index()].is_some() {
            continue;
        }
        island[start.index()] = Some(count);
        stack.push(start);
        while let Some(node) = stack.pop() {
            for port in topology.ports(node) {
                if !topology.is_host(port.peer) && island[port.peer.index()].is_none() {
                    island[port.peer.index()] = Some(count);
                    stack.push(port.peer);
                }
            }
        }
        count += 1;
    }
    island
}

#[cfg(test)]
mod tests {
    use fabricsim_base::id::NodeId;
    use fabricsim_base::units::{Bytes, Duration, Rate};

    use crate::node_kind::NodeKind::{Host, Switch};
    use crate::{EcmpHash, Link, NextHopOrder, NodeKind, Routes, Topology, TopologyError};

    fn network(kinds: &[NodeKind], ends: &[(u32, u32)]) -> Result<Topology, TopologyError> {
        let link = |&(a, b): &(u32, u32)| Link {
            a: NodeId(a),
            b: NodeId(b),
            rate: Rate::from_gbps(100),
            delay: Duration::from_us(1),
            loss: 0.0,
        };
        Topology::new(kinds.to_vec(), ends.iter().map(link).collect())
    }

    fn apart(a: u32, b: u32) -> Result<Topology, TopologyError> {
        Err(TopologyError::Disconnected {
            a: NodeId(a),
            b: NodeId(b),
        })
    }

    #[test]
    fn two_islands_are_named_by_a_host_of_each() {
        let kinds = [Host, Host, Host, Switch, Switch];
        assert_eq!(network(&kinds, &[(0, 3), (1, 3), (2, 4)]), apart(0, 2));
        assert!(network(&kinds, &[(0, 3), (1, 3), (2, 4), (3, 4)]).is_ok());
    }

    #[test]
    fn a_host_joins_islands_only_if_it_forwards() {
        let kinds = [Host, Host, Host, Switch, Switch];
        let joined = network(&kinds, &[(0, 3), (1, 3), (1, 4), (2, 4)]).unwrap();
        assert_eq!(joined.hosts_apart(), Some((NodeId(0), NodeId(2))));
        let forwarding = joined.with_forwarding(Duration::ZERO);
        let routes = Routes::compute(
            &forwarding,
            NextHopOrder::AscendingNode,
            EcmpHash::Seeded(1),
        );
        let path = routes.path_info(NodeId(0), NodeId(2), Bytes::new(1_000));
        assert_eq!(path.unwrap().switches, 3);
    }

    #[test]
    fn hosts_may_be_linked_directly() {
        assert!(network(&[Host, Host], &[(0, 1)]).is_ok());
        assert!(network(&[Host, Host, Host], &[(0, 1), (1, 2)]).is_ok());
        assert_eq!(network(&[Host; 4], &[(0, 1), (2, 3)]), apart(0, 2));
        assert!(network(&[Host, Host, Host], &[(0, 1), (1, 2), (2, 0)]).is_ok());
        let behind = network(&[Host, Host, Host, Switch], &[(0, 3), (1, 3), (1, 2)]);
        assert_eq!(behind.unwrap().hosts_apart(), Some((NodeId(0), NodeId(2))));
    }
}
