//! Ring all-reduces on an idle fat-tree, exact to the picosecond.
//!
//! Ranks follow the order of hosts, so one message at a time leaves each edge switch and each pod,
//! and one enters it. No message meets another one, on any path that a hash picks. A block
//! therefore waits for the sum of its hops. A block goes around the ring twice except for two hops,
//! so the collective takes all hops but the best two, and an ACK's transmission between hops.

use crate::collectives::row::run;

/// Picoseconds for a byte at 100 Gbps.
const BYTE: u64 = 80;
const DELAY: u64 = 1_000_000;
const MTU: u64 = 1_000;
const HEADER: u64 = 48;
const ACK: u64 = 60 * BYTE;

/// Returns the number of links from a host to the next one in a fat-tree of `k` ports.
fn links(k: u64, from: u64, to: u64) -> u64 {
    let of_edge = k / 2;
    if from / of_edge == to / of_edge {
        2
    } else if from / of_edge.pow(2) == to / of_edge.pow(2) {
        4
    } else {
        6
    }
}

/// Time from the start of a message to its delivery over so many links of one rate.
fn hop(links: u64, bytes: u64) -> u64 {
    let packet = |payload: u64| (payload + HEADER) * BYTE;
    let all = (bytes + bytes.div_ceil(MTU) * HEADER) * BYTE;
    links * DELAY + all + (links - 1) * packet(bytes.min(MTU))
}

/// Returns the time of a ring of the first `n` hosts with blocks of `bytes`.
fn ring(k: u64, n: u64, bytes: u64) -> u64 {
    let hops: Vec<u64> = (0..n)
        .map(|at| hop(links(k, at, (at + 1) % n), bytes))
        .collect();
    let steps = 2 * (hops.len() - 1);
    let from = |first: usize| hops.iter().cycle().skip(first).take(steps).sum::<u64>();
    let longest = (0..hops.len()).map(from).max().unwrap_or(0);
    longest + (steps as u64 - 1) * ACK
}

fn duration(k: u64, n: u64, bytes: u64, cc: &str) -> u64 {
    let text = format!(
        r#"
            [topology]
            kind = "fat-tree"
            k = {k}
            host_rate = "100Gbps"
            fabric_rate = "100Gbps"
            link_delay = "1us"
            [cc]
            kind = "{cc}"
            [[workload]]
            kind = "collective"
            operation = "all-reduce"
            size = "{}B"
            ranks = {n}
        "#,
        n * bytes
    );
    run(&text, 1).2[0].duration
}

#[test]
fn a_ring_in_the_order_of_hosts_takes_the_hops_of_its_slowest_block() {
    for (k, n) in [(4, 8), (4, 16), (8, 8), (8, 64)] {
        for bytes in [700, 1_000] {
            for cc in ["none", "dcqcn"] {
                let expected = ring(k, n, bytes);
                assert_eq!(duration(k, n, bytes, cc), expected, "{k} {n} {bytes} {cc}");
            }
        }
    }
}

/// ACKs of a message of several packets now and then delay packets of another one.
#[test]
fn blocks_of_several_packets_take_little_more() {
    for (k, n) in [(4, 8), (8, 8), (8, 64)] {
        let (least, found) = (ring(k, n, 4_500), duration(k, n, 4_500, "none"));
        assert!(
            found >= least && found < least + least / 200,
            "{least} {found}"
        );
    }
}
