//! Fabrics as engineers describe them, and impossible ones.

use fabricsim_base::flow::FlowKey;
use proptest::prelude::*;

use super::*;
use crate::ecmp::EcmpHash;
use crate::node_finder::NodeFinder;
use crate::routes::{NextHopOrder, Routes};

fn tier(switches: u32) -> ClosTier {
    ClosTier::with_required(switches)
}

/// Four pods of eight top-of-rack switches with 24 hosts at 25 Gbps each, 3:1 oversubscribed; two
/// aggregation switches to a pod and four cores.
fn three_tiers() -> ClosConfig {
    let tor = ClosTier {
        oversubscription: Some(3.0),
        ..tier(8)
    };
    let agg = ClosTier { pods: 4, ..tier(2) };
    ClosConfig {
        hosts_per_rack: 24,
        ..ClosConfig::new(vec![tor, agg, tier(4)])
    }
}

/// Returns the bits per second of the ports of `name` to nodes in `tier`.
fn rate_towards(topology: &Topology, name: &str, tier: &str) -> u64 {
    let node = NodeFinder::new(topology).find(name).expect("a node");
    let part = |node| {
        let name = topology.name(node).rsplit('/').next().unwrap_or_default();
        name.starts_with(tier)
    };
    let ports = topology.ports(node).iter();
    let ports = ports.filter(|port| part(port.peer));
    ports.map(|port| port.rate.as_bps()).sum()
}

fn refused(config: &ClosConfig) -> (&'static str, String, String) {
    let error = config.build().expect_err("it cannot be built");
    (error.key, error.message, error.help)
}

#[test]
fn three_tiers_have_their_counts_rates_and_names() {
    let fabric = three_tiers().build().expect("a fabric");
    assert_eq!(fabric.hosts().len(), 4 * 8 * 24);
    assert_eq!(fabric.switches().count(), 4 * 8 + 4 * 2 + 4);
    assert_eq!(fabric.tier_names(), ["host", "tor", "agg", "core"]);
    let down = rate_towards(&fabric, "pod1/tor3", "host");
    let up = rate_towards(&fabric, "pod1/tor3", "agg");
    assert_eq!((down, up), (600_000_000_000, 200_000_000_000));
    assert_eq!(
        rate_towards(&fabric, "pod3/agg1", "core"),
        400_000_000_000,
        "one uplink to each core"
    );
    let host = NodeFinder::new(&fabric).find("pod1/tor3/host5");
    assert_eq!(host, Some(NodeId((8 + 3) * 24 + 5)));
    assert_eq!(fabric.name(NodeId(768)), "pod0/tor0");
    assert_eq!(fabric.name(NodeId(811)), "core3");
}

#[test]
fn two_tiers_are_a_leaf_spine() {
    let config = ClosConfig {
        host_rate: Rate::from_gbps(100),
        ..ClosConfig::new(vec![
            ClosTier {
                uplink_rate: Some(Rate::from_gbps(400)),
                ..tier(4)
            },
            tier(4),
        ])
    };
    let clos = config.build().expect("a fabric");
    let known = crate::LeafSpineConfig::default().build().expect("a fabric");
    assert_eq!(clos.links(), known.links());
    assert_eq!(clos.name(NodeId(0)), "leaf0/host0");
    assert_eq!(clos.name(NodeId(67)), "leaf3");
}

#[test]
fn a_fat_tree_has_cores_in_planes() {
    let rate = Some(Rate::from_gbps(400));
    let half = |tier| ClosTier {
        uplink_rate: rate,
        ..tier
    };
    let pods = ClosTier {
        pods: 8,
        ..half(tier(4))
    };
    let cores = ClosTier {
        planes: 4,
        ..tier(16)
    };
    let config = ClosConfig {
        hosts_per_rack: 4,
        host_rate: Rate::from_gbps(100),
        ..ClosConfig::new(vec![half(tier(4)), pods, cores])
    };
    let clos = config.build().expect("a fabric");
    let tree = crate::FatTreeConfig::default().build().expect("a fat-tree");
    assert_eq!(clos.links(), tree.links());
}

#[test]
fn four_tiers_have_pods_in_zones() {
    let zone = ClosTier {
        pods: 2,
        pod_name: "zone".to_owned(),
        ..tier(2)
    };
    let pod = ClosTier { pods: 3, ..tier(2) };
    let config = ClosConfig {
        hosts_per_rack: 2,
        ..ClosConfig::new(vec![tier(2), pod, zone, tier(4)])
    };
    let fabric = config.build().expect("a fabric");
    assert_eq!(fabric.hosts().len(), 2 * 3 * 2 * 2);
    let finder = NodeFinder::new(&fabric);
    for name in [
        "zone1/pod2/tor1/host1",
        "zone1/pod2/agg0",
        "zone0/spine1",
        "core3",
    ] {
        assert!(finder.find(name).is_some(), "{name}");
    }
    assert_eq!(fabric.tier_names(), ["host", "tor", "agg", "spine", "core"]);
}

