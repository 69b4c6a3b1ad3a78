//! Running times for large networks. `cargo test --release -p fabricsim-topology -- --ignored
//! --nocapture` prints the times.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

use std::time::Instant;

use fabricsim_base::flow::FlowKey;
use fabricsim_base::id::NodeId;
use fabricsim_base::units::Bytes;
use fabricsim_topology::{
    ChainConfig, EcmpHash, FatTreeConfig, IspConfig, LeafSpineConfig, NextHopOrder, Preset, Routes,
    Topology,
};

fn measure(config: &FatTreeConfig) -> (usize, f64) {
    let start = Instant::now();
    let topology = config.build().unwrap();
    let built = start.elapsed();
    let start = Instant::now();
    let routes = Routes::compute(&topology, NextHopOrder::AscendingNode, EcmpHash::Seeded(1));
    let routed = start.elapsed();
    let start = Instant::now();
    let path_stats = routes.path_stats(Bytes::new(1_000));
    let searched = start.elapsed();
    assert_eq!(path_stats.switches, 5);
    let hosts = topology.hosts().len();
    println!("{hosts} hosts: built {built:?}, routed {routed:?}, path_stats {searched:?}");
    for hash in [EcmpHash::Seeded(1), EcmpHash::Ns3] {
        println!("  {hash:?}: {:.1} ns for a pick", pick_ns(&topology, hash));
    }
    (hosts, (built + routed + searched).as_secs_f64())
}

/// Returns the mean time of a forwarding decision with a choice, at the first host's switch.
fn pick_ns(topology: &Topology, hash: EcmpHash) -> f64 {
    let routes = Routes::compute(topology, NextHopOrder::AscendingNode, hash);
    let mut switch = routes.switch(topology.ports(NodeId(0))[0].peer);
    let last = topology.hosts()[topology.hosts().len() - 1].0;
    let start = Instant::now();
    let mut sum = 0u64;
    for n in 0..10_000_000u32 {
        let (dst, src_port) = (NodeId(last - n % 64), u16::try_from(n % 65_521).unwrap());
        let key = FlowKey {
            src: NodeId(0),
            dst,
            src_port,
            dst_port: 100,
        };
        sum += switch.next_hop(&key).map_or(0, |port| u64::from(port.0));
    }
    assert!(sum > 0);
    start.elapsed().as_nanos() as f64 / 1e7
}

#[test]
#[ignore = "a measurement"]
fn the_papers_fabric_takes_milliseconds() {
    let config = FatTreeConfig {
        preset: Some(Preset::HpccFat320),
        ..FatTreeConfig::default()
    };
    let (hosts, seconds) = measure(&config);
    assert_eq!(hosts, 320);
    assert!(seconds < 0.1, "{seconds} s");
}

#[test]
#[ignore = "a measurement"]
fn sixty_five_thousand_hosts_take_seconds() {
    let (hosts, seconds) = measure(&FatTreeConfig {
        k: 64,
        ..FatTreeConfig::default()
    });
    assert_eq!(hosts, 65_536);
    assert!(seconds < 12.0, "{seconds} s");
}

/// Builds, routes and searches the network of `build`, and returns the time in seconds.
fn seconds(name: &str, build: impl FnOnce() -> Topology) -> f64 {
    let begun = Instant::now();
    let topology = build();
    let built = begun.elapsed();
    let routes = Routes::compute(&topology, NextHopOrder::AscendingNode, EcmpHash::Seeded(1));
    let routed = begun.elapsed() - built;
    let path_stats = routes.path_stats(Bytes::new(1_000));
    let all = begun.elapsed();
    println!(
        "{name}: built {built:?}, routed {routed:?}, path_stats {:?}: {path_stats:?}",
        all - routed - built
    );
    all.as_secs_f64()
}

#[test]
#[ignore = "a measurement"]
fn long_and_wide_networks_take_seconds() {
    let chain = ChainConfig {
        switches: 5_000,
        hosts_per_switch: 1,
        ..ChainConfig::default()
    };
    let isp = IspConfig {
        switches: 5_000,
        ..IspConfig::default()
    };
    let leaf_spine = LeafSpineConfig {
        hosts_per_leaf: 12,
        leaves: 5_000,
        spines: 536,
        ..LeafSpineConfig::default()
    };
    assert!(seconds("chain", || chain.build().unwrap()) < 6.0);
    assert!(seconds("isp", || isp.build().unwrap()) < 6.0);
    assert!(seconds("leaf-spine", || leaf_spine.build().unwrap()) < 20.0);
}
