//! Classes of equivalent nodes; each class is computed once.

use fabricsim_base::id::NodeId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::hosts::{End, Ends, add};
use super::{Demand, LinkLoads};
use crate::graph::Topology;

/// The links from the nodes of one class to the nodes of another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// The other class.
    pub(super) to: usize,
    /// Number of links from one node to all nodes of the other class.
    pub(super) links: f64,
}

/// Switches with the same neighbors and the same traffic, or a group of hosts.
///
/// Exchanging two such switches does not change the network, so their links carry the same traffic,
/// and equal next hops lead to all of them or to none.
#[derive(Debug)]
pub(super) struct Class {
    /// Number of nodes in the class.
    pub(super) members: f64,
    /// `true` if the nodes forward, that is, if they are switches.
    pub(super) forwards: bool,
    /// Sending factor of one node for each term.
    pub(super) sent: Vec<f64>,
    /// Receiving factor of one node for each term.
    pub(super) taken: Vec<f64>,
    /// Traffic between members of the class, or between hosts of the group.
    pub(super) within: f64,
    pub(super) ways: Vec<Way>,
}

/// All classes, and the traffic between pairs of them.
pub(super) struct Classes {
    pub(super) classes: Vec<Class>,
    /// For each class: the sending class and the amount.
    pub(super) pairs: Vec<Vec<(usize, f64)>>,
    /// The class of each node; for a host, the class of its group.
    class_of: Vec<usize>,
}

/// Properties that make two switches equivalent. They are their neighbors (a host with several
/// links counts as its group, any other host not at all), the traffic of their hosts, and their own
/// number if a pair names one of these hosts.
type Likeness = (Vec<usize>, Vec<u64>, Option<NodeId>);

/// The class of a host without its own class.
const NONE: usize = usize::MAX;

/// Sums of the sending and receiving factors of each switch's hosts for each term, and the switches
/// with a host that a pair names.
struct Local {
    sums: FxHashMap<NodeId, Vec<[f64; 2]>>,
    named: FxHashSet<NodeId>,
}

impl Local {
    fn of(demand: &Demand, ends: &Ends) -> Self {
        let mut local = Self {
            sums: FxHashMap::default(),
            named: FxHashSet::default(),
        };
        for (position, end) in ends.ends.iter().enumerate() {
            let End::Switch(switch) = *end else { continue };
            let none = || vec![[0.0; 2]; demand.terms.len()];
            let sums = local.sums.entry(switch).or_insert_with(none);
            for (sum, term) in sums.iter_mut().zip(&demand.terms) {
                sum[0] += term.sent[position];
                sum[1] += term.taken[position];
            }
            if ends.named.contains(&position) {
                local.named.insert(switch);
            }
        }
        local
    }
}

impl Classes {
    pub(super) fn of(topology: &Topology, demand: &Demand, ends: &Ends) -> Self {
        let mut classes = Self {
            classes: Vec::new(),
            pairs: Vec::new(),
            class_of: vec![NONE; topology.len()],
        };
        classes.add_groups(topology, demand, ends);
        let first = classes.add_switches(topology, demand, &Local::of(demand, ends));
        for (class, node) in first {
            let ports = topology.ports(node).iter();
            let peers = ports.map(|port| classes.class_of[port.peer.index()]);
            classes.classes[class].ways = ways(peers);
        }
        for (group, hosts) in ends.groups.iter().enumerate() {
            let hosts = hosts.iter().map(|&position| topology.hosts()[position]);
            let ports = hosts.flat_map(|host| topology.ports(host));
            let peers = ports.map(|port| classes.class_of[port.peer.index()]);
            classes.classes[group].ways = ways(peers);
        }
        classes.add_pairs(demand, ends);
        classes
    }

    /// Adds one class for each group of hosts, with the number of the group.
    fn add_groups(&mut self, topology: &Topology, demand: &Demand, ends: &Ends) {
        for (group, hosts) in ends.groups.iter().enumerate() {
            let (count, one) = (hosts.len() as f64, hosts[0]);
            let terms = demand.terms.iter();
            self.classes.push(Class {
                members: 1.0,
                forwards: false,
                sent: terms.clone().map(|term| count * term.sent[one]).collect(),
                taken: terms.clone().map(|term| count * term.taken[one]).collect(),
                within: terms
                    .map(|term| count * (count - 1.0) * term.sent[one] * term.taken[one])
                    .sum(),
                ways: Vec::new(),
            });
            for &position in hosts {
                self.class_of[topology.hosts()[position].index()] = group;
            }
        }
    }