#[test]
fn uplinks_are_parallel_where_there_are_more_than_switches() {
    let mut config = three_tiers();
    config.tiers[0].oversubscription = None;
    config.tiers[0].uplinks = Some(6);
    let fabric = config.build().expect("a fabric");
    assert_eq!(rate_towards(&fabric, "pod0/tor0", "agg0"), 300_000_000_000);
    assert_eq!(rate_towards(&fabric, "pod0/tor0", "agg1"), 300_000_000_000);
}

#[test]
fn racks_may_have_rates_of_their_own() {
    let storage = ClosRack {
        hosts: Some(12),
        host_rate: Some(Rate::from_gbps(100)),
        ..ClosRack::with_required(vec!["pod3/*".to_owned(), "pod0/tor7".to_owned()])
    };
    let config = ClosConfig {
        racks: vec![storage],
        ..three_tiers()
    };
    let fabric = config.build().expect("a fabric");
    for (rack, down, up) in [
        ("pod3/tor0", 1200, 400),
        ("pod0/tor7", 1200, 400),
        ("pod0/tor6", 600, 200),
    ] {
        let gbps = |tier| rate_towards(&fabric, rack, tier) / 1_000_000_000;
        assert_eq!((gbps("host"), gbps("agg")), (down, up), "{rack}");
    }
    assert!(NodeFinder::new(&fabric).find("pod3/tor0/host12").is_none());
}

#[test]
fn hosts_with_two_nics_hang_on_two_racks() {
    let config = ClosConfig {
        nics_per_host: 2,
        ..three_tiers()
    };
    let fabric = config.build().expect("a fabric");
    let finder = NodeFinder::new(&fabric);
    let host = finder.find("pod1/tor3/host0").expect("a host");
    let peers: Vec<&str> = fabric
        .ports(host)
        .iter()
        .map(|port| fabric.name(port.peer))
        .collect();
    assert_eq!(peers, ["pod1/tor2", "pod1/tor3"]);
    assert_eq!(rate_towards(&fabric, "pod1/tor3", "agg"), 400_000_000_000);
    let one = ClosRack {
        hosts: Some(1),
        ..ClosRack::with_required(vec!["pod1/tor3".to_owned()])
    };
    let (key, message, help) = refused(&ClosConfig {
        racks: vec![one],
        ..config
    });
    assert_eq!(key, "racks");
    assert!(
        message.starts_with("pod1/tor2 and pod1/tor3 share hosts"),
        "{message}"
    );
    assert_eq!(help, "name all of pod1/tor2, pod1/tor3 in `at`");
}

#[test]
fn all_routes_between_pods_are_equally_long() {
    let fabric = three_tiers().build().expect("a fabric");
    let routes = Routes::compute(&fabric, NextHopOrder::AscendingNode, EcmpHash::Seeded(1));
    let finder = NodeFinder::new(&fabric);
    let node = |name| finder.find(name).expect("a node");
    let length = |src, dst, src_port| {
        let key = FlowKey {
            src: node(src),
            dst: node(dst),
            src_port,
            dst_port: 100,
        };
        routes.trace(&key).len()
    };
    for port in 10_000..10_020 {
        assert_eq!(length("pod0/tor0/host0", "pod0/tor0/host1", port), 3);
        assert_eq!(length("pod0/tor0/host0", "pod0/tor1/host0", port), 5);
        assert_eq!(length("pod0/tor0/host0", "pod3/tor7/host23", port), 7);
    }
    assert_eq!(
        routes
            .next_hops(node("pod0/tor0"), node("pod3/tor7/host23"))
            .len(),
        2
    );
    assert_eq!(
        routes
            .next_hops(node("pod0/agg0"), node("pod3/tor7/host23"))
            .len(),
        4
    );
}

/// Returns the error of three tiers after a `change`.
fn changed(change: &dyn Fn(&mut ClosConfig)) -> String {
    let mut config = three_tiers();
    change(&mut config);
    let (key, message, help) = refused(&config);
    format!("{key}: {message} / {help}")
}

