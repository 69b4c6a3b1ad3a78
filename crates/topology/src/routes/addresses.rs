//! Addresses of NICs, for hosts with several.

use std::sync::Arc;

use fabricsim_base::id::{NodeId, PortId};

use crate::graph::Topology;

/// The addresses of NICs that differ from their hosts' addresses: numbers above all node ids, in
/// the order of hosts and ports. A host with one NIC has only its own address.
#[derive(Clone, Debug)]
pub(super) struct Addresses {
    nodes: u32,
    nics: Arc<[(NodeId, PortId)]>,
}

impl Addresses {
    /// Creates an empty list: no NIC of `topology` has its own address.
    pub(super) fn of_hosts(topology: &Topology) -> Self {
        Self {
            nodes: NodeId::from_index(topology.len()).0,
            nics: Arc::new([]),
        }
    }

    /// Gives each NIC of `topology` an address if its host has several.
    pub(super) fn of_nics(topology: &Topology) -> Self {
        let several = |&&host: &&NodeId| topology.ports(host).len() > 1;
        let hosts = topology.hosts().iter().filter(several);
        let nics = hosts.flat_map(|&host| {
            let ports = 0..topology.ports(host).len();
            ports.map(move |port| (host, PortId::from_index(port)))
        });
        Self {
            nics: nics.collect(),
            ..Self::of_hosts(topology)
        }
    }

    /// Yields the NICs with addresses, in the order of the addresses.
    pub(super) fn nics(&self) -> impl Iterator<Item = (NodeId, PortId)> + '_ {
        self.nics.iter().copied()
    }

    /// Returns the address of port `nic` of `host`, if it has its own.
    pub(super) fn of(&self, host: NodeId, nic: PortId) -> Option<NodeId> {
        let place = self.nics.binary_search(&(host, nic)).ok()?;
        Some(NodeId(self.nodes + NodeId::from_index(place).0))
    }

    /// Returns the host and port of the NIC with `address`; `None` for the address of a host.
    pub(super) fn nic(&self, address: NodeId) -> Option<(NodeId, PortId)> {
        let place = address.0.checked_sub(self.nodes)?;
        self.nics.get(place as usize).copied()
    }

    /// Returns the host with `address`; an address that belongs to no NIC is the host's own.
    pub(super) fn host(&self, address: NodeId) -> NodeId {
        self.nic(address).map_or(address, |(host, _)| host)
    }
}
