//! Durations of collectives on an idle star, exact to the picosecond, computed from link rate,
//! delay and packet sizes.
//!
//! A member that has received a message sends the last packet's ACK and then its next message, so
//! consecutive steps are an ACK's transmission apart. Messages are short enough that a member has
//! sent its own before the first packet of that step arrives, so ACKs delay no packet.

use crate::collectives::row::run;
use crate::collectives::star::{Link, Star, Tree, parents};

/// Picoseconds for a byte at 100 Gbps.
const BYTE: u64 = 80;
const DELAY: u64 = 1_000_000;
const MTU: u64 = 1_000;
/// Headers of a data packet, and the transmission time of an ACK.
const HEADER: u64 = 48;
const ACK: u64 = 60 * BYTE;

/// Transmission time of a packet with `payload` bytes.
const fn packet(payload: u64) -> u64 {
    (payload + HEADER) * BYTE
}

/// Time from the start of a message of `bytes` to the delivery of its last byte: the delays of both
/// links, the sum of all transmissions at the host, and one more transmission at the switch.
fn message(bytes: u64) -> u64 {
    let headers = bytes.div_ceil(MTU) * HEADER;
    2 * DELAY + (bytes + headers) * BYTE + packet(bytes.min(MTU))
}

/// Time of messages that wait for one another.
fn chain(sizes: impl IntoIterator<Item = u64>) -> u64 {
    let times: Vec<u64> = sizes.into_iter().map(message).collect();
    times.iter().sum::<u64>() + (times.len() as u64 - 1) * ACK
}

/// Returns the duration of a collective of all hosts of a star.
fn duration(hosts: u64, cc: &str, keys: &str) -> u64 {
    let text = format!(
        r#"
            [topology]
            kind = "star"
            hosts = {hosts}
            rate = "100Gbps"
            delay = "1us"
            [cc]
            kind = "{cc}"
            [[workload]]
            kind = "collective"
            {keys}
        "#
    );
    let (summary, _, rows) = run(&text, 1);
    assert_eq!((rows.len(), rows[0].start), (1, 0));
    let completion = summary.jobs[0].completion_ns.unwrap();
    assert!((completion * 1e3 - rows[0].duration as f64).abs() < 1.0);
    rows[0].duration
}

fn collective(operation: &str, algorithm: &str, size: u64) -> String {
    format!(
        r#"operation = "{operation}"
        algorithm = "{algorithm}"
        size = "{size}B""#
    )
}

const COUNTS: [u64; 3] = [2, 8, 64];
/// Bytes of a block: part of a packet, one packet, several packets. None is shorter than an ACK on
/// the wire, because such a block would delay the packet behind its ACK.
const BLOCKS: [u64; 4] = [12, 700, 1_000, 4_500];

#[test]
fn rings_take_their_steps() {
    for n in COUNTS {
        for block in BLOCKS {
            for (operation, steps) in [
                ("all-reduce", 2 * (n - 1)),
                ("all-gather", n - 1),
                ("reduce-scatter", n - 1),
            ] {
                for cc in ["dcqcn", "none"] {
                    let keys = collective(operation, "ring", n * block);
                    let expected = chain((0..steps).map(|_| block));
                    assert_eq!(duration(n, cc, &keys), expected, "{n} {block} {operation}");
                }
            }
        }
    }
}

/// HPCC aims below the line rate and its packets carry telemetry, so the ring takes a little more
/// time.
#[test]
fn a_ring_under_hpcc_takes_little_more() {
    for n in COUNTS {
        let keys = collective("all-reduce", "ring", n * 1_000);
        let expected = chain((0..2 * (n - 1)).map(|_| 1_000));
        let found = duration(n, "hpcc", &keys);
        assert!((expected..expected * 102 / 100).contains(&found), "{n}");
    }
}

#[test]
fn halving_and_doubling_takes_a_step_for_each_power_of_two() {
    for n in COUNTS {
        for block in [12, 100] {
            let halves: Vec<u64> = (0..n.ilog2())
                .map(|step| (n >> (step + 1)) * block)
                .collect();
            let size = n * block;
            let gather = halves.iter().rev().copied();
            let keys = |operation| collective(operation, "halving-doubling", size);
            assert_eq!(
                duration(n, "none", &keys("reduce-scatter")),
                chain(halves.iter().copied())
            );
            assert_eq!(
                duration(n, "none", &keys("all-gather")),
                chain(gather.clone())
            );
            assert_eq!(
                duration(n, "none", &keys("all-reduce")),
                chain(halves.iter().copied().chain(gather))
            );
        }
    }
}

#[test]
fn a_hierarchical_all_reduce_takes_the_steps_of_its_rings() {
    for (n, local) in [(8, 4), (64, 8)] {
        let (nodes, block) = (n / local, 300);
        let inside = (0..local - 1).map(|_| nodes * block);
        let outside = (0..2 * (nodes - 1)).map(|_| block);
        let keys = collective("all-reduce", "hierarchical", n * block);
        assert_eq!(
            duration(n, "none", &format!("{keys}\nlocal_size = {local}")),
            chain(inside.clone().chain(outside).chain(inside)),
        );
    }
}

