//! The idle paths from all nodes to a few hosts. The path of each node is computed from the path of
//! its next hop.

use fabricsim_base::flow::PathInfo;
use fabricsim_base::id::NodeId;
use fabricsim_base::units::{Duration, Rate};

use super::Routes;
use super::path::saturating_add;
use crate::graph::Port;

/// Properties of the path from a switch to a host along the first next hops.
#[derive(Clone, Copy)]
enum Way {
    /// Not yet computed, or under computation.
    Unknown,
    /// There is no path.
    None,
    Known(PathInfo),
}

/// The paths from every switch to a few hosts.
#[derive(Default)]
pub(super) struct Trees {
    /// For each host, one entry for each switch.
    ways: Vec<Vec<Way>>,
    stack: Vec<(usize, Duration, Rate)>,
}

/// Returns the index of the direction in which `port`, a port of `node`, sends.
pub(super) fn direction(node: NodeId, port: &Port) -> usize {
    2 * port.link as usize + usize::from(node > port.peer)
}

impl Trees {
    /// Number of hosts with paths computed together. Tables are stored by switch, and together the
    /// tables of neighboring hosts are read while they are in the cache.
    pub(super) const AT_ONCE: usize = 8;

    /// Computes the paths to `targets`; `link_rtts` has the share of each [`direction`] of a link
    /// in the round-trip time.
    pub(super) fn grow(&mut self, routes: &Routes, targets: &[NodeId], link_rtts: &[Duration]) {
        let switches = routes.tables.len();
        self.ways.resize_with(targets.len(), Vec::new);
        for ways in &mut self.ways {
            ways.clear();
            ways.resize(switches, Way::Unknown);
        }
        for node in routes.topology.forwarders() {
            for (tree, &target) in targets.iter().enumerate() {
                self.find(routes, tree, node, target, link_rtts);
            }
        }
    }

    /// Follows the first next hops from the switch `node` until the rest of the path is known.
    fn find(
        &mut self,
        routes: &Routes,
        tree: usize,
        node: NodeId,
        target: NodeId,
        link_rtts: &[Duration],
    ) {
        let ways = &mut self.ways[tree];
        let slot = routes.slots[target.index()];
        let mut node = node;
        let mut found = loop {
            let switch = routes.place(node);
            match ways[switch] {
                Way::Known(path) => break Some(path),
                Way::None => break None,
                Way::Unknown => {}
            }
            let Some(next) = routes.tables[switch].first(slot) else {
                ways[switch] = Way::None;
                break None;
            };
            let port = &routes.topology.ports(node)[next.index()];
            let pass = routes.topology.pass_delay(node).saturating_mul(2);
            let rtt = saturating_add(link_rtts[direction(node, port)], pass);
            if port.peer == target {
                let path = PathInfo {
                    base_rtt: rtt,
                    bottleneck: port.rate,
                    switches: 1,
                };
                ways[switch] = Way::Known(path);
                break Some(path);
            }
            self.stack.push((switch, rtt, port.rate));
            node = port.peer;
        };
        while let Some((switch, rtt, rate)) = self.stack.pop() {
            found = found.map(|path| after_link(path, rtt, rate, 1));
            ways[switch] = found.map_or(Way::None, Way::Known);
        }
    }

    /// Returns the path from the host `src` to target number `tree`, which is `dst`: the same path
    /// as [`Routes::follow`].
    pub(super) fn path_of(
        &self,
        routes: &Routes,
        tree: usize,
        src: NodeId,
        dst: NodeId,
        link_rtts: &[Duration],
    ) -> Option<PathInfo> {
        let mut best: Option<((u16, u32), PathInfo)> = None;
        for port in routes.topology.ports(src) {
            if routes.closed.contains(port.link) {
                continue;
            }
            let rtt = link_rtts[direction(src, port)];
            let path = if port.peer == dst {
                PathInfo {
                    base_rtt: rtt,
                    bottleneck: port.rate,
                    switches: 0,
                }
            } else {
                let Some(switch) = routes.places.get(port.peer) else {
                    continue;
                };
                let Way::Known(path) = self.ways[tree][switch as usize] else {
                    continue;
                };
                after_link(path, rtt, port.rate, 0)
            };
            // Ports are in ascending order, so the first of equal ones wins.
            let order = (path.switches, routes.order.rank(port.peer));
            if best.is_none_or(|(least, _)| order < least) {
                best = Some((order, path));
            }
        }
        best.map(|(_, path)| path)
    }
}

/// Extends `path` by one more link and `switches` switches.
fn after_link(path: PathInfo, rtt: Duration, rate: Rate, switches: u16) -> PathInfo {
    PathInfo {
        base_rtt: saturating_add(path.base_rtt, rtt),
        bottleneck: path.bottleneck.min(rate),
        switches: path.switches.saturating_add(switches),
    }
}