fn has(text: impl AsRef<str>, parts: &[&str]) {
    let text = text.as_ref();
    for part in parts {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn tiers_that_cannot_be_built_are_refused() {
    has(
        changed(&|c| c.tiers[0].switches = 0),
        &["tier `tor`, `switches`: 0 is too few"],
    );
    has(
        changed(&|c| c.tiers[0].uplinks = Some(2)),
        &["tier `tor`, `oversubscription`: `uplinks` is given too"],
    );
    has(
        changed(&|c| c.tiers[1].uplinks = Some(6)),
        &[
            "tier `agg`, `uplinks`: 6 links cannot be spread evenly over 4 switches",
            "multiple of 4",
        ],
    );
    has(
        changed(&|c| c.tiers[0].oversubscription = Some(2.5)),
        &[
            "pod0/tor0 has 600Gbps downwards, so 2.5:1 needs 2.4 uplinks of 100Gbps",
            "2 are 3:1, 4 are 1.5:1",
        ],
    );
    for ratio in [0.0, -1.0, f64::NAN, 1e-30, 1e30] {
        has(
            changed(&|c| c.tiers[0].oversubscription = Some(ratio)),
            &["tier `tor`, `oversub"],
        );
    }
    has(
        changed(&|c| c.tiers[2].planes = 3),
        &["tier `core`, `planes`", "over 3 planes"],
    );
    has(
        changed(&|c| {
            c.tiers.remove(1);
            c.tiers[1].planes = 2;
        }),
        &["hosts under switches of different planes would not reach each other"],
    );
    has(
        changed(&|c| c.tiers[0].planes = 2),
        &["the lowest tier has `planes`"],
    );
    has(
        changed(&|c| c.tiers[2].pods = 2),
        &["nothing joins the 2 pods"],
    );
    has(
        changed(&|c| c.tiers[2].uplinks = Some(1)),
        &["tier `core`, `uplinks`: no tier is above"],
    );
    has(
        changed(&|c| c.tiers[0].uplink_delay = Some(Duration::ZERO)),
        &["tier `tor`, `uplink_delay`"],
    );
}

#[test]
fn hosts_and_racks_that_cannot_be_built_are_refused() {
    has(
        changed(&|c| c.host_delay = Duration::ZERO),
        &["host_delay: "],
    );
    has(
        changed(&|c| c.tiers[1].name = Some("tor".into())),
        &["another tier has the name `tor`"],
    );
    has(
        changed(&|c| c.tiers[1].name = Some("a b".into())),
        &["nodes cannot be called `a b`"],
    );
    has(
        changed(&|c| c.nics_per_host = 3),
        &["nics_per_host: 8 switches of a pod"],
    );
    has(
        changed(&|c| c.tiers[0].pods = u32::MAX),
        &["switches, more than"],
    );
    has(
        changed(&|c| c.hosts_per_rack = u32::MAX),
        &["hosts_per_rack: this gives a switch"],
    );
    let at =
        |places: &[&str]| ClosRack::with_required(places.iter().map(|&p| p.to_owned()).collect());
    has(
        changed(&|c| c.racks = vec![at(&["pod4/tor0"])]),
        &["racks: `at` names `pod4/tor0`", "pod0/tor0 to pod3/tor7"],
    );
    has(
        changed(&|c| c.racks = vec![at(&["pod0/*", "pod0/tor1"])]),
        &["`pod0/tor1` for the second time"],
    );
    has(
        changed(&|c| c.racks = vec![at(&[])]),
        &["`at` names no rack"],
    );
}

proptest! {
    /// Every switch has the ports that the counts give it, every name belongs to its node, and all
    /// pairs of hosts in different pods have the same distance.
    #[test]
    fn fabrics_of_any_counts_are_regular(
        counts in proptest::collection::vec((1u32..4, 1u32..3, 1u32..3), 2..5),
        hosts in 1u32..4,
        two_planes: bool,
    ) {
        let top = counts.len() - 1;
        let tiers = counts.iter().enumerate().map(|(at, &(switches, pods, parallel))| ClosTier {
            pods: if at == top { 1 } else { pods },
            planes: if at > 1 && two_planes { 2 } else { 1 },
            uplinks: (at < top).then(|| 2 * counts[at + 1].0 * parallel / if at > 0 && two_planes { 2 } else { 1 }),
            ..tier(2 * switches)
        });
        let config = ClosConfig { hosts_per_rack: hosts, ..ClosConfig::new(tiers.collect()) };
        let fabric = config.build().expect("even counts and whole planes");
        let finder = NodeFinder::new(&fabric);
        for node in (0..fabric.len()).map(NodeId::from_index) {
            prop_assert_eq!(finder.find(fabric.name(node)), Some(node));
        }
        let shape = Shape::of(&config.tiers).expect("it has been built");
        for (at, level) in shape.levels.iter().enumerate() {
            let up = config.tiers[at].uplinks.unwrap_or(0);
            let down = match at {
                0 => hosts,
                _ => {
                    let below = &shape.levels[at - 1];
                    let links = below.count() * config.tiers[at - 1].uplinks.unwrap_or(0);
                    links / level.count()
                }
            };
            for index in level.first..level.first + level.count() {
                let switch = NodeId::from_index(fabric.hosts().len() + index as usize);
                prop_assert_eq!(fabric.ports(switch).len(), (up + down) as usize);
            }
        }
    }
}
