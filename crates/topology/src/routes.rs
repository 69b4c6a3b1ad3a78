//! Every shortest path by hop count, stored as next hops, in one table for each switch.

mod addresses;
mod groups;
mod hop;
mod hops;
mod order;
mod path;
mod path_stats;
mod quirks;
mod size;
mod switch;
mod tree;
mod uniform;
mod weights;

use fabricsim_base::flow::FlowKey;
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_core::plugin::quirks::TimeUnit;
use fabricsim_core::plugin::{EntropyRecycling, PathStability};
use std::fmt;
use std::sync::Arc;

use crate::down_links::DownLinks;
use crate::ecmp::EcmpHash;
use crate::graph::Topology;
use crate::policy::{Ecmp, PolicyContext, RoutingPolicy};
use addresses::Addresses;
use groups::{Groups, Slot, Tables};
use hops::SwitchGraph;
use switch::{SharedRows, SwitchTable};

pub use order::NextHopOrder;
pub use path_stats::PathStats;
pub use size::RoutesSize;
pub use switch::SwitchRoutes;

/// Shares of equal next hops.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Weights {
    /// All next hops have the same share.
    #[default]
    Equal,
    /// The share of a next hop is proportional to the capacity beyond it. The table lists it as
    /// many times as its share requires: WCMP (Zhou et al., EuroSys 2014).
    Capacity,
}

/// Settings for spreading packets over equal paths.
struct Settings {
    order: NextHopOrder,
    weights: Weights,
    hash: EcmpHash,
    policy: Arc<dyn RoutingPolicy>,
    seed: u64,
    addresses: Addresses,
    unused: Arc<DownLinks>,
    hop_times: TimeUnit,
}

/// All shortest paths between hosts by hop count. Hosts forward only if the topology says so.
///
/// Memory grows with switches x groups, not hosts x hosts: hosts that are linked to the same
/// switches form a group, and a switch stores one small number for each group. Cloning is cheap
/// because clones share the tables.
#[derive(Clone)]
pub struct Routes {
    topology: Topology,
    down: Arc<DownLinks>,
    /// Links without traffic even when they are up.
    unused: Arc<DownLinks>,
    /// Union of `down` and `unused`.
    closed: Arc<DownLinks>,
    /// The time resolution to which each hop of an idle path is rounded down.
    hop_times: TimeUnit,
    order: NextHopOrder,
    weights: Weights,
    hash: EcmpHash,
    policy: Arc<dyn RoutingPolicy>,
    /// Seed of the policy.
    seed: u64,
    addresses: Addresses,
    slots: Arc<[Slot]>,
    places: Tables,
    tables: Arc<[Arc<SwitchTable>]>,
}

impl Routes {
    /// Finds the shortest paths of `topology`, on the calling thread.
    ///
    /// A breadth-first search from each group of hosts, 64 of them at once, reaches a switch
    /// through its next hops. If paths are short, the time grows with links x groups / 64; if they
    /// are long, with switches x groups. [`RoutesSize`] predicts the memory.
    #[must_use]
    pub fn compute(topology: &Topology, order: NextHopOrder, hash: EcmpHash) -> Self {
        let settings = Settings {
            order,
            weights: Weights::Equal,
            hash,
            policy: Arc::new(Ecmp),
            seed: 0,
            addresses: Addresses::of_hosts(topology),
            unused: Arc::new(DownLinks::none(topology)),
            hop_times: TimeUnit::Picosecond,
        };
        Self::compute_without(topology, &DownLinks::none(topology), settings)
    }

    /// Returns the same routes with `policy` for choosing among equal paths; `seed` seeds its
    /// random draws.
    #[must_use]
    pub fn with_policy(self, policy: Arc<dyn RoutingPolicy>, seed: u64) -> Self {
        Self {
            policy,
            seed,
            ..self
        }
    }

