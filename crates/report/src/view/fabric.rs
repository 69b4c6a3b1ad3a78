//! The nodes and ports of the fabric.

use std::collections::BTreeMap;

use fabricsim_base::id::{NodeId, PortId};
use serde_json::{Value, json};

use super::columns::{Distinct, bytes, integers};
use crate::observed::FabricPort;

/// The network of a run. Nodes and ports have numbers from 0 in the order of the file, without gaps.
#[derive(Clone, Debug)]
pub struct Fabric<'t> {
    ports: Vec<FabricPort<'t>>,
    port_numbers: BTreeMap<(NodeId, PortId), u32>,
    /// Number, name, and whether it is a host.
    nodes: Vec<(NodeId, &'t str, bool)>,
    node_numbers: BTreeMap<NodeId, u32>,
}

impl<'t> Fabric<'t> {
    /// Creates a fabric of ports whose links have two ends, as [`read_fabric`] returns them.
    ///
    /// [`read_fabric`]: crate::observed::read_fabric
    ///
    /// # Panics
    /// If there are 2^32 ports.
    #[must_use]
    pub fn new(ports: Vec<FabricPort<'t>>) -> Self {
        let mut nodes = Vec::new();
        let mut node_numbers = BTreeMap::new();
        let mut port_numbers = BTreeMap::new();
        for (own, number) in ports.iter().zip(0..) {
            port_numbers.insert((own.node, own.port), number);
            node_numbers.entry(own.node).or_insert_with(|| {
                nodes.push((own.node, own.name, own.is_host));
                u32::try_from(nodes.len() - 1).expect("fewer nodes than numbers of nodes")
            });
        }
        Self {
            ports,
            port_numbers,
            nodes,
            node_numbers,
        }
    }

    /// Returns the number of ports.
    pub(super) fn len(&self) -> usize {
        self.ports.len()
    }

    /// Returns the position of a port.
    #[must_use]
    pub fn port(&self, node: NodeId, port: PortId) -> Option<u32> {
        self.port_numbers.get(&(node, port)).copied()
    }

    /// Returns the position of a port, which is often the first one after port `last`: files of
    /// observations have the order of the fabric.
    pub(super) fn port_after(&self, last: usize, node: NodeId, port: PortId) -> Option<usize> {
        let next = self.ports.get(last + 1);
        match next.is_some_and(|own| (own.node, own.port) == (node, port)) {
            true => Some(last + 1),
            false => self.port(node, port).map(|place| place as usize),
        }
    }

    /// Returns the position of a node.
    #[must_use]
    pub fn node(&self, node: NodeId) -> Option<u32> {
        self.node_numbers.get(&node).copied()
    }

    /// Returns the ports of the links between two nodes, first those of `a` and then those of `b`,
    /// or only of the link `index` among several.
    #[must_use]
    pub fn links(&self, a: NodeId, b: NodeId, index: Option<u64>) -> Vec<u32> {
        let mut ports = Vec::new();
        let of = (self.ports.iter().zip(0..)).filter(|(own, _)| (own.node, own.peer) == (a, b));
        for ((own, number), place) in of.zip(0..) {
            if index.is_none_or(|index| index == place) {
                ports.push(number);
                ports.extend(self.port(own.peer, own.peer_port));
            }
        }
        ports
    }

    /// Returns the names of nodes by their numbers.
    #[must_use]
    pub fn names(&self) -> BTreeMap<u64, String> {
        let nodes = self.nodes.iter();
        nodes
            .map(|(number, name, _)| (u64::from(number.0), (*name).to_owned()))
            .collect()
    }

    /// Returns the data of the page.
    #[must_use]
    pub fn data(&self) -> Value {
        let mut tiers = Distinct::default();
        let mut rates = Distinct::default();
        let mut delays = Distinct::default();
        let node = |own: &FabricPort<'_>| self.node_numbers[&own.node];
        let other = |own: &FabricPort<'_>| self.port_numbers[&(own.peer, own.peer_port)];
        let ports = || self.ports.iter();
        let tier = integers(ports().map(|own| tiers.place(own.tier)));
        let rate = integers(ports().map(|own| rates.place(own.rate_bps)));
        let delay = integers(ports().map(|own| delays.place(own.delay.as_ps())));
        let is_host: Vec<u8> = self.nodes.iter().map(|own| u8::from(own.2)).collect();
        let delays: Vec<f64> = delays.values.iter().map(|ps| *ps as f64 / 1e3).collect();
        json!({
            "names": self.nodes.iter().map(|own| own.1).collect::<Vec<_>>(),
            "numbers": integers(self.nodes.iter().map(|own| own.0.0)),
            "is_host": bytes(&is_host),
            "node": integers(ports().map(node)),
            "port": integers(ports().map(|own| u32::from(own.port.0))),
            "other": integers(ports().map(other)),
            "tier": tier, "tiers": tiers.values,
            "rate": rate, "rates_bps": rates.values,
            "delay": delay, "delays_ns": delays,
        })
    }
}
