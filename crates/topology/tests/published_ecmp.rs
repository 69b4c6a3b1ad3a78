//! Next hops and base round-trip times of the published HPCC simulator's fabrics.
//!
//! The tables in `data` list the next hops of that simulator for ranges of nodes and destinations,
//! in its order; the word `destination` represents the destination itself.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

use std::fmt::Write as _;

use fabricsim_base::id::NodeId;
use fabricsim_base::units::{Bytes, Duration};
use fabricsim_topology::{
    EcmpHash, FatTreeConfig, NextHopOrder, PathStats, Preset, Routes, Topology, parse_hpcc,
};

/// The 64-host fabric of its link list: four pods of two top-of-rack and two aggregation switches,
/// eight hosts to a top-of-rack switch; even aggregation switches on cores 80 and 81, odd ones on
/// 82 and 83.
fn mid64() -> Topology {
    let mut text = String::from("84 20 96\n");
    for switch in 64..84 {
        write!(text, "{switch} ").unwrap();
    }
    let hosts = (0..64).map(|host| (host, 64 + host / 8, 100));
    let pods = (0..16).map(|i| (64 + i / 2, 72 + i / 4 * 2 + i % 2, 400));
    let cores = (0..16).map(|i| (72 + i / 2, 80 + i % 4, 400));
    for (a, b, gbps) in hosts.chain(pods).chain(cores) {
        write!(text, "\n{a} {b} {gbps}Gbps 1000ns 0.000000").unwrap();
    }
    parse_hpcc(&text).unwrap()
}

fn fat320() -> Topology {
    let config = FatTreeConfig {
        preset: Some(Preset::HpccFat320),
        ..FatTreeConfig::default()
    };
    config.build().unwrap()
}

/// Compares every pair in the table, and returns the number of pairs.
fn compare(topology: &Topology, table: &str) -> usize {
    let routes = Routes::compute(topology, NextHopOrder::DescendingNode, EcmpHash::Ns3);
    let mut compared = 0;
    for line in table
        .lines()
        .skip_while(|line| !line.starts_with("first_node"))
        .skip(1)
    {
        let (ranges, hops) = line.rsplit_once(',').unwrap();
        let ranges: Vec<u32> = ranges.split(',').map(|n| n.parse().unwrap()).collect();
        for node in ranges[0]..=ranges[1] {
            for dst in (ranges[2]..=ranges[3]).filter(|&dst| dst != node) {
                let expected: Vec<u32> = match hops {
                    "destination" => vec![dst],
                    list => list.split(' ').map(|n| n.parse().unwrap()).collect(),
                };
                let found = routes.next_hops(NodeId(node), NodeId(dst));
                let found: Vec<u32> = found.iter().map(|(next, _)| next.0).collect();
                assert_eq!(found, expected, "from {node} to {dst}");
                compared += 1;
            }
        }
    }
    compared
}

#[test]
fn next_hops_of_the_64_host_fabric() {
    let compared = compare(&mid64(), include_str!("data/mid64_next_hops.csv"));
    assert_eq!(compared, 84 * 64 - 64, "every pair once");
}

#[test]
fn next_hops_of_the_320_host_fabric() {
    let compared = compare(&fat320(), include_str!("data/fat320_next_hops.csv"));
    assert_eq!(compared, 376 * 320 - 320, "every pair once");
}

#[test]
fn longest_base_rtt_and_largest_bdp() {
    let expected = PathStats {
        base_rtt: Duration::from_ns(12_240),
        bdp: Bytes::new(153_000),
        switches: 5,
    };
    for topology in [mid64(), fat320()] {
        let routes = Routes::compute(&topology, NextHopOrder::DescendingNode, EcmpHash::Ns3);
        assert_eq!(routes.path_stats(Bytes::new(1_000)), expected);
    }
}
