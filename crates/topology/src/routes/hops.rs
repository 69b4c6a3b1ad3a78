//! The graph of switches, and the searches through it that find all shortest paths.

use std::cmp::Reverse;

use fabricsim_base::id::{NodeId, PortId};
use rustc_hash::FxHashMap;

use super::NextHopOrder;
use super::groups::Groups;
use super::hop::Hop;
use super::switch::{Scratch, SwitchTable, TableBuilder};
use super::weights::{WeighedHop, capacities, entries};
use crate::down_links::DownLinks;
use crate::graph::Topology;

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
            nodes: topology.forwarders().collect(),
            hops: Vec::new(),
            first_hop: vec![0],
        };
        for &switch in &graph.nodes {
            let ports = topology.ports(switch);
            let mut upward: Vec<PortId> = (0..ports.len())
                .filter(|&index| {
                    topology.forwards(ports[index].peer) && !down.contains(ports[index].link)
                })
                .map(PortId::from_index)
                .collect();
            order.sort(ports, &mut upward);
            graph.hops.extend(upward.into_iter().map(|port| {
                let to = groups.table(ports[port.index()].peer);
                let to = to.expect("a node that forwards has a table");
                Hop { to, port }
            }));
            graph.first_hop.push(graph.hops.len());
        }
        graph
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the node id of a switch.
    pub(super) fn node(&self, switch: usize) -> NodeId {
        self.nodes[switch]
    }

    /// Returns the hops from a switch to its neighbors.
    pub(super) fn hops(&self, switch: usize) -> &[Hop] {
        &self.hops[self.first_hop[switch]..self.first_hop[switch + 1]]
    }

    /// Repeats each next hop in `tables` according to the capacity beyond it.
    pub(super) fn weigh(&self, topology: &Topology, tables: &mut [SwitchTable], groups: u32) {
        for group in 0..groups {
            let hops: Vec<Vec<WeighedHop>> = (0..self.len())
                .map(|switch| {
                    let ports = tables[switch].beyond(group).iter();
                    ports
                        .map(|&port| self.weighed(topology, switch, port))
                        .collect()
                })
                .collect();
            let capacities = capacities(&hops);
            for (table, capacities) in tables.iter_mut().zip(&capacities) {
                table.weigh(group, |ports| entries(ports, capacities));
            }
        }
    }

    /// Sorts the next hops of `tables` into the order in which a breadth-first search from each of
    /// `groups` reaches them. The search visits neighbors in the order of [`Self::hops`].
    pub(super) fn order_by_search(&self, tables: &mut [SwitchTable], groups: &Groups) {
        let mut leads_to: Vec<FxHashMap<PortId, u32>> = Vec::with_capacity(self.len());
        leads_to.extend((0..self.len()).map(|switch| {
            let hops = self.hops(switch).iter();
            hops.map(|hop| (hop.port, hop.to)).collect()
        }));
        for (group, own) in (0..).zip(groups.attachments()) {
            let places = self.search(own);
            for (table, leads_to) in tables.iter_mut().zip(&leads_to) {
                let place = |port: &PortId| places[leads_to[port] as usize];
                table.weigh(group, |ports| {
                    if ports.is_sorted_by_key(place) {
                        return None;
                    }
                    let mut ports = ports.to_vec();
                    ports.sort_by_key(place);
                    Some(ports)
                });
            }
        }
    }

    /// Returns the position of each switch in the order of a search from the switches `own`.
    fn search(&self, own: &[u32]) -> Vec<u32> {
        let mut queue = own.to_vec();
        queue.sort_unstable_by_key(|&switch| Reverse(self.nodes[switch as usize]));
        let mut places = vec![u32::MAX; self.len()];
        for (place, &switch) in (0..).zip(&queue) {
            places[switch as usize] = place;
        }
        let mut next = 0;
        while let Some(&switch) = queue.get(next) {
            for hop in self.hops(switch as usize) {
                if places[hop.to as usize] == u32::MAX {
                    places[hop.to as usize] = u32::try_from(queue.len()).unwrap_or(u32::MAX);
                    queue.push(hop.to);
                }
            }
            next += 1;
        }
        places
    }

    /// Returns the hop of `switch` through `port`, which leads to another switch.
    fn weighed(&self, topology: &Topology, switch: usize, port: PortId) -> WeighedHop {
        let hop = self.hops(switch).iter().find(|hop| hop.port == port);
        WeighedHop {
            hop: *hop.expect("next hops are hops of their switch"),
            bps: topology.ports(self.node(switch))[port.index()]
                .rate
                .as_bps_f64(),
        }
    }

    /// Computes the table of each switch with a breadth-first search from each group's switches,
    /// for [`BATCH`] groups at once. The next hops of a switch are the neighbors that the search
    /// reached one step before it.
    pub(super) fn tables(&self, groups: &Groups) -> Vec<TableBuilder<'_>> {
        let count = groups.attachments().len();
        let mut tables: Vec<TableBuilder<'_>> = (0..self.len())
            .map(|switch| TableBuilder::new(count, self.hops(switch)))
            .collect();
        let mut search = Search::new(self.len());
        let mut scratch = Scratch::default();
        for (number, batch) in groups.attachments().chunks(BATCH).enumerate() {
            search.begin(batch);
            while search.step(self) {
                for &switch in &search.fresh {
                    let reached = search.reached[switch as usize];
                    let table = &mut tables[switch as usize];
                    table.add(number * BATCH, reached, &search.last, &mut scratch);
                }
                search.settle();
            }
        }
        tables
    }
}