    /// Adds the classes of switches; returns the first switch of each.
    fn add_switches(
        &mut self,
        topology: &Topology,
        demand: &Demand,
        local: &Local,
    ) -> Vec<(usize, NodeId)> {
        let none = vec![[0.0; 2]; demand.terms.len()];
        let mut known: FxHashMap<Likeness, usize> = FxHashMap::default();
        let mut first = Vec::new();
        for switch in topology.switches() {
            let own = local.sums.get(&switch).unwrap_or(&none);
            let mut neighbors: Vec<usize> = topology
                .ports(switch)
                .iter()
                .filter_map(|port| match self.class_of[port.peer.index()] {
                    _ if !topology.is_host(port.peer) => Some(port.peer.index()),
                    NONE => None,
                    group => Some(topology.len() + group),
                })
                .collect();
            neighbors.sort_unstable();
            let bits = own.iter().flatten().map(|value| value.to_bits()).collect();
            let alone = local.named.contains(&switch).then_some(switch);
            let new = self.classes.len();
            let class = *known.entry((neighbors, bits, alone)).or_insert(new);
            if class == new {
                first.push((class, switch));
                self.classes.push(Class {
                    members: 0.0,
                    forwards: true,
                    sent: own.iter().map(|sum| sum[0]).collect(),
                    taken: own.iter().map(|sum| sum[1]).collect(),
                    within: 0.0,
                    ways: Vec::new(),
                });
            }
            self.classes[class].members += 1.0;
            self.class_of[switch.index()] = class;
        }
        for class in &mut self.classes {
            if class.forwards {
                let products = class.sent.iter().zip(&class.taken).map(|(s, t)| s * t);
                class.within = class.members * (class.members - 1.0) * products.sum::<f64>();
            }
        }
        first
    }

    fn add_pairs(&mut self, demand: &Demand, ends: &Ends) {
        self.pairs = vec![Vec::new(); self.classes.len()];
        let class = |position: usize| match ends.ends[position] {
            End::Switch(switch) => self.class_of[switch.index()],
            End::Group(group) => group,
        };
        for &(from, to, amount) in &demand.pairs {
            let (from, to) = (class(from), class(to));
            if from != to {
                self.pairs[to].push((from, amount));
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.classes.len()
    }

    /// Returns the number of classes that receive traffic.
    pub(super) fn destinations(&self) -> u64 {
        (0..self.len()).filter(|&class| self.takes(class)).count() as u64
    }

    pub(super) fn takes(&self, class: usize) -> bool {
        !self.pairs[class].is_empty() || self.classes[class].taken.iter().any(|&taken| taken > 0.0)
    }

    /// Returns the number of ways between classes.
    pub(super) fn ways(&self) -> u64 {
        self.classes
            .iter()
            .map(|class| class.ways.len() as u64)
            .sum()
    }

    /// Divides the traffic of each class's links among the links between switches and groups.
    pub(super) fn expand(
        &self,
        topology: &Topology,
        ends: &Ends,
        carried: &[Vec<f64>],
        loads: &mut LinkLoads,
    ) {
        let groups = ends.groups.iter().flatten();
        let hosts = groups.map(|&position| topology.hosts()[position]);
        for node in hosts.chain(topology.switches()) {
            let own = self.class_of[node.index()];
            let class = &self.classes[own];
            for port in topology.ports(node) {
                let to = self.class_of[port.peer.index()];
                if let Ok(way) = class.ways.binary_search_by_key(&to, |way| way.to) {
                    let links = class.members * class.ways[way].links;
                    add(topology, loads, node, port, carried[own][way] / links);
                }
            }
        }
    }
}

/// Returns the ways of a node by class, if its links lead to nodes of the classes `peers`.
fn ways(peers: impl Iterator<Item = usize>) -> Vec<Way> {
    let mut peers: Vec<usize> = peers.filter(|&class| class != NONE).collect();
    peers.sort_unstable();
    let same = peers.chunk_by(|a, b| a == b);
    same.map(|same| Way {
        to: same[0],
        links: same.len() as f64,
    })
    .collect()
}
