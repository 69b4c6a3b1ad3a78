//! Expected traffic of links, compared with all paths of all pairs and with closed forms.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

use std::time::Instant;

use fabricsim_base::id::NodeId;
use fabricsim_base::units::{Duration, Rate};
use fabricsim_topology::{
    Demand, EcmpHash, FatTreeConfig, LeafSpineConfig, Link, NextHopOrder, NoSpread, NodeKind,
    Routes, Term, Topology, spread,
};
use proptest::prelude::*;

fn link(a: usize, b: usize) -> Link {
    Link {
        a: NodeId::from_index(a),
        b: NodeId::from_index(b),
        rate: Rate::from_gbps(100),
        delay: Duration::from_us(1),
        loss: 0.0,
    }
}

/// A random tree of switches with extra and parallel links, many hosts on one switch, some on two
/// or three. Hosts have the lowest ids.
fn networks() -> impl Strategy<Value = Topology> {
    let any = any::<prop::sample::Index>;
    let trunk = prop::collection::vec(any(), 0..9);
    let extra = prop::collection::vec((any(), any()), 0..12);
    let hosts = prop::collection::vec(prop::collection::vec(any(), 1..4), 2..12);
    (trunk, extra, hosts).prop_map(|(trunk, extra, hosts)| {
        let (count, switches) = (hosts.len(), trunk.len() + 1);
        let mut kinds = vec![NodeKind::Host; count];
        kinds.resize(count + switches, NodeKind::Switch);
        let mut links = Vec::new();
        for (index, parent) in trunk.iter().enumerate() {
            links.push(link(count + index + 1, count + parent.index(index + 1)));
        }
        for (a, b) in extra {
            let (a, b) = (a.index(switches), b.index(switches));
            if a != b {
                links.push(link(count + a, count + b));
            }
        }
        for (host, on) in hosts.iter().enumerate() {
            // Every third host has several links.
            let on = if host % 3 == 0 { &on[..] } else { &on[..1] };
            links.extend(on.iter().map(|s| link(host, count + s.index(switches))));
        }
        Topology::new(kinds, links).unwrap()
    })
}

/// Factors from a few values, so that some hosts are equivalent.
fn demands(hosts: usize) -> impl Strategy<Value = Demand> {
    let factor = prop::sample::select(vec![0.0, 1.0, 1.0, 2.5]);
    let term = (
        prop::collection::vec(factor.clone(), hosts),
        prop::collection::vec(factor, hosts),
    );
    let pairs = prop::collection::vec((0..hosts, 0..hosts, 0.5..3.0f64), 0..3);
    (prop::collection::vec(term, 0..3), pairs).prop_map(|(terms, pairs)| Demand {
        terms: terms
            .into_iter()
            .map(|(sent, taken)| Term { sent, taken })
            .collect(),
        pairs: pairs.into_iter().filter(|(a, b, _)| a != b).collect(),
    })
}

/// Sends `amount` from `node` over every shortest path, hop by hop.
fn follow(routes: &Routes, node: NodeId, dst: NodeId, amount: f64, loads: &mut [[f64; 2]]) {
    if node == dst {
        return;
    }
    let topology = routes.topology();
    let hops = routes.next_hops(node, dst);
    for (next, port) in &hops {
        let link = topology.ports(node)[port.index()].link as usize;
        let share = amount / hops.len() as f64;
        loads[link][usize::from(topology.links()[link].a != node)] += share;
        follow(routes, *next, dst, share, loads);
    }
}

fn by_all_paths(topology: &Topology, demand: &Demand) -> Vec<[f64; 2]> {
    let routes = Routes::compute(topology, NextHopOrder::AscendingNode, EcmpHash::Seeded(1));
    let mut loads = vec![[0.0; 2]; topology.links().len()];
    let hosts = topology.hosts();
    for (from, &src) in hosts.iter().enumerate() {
        for (to, &dst) in hosts.iter().enumerate().filter(|(to, _)| *to != from) {
            let terms = demand.terms.iter();
            let sum: f64 = terms.map(|term| term.sent[from] * term.taken[to]).sum();
            let pairs = demand.pairs.iter();
            let pairs = pairs.filter(|pair| (pair.0, pair.1) == (from, to));
            let amount = sum + pairs.map(|pair| pair.2).sum::<f64>();
            if amount > 0.0 {
                follow(&routes, src, dst, amount, &mut loads);
            }
        }
    }
    loads
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn classes_carry_what_all_paths_carry(
        (topology, demand) in networks().prop_flat_map(|topology| {
            let hosts = topology.hosts().len();
            (Just(topology), demands(hosts))
        })
    ) {
        let found = spread(&topology, &demand).unwrap();
        for (link, (found, expected)) in found.loads.iter().zip(by_all_paths(&topology, &demand)).enumerate() {
            for (found, expected) in found.iter().zip(expected) {
                prop_assert!(
                    (found - expected).abs() <= 1e-9 * (1.0 + expected),
                    "link {link}: {found} instead of {expected}"
                );
            }
        }
    }
}