    /// Returns the same routes with other `weights` of equal next hops.
    #[must_use]
    pub fn with_weights(self, weights: Weights) -> Self {
        if weights == self.weights {
            return self;
        }
        let down = Arc::clone(&self.down);
        let topology = self.topology.clone();
        let settings = Settings {
            weights,
            ..self.settings()
        };
        Self::compute_without(&topology, &down, settings)
    }

    /// Returns the same routes with additional routes to the addresses of NICs. If a host has
    /// several NICs, each is then its own destination, which packets reach only through this NIC.
    #[must_use]
    pub fn with_nic_addresses(self) -> Self {
        let addresses = Addresses::of_nics(&self.topology);
        let down = Arc::clone(&self.down);
        let topology = self.topology.clone();
        let settings = Settings {
            addresses,
            ..self.settings()
        };
        Self::compute_without(&topology, &down, settings)
    }

    /// Returns `PerFlow` if the packets of a flow stay on one path.
    #[must_use]
    pub fn path_stability(&self) -> PathStability {
        self.policy.path_stability()
    }

    /// Returns how senders choose the entropy of their packets, if each packet has its own.
    #[must_use]
    pub fn entropy(&self) -> Option<EntropyRecycling> {
        self.policy.entropy()
    }

    /// Returns the routes of the same network, in the same order and with the same hash, over the
    /// links that are not in `down`. Ports keep their numbers. If this disconnects two hosts, there
    /// is no route between them.
    #[must_use]
    pub fn without(&self, down: &DownLinks) -> Self {
        Self::compute_without(&self.topology, down, self.settings())
    }

    /// Returns the links that the routes avoid because they are down.
    #[must_use]
    pub fn avoided(&self) -> &DownLinks {
        &self.down
    }

    fn settings(&self) -> Settings {
        Settings {
            order: self.order,
            weights: self.weights,
            hash: self.hash,
            policy: Arc::clone(&self.policy),
            seed: self.seed,
            addresses: self.addresses.clone(),
            unused: Arc::clone(&self.unused),
            hop_times: self.hop_times,
        }
    }

    fn compute_without(topology: &Topology, down: &DownLinks, settings: Settings) -> Self {
        let Settings {
            order,
            weights,
            hash,
            policy,
            seed,
            addresses,
            unused,
            hop_times,
        } = settings;
        let closed = down.and(&unused);
        let groups = Groups::of(topology, &closed, &addresses);
        let graph = SwitchGraph::of(topology, &closed, &groups, order);
        let mut rows = SharedRows::default();
        let mut tables: Vec<SwitchTable> = graph
            .tables(&groups)
            .into_iter()
            .enumerate()
            .map(|(switch, table)| {
                let local = groups.local(topology, &closed, &addresses, graph.node(switch));
                table.finish(&local, &mut rows)
            })
            .collect();
        if order == NextHopOrder::DescendingNode {
            graph.order_by_search(&mut tables, &groups);
        }
        if weights == Weights::Capacity {
            graph.weigh(topology, &mut tables, groups.count());
        }
        let (slots, places) = groups.into_slots();
        for table in &mut tables {
            table.index(&slots);
        }
        Self {
            topology: topology.clone(),
            down: Arc::new(down.clone()),
            unused,
            closed: Arc::new(closed),
            hop_times,
            order,
            weights,
            hash,
            policy,
            seed,
            addresses,
            slots,
            places,
            tables: tables.into_iter().map(Arc::new).collect(),
        }
    }

    /// Returns the forwarding decision of one switch, or of a host that forwards.
    ///
    /// # Panics
    /// Panics if `switch` does not forward.
    #[must_use]
    pub fn switch(&self, switch: NodeId) -> SwitchRoutes {
        assert!(
            self.topology.forwards(switch),
            "node {switch} is a host and forwards nothing"
        );
        let at = PolicyContext {
            switch,
            seed: self.seed,
            hash: self.hash,
        };
        SwitchRoutes::new(
            self.policy.chooser(&at),
            Arc::clone(&self.slots),
            self.table(switch),
        )
    }

