//! Attachment points of hosts, and the traffic on their own links.

use fabricsim_base::id::NodeId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Demand, LinkLoads, NoSpread};
use crate::graph::{Port, Topology};

/// Point at which the traffic of a host begins and ends: its switch, or a group of equivalent hosts
/// with several links.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum End {
    Switch(NodeId),
    Group(usize),
}

/// The points at which the traffic of all hosts begins and ends.
pub(super) struct Ends {
    /// The end of each host, by the index of the host.
    pub(super) ends: Vec<End>,
    /// The indices of the hosts in each group.
    pub(super) groups: Vec<Vec<usize>>,
    /// The indices of hosts that some pair names.
    pub(super) named: FxHashSet<usize>,
}

/// Properties that make two hosts with several links equivalent: their switches, their traffic, and
/// their own number if a pair names them.
type Likeness = (Vec<NodeId>, Vec<u64>, Option<usize>);

impl Ends {
    pub(super) fn of(topology: &Topology, demand: &Demand) -> Result<Self, NoSpread> {
        let pairs = demand.pairs.iter();
        let mut found = Self {
            ends: Vec::with_capacity(topology.hosts().len()),
            groups: Vec::new(),
            named: pairs.flat_map(|&(from, to, _)| [from, to]).collect(),
        };
        let mut known: FxHashMap<Likeness, usize> = FxHashMap::default();
        for (position, &host) in topology.hosts().iter().enumerate() {
            let ports = topology.ports(host);
            if let Some(port) = ports.iter().find(|port| topology.is_host(port.peer)) {
                return Err(NoSpread::LinkedHosts(host, port.peer));
            }
            if let [only] = ports {
                found.ends.push(End::Switch(only.peer));
                continue;
            }
            let mut switches: Vec<NodeId> = ports.iter().map(|port| port.peer).collect();
            switches.sort_unstable();
            let named = found.named.contains(&position).then_some(position);
            let likeness = (switches, factors(demand, position), named);
            let group = *known.entry(likeness).or_insert_with(|| {
                found.groups.push(Vec::new());
                found.groups.len() - 1
            });
            found.groups[group].push(position);
            found.ends.push(End::Group(group));
        }
        Ok(found)
    }
}

/// Returns the sending and receiving factors of a host for each term, as the bits of the
/// floating-point numbers.
fn factors(demand: &Demand, position: usize) -> Vec<u64> {
    let terms = demand.terms.iter();
    terms
        .flat_map(|term| [term.sent[position], term.taken[position]].map(f64::to_bits))
        .collect()
}

/// Adds `load` in the direction in which `port`, a port of `node`, sends.
pub(super) fn add(
    topology: &Topology,
    loads: &mut LinkLoads,
    node: NodeId,
    port: &Port,
    load: f64,
) {
    let link = &topology.links()[port.link as usize];
    loads.loads[port.link as usize][usize::from(link.a != node)] += load;
}

/// Adds the traffic on links of hosts with a single link: everything that the host sends and
/// receives.
pub(super) fn add_own_links(
    topology: &Topology,
    demand: &Demand,
    ends: &Ends,
    loads: &mut LinkLoads,
) {
    let mut own = vec![[0.0f64; 2]; topology.hosts().len()];
    for term in &demand.terms {
        let (sent, taken): (f64, f64) = (term.sent.iter().sum(), term.taken.iter().sum());
        for (own, (s, t)) in own.iter_mut().zip(term.sent.iter().zip(&term.taken)) {
            own[0] += s * (taken - t);
            own[1] += t * (sent - s);
        }
    }
    for &(from, to, amount) in &demand.pairs {
        own[from][0] += amount;
        own[to][1] += amount;
    }
    for ((end, &host), own) in ends.ends.iter().zip(topology.hosts()).zip(own) {
        if let End::Switch(switch) = *end {
            let port = &topology.ports(host)[0];
            add(topology, loads, host, port, own[0]);
            let back = &topology.ports(switch)[port.peer_port.index()];
            add(topology, loads, switch, back, own[1]);
        }
    }
}
