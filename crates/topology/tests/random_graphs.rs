//! Random networks, compared with the simplest possible search.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

use std::collections::VecDeque;
use std::ops::Range;

use fabricsim_base::flow::FlowKey;
use fabricsim_base::id::NodeId;
use fabricsim_base::units::{Bytes, Duration, Rate};
use fabricsim_topology::{
    DownLinks, EcmpHash, Link, NextHopOrder, NodeKind, PathStats, Routes, Topology,
};
use proptest::prelude::*;

/// A connected network: a random tree of switches with extra links, hosts on one to three switches,
/// and some direct links between hosts. In a half of them hosts forward. Ids of hosts and switches alternate.
fn networks() -> impl Strategy<Value = Topology> {
    networks_of(0..12, 2..10)
}

/// Such a network with `switches` in addition to the first one, and with `hosts`.
fn networks_of(switches: Range<usize>, hosts: Range<usize>) -> impl Strategy<Value = Topology> {
    let any = any::<prop::sample::Index>;
    let extra = prop::collection::vec((any(), any()), switches.clone());
    let trunk = prop::collection::vec(any(), switches);
    let hosts = prop::collection::vec(prop::collection::vec(any(), 1..4), hosts);
    let direct = prop::collection::vec((any(), any()), 0..2);
    let speeds = prop::collection::vec((1u64..5, 1u64..5), 1..8);
    let parts = (trunk, extra, hosts, direct, speeds, prop::bool::ANY);
    parts.prop_map(|(trunk, extra, hosts, direct, speeds, forwards)| {
        let (switches, host_count) = (trunk.len() + 1, hosts.len());
        let shared = switches.min(host_count);
        let place = |index: usize, odd: usize| {
            NodeId::from_index(if index < shared {
                2 * index + odd
            } else {
                index + shared
            })
        };
        let switch = |index: usize| place(index, 0);
        let host = |index: usize| place(index, 1);
        let mut kinds = vec![NodeKind::Switch; switches + host_count];
        (0..host_count).for_each(|h| kinds[host(h).index()] = NodeKind::Host);
        let mut ends = Vec::new();
        for (index, parent) in trunk.iter().enumerate() {
            ends.push((switch(index + 1), switch(parent.index(index + 1))));
        }
        for (a, b) in &extra {
            ends.push((switch(a.index(switches)), switch(b.index(switches))));
        }
        for (index, on) in hosts.iter().enumerate() {
            ends.extend(on.iter().map(|s| (host(index), switch(s.index(switches)))));
        }
        for (a, b) in &direct {
            ends.push((host(a.index(host_count)), host(b.index(host_count))));
        }
        let links = ends
            .into_iter()
            .filter(|(a, b)| a != b)
            .zip(speeds.into_iter().cycle());
        let links = links.map(|((a, b), (gbps, us))| Link {
            a,
            b,
            rate: Rate::from_gbps(gbps),
            delay: Duration::from_us(us),
            loss: 0.0,
        });
        let topology = Topology::new(kinds, links.collect()).expect("connected by construction");
        match forwards {
            true => topology.with_forwarding(Duration::from_ns(700)),
            false => topology,
        }
    })
}

/// Returns a set of failed links.
fn failures(topology: &Topology, choices: &[prop::sample::Index]) -> DownLinks {
    let mut down = DownLinks::none(topology);
    for choice in choices {
        let link = choice.index(topology.links().len());
        down.insert(u32::try_from(link).unwrap());
    }
    down
}

/// Returns the number of links from every node to `dst`, without links in `down`.
fn distances(topology: &Topology, down: &DownLinks, dst: NodeId) -> Vec<Option<usize>> {
    let mut distance = vec![None; topology.len()];
    distance[dst.index()] = Some(0);
    let mut queue = VecDeque::from([dst]);
    while let Some(node) = queue.pop_front() {
        if node != dst && !topology.forwards(node) {
            continue;
        }
        for port in topology.ports(node) {
            if down.contains(port.link) {
                continue;
            }
            if distance[port.peer.index()].is_none() {
                distance[port.peer.index()] = distance[node.index()].map(|d| d + 1);
                queue.push_back(port.peer);
            }
        }
    }
    distance
}