/// Number of groups that are searched at once: one bit for each.
const BATCH: usize = u64::BITS as usize;

/// Simultaneous breadth-first searches from a batch of groups. Words have a bit for each group.
struct Search {
    /// For each switch, the groups with a search that has reached it.
    seen: Vec<u64>,
    /// For each switch, the groups with a search that reached it in the last step.
    last: Vec<u64>,
    /// For each switch, the groups with a search that reaches it in this step.
    reached: Vec<u64>,
    /// Switches with a bit in `last`.
    front: Vec<u32>,
    /// Switches with a bit in `reached`.
    fresh: Vec<u32>,
}

impl Search {
    fn new(switches: usize) -> Self {
        Self {
            seen: vec![0; switches],
            last: vec![0; switches],
            reached: vec![0; switches],
            front: Vec::new(),
            fresh: Vec::new(),
        }
    }

    /// Begins a search at the switches of each group of `batch`.
    fn begin(&mut self, batch: &[Vec<u32>]) {
        self.seen.fill(0);
        self.last.fill(0);
        self.front.clear();
        for (bit, sources) in batch.iter().enumerate() {
            for &source in sources {
                if self.last[source as usize] == 0 {
                    self.front.push(source);
                }
                self.last[source as usize] |= 1 << bit;
            }
        }
        for &source in &self.front {
            self.seen[source as usize] = self.last[source as usize];
        }
    }

    /// Advances all searches by one hop; returns `true` if any of them reached another switch.
    fn step(&mut self, graph: &SwitchGraph) -> bool {
        self.fresh.clear();
        for &switch in &self.front {
            let here = self.last[switch as usize];
            for hop in graph.hops(switch as usize) {
                let to = hop.to as usize;
                let new = here & !self.seen[to];
                if new != 0 {
                    if self.reached[to] == 0 {
                        self.fresh.push(hop.to);
                    }
                    self.reached[to] |= new;
                }
            }
        }
        !self.fresh.is_empty()
    }

    /// Ends this step, so that it becomes the last one.
    fn settle(&mut self) {
        for &switch in &self.front {
            self.last[switch as usize] = 0;
        }
        for &switch in &self.fresh {
            let reached = std::mem::take(&mut self.reached[switch as usize]);
            self.seen[switch as usize] |= reached;
            self.last[switch as usize] = reached;
        }
        std::mem::swap(&mut self.front, &mut self.fresh);
    }
}
