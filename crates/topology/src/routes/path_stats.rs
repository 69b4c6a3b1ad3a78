//! Maxima over the paths of all pairs of hosts, computed without visiting all pairs.

use fabricsim_base::flow::PathInfo;
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::{Bytes, Duration, Rate};
use rustc_hash::FxHashMap;

use super::Routes;
use super::tree::{Trees, direction};
use crate::graph::Port;

/// Maxima over all pairs of hosts, each independent of the other fields.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct PathStats {
    /// The longest base round-trip time.
    pub base_rtt: Duration,
    /// The largest bandwidth-delay product.
    pub bdp: Bytes,
    /// The most switches on a path.
    pub switches: u16,
}

/// The maxima of the paths seen so far.
#[derive(Default)]
struct Worst {
    base_rtt: Duration,
    switches: u16,
    /// The path with the most bits in flight, which has the largest bandwidth-delay product.
    fullest: Option<PathInfo>,
    /// The bits in flight on it, in picoseconds x bits per second.
    most: u128,
}

impl Worst {
    fn see(&mut self, path: Option<PathInfo>) {
        let Some(path) = path else {
            return;
        };
        self.base_rtt = self.base_rtt.max(path.base_rtt);
        self.switches = self.switches.max(path.switches);
        let bits = u128::from(path.bottleneck.as_bps()) * u128::from(path.base_rtt.as_ps());
        if bits > self.most {
            self.most = bits;
            self.fullest = Some(path);
        }
    }

    fn path_stats(&self) -> PathStats {
        PathStats {
            base_rtt: self.base_rtt,
            bdp: self.fullest.map_or(Bytes::ZERO, |path| path.bdp()),
            switches: self.switches,
        }
    }
}

/// Hosts with links to the same switches, with the same rates and delays, in the same order. Their
/// paths to any other node are alike, so one of them represents all, and two of them the paths
/// within the class.
struct Class {
    one: NodeId,
    another: Option<NodeId>,
}

/// A host's links by switch, rate and delay; a host with direct neighbors also has its own id.
type Likeness = Vec<(NodeId, Option<(Rate, Duration)>)>;

impl Routes {
    /// Computes the maxima of [`Routes::path_info`] over all pairs of hosts, for packets of
    /// `mtu_payload`.
    ///
    /// The result is exact. The time grows with the number of classes of hosts times the number of
    /// switches and classes. If all hosts of each edge switch are alike, there is one class for
    /// each edge switch.
    #[must_use]
    pub fn path_stats(&self, mtu_payload: Bytes) -> PathStats {
        self.worst_between_hosts(mtu_payload).path_stats()
    }

    /// Computes the maxima like [`Routes::path_stats`], and also over all paths from a NIC of one
    /// host to a NIC of another host with an [address](Self::with_nic_addresses). The time grows
    /// with the square of the number of edge switches.
    #[must_use]
    pub fn nic_path_stats(&self, mtu_payload: Bytes) -> PathStats {
        let mut worst = self.worst_between_hosts(mtu_payload);
        let mut classes: FxHashMap<(NodeId, Rate, Duration), usize> = FxHashMap::default();
        let mut ends: Vec<Vec<(NodeId, PortId)>> = Vec::new();
        for &host in self.topology.hosts() {
            for (nic, port) in self.topology.ports(host).iter().enumerate() {
                let place = classes.entry((port.peer, port.rate, port.delay));
                let class = *place.or_insert(ends.len());
                if class == ends.len() {
                    ends.push(Vec::new());
                }
                if ends[class].iter().all(|&(other, _)| other != host) && ends[class].len() < 2 {
                    ends[class].push((host, PortId::from_index(nic)));
                }
            }
        }
        let ends: Vec<(NodeId, PortId)> = ends.into_iter().flatten().collect();
        for &(src, out) in &ends {
            for &(dst, into) in ends.iter().filter(|&&(dst, _)| dst != src) {
                let address = self.nic_address(dst, into).unwrap_or(dst);
                worst.see(self.path_info_from(src, out, address, mtu_payload));
            }
        }
        worst.path_stats()
    }

    fn worst_between_hosts(&self, mtu_payload: Bytes) -> Worst {
        let hop = |port: &Port| self.link_rtt(port, mtu_payload);
        let mut link_rtts = vec![Duration::ZERO; 2 * self.topology.links().len()];
        for node in (0..self.topology.len()).map(NodeId::from_index) {
            for port in self.topology.ports(node) {
                link_rtts[direction(node, port)] = hop(port);
            }
        }
        let classes = self.classes();
        let ends: Vec<NodeId> = classes.iter().map(|class| class.one).collect();
        let mut worst = Worst::default();
        let mut trees = Trees::default();
        for (number, targets) in ends.chunks(Trees::AT_ONCE).enumerate() {
            trees.grow(self, targets, &link_rtts);
            for (tree, &to) in targets.iter().enumerate() {
                let own = number * Trees::AT_ONCE + tree;
                for (_, &from) in ends.iter().enumerate().filter(|&(class, _)| class != own) {
                    worst.see(trees.path_of(self, tree, from, to, &link_rtts));
                }
            }
        }
        for class in &classes {
            worst.see((class.another).and_then(|another| self.follow(class.one, another, hop)));
        }
        worst
    }

    fn classes(&self) -> Vec<Class> {
        let mut known: FxHashMap<Likeness, usize> = FxHashMap::default();
        let mut classes: Vec<Class> = Vec::new();
        for host in self.topology.endpoints() {
            let ports = self.topology.ports(host);
            let mut likeness: Likeness = ports
                .iter()
                .filter(|port| !self.closed.contains(port.link))
                .map(|p| (p.peer, Some((p.rate, p.delay))))
                .collect();
            if ports.iter().any(|port| self.topology.is_host(port.peer)) {
                likeness.push((host, None)); // its direct neighbors make it like no other
            }
            let found = *known.entry(likeness).or_insert(classes.len());
            match classes.get_mut(found) {
                Some(class) => class.another = class.another.or(Some(host)),
                None => classes.push(Class {
                    one: host,
                    another: None,
                }),
            }
        }
        classes
    }
}