    /// Returns the network of these routes.
    #[must_use]
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Returns the address of port `nic` of `host`, which packets reach only through this NIC. If
    /// the host has no other NIC, this is the host's own address.
    ///
    /// Returns `None` if there is no such port, or if NICs have [no
    /// addresses](Self::with_nic_addresses).
    #[must_use]
    pub fn nic_address(&self, host: NodeId, nic: PortId) -> Option<NodeId> {
        match self.topology.ports(host) {
            [_] => (nic == PortId(0)).then_some(host),
            _ => self.addresses.of(host, nic),
        }
    }

    /// Returns the host with `address`, which is the host's own or the address of one of its NICs.
    #[must_use]
    pub fn host_of(&self, address: NodeId) -> NodeId {
        self.addresses.host(address)
    }

    /// Returns the port through which packets with `key` leave their source host: the port on a
    /// shortest path, chosen by the ECMP hash if there are several. Either end may be a NIC's
    /// address.
    ///
    /// Returns `None` if an end is not a host, both ends are the same, or there is no path.
    #[must_use]
    pub fn nic_port(&self, key: &FlowKey) -> Option<PortId> {
        if let Some(only) = self.only_nic(key.src, key.dst) {
            return Some(only);
        }
        let nics = self.nics(key.src, key.dst);
        match nics.as_slice() {
            [] => None,
            [only] => Some(*only),
            [first, ..] if self.policy.takes_first_nic() => Some(*first),
            several => {
                let count = u32::try_from(several.len()).ok()?;
                Some(several[self.hash.choose_nic(key, count) as usize])
            }
        }
    }

    /// Returns every equal next hop from `node` towards the host `dst`, with the port to it, in the
    /// order of [`NextHopOrder`]. Empty if there is no path or `node` is `dst`.
    #[must_use]
    pub fn next_hops(&self, node: NodeId, dst: NodeId) -> Vec<(NodeId, PortId)> {
        if node.index() >= self.topology.len() {
            return Vec::new();
        }
        let hops = if !self.topology.forwards(node) {
            self.nics(node, dst)
        } else {
            let slot = self.slots.get(dst.index());
            slot.map_or_else(Vec::new, |&slot| {
                let mut hops = self.table_ref(node).next_hops(slot).to_vec();
                hops.dedup();
                hops
            })
        };
        let ports = self.topology.ports(node);
        hops.into_iter()
            .map(|port| (ports[port.index()].peer, port))
            .collect()
    }

    /// Returns the path of the first packet with `key` in an idle network: source host, switches,
    /// destination host. All later packets follow it if flows [stay on one
    /// path](Self::path_stability).
    ///
    /// Empty if there is no path.
    #[must_use]
    pub fn trace(&self, key: &FlowKey) -> Vec<NodeId> {
        let mut nodes = Vec::new();
        let mut node = self.host_of(key.src);
        let mut next = self.nic_port(key);
        let end = self.host_of(key.dst);
        while let Some(port) = next {
            nodes.push(node);
            node = self.topology.ports(node)[port.index()].peer;
            if node == end {
                nodes.push(node);
                break;
            }
            next = self.switch(node).next_hop(key);
        }
        nodes
    }

    fn table(&self, switch: NodeId) -> Arc<SwitchTable> {
        Arc::clone(&self.tables[self.place(switch)])
    }

    fn table_ref(&self, switch: NodeId) -> &SwitchTable {
        &self.tables[self.place(switch)]
    }

    fn place(&self, switch: NodeId) -> usize {
        let place = self.places.get(switch);
        place.expect("only a node that forwards has a table") as usize
    }
}

impl fmt::Debug for Routes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Routes")
            .field("nodes", &self.topology.len())
            .field("order", &self.order)
            .field("hash", &self.hash)
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
