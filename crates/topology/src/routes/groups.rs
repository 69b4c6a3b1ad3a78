//! Hosts that hang on the same switches need the same routes everywhere else.

use std::sync::Arc;

use fabricsim_core::id::{NodeId, PortId};
use rustc_hash::FxHashMap;

use crate::down_links::DownLinks;
use crate::graph::Topology;

/// Identification of a node in the tables: a host is a member of a group, a switch has an index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// The host's group; [`Slot::SWITCH`] for a switch.
    pub(super) group: u32,
    /// The host's position in its group, or the switch's index.
    pub(super) rank: u32,
}

impl Slot {
    const SWITCH: u32 = u32::MAX;

    /// The index of a switch among the switches.
    pub(super) const fn switch_index(self) -> usize {
        self.rank as usize
    }

    pub(super) const fn is_host(self) -> bool {
        self.group != Self::SWITCH
    }
}

/// The groups of hosts, by the set of switches that each hangs on, in the order of the first host.
pub(super) struct Groups {
    slots: Vec<Slot>,
    /// For each group, the indices of its switches, ascending. Empty for hosts on no switch.
    attachments: Vec<Vec<u32>>,
    sizes: Vec<u32>,
}

/// The hosts on one switch: for each of their groups, the ports to each member.
pub(super) struct Local {
    /// The group.
    pub(super) group: u32,
    /// For each member by rank, the switch's ports to it, ascending.
    pub(super) ports: Vec<Vec<PortId>>,
}

impl Groups {
    pub(super) fn of(topology: &Topology, down: &DownLinks) -> Self {
        let mut slots = vec![
            Slot {
                group: Slot::SWITCH,
                rank: 0
            };
            topology.len()
        ];
        for (index, switch) in (0u32..).zip(topology.switches()) {
            slots[switch.index()].rank = index;
        }
        let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let mut groups = Self {
            slots,
            attachments: Vec::new(),
            sizes: Vec::new(),
        };
        for &host in topology.hosts() {
            let mut switches: Vec<u32> = topology
                .ports(host)
                .iter()
                .filter(|port| !topology.is_host(port.peer) && !down.contains(port.link))
                .map(|port| groups.slots[port.peer.index()].rank)
                .collect();
            switches.sort_unstable();
            switches.dedup();
            let group = match known.get(&switches) {
                Some(&group) => group,
                None => {
                    let group = groups.count();
                    known.insert(switches.clone(), group);
                    groups.attachments.push(switches);
                    groups.sizes.push(0);
                    group
                }
            };
            let size = &mut groups.sizes[group as usize];
            groups.slots[host.index()] = Slot { group, rank: *size };
            *size += 1;
        }
        groups
    }

    /// Returns how many groups there are.
    pub(super) fn count(&self) -> u32 {
        NodeId::from_index(self.sizes.len()).0
    }

    /// The switches that each group hangs on.
    pub(super) fn attachments(&self) -> &[Vec<u32>] {
        &self.attachments
    }

    /// The slot of a node.
    pub(super) fn slot(&self, node: NodeId) -> Slot {
        self.slots[node.index()]
    }

    /// The groups on a switch, ascending.
    pub(super) fn local(
        &self,
        topology: &Topology,
        down: &DownLinks,
        switch: NodeId,
    ) -> Vec<Local> {
        let mut found: Vec<(u32, u32, PortId)> = topology
            .ports(switch)
            .iter()
            .enumerate()
            .filter(|(_, port)| !down.contains(port.link))
            .map(|(index, port)| (self.slot(port.peer), PortId::from_index(index)))
            .filter(|(slot, _)| slot.is_host())
            .map(|(slot, port)| (slot.group, slot.rank, port))
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

    pub(super) fn into_slots(self) -> Arc<[Slot]> {
        self.slots.into()
    }
}
