//! Aggregators: nodes in switches that reduce and multicast the messages of collectives.

use std::ops::Range;
use std::sync::Arc;

use fabricsim_base::id::NodeId;
use fabricsim_base::limits::MAX_RATE;
use fabricsim_base::units::{Duration, Rate};

use crate::error::TopologyError;
use crate::graph::{Link, Topology};
use crate::names::NodeNames;
use crate::node_kind::NodeKind;

impl Topology {
    /// Returns the same network with an aggregator in each switch: a node after all other nodes,
    /// linked only to its switch. It sends and receives like a host, but [`Self::hosts`] does not
    /// list it. Its name is the name of the switch and `/aggregator`.
    ///
    /// Each switch has room for `trees` of collectives.
    ///
    /// Its link has `delay` in each direction and `rate`; if that is `None`, the sum of the rates at
    /// which the switch sends, up to the maximum.
    ///
    /// # Errors
    /// Fails if the network then has too many nodes or links, or if a link is impossible.
    pub fn with_aggregators(
        &self,
        trees: u32,
        rate: Option<Rate>,
        delay: Duration,
    ) -> Result<Self, TopologyError> {
        let sum = |switch: NodeId| {
            let rates = self.ports(switch).iter().map(|port| port.rate.as_bps());
            let sum = rates.fold(0, u64::saturating_add).min(MAX_RATE.as_bps());
            Rate::from_bps(sum).expect("a switch has a link, and a link a rate")
        };
        let mut kinds = self.kinds.to_vec();
        let mut links = self.links().to_vec();
        for switch in self.switches() {
            links.push(Link {
                a: switch,
                b: NodeId::from_index(kinds.len()),
                rate: rate.unwrap_or_else(|| sum(switch)),
                delay,
                loss: 0.0,
            });
            kinds.push(NodeKind::Host);
        }
        let grown = Self::unchecked(kinds, links)?;
        let first = NodeId::from_index(self.len()).0;
        let last = NodeId::from_index(grown.len()).0;
        let own = (0..self.len()).map(|node| self.name(NodeId::from_index(node)).to_owned());
        let added = self
            .switches()
            .map(|switch| format!("{}/aggregator", self.name(switch)));
        let names = NodeNames::of(own.chain(added));
        // The directions of a link may have different rates, which only its ports have.
        let mut ports = grown.ports.to_vec();
        for node in (0..self.len()).map(NodeId::from_index) {
            let (at, old) = (grown.first_port[node.index()], self.ports(node));
            ports[at..at + old.len()].copy_from_slice(old);
        }
        Ok(Self {
            hosts: Arc::clone(&self.hosts),
            ports: ports.into(),
            names,
            tier_names: Arc::clone(&self.tier_names),
            inner: self.inner.clone(),
            linked_servers: self.linked_servers,
            aggregators: first..last,
            trees,
            forwarding: self.forwarding,
            ..grown
        })
    }

    /// Returns `true` if `node` is the aggregator of a switch.
    #[must_use]
    pub fn is_aggregator(&self, node: NodeId) -> bool {
        self.aggregators.contains(&node.0)
    }

    /// Returns the number of trees of collectives that each aggregator has room for.
    #[must_use]
    pub const fn reduction_trees(&self) -> u32 {
        self.trees
    }

    /// Yields the aggregators, in the order of their switches; none if switches do not reduce.
    pub fn aggregators(&self) -> impl Iterator<Item = NodeId> + '_ {
        let Range { start, end } = self.aggregators;
        (start..end).map(NodeId)
    }

    /// Yields the nodes that send and receive: the hosts, then the aggregators.
    pub fn endpoints(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.hosts().iter().copied().chain(self.aggregators())
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::units::Bytes;

    use super::*;
    use crate::builder::{LeafSpineConfig, RailConfig};
    use crate::{EcmpHash, NextHopOrder, Routes, levels, tier_names};

    fn grown(topology: &Topology) -> Topology {
        topology
            .with_aggregators(4, None, Duration::from_ns(50))
            .unwrap()
    }

    fn leaf_spine() -> Topology {
        let config = LeafSpineConfig {
            leaves: 2,
            hosts_per_leaf: 3,
            spines: 2,
            ..LeafSpineConfig::default()
        };
        config.build().unwrap()
    }

    #[test]
    fn each_switch_has_one_behind_all_other_nodes() {
        let (before, after) = (leaf_spine(), grown(&leaf_spine()));
        assert_eq!(after.hosts(), before.hosts());
        assert_eq!(after.len(), before.len() + 4);
        assert_eq!(after.switches().count(), 4);
        for (switch, node) in after.switches().zip(after.aggregators()) {
            assert!(after.is_host(node) && after.is_aggregator(node));
            assert!(!after.is_aggregator(switch));
            let [port] = after.ports(node) else {
                panic!("{node} has one link")
            };
            assert_eq!(port.peer, switch);
            let sum: u64 = before
                .ports(switch)
                .iter()
                .map(|port| port.rate.as_bps())
                .sum();
            assert_eq!(port.rate.as_bps(), sum);
            assert_eq!(
                after.name(node),
                format!("{}/aggregator", before.name(switch))
            );
            // The other ports keep their places.
            let own = before.ports(switch);
            assert_eq!(&after.ports(switch)[..own.len()], own);
        }
    }

    #[test]
    fn hosts_and_aggregators_reach_each_other() {
        let topology = grown(&leaf_spine());
        let routes = Routes::compute(&topology, NextHopOrder::AscendingNode, EcmpHash::Seeded(1));
        let switches = |from: NodeId, to: NodeId| {
            let path = routes.path_info(from, to, Bytes::new(1_000)).unwrap();
            path.switches
        };
        let nodes: Vec<NodeId> = topology.aggregators().collect();
        let host = topology.hosts()[0];
        let through: Vec<_> = nodes.iter().map(|&node| switches(host, node)).collect();
        assert_eq!(through, [1, 3, 2, 2]);
        assert_eq!(
            (switches(nodes[0], host), switches(nodes[0], nodes[2])),
            (1, 2)
        );
    }

    #[test]
    fn tiers_keep_their_names() {
        for topology in [leaf_spine(), RailConfig::default().build().unwrap()] {
            let (before, after) = (levels(&topology), levels(&grown(&topology)));
            assert_eq!(after[..before.len()], before);
            let mut names = tier_names(&topology, &before);
            names.push("aggregator".to_owned());
            assert_eq!(tier_names(&grown(&topology), &after), names);
        }
    }

    #[test]
    fn too_fast_a_link_is_refused() {
        let fast = Rate::from_gbps(200_000);
        let error = leaf_spine().with_aggregators(4, Some(fast), Duration::from_ns(1));
        assert!(matches!(error, Err(TopologyError::Rate { .. })));
    }
}
