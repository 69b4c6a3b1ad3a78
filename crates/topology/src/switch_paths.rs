//! Paths over switches only.

use fabricsim_base::id::NodeId;

use crate::graph::Topology;

impl Topology {
    /// Yields the links between switches, each from its first end to its second. Parallel links
    /// appear several times.
    pub fn switch_links(&self) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        let links = self.links().iter().map(|link| (link.a, link.b));
        links.filter(|&(a, b)| !self.is_host(a) && !self.is_host(b))
    }

    /// Returns the longest of the shortest paths between two switches over switches, including both
    /// ends. Among equally long paths, it chooses the lowest first switch, then the lowest last
    /// switch. Empty if there are no switches.
    ///
    /// Searches through all links once for each switch.
    #[must_use]
    pub fn longest_switch_path(&self) -> Vec<NodeId> {
        let mut search = Search::over(self);
        let mut best: Option<(usize, NodeId)> = None;
        for switch in self.switches() {
            let length = search.from(self, switch).1;
            if best.is_none_or(|(longest, _)| length > longest) {
                best = Some((length, switch));
            }
        }
        best.map_or_else(Vec::new, |(_, start)| {
            let (end, _) = search.from(self, start);
            search.path_to(end)
        })
    }
}

impl Topology {
    /// Returns the number of switches on a shortest path between two distant hosts, found by two
    /// searches. It is at most the number on the longest such path, and equal to it on chains and
    /// trees.
    #[must_use]
    pub fn some_long_path(&self) -> usize {
        let Some(&any) = self.hosts().first() else {
            return 0;
        };
        let (end, _) = self.farthest_host(any);
        let (_, links) = self.farthest_host(end);
        links.saturating_sub(1)
    }

    /// Returns the host that is farthest from the host `start`, and its distance in links. Hosts that
    /// do not forward end a path.
    fn farthest_host(&self, start: NodeId) -> (NodeId, usize) {
        let mut links = vec![usize::MAX; self.len()];
        links[start.index()] = 0;
        let mut queue = vec![start];
        let mut head = 0;
        let mut farthest = (start, 0);
        while let Some(&node) = queue.get(head) {
            head += 1;
            let here = links[node.index()];
            if self.is_host(node) && node != start {
                farthest = (node, here);
            }
            if !self.forwards(node) && node != start {
                continue;
            }
            for port in self.ports(node) {
                let known = &mut links[port.peer.index()];
                if *known == usize::MAX {
                    *known = here + 1;
                    queue.push(port.peer);
                }
            }
        }
        farthest
    }
}

/// A breadth-first search over switches.
struct Search {
    /// For each reached node, its distance from the start in links, and its predecessor.
    reached: Vec<Option<(usize, NodeId)>>,
    queue: Vec<NodeId>,
}

impl Search {
    fn over(topology: &Topology) -> Self {
        Self {
            reached: vec![None; topology.len()],
            queue: Vec::new(),
        }
    }

    /// Returns the switch farthest from `start` (the lowest of several), and its distance in links.
    fn from(&mut self, topology: &Topology, start: NodeId) -> (NodeId, usize) {
        self.reached.fill(None);
        self.reached[start.index()] = Some((0, start));
        self.queue.clear();
        self.queue.push(start);
        let mut farthest = (start, 0);
        let mut head = 0;
        while let Some(&switch) = self.queue.get(head) {
            head += 1;
            let (links, _) = self.reached[switch.index()].expect("what is queued was reached");
            if links > farthest.1 || (links == farthest.1 && switch < farthest.0) {
                farthest = (switch, links);
            }
            for port in topology.ports(switch) {
                let place = &mut self.reached[port.peer.index()];
                if place.is_none() && !topology.is_host(port.peer) {
                    *place = Some((links + 1, switch));
                    self.queue.push(port.peer);
                }
            }
        }
        farthest
    }

    /// Returns the path from the start to `end`, which must have been reached.
    fn path_to(&self, end: NodeId) -> Vec<NodeId> {
        let mut path = vec![end];
        let mut at = end;
        while let Some((1.., from)) = self.reached[at.index()] {
            path.push(from);
            at = from;
        }
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChainConfig, FatTreeConfig, StarConfig};

    fn ids(path: &[NodeId]) -> Vec<u32> {
        path.iter().map(|node| node.0).collect()
    }

    #[test]
    fn a_chain_is_its_own_longest_path() {
        let chain = ChainConfig {
            switches: 4,
            hosts_per_switch: 2,
            ..ChainConfig::default()
        };
        let chain = chain.build().unwrap();
        assert_eq!(ids(&chain.longest_switch_path()), [8, 9, 10, 11]);
        let links = chain.switch_links().map(|(a, b)| (a.0, b.0));
        assert!(links.eq([(8, 9), (9, 10), (10, 11)]));
    }

    #[test]
    fn a_long_path_is_found_without_a_look_at_all_pairs() {
        let chain = ChainConfig {
            switches: 300,
            hosts_per_switch: 1,
            ..ChainConfig::default()
        };
        assert_eq!(chain.build().unwrap().some_long_path(), 300);
        let fat_tree = FatTreeConfig::default().build().unwrap();
        assert_eq!(fat_tree.some_long_path(), 5);
        assert_eq!(StarConfig::default().build().unwrap().some_long_path(), 1);
    }

    #[test]
    fn hosts_are_no_way() {
        let star = StarConfig::default().build().unwrap();
        assert_eq!(star.longest_switch_path().len(), 1);
        let fat_tree = FatTreeConfig::default().build().unwrap();
        let path = fat_tree.longest_switch_path();
        assert_eq!(path.len(), 5, "edge, aggregation, core and back");
        for pair in path.windows(2) {
            let linked = |&(a, b): &(NodeId, NodeId)| [a, b] == pair || [b, a] == pair;
            assert!(fat_tree.switch_links().any(|link| linked(&link)));
        }
    }
}
