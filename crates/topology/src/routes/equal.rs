//! All shortest paths of a pair of hosts, as far as they differ when the network is idle.

use std::sync::Arc;

use fabricsim_core::flow::PathInfo;
use fabricsim_core::id::{NodeId, PortId};
use fabricsim_core::units::{Bytes, Duration};
use rustc_hash::FxHashMap;

use super::Routes;
use super::path::saturating_add;
use crate::graph::Port;

/// The most pairs of a switch and a group of hosts whose paths are kept.
const KEPT: usize = 1 << 16;

/// The shortest paths of pairs of hosts that are not beaten by another of the same length: no other
/// one has both a way there that is as short and a bottleneck that is as fast. ACKs may take
/// another path than the data: the way back in all base round trips is that with the least delay.
///
/// Where all shortest paths of a pair offer the same, as in a fat tree, it is one path. What has
/// been found is kept for other flows between the same switches.
#[derive(Debug)]
pub struct EqualPaths {
    routes: Arc<Routes>,
    /// Links between switches are all alike, and so are those of each host.
    uniform: bool,
    /// Paths by the first switch, the last host and the payload.
    known: FxHashMap<(NodeId, NodeId, Bytes), Arc<Ways>>,
}

/// All ways from one node to another.
#[derive(Clone, Debug)]
struct Ways {
    /// Those that no other one beats; `base_rtt` is the time there alone.
    there: Vec<PathInfo>,
    /// The least delay of a way back.
    back: Duration,
}

impl EqualPaths {
    /// The paths that `routes` lead along.
    #[must_use]
    pub fn new(routes: Arc<Routes>) -> Self {
        Self {
            uniform: routes.is_uniform(),
            routes,
            known: FxHashMap::default(),
        }
    }

    /// The routes.
    #[must_use]
    pub const fn routes(&self) -> &Arc<Routes> {
        &self.routes
    }

    /// Returns whether all shortest paths of each pair are known to offer the same.
    #[must_use]
    pub const fn is_uniform(&self) -> bool {
        self.uniform
    }

    /// The paths from `src` to `dst` that no other one beats, the shortest round trip first, for
    /// packets with a payload of up to `mtu_payload`; none where there is no path, an end is not a
    /// host, or both ends are the same.
    pub fn between(&mut self, src: NodeId, dst: NodeId, mtu_payload: Bytes) -> Vec<PathInfo> {
        if self.uniform {
            let only = self.routes.path_info(src, dst, mtu_payload);
            return only.into_iter().collect();
        }
        self.through(src, &self.routes.nics(src, dst), dst, mtu_payload)
    }

    /// The paths as of [`Self::between`] that leave `src` through one of `nics`.
    pub fn through(
        &mut self,
        src: NodeId,
        nics: &[PortId],
        dst: NodeId,
        mtu_payload: Bytes,
    ) -> Vec<PathInfo> {
        let mut found = Ways::none();
        for nic in nics {
            let port = self.routes.topology().ports(src)[nic.index()];
            let hop = Ways::of(&port, 0, mtu_payload);
            if port.peer == self.routes.host_of(dst) {
                found.add(&hop);
            } else {
                found.add(&hop.then(&self.ways_from(port.peer, dst, mtu_payload)));
            }
        }
        let Ways { mut there, back } = found;
        for path in &mut there {
            path.base_rtt = saturating_add(path.base_rtt, back);
        }
        there
    }

    /// The ways from `switch` to the host `dst`.
    fn ways_from(&mut self, switch: NodeId, dst: NodeId, mtu_payload: Bytes) -> Arc<Ways> {
        let key = (switch, dst, mtu_payload);
        if let Some(known) = self.known.get(&key) {
            return Arc::clone(known);
        }
        let found = Arc::new(self.search(switch, dst, mtu_payload));
        if self.known.len() >= KEPT {
            self.known.clear();
        }
        self.known.insert(key, Arc::clone(&found));
        found
    }

