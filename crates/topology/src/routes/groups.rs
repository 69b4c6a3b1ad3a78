//! Groups of hosts. Hosts that are linked to the same switches need the same routes at all other
//! switches. The address of a NIC is routed like a host that is linked only to the NIC's switch.

use std::sync::Arc;

use fabricsim_base::id::{NodeId, PortId};
use rustc_hash::FxHashMap;

use super::addresses::Addresses;
use crate::down_links::DownLinks;
use crate::graph::{Port, Topology};

/// A node's place in the tables: a host is a member of a group, a switch has an index. A host that
/// forwards also has an index among the switches, in [`Tables`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// The host's group; [`Slot::SWITCH`] for a switch.
    pub(super) group: u32,
    /// The host's position in its group, or the switch's index.
    pub(super) rank: u32,
}

impl Slot {
    pub(super) const SWITCH: u32 = u32::MAX;

    pub(super) const fn is_host(self) -> bool {
        self.group != Self::SWITCH
    }
}

/// The index of the table of each node that forwards.
#[derive(Clone)]
pub(super) struct Tables(Arc<[u32]>);

impl Tables {
    const NONE: u32 = u32::MAX;

    fn of(topology: &Topology) -> Self {
        let mut tables = vec![Self::NONE; topology.len()];
        for (index, node) in (0u32..).zip(topology.forwarders()) {
            tables[node.index()] = index;
        }
        Self(tables.into())
    }

    /// Returns the index of the table of `node`; `None` if it does not forward.
    pub(super) fn get(&self, node: NodeId) -> Option<u32> {
        let index = *self.0.get(node.index())?;
        (index != Self::NONE).then_some(index)
    }
}

/// The groups of hosts with the same set of switches, in the order of each group's first host. A
/// host that forwards counts as a switch, and is the only host on it.
pub(super) struct Groups {
    slots: Vec<Slot>,
    tables: Tables,
    /// For each group, the indices of its switches, ascending; empty if its hosts have no switch.
    attachments: Vec<Vec<u32>>,
    sizes: Vec<u32>,
}

/// The hosts of one group on a switch, with the ports to each of them.
pub(super) struct Local {
    /// Index of the group.
    pub(super) group: u32,
    /// For each member by rank, the switch's ports to it, ascending.
    pub(super) ports: Vec<Vec<PortId>>,
}

impl Groups {
    /// Groups the hosts of `topology` and the NICs with `addresses`.
    pub(super) fn of(topology: &Topology, down: &DownLinks, addresses: &Addresses) -> Self {
        let mut slots = vec![
            Slot {
                group: Slot::SWITCH,
                rank: 0
            };
            topology.len()
        ];
        let tables = Tables::of(topology);
        for switch in topology.switches() {
            slots[switch.index()].rank = tables.get(switch).expect("a switch forwards");
        }
        let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let mut groups = Self {
            slots,
            tables: tables.clone(),
            attachments: Vec::new(),
            sizes: Vec::new(),
        };
        let switches_of = |ports: &[Port]| {
            let ports = ports.iter().filter(|port| !down.contains(port.link));
            let mut switches: Vec<u32> = ports.filter_map(|port| tables.get(port.peer)).collect();
            switches.sort_unstable();
            switches.dedup();
            switches
        };
        for host in topology.endpoints() {
            let switches = match tables.get(host) {
                Some(own) => vec![own],
                None => switches_of(topology.ports(host)),
            };
            groups.slots[host.index()] = groups.member(&mut known, switches);
        }
        for (host, nic) in addresses.nics() {
            let port = std::slice::from_ref(&topology.ports(host)[nic.index()]);
            let switches = switches_of(port);
            let slot = groups.member(&mut known, switches);
            groups.slots.push(slot);
        }
        groups
    }

    /// Adds a member to the group of `switches`.
    fn member(&mut self, known: &mut FxHashMap<Vec<u32>, u32>, switches: Vec<u32>) -> Slot {
        let group = match known.get(&switches) {
            Some(&group) => group,
            None => {
                let group = self.count();
                known.insert(switches.clone(), group);
                self.attachments.push(switches);
                self.sizes.push(0);
                group
            }
        };
        let size = &mut self.sizes[group as usize];
        let slot = Slot { group, rank: *size };
        *size += 1;
        slot
    }

    /// Returns the number of groups.
    pub(super) fn count(&self) -> u32 {
        NodeId::from_index(self.sizes.len()).0
    }

    /// Returns the switches to which each group is linked.
    pub(super) fn attachments(&self) -> &[Vec<u32>] {
        &self.attachments
    }

    /// Returns the index of the table of `node`; `None` if it does not forward.
    pub(super) fn table(&self, node: NodeId) -> Option<u32> {
        self.tables.get(node)
    }

    /// Returns the slot of a node.
    pub(super) fn slot(&self, node: NodeId) -> Slot {
        self.slots[node.index()]
    }

    /// Returns the groups on a switch, ascending.
    pub(super) fn local(
        &self,
        topology: &Topology,
        down: &DownLinks,
        addresses: &Addresses,
        switch: NodeId,
    ) -> Vec<Local> {
        let mut found: Vec<(u32, u32, PortId)> = topology
            .ports(switch)
            .iter()
            .enumerate()
            .filter(|(_, port)| !topology.forwards(port.peer) && !down.contains(port.link))
            .flat_map(|(index, port)| {
                let nic = addresses.of(port.peer, port.peer_port);
                let known = [Some(port.peer), nic];
                known.map(|address| address.map(|address| (address, PortId::from_index(index))))
            })
            .flatten()
            .map(|(address, port)| {
                let slot = self.slot(address);
                (slot.group, slot.rank, port)
            })
            .collect();
        found.sort_unstable();
        let of_group = |group: &[(u32, u32, PortId)]| {
            let number = group[0].0;
            let mut ports = vec![Vec::new(); self.sizes[number as usize] as usize];
            for &(_, rank, port) in group {
                ports[rank as usize].push(port);
            }
            Local {
                group: number,
                ports,
            }
        };
        found.chunk_by(|a, b| a.0 == b.0).map(of_group).collect()
    }

    pub(super) fn into_slots(self) -> (Arc<[Slot]>, Tables) {
        (self.slots.into(), self.tables)
    }
}
