//! The shortest paths that packets can take, link by link.

use std::collections::BTreeMap;

use fabricsim_core::flow::FlowKey;
use fabricsim_core::id::{NodeId, PortId};
use fabricsim_core::plugin::quirks::IdealPath;
use fabricsim_core::units::{Duration, Rate};
use fabricsim_topology::Routes;

/// Paths to one node that are kept, none of which beats another. There are so many only where the
/// links of a network all differ.
const KEPT: usize = 64;

/// A link on a path, in one direction.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Link {
    pub(super) rate: Rate,
    pub(super) delay: Duration,
}

/// Paths from one node to another, all with the same number of links.
pub(super) type Ways = Vec<Vec<Link>>;

/// Returns the shortest paths by `routes` that packets with `key` can take, without those that
/// another one beats at every link; under `profile = "ns3-hpcc"` the first one alone. Packets
/// between the addresses of NICs leave by the NIC that they are bound to.
pub(super) fn ways(routes: &Routes, key: &FlowKey, path: IdealPath) -> Ways {
    let (src, dst) = (routes.host_of(key.src), routes.host_of(key.dst));
    let tried = match path {
        IdealPath::Least => usize::MAX,
        IdealPath::First => 1,
    };
    let nics = if (src, dst) == (key.src, key.dst) {
        routes.nics(src, dst)
    } else {
        routes.nic_port(key).into_iter().collect()
    };
    // All ways to a node are of one length, so each node is on one level.
    let mut level = BTreeMap::new();
    let ends = nics.into_iter().map(|nic| (src, nic));
    spread(routes, &vec![Vec::new()], ends.take(tried), &mut level);
    while level.keys().any(|&node| node != dst) {
        let mut next = BTreeMap::new();
        for (&node, ways) in &level {
            let hops = routes.next_hops(node, key.dst).into_iter();
            let ends = hops.map(|(_, port)| (node, port));
            spread(routes, ways, ends.take(tried), &mut next);
        }
        level = next;
    }
    level.remove(&dst).unwrap_or_default()
}

/// Adds `ways`, continued over the links of `ports`, to those of the nodes there.
fn spread(
    routes: &Routes,
    ways: &Ways,
    ports: impl Iterator<Item = (NodeId, PortId)>,
    level: &mut BTreeMap<NodeId, Ways>,
) {
    for (node, port) in ports {
        let port = routes.topology().ports(node)[port.index()];
        let link = Link {
            rate: port.rate,
            delay: port.delay,
        };
        let there = level.entry(port.peer).or_default();
        for way in ways {
            let longer = way.iter().copied().chain([link]).collect();
            add(there, longer);
        }
    }
}

/// Adds `way` unless one of `ways` is at least as good; removes those that it beats.
fn add(ways: &mut Ways, way: Vec<Link>) {
    let beats = |a: &[Link], b: &[Link]| {
        let mut links = a.iter().zip(b);
        links.all(|(a, b)| a.rate >= b.rate && a.delay <= b.delay)
    };
    if ways.len() < KEPT && !ways.iter().any(|known| beats(known, &way)) {
        ways.retain(|known| !beats(&way, known));
        ways.push(way);
    }
}