    /// Goes hop by hop through all shortest paths at once. All ways to a node are of one length, so
    /// each node is on one level.
    fn search(&self, switch: NodeId, dst: NodeId, mtu_payload: Bytes) -> Ways {
        let topology = self.routes.topology();
        let end = self.routes.host_of(dst);
        let mut level: Vec<(NodeId, Option<Ways>)> = vec![(switch, None)];
        let mut places: FxHashMap<NodeId, usize> = FxHashMap::default();
        while level.first().is_some_and(|(node, _)| *node != end) {
            let mut next: Vec<(NodeId, Option<Ways>)> = Vec::new();
            places.clear();
            for (node, ways) in &level {
                for port in self.routes.ports_towards(*node, dst) {
                    let port = &topology.ports(*node)[port.index()];
                    let place = *places.entry(port.peer).or_insert_with(|| {
                        next.push((port.peer, None));
                        next.len() - 1
                    });
                    let hop = Ways::of(port, 1, mtu_payload);
                    let ways = ways
                        .as_ref()
                        .map_or_else(|| hop.clone(), |ways| ways.then(&hop));
                    next[place].1.get_or_insert_with(Ways::none).add(&ways);
                }
            }
            level = next;
        }
        level
            .pop()
            .and_then(|(_, ways)| ways)
            .unwrap_or_else(Ways::none)
    }
}

impl Ways {
    /// No way at all.
    const fn none() -> Self {
        Self {
            there: Vec::new(),
            back: Duration::MAX,
        }
    }

    /// The way over the link of `port`, whose node counts as so many `switches`.
    fn of(port: &Port, switches: u16, mtu_payload: Bytes) -> Self {
        let path = PathInfo {
            base_rtt: saturating_add(port.delay, port.rate.transmission(mtu_payload)),
            bottleneck: port.rate,
            switches,
        };
        Self {
            there: vec![path],
            back: port.delay,
        }
    }

    /// These ways, and then one of the `others`.
    fn then(&self, others: &Self) -> Self {
        let mut all = Self::none();
        all.back = saturating_add(self.back, others.back);
        for first in &self.there {
            for then in &others.there {
                all.add_path(PathInfo {
                    base_rtt: saturating_add(first.base_rtt, then.base_rtt),
                    bottleneck: first.bottleneck.min(then.bottleneck),
                    switches: first.switches.saturating_add(then.switches),
                });
            }
        }
        all
    }

    /// Adds ways between the same two nodes.
    fn add(&mut self, others: &Self) {
        self.back = self.back.min(others.back);
        for &path in &others.there {
            self.add_path(path);
        }
    }

    /// Adds `path`, in the order of times, unless another one beats it; removes those that it
    /// beats.
    fn add_path(&mut self, path: PathInfo) {
        let beats =
            |a: &PathInfo, b: &PathInfo| a.base_rtt <= b.base_rtt && a.bottleneck >= b.bottleneck;
        if self.there.iter().any(|known| beats(known, &path)) {
            return;
        }
        self.there.retain(|known| !beats(&path, known));
        let before = |known: &PathInfo| known.base_rtt < path.base_rtt;
        let place = self.there.partition_point(before);
        self.there.insert(place, path);
    }
}

impl Routes {
    /// Returns whether links between switches are all alike, and the links of each host too: then
    /// all shortest paths of a pair offer the same.
    fn is_uniform(&self) -> bool {
        fn alike<'a>(mut ports: impl Iterator<Item = &'a Port>) -> bool {
            let first = ports.next();
            first.is_none_or(|first| {
                ports.all(|port| (port.rate, port.delay) == (first.rate, first.delay))
            })
        }
        let up = |port: &&Port| !self.closed.contains(port.link);
        let topology = &self.topology;
        let inside = |port: &&Port| up(port) && !topology.is_host(port.peer);
        let switches = topology.switches();
        let mut hosts = topology.hosts().iter();
        alike(switches.flat_map(|switch| topology.ports(switch).iter().filter(inside)))
            && hosts.all(|&host| alike(topology.ports(host).iter().filter(up)))
    }

    /// The ports of `switch` that begin a shortest path to the host `dst`.
    fn ports_towards(&self, switch: NodeId, dst: NodeId) -> &[PortId] {
        self.table_ref(switch).next_hops(self.slots[dst.index()])
    }
}