/// Compares all next hops over the links that are not `down` with the neighbors closer to the host.
fn check_next_hops(topology: &Topology, down: &DownLinks) -> Result<(), TestCaseError> {
    let routes = Routes::compute(topology, NextHopOrder::AscendingNode, EcmpHash::Seeded(3));
    let routes = routes.without(down);
    for &dst in topology.hosts() {
        let distance = distances(topology, down, dst);
        for node in (0..topology.len())
            .map(NodeId::from_index)
            .filter(|&n| n != dst)
        {
            let forwards = |n: NodeId| n == dst || topology.forwards(n);
            let ports = topology.ports(node).iter().enumerate();
            let mut nearer: Vec<_> = ports
                .filter(|(_, p)| forwards(p.peer) && !down.contains(p.link))
                .filter(|(_, p)| {
                    let here = distance[node.index()];
                    here.is_some() && distance[p.peer.index()].map(|d| d + 1) == here
                })
                .map(|(index, p)| (p.peer.0, index))
                .collect();
            nearer.sort_unstable();
            let hops = routes.next_hops(node, dst);
            let found: Vec<_> = hops
                .iter()
                .map(|(next, port)| (next.0, port.index()))
                .collect();
            prop_assert_eq!(found, nearer, "from {} to {}", node, dst);
        }
    }
    Ok(())
}

/// Compares `path_stats` with the maxima over every pair.
fn check_extremes(topology: &Topology, down: &DownLinks) -> Result<(), TestCaseError> {
    let mtu = Bytes::new(1_000);
    let routes = Routes::compute(topology, NextHopOrder::AscendingNode, EcmpHash::Seeded(3));
    let routes = routes.without(down);
    let mut worst = PathStats::default();
    for &src in topology.hosts() {
        for &dst in topology.hosts().iter().filter(|&&dst| dst != src) {
            let Some(path) = routes.path_info(src, dst, mtu) else {
                continue;
            };
            worst.base_rtt = worst.base_rtt.max(path.base_rtt);
            worst.bdp = worst.bdp.max(path.bdp());
            worst.switches = worst.switches.max(path.switches);
        }
    }
    prop_assert_eq!(routes.path_stats(mtu), worst);
    Ok(())
}

proptest! {
    #[test]
    fn next_hops_are_exactly_the_neighbors_one_hop_nearer(
        topology in networks(),
        failed in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        check_next_hops(&topology, &failures(&topology, &failed))?;
    }

    #[test]
    fn every_pair_is_joined_by_a_shortest_path(topology in networks(), src_port: u16) {
        for hash in [EcmpHash::Ns3, EcmpHash::Seeded(1)] {
            let routes = Routes::compute(&topology, NextHopOrder::DescendingNode, hash);
            for &dst in topology.hosts() {
                let distance = distances(&topology, &DownLinks::none(&topology), dst);
                for &src in topology.hosts().iter().filter(|&&src| src != dst) {
                    let key = FlowKey { src, dst, src_port, dst_port: 100 };
                    let trace = routes.trace(&key);
                    prop_assert_eq!(trace.first(), Some(&src));
                    prop_assert_eq!(trace.last(), Some(&dst));
                    prop_assert_eq!(Some(trace.len() - 1), distance[src.index()]);
                    for pair in trace[1..].windows(2) {
                        let port = routes.switch(pair[0]).next_hop(&key).unwrap();
                        prop_assert_eq!(topology.ports(pair[0])[port.index()].peer, pair[1]);
                    }
                }
            }
        }
    }

    #[test]
    fn extremes_are_those_of_all_pairs(
        topology in networks(),
        failed in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        check_extremes(&topology, &failures(&topology, &failed))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// 64 groups of hosts are searched at once; these networks have more.
    #[test]
    fn larger_networks_have_the_same_routes(
        topology in networks_of(60..150, 70..160),
        failed in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let down = failures(&topology, &failed);
        check_next_hops(&topology, &down)?;
        check_extremes(&topology, &down)?;
    }
}