/// Every host sends one unit in all, in equal shares to all other hosts.
fn uniform(hosts: usize) -> Demand {
    let each = 1.0 / (hosts - 1) as f64;
    Demand {
        terms: vec![Term {
            sent: vec![each; hosts],
            taken: vec![1.0; hosts],
        }],
        pairs: Vec::new(),
    }
}

fn assert_near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 1e-9 * expected.max(1.0),
        "{found} instead of {expected}"
    );
}

#[test]
fn uplinks_of_a_leaf_carry_what_leaves_it() {
    let config = LeafSpineConfig {
        hosts_per_leaf: 9,
        leaves: 5,
        spines: 3,
        ..LeafSpineConfig::default()
    };
    let topology = config.build().unwrap();
    let loads = spread(&topology, &uniform(45)).unwrap().loads;
    // 36 of a host's 44 peers are under other leaves; nine hosts share three uplinks.
    let uplink = 9.0 * 36.0 / 44.0 / 3.0;
    for (link, load) in topology.links().iter().zip(loads) {
        let expected = if topology.is_host(link.a) || topology.is_host(link.b) {
            1.0
        } else {
            uplink
        };
        assert_near(load[0], expected);
        assert_near(load[1], expected);
    }
}

#[test]
fn links_of_a_fat_tree_carry_what_leaves_racks_and_pods() {
    for (k, limit_ms) in [(4u32, 100), (8, 100), (64, 1_500)] {
        let config = FatTreeConfig {
            k,
            ..FatTreeConfig::default()
        };
        let topology = config.build().unwrap();
        let hosts = topology.hosts().len();
        let begun = Instant::now();
        let loads = spread(&topology, &uniform(hosts)).unwrap().loads;
        let took = begun.elapsed();
        let (k, peers) = (f64::from(k), hosts as f64 - 1.0);
        let (rack, pod) = (k / 2.0, k * k / 4.0);
        // k/2 hosts share the k/2 uplinks of their rack, and k^2/4 hosts the k^2/4 uplinks of their
        // pod.
        let up = (hosts as f64 - rack) / peers;
        let core = (hosts as f64 - pod) / peers;
        let mut seen = [0u32; 3];
        let is_rack = |node| {
            topology
                .ports(node)
                .iter()
                .any(|port| topology.is_host(port.peer))
        };
        for (link, load) in topology.links().iter().zip(loads) {
            let (tier, expected) = if topology.is_host(link.a) || topology.is_host(link.b) {
                (0, 1.0)
            } else if is_rack(link.a) || is_rack(link.b) {
                (1, up)
            } else {
                (2, core)
            };
            seen[tier] += 1;
            assert_near(load[0], expected);
            assert_near(load[1], expected);
        }
        assert!(seen.iter().all(|&count| count > 0));
        println!("k = {k}: {hosts} hosts in {took:?}");
        assert!(took.as_millis() < limit_ms, "{took:?}");
    }
}

#[test]
fn ten_thousand_leaves_are_one_class() {
    let config = LeafSpineConfig {
        hosts_per_leaf: 2,
        leaves: 10_000,
        spines: 100,
        ..LeafSpineConfig::default()
    };
    let topology = config.build().unwrap();
    let loads = spread(&topology, &uniform(20_000)).unwrap().loads;
    assert_near(loads[20_000][0], 2.0 * 19_998.0 / 19_999.0 / 100.0);
}

#[test]
fn what_cannot_be_counted_is_said() {
    let linked = Topology::new(vec![NodeKind::Host; 2], vec![link(0, 1)]).unwrap();
    let hosts = NoSpread::LinkedHosts(NodeId(0), NodeId(1));
    assert_eq!(spread(&linked, &uniform(2)), Err(hosts));
    // In a chain of 20,000 switches with a host each, no two switches are equivalent.
    let count = 20_000;
    let mut kinds = vec![NodeKind::Host; count];
    kinds.resize(2 * count, NodeKind::Switch);
    let mut links: Vec<Link> = (0..count).map(|n| link(n, count + n)).collect();
    links.extend((1..count).map(|n| link(count + n - 1, count + n)));
    let chain = Topology::new(kinds, links).unwrap();
    let error = spread(&chain, &uniform(count)).unwrap_err();
    assert_eq!(error, NoSpread::TooLarge { classes: count });
}