/// The packets of the second ring follow the packets of the first, an ACK and a transmission later.
#[test]
fn the_second_of_two_rings_ends_behind_the_first() {
    for n in COUNTS {
        for block in [100, 1_000] {
            let keys = collective("all-reduce", "bidirectional-ring", 2 * n * block);
            let first = chain((0..2 * (n - 1)).map(|_| block));
            assert_eq!(
                duration(n, "none", &keys),
                first + ACK + packet(block),
                "{n}"
            );
        }
    }
}

#[test]
fn all_to_all_fills_the_links() {
    for n in COUNTS {
        let block = 100;
        // Each host sends one packet behind the other, and each round is a permutation.
        let direct = message(block) + (n - 2) * packet(block);
        let keys = |algorithm| collective("all-to-all", algorithm, n * block);
        assert_eq!(duration(n, "none", &keys("direct")), direct, "{n}");
        // Each round waits for the ACKs of the round before.
        let round = message(block) + 2 * (DELAY + ACK);
        let pairwise = (n - 2) * round + message(block);
        assert_eq!(duration(n, "none", &keys("pairwise")), pairwise, "{n}");
    }
}

/// Returns when the last member of a binomial tree gets the data. Each member sends one packet
/// after the other, since short messages do not wait for ACKs.
fn binomial(at: u64, reach: u64, place: u64, n: u64, bytes: u64) -> u64 {
    let acked = if place == 0 { at } else { at + ACK };
    let mut last = at;
    let mut sent = 0;
    let mut reach = reach;
    while reach > 1 {
        reach /= 2;
        if place + reach < n {
            let arrival = acked + sent * packet(bytes) + message(bytes);
            sent += 1;
            last = last.max(binomial(arrival, reach, place + reach, n, bytes));
        }
    }
    last
}

#[test]
fn broadcasts_take_the_time_of_their_slowest_way() {
    for n in COUNTS.into_iter().chain([13]) {
        let bytes = 1_000;
        let keys = collective("broadcast", "binomial", bytes);
        let expected = binomial(0, n.next_power_of_two(), 0, n, bytes);
        assert_eq!(duration(n, "none", &format!("{keys}\nroot = 1")), expected);
        let keys = collective("broadcast", "chain", bytes);
        assert_eq!(
            duration(n, "none", &keys),
            chain((1..n).map(|_| bytes)),
            "{n}"
        );
    }
}

/// The second member of a pipeline sends an ACK and a chunk for each chunk, which sets the pace.
#[test]
fn a_chain_of_chunks_is_a_pipeline() {
    for n in [8, 64] {
        for chunks in [2, 9] {
            let keys = collective("broadcast", "chain", chunks * MTU);
            let pace = ACK + packet(MTU);
            let expected = chain((1..n).map(|_| MTU)) + (chunks - 1) * pace;
            let keys = format!("{keys}\nchunks = {chunks}");
            assert_eq!(duration(n, "none", &keys), expected, "{n} {chunks}");
        }
    }
}

/// Compares with an independent model of a star. The trees follow the rule of the paper: an inner
/// member of one tree is a leaf of the other.
#[test]
fn a_double_binary_tree_takes_what_an_independent_model_says() {
    for n in COUNTS.into_iter().chain([3, 4, 5, 6, 7, 13, 16]) {
        for block in [100, 1_000] {
            let keys = collective("all-reduce", "double-binary-tree", 2 * block);
            let link = Link {
                gbps: 100,
                delay: DELAY,
            };
            let tree = Tree::new(parents(usize::try_from(n).unwrap()));
            let expected = Star::new(n, link, MTU).two_trees(tree, (block, block));
            let found = duration(n, "none", &keys);
            assert_eq!(found, expected, "{n} {block}");
        }
    }
    // Two members: one message up and one down.
    let keys = collective("all-reduce", "double-binary-tree", 2_000);
    assert_eq!(duration(2, "none", &keys), chain([1_000, 1_000]));
}

#[test]
fn send_receive_takes_one_message() {
    for n in COUNTS {
        let keys = collective("send-receive", "ring", 4_500);
        assert_eq!(duration(n, "none", &keys), message(4_500));
    }
}

/// All hosts of an edge switch are equally far from one another. Each step of the ring takes as
/// long as its longest hop, which leaves the pod.
#[test]
fn a_ring_on_a_fat_tree_takes_the_steps_of_its_longest_hop() {
    let text = r#"
        [topology]
        kind = "fat-tree"
        k = 4
        host_rate = "100Gbps"
        fabric_rate = "100Gbps"
        link_delay = "1us"
        [cc]
        kind = "none"
        [[workload]]
        kind = "collective"
        operation = "all-reduce"
        size = "2000B"
        hosts = ["0", "4"]
    "#;
    let (_, _, rows) = run(text, 1);
    // A hop has six links and five switches, each of which stores the packet.
    let hop = 6 * DELAY + 6 * packet(1_000);
    assert_eq!(rows[0].duration, 2 * hop + ACK);
}
