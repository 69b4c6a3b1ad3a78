//! The paths of which one has the least ideal, against all shortest paths one by one.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

use std::sync::Arc;

use fabricsim_core::flow::PathInfo;
use fabricsim_core::id::NodeId;
use fabricsim_core::units::{Bytes, Duration, Rate};
use fabricsim_topology::{
    DownLinks, EcmpHash, EqualPaths, FatTreeConfig, Link, NextHopOrder, NodeKind, Routes, Topology,
};
use proptest::prelude::*;

const MTU: Bytes = Bytes::new(1_000);

/// Two layers of switches and some more, with links of any speed: many shortest paths, all
/// different.
fn networks() -> impl Strategy<Value = Topology> {
    let any = any::<prop::sample::Index>;
    let shape = (2usize..4, 2usize..5, 0usize..3);
    let extra = prop::collection::vec((any(), any()), 0..8);
    let hosts = prop::collection::vec((any(), any(), prop::bool::ANY), 2..6);
    let rates = prop::sample::select(vec![1u64, 10, 25, 100, 400]);
    let speeds = prop::collection::vec((rates, 1u64..20_000), 1..40);
    (shape, extra, hosts, speeds).prop_map(|((leaves, spines, more), extra, hosts, speeds)| {
        let (count, switches) = (hosts.len(), leaves + spines + more);
        let mut kinds = vec![NodeKind::Host; count];
        kinds.resize(count + switches, NodeKind::Switch);
        let mut ends = Vec::new();
        for leaf in 0..leaves {
            ends.extend((0..spines).map(|spine| (count + leaf, count + leaves + spine)));
        }
        ends.extend((0..more).map(|n| (count + leaves + spines + n, count + n)));
        for (a, b) in extra {
            ends.push((count + a.index(switches), count + b.index(switches)));
        }
        for (host, (a, b, twice)) in hosts.iter().enumerate() {
            ends.push((host, count + a.index(switches)));
            if *twice {
                ends.push((host, count + b.index(switches)));
            }
        }
        let ends = ends.into_iter().filter(|(a, b)| a != b);
        let links = ends.zip(speeds.into_iter().cycle());
        let links = links.map(|((a, b), (gbps, ns))| Link {
            a: NodeId::from_index(a),
            b: NodeId::from_index(b),
            rate: Rate::from_gbps(gbps),
            delay: Duration::from_ns(ns),
            loss: 0.0,
        });
        Topology::new(kinds, links.collect()).unwrap()
    })
}

/// Every shortest path from `node` to `dst`: the way there with its bottleneck, and the delay.
fn all_paths(routes: &Routes, node: NodeId, dst: NodeId) -> Vec<(PathInfo, u64)> {
    let topology = routes.topology();
    let mut found = Vec::new();
    for (next, port) in routes.next_hops(node, dst) {
        let port = &topology.ports(node)[port.index()];
        let serialized = 8_000_000_000_000u64.div_ceil(port.rate.as_bps()) * 1_000;
        let delay = port.delay.as_ps();
        let hop = delay + serialized;
        let own = u16::from(!topology.is_host(node));
        if next == dst {
            let path = PathInfo {
                base_rtt: Duration::from_ps(hop),
                bottleneck: port.rate,
                switches: own,
            };
            found.push((path, delay));
            continue;
        }
        let rest = all_paths(routes, next, dst).into_iter();
        found.extend(rest.map(|(path, more)| {
            let path = PathInfo {
                base_rtt: Duration::from_ps(hop + path.base_rtt.as_ps()),
                bottleneck: port.rate.min(path.bottleneck),
                switches: own + path.switches,
            };
            (path, delay + more)
        }));
    }
    found
}

/// The ideal of `bytes` on the wire: the round trip and their transmission at the bottleneck.
fn ideal(path: &PathInfo, bytes: u64) -> u128 {
    let bits = u128::from(bytes) * 8 * 1_000_000_000_000;
    u128::from(path.base_rtt.as_ps()) + bits.div_ceil(u128::from(path.bottleneck.as_bps()))
}

