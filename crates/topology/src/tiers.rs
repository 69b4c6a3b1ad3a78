//! Tiers of nodes and links by their distance from hosts.

use fabricsim_base::id::{NodeId, PortId};

use crate::graph::Topology;

/// Returns the distance of each node to the nearest host, in links. Switches inside servers have
/// their own level, above all other levels, and aggregators one above that.
#[must_use]
pub fn levels(topology: &Topology) -> Vec<usize> {
    let mut levels = vec![usize::MAX; topology.len()];
    let mut queue: Vec<NodeId> = topology.hosts().to_vec();
    for host in &queue {
        levels[host.index()] = 0;
    }
    let mut head = 0;
    while let Some(&node) = queue.get(head) {
        head += 1;
        for port in topology.ports(node) {
            let is_new = levels[port.peer.index()] == usize::MAX;
            if is_new && !topology.is_aggregator(port.peer) {
                levels[port.peer.index()] = levels[node.index()] + 1;
                queue.push(port.peer);
            }
        }
    }
    let apart = highest(&levels) + 1;
    for node in topology.switches().filter(|&node| topology.is_inner(node)) {
        levels[node.index()] = apart;
    }
    let above = highest(&levels) + 1;
    for node in topology.aggregators() {
        levels[node.index()] = above;
    }
    levels
}

/// Returns the highest of `levels`.
fn highest(levels: &[usize]) -> usize {
    let reached = levels.iter().copied().filter(|&level| level != usize::MAX);
    reached.max().unwrap_or(0)
}

/// The tiers of a network: its nodes by their distance from hosts.
#[derive(Clone, Debug)]
pub struct Tiers {
    levels: Vec<usize>,
    names: Vec<String>,
}

impl Tiers {
    /// Determines the tiers of `topology`.
    #[must_use]
    pub fn of(topology: &Topology) -> Self {
        let levels = levels(topology);
        let names = tier_names(topology, &levels);
        Self { levels, names }
    }

    /// Returns the name of the tier of `node`.
    fn of_node(&self, node: NodeId) -> &str {
        let name = self.names.get(self.levels[node.index()]);
        name.map_or("unreached", String::as_str)
    }

    /// Returns the tier of a link from `node` to `peer`: `leaf to spine`.
    #[must_use]
    pub fn of_link(&self, node: NodeId, peer: NodeId) -> String {
        format!("{} to {}", self.of_node(node), self.of_node(peer))
    }
}

/// Returns the name of each level's nodes, from the topology if it has names. Otherwise, fabrics of
/// two and three layers have their customary names, and the switch tiers of any other fabric are
/// numbered from the hosts up.
#[must_use]
pub fn tier_names(topology: &Topology, levels: &[usize]) -> Vec<String> {
    let servers = usize::from(topology.switches().any(|node| topology.is_inner(node)));
    let aggregators = usize::from(topology.aggregators().next().is_some());
    let highest = highest(levels) - servers - aggregators;
    let apart = std::iter::repeat_n("server".to_owned(), servers)
        .chain(std::iter::repeat_n("aggregator".to_owned(), aggregators));
    if topology.tier_names().len() == highest + 1 {
        return topology.tier_names().iter().cloned().chain(apart).collect();
    }
    let mut links = topology.links().iter();
    let layered = links.all(|link| levels[link.a.index()] != levels[link.b.index()]);
    let known: &[&str] = match highest {
        1 => &["host", "switch"],
        2 if layered => &["host", "leaf", "spine"],
        3 if layered => &["host", "ToR", "aggregation", "core"],
        _ => &["host"],
    };
    let name = |level: usize| {
        let known = known.get(level).map(|name| (*name).to_owned());
        known.unwrap_or_else(|| format!("tier {level}"))
    };
    (0..=highest).map(name).chain(apart).collect()
}

/// Returns the tier of each of `ports`, given as node and port: the tiers that its link joins.
#[must_use]
pub fn tiers_of(topology: &Topology, ports: &[(NodeId, PortId)]) -> Vec<String> {
    let tiers = Tiers::of(topology);
    let tier = |&(node, port): &(NodeId, PortId)| {
        let peer = topology.ports(node)[port.index()].peer;
        tiers.of_link(node, peer)
    };
    ports.iter().map(tier).collect()
}
