//! The graph of switches alone, and the distance of each to each group of hosts.

use fabricsim_core::id::{NodeId, PortId};
use rayon::prelude::*;

use super::NextHopOrder;
use super::groups::Groups;
use crate::down_links::DownLinks;
use crate::graph::Topology;

/// A way from one switch to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hop {
    /// The neighbour's index among the switches.
    pub(super) to: u32,
    /// The port that leads there.
    pub(super) port: PortId,
}

/// Switches by index, and the hops between them in the order of equal next hops.
pub(super) struct SwitchGraph {
    nodes: Vec<NodeId>,
    hops: Vec<Hop>,
    first_hop: Vec<usize>,
}

impl SwitchGraph {
    pub(super) fn of(
        topology: &Topology,
        down: &DownLinks,
        groups: &Groups,
        order: NextHopOrder,
    ) -> Self {
        let mut graph = Self {
            nodes: topology.switches().collect(),
            hops: Vec::new(),
            first_hop: vec![0],
        };
        for &switch in &graph.nodes {
            let ports = topology.ports(switch);
            let mut upward: Vec<PortId> = (0..ports.len())
                .filter(|&index| {
                    !topology.is_host(ports[index].peer) && !down.contains(ports[index].link)
                })
                .map(PortId::from_index)
                .collect();
            order.sort(ports, &mut upward);
            graph.hops.extend(upward.into_iter().map(|port| {
                let to = groups.slot(ports[port.index()].peer).rank;
                Hop { to, port }
            }));
            graph.first_hop.push(graph.hops.len());
        }
        graph
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The node id of a switch.
    pub(super) fn node(&self, switch: usize) -> NodeId {
        self.nodes[switch]
    }

    /// The hops out of a switch.
    pub(super) fn hops(&self, switch: usize) -> &[Hop] {
        &self.hops[self.first_hop[switch]..self.first_hop[switch + 1]]
    }

    /// Breadth-first search from each group's switches.
    pub(super) fn distances(&self, groups: &Groups) -> Distances {
        let by_group: Vec<Vec<u32>> = groups
            .attachments()
            .par_iter()
            .map_init(Vec::new, |queue, attachment| self.search(attachment, queue))
            .collect();
        let width = by_group.len();
        let mut cells = vec![Distances::UNREACHABLE; width * self.len()];
        if width > 0 {
            cells
                .par_chunks_mut(width)
                .enumerate()
                .for_each(|(switch, row)| {
                    for (cell, distances) in row.iter_mut().zip(&by_group) {
                        *cell = distances[switch];
                    }
                });
        }
        Distances { width, cells }
    }

    fn search(&self, sources: &[u32], queue: &mut Vec<u32>) -> Vec<u32> {
        let mut distance = vec![Distances::UNREACHABLE; self.len()];
        queue.clear();
        for &source in sources {
            distance[source as usize] = 0;
            queue.push(source);
        }
        let mut head = 0;
        while let Some(&switch) = queue.get(head) {
            head += 1;
            let next = distance[switch as usize] + 1;
            for hop in self.hops(switch as usize) {
                let known = &mut distance[hop.to as usize];
                if *known == Distances::UNREACHABLE {
                    *known = next;
                    queue.push(hop.to);
                }
            }
        }
        distance
    }
}

/// Hops from each switch to the nearest switch that each group hangs on: one row for each switch.
pub(super) struct Distances {
    width: usize,
    cells: Vec<u32>,
}

impl Distances {
    /// The distance of what cannot be reached.
    pub(super) const UNREACHABLE: u32 = u32::MAX;

    /// The distances of one switch to all groups.
    pub(super) fn row(&self, switch: usize) -> &[u32] {
        &self.cells[switch * self.width..(switch + 1) * self.width]
    }
}