fn assert_least(routes: Routes) {
    let topology = routes.topology().clone();
    let routes = Arc::new(routes);
    let mut equal = EqualPaths::new(Arc::clone(&routes));
    for &src in topology.hosts() {
        for &dst in topology.hosts() {
            let found = equal.between(src, dst, MTU);
            let there = all_paths(&routes, src, dst);
            // Data may go one way, and ACKs come back another.
            let back = there.iter().map(|(_, delay)| *delay).min().unwrap_or(0);
            let both = there.into_iter().map(|(path, _)| PathInfo {
                base_rtt: Duration::from_ps(path.base_rtt.as_ps() + back),
                ..path
            });
            let all: Vec<PathInfo> = both.collect();
            assert_eq!(found.is_empty(), all.is_empty(), "{src} to {dst}");
            for bytes in [49, 300, 1_048, 10_480, 104_800, 1_048_000, 104_800_000] {
                let least = |paths: &[PathInfo]| paths.iter().map(|path| ideal(path, bytes)).min();
                assert_eq!(least(&found), least(&all), "{src} to {dst}, {bytes} bytes");
            }
            // Nothing is made up: each is one of all.
            assert!(found.iter().all(|path| all.contains(path)));
            assert!(
                found.is_sorted_by(|a, b| a.base_rtt < b.base_rtt && a.bottleneck < b.bottleneck)
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn the_least_ideal_is_the_least_of_all_shortest_paths(
        topology in networks(),
        lost in prop::collection::vec(any::<prop::sample::Index>(), 0..3),
    ) {
        let routes = Routes::compute(&topology, NextHopOrder::AscendingNode, EcmpHash::Seeded(1));
        let mut down = DownLinks::none(&topology);
        for link in lost {
            down.insert(u32::try_from(link.index(topology.links().len())).unwrap());
        }
        let without = routes.without(&down);
        assert_least(routes);
        assert_least(without);
    }
}

/// Two ways from host to host: 1 Gbps at once, or 100 Gbps after 5 us. Short flows want the one,
/// long flows the other.
#[test]
fn which_path_is_best_depends_on_the_size() {
    let link = |a, b, gbps, ns| Link {
        a: NodeId(a),
        b: NodeId(b),
        rate: Rate::from_gbps(gbps),
        delay: Duration::from_ns(ns),
        loss: 0.0,
    };
    let mut kinds = vec![NodeKind::Host; 2];
    kinds.resize(6, NodeKind::Switch);
    let links = vec![
        link(0, 2, 100, 100),
        link(1, 3, 100, 100),
        link(2, 4, 1, 100),
        link(4, 3, 1, 100),
        link(2, 5, 100, 20_000),
        link(5, 3, 100, 20_000),
    ];
    let topology = Topology::new(kinds, links).unwrap();
    let routes = Routes::compute(&topology, NextHopOrder::AscendingNode, EcmpHash::Seeded(1));
    let found = EqualPaths::new(Arc::new(routes)).between(NodeId(0), NodeId(1), MTU);
    let seen: Vec<(u64, u64)> = found
        .iter()
        .map(|path| {
            (
                path.base_rtt.as_ns(),
                path.bottleneck.as_bps() / 1_000_000_000,
            )
        })
        .collect();
    // ACKs come back over the short way, in 400 ns, whatever the data takes.
    assert_eq!(
        seen,
        [(400 + 400 + 160 + 16_000, 1), (40_200 + 400 + 320, 100)]
    );
}

#[test]
fn fabrics_whose_paths_agree_are_not_searched() {
    let topology = FatTreeConfig::default();
    let topology = topology.build().unwrap();
    let routes = Routes::compute(&topology, NextHopOrder::AscendingNode, EcmpHash::Seeded(1));
    let mut equal = EqualPaths::new(Arc::new(routes.clone()));
    assert!(equal.is_uniform());
    let path = routes.path_info(NodeId(0), NodeId(127), MTU);
    assert_eq!(
        equal.between(NodeId(0), NodeId(127), MTU),
        Vec::from_iter(path)
    );
}
