//! Collectives of 1 to 33 ranks on an idle star against closed forms: one latency for each step
//! that waits for the step before, and the transmission of each byte that one link must carry.
//!
//! Messages have from no byte to many packets. ACKs share the links: a closed form is the least
//! time, and each packet of a step may wait for an ACK at its host and at the switch.

use fabricsim::outcome::Status;

use crate::collectives::row::{Row, run};

/// Picoseconds for a byte at 100 Gbps.
const BYTE: u64 = 80;
const DELAY: u64 = 1_000_000;
const MTU: u64 = 9_000;
const HEADER: u64 = 48;
const ACK: u64 = 60 * BYTE;

/// A message of 0 bytes is sent as one byte.
fn packets(bytes: u64) -> u64 {
    bytes.max(1).div_ceil(MTU)
}

/// Transmission time of a message.
fn wire(bytes: u64) -> u64 {
    (bytes.max(1) + packets(bytes) * HEADER) * BYTE
}

/// Time from the start of a message to the delivery of its last byte: its packets follow one
/// another, and the switch stores the last one.
fn message(bytes: u64) -> u64 {
    2 * DELAY + wire(bytes) + (bytes.clamp(1, MTU) + HEADER) * BYTE
}

/// Returns how long packets may wait for ACKs in a step with messages of `bytes`.
fn acks(bytes: u64) -> u64 {
    2 * (packets(bytes) + 1) * ACK
}

/// The least and the greatest time.
type Bounds = (u64, u64);

/// Bounds of steps that wait for one another, each with a message of `bytes` or of a byte more.
fn steps(bytes: impl IntoIterator<Item = u64>) -> Bounds {
    bytes.into_iter().fold((0, 0), |(least, most), bytes| {
        let more = message(bytes + 1) + acks(bytes + 1);
        (least + message(bytes), most + more)
    })
}

/// Returns the row of the one collective that the hosts of a star run.
fn collective(n: u64, keys: &str) -> Row {
    // A star has at least two hosts.
    let hosts = n.max(2);
    let text = format!(
        r#"
            [topology]
            kind = "star"
            hosts = {hosts}
            rate = "100Gbps"
            delay = "1us"
            [rdma]
            mtu = "{MTU}B"
            [cc]
            kind = "none"
            window_bdp = 0
            [[workload]]
            kind = "collective"
            ranks = {n}
            {keys}
        "#
    );
    let (summary, _, mut rows) = run(&text, 1);
    assert_eq!((summary.status, rows.len()), (Status::Finished, 1));
    rows.remove(0)
}

fn expect(n: u64, (operation, algorithm): (&str, &str), (size, more): (u64, &str), bounds: Bounds) {
    let keys = format!(
        r#"operation = "{operation}"
            algorithm = "{algorithm}"
            size = "{size}B"
            {more}"#
    );
    let found = collective(n, &keys).duration;
    assert!(
        (bounds.0..=bounds.1).contains(&found),
        "{n} ranks, {keys}: {found} ps, not from {} to {}",
        bounds.0,
        bounds.1
    );
}

/// No byte, fewer bytes than ranks, a packet, and several packets for each block of each of `n`
/// ranks.
fn sizes(n: u64) -> [u64; 5] {
    [0, n - 1, 1_000 * n, 27_005 * n + n / 2, 100_000 * n]
}

/// Returns one of [`sizes`] for `n` ranks, and another one for the next `turn`.
fn one_size(n: u64, turn: u64) -> u64 {
    let place = usize::try_from(turn % 5).expect("a remainder of five is small");
    sizes(n)[place]
}

#[test]
fn rings_take_their_steps() {
    for n in 1..=33 {
        for size in sizes(n) {
            for (operation, count) in [
                ("all-reduce", 2 * (n - 1)),
                ("all-gather", n - 1),
                ("reduce-scatter", n - 1),
            ] {
                // The halves of the all-reduce get one size each, since they are its steps.
                if operation == "all-reduce" || size == one_size(n, n) {
                    let bounds = steps((0..count).map(|_| size / n));
                    expect(n, (operation, "ring"), (size, ""), bounds);
                }
            }
        }
    }
}

/// Each ring has half of the bytes, and both share the links of a host.
#[test]
fn two_rings_take_their_steps_and_share_links() {
    for n in 1..=33 {
        for size in [one_size(n, n), 100_000 * n] {
            let (count, half) = (2 * (n - 1), size / (2 * n));
            let least = (count * message(half)).max(2 * count * wire(half));
            let most = steps((0..count).map(|_| 2 * (half + 1) + 1)).1;
            let bounds = (least, most + count * HEADER * BYTE);
            expect(n, ("all-reduce", "bidirectional-ring"), (size, ""), bounds);
        }
    }
}

#[test]
fn channels_and_chunks_share_links_and_wait_for_none_of_each_other() {
    for n in [1, 2, 3, 5, 8, 13, 16, 33] {
        for (channels, chunks) in [(1, 3), (3, 1), (2, 2)] {
            let units = channels * chunks;
            let more = format!("channels = {channels}\nchunks = {chunks}");
            for size in [0, 5, 3_000 * n, 90_000 * n] {
                let (count, block) = (2 * (n - 1), size / (n * units));
                let least = (count * message(block)).max(count * units * wire(block));
                // Each step of a unit may wait for the steps of all other units.
                let waits = count * (units - 1) * (wire(block + 1) + acks(block + 1));
                let most = steps((0..count).map(|_| block)).1 + waits;
                expect(n, ("all-reduce", "ring"), (size, &more), (least, most));
            }
        }
    }
}

#[test]
fn halving_and_doubling_takes_a_step_for_each_power_of_two() {
    for n in [1, 2, 4, 8, 16, 32] {
        for size in sizes(n) {
            let halves = || (1..=n.ilog2()).map(|step| size >> step);
            for (operation, bounds) in [
                ("reduce-scatter", steps(halves())),
                ("all-gather", steps(halves())),
                ("all-reduce", steps(halves().chain(halves()))),
            ] {
                // Blocks differ by a byte, and a message has up to n of them.
                let bounds = (bounds.0, bounds.1 + 2 * n * BYTE);
                expect(n, (operation, "halving-doubling"), (size, ""), bounds);
            }
        }
    }
}

/// A tree is as deep as the logarithm says. A member has two children and takes part in another
/// tree, so a level takes between one and three messages, up and down.
#[test]
fn two_trees_take_their_levels_up_and_down() {
    for n in 1..=33u64 {
        for size in [one_size(n, n), 100_000 * n] {
            let (levels, half) = (2 * u64::from(n.ilog2()), size / 2);
            let most =
                steps((0..levels).map(|_| half)).1 + levels * 2 * (wire(half + 1) + acks(half + 1));
            let bounds = (levels * message(half), most);
            expect(n, ("all-reduce", "double-binary-tree"), (size, ""), bounds);
        }
    }
}

#[test]
fn a_hierarchy_takes_the_steps_of_its_rings() {
    for n in 1..=33 {
        for local in (1..=n).filter(|local| n % local == 0) {
            let size = one_size(n, n + local);
            let nodes = n / local;
            let inside = || (1..local).map(|_| size / local);
            let outside = (0..2 * (nodes - 1)).map(|_| size / n);
            let bounds = steps(inside().chain(outside).chain(inside()));
            // A part inside of a node has one block for each node.
            let bounds = (bounds.0, bounds.1 + 2 * n * BYTE);
            let more = format!("local_size = {local}");
            expect(n, ("all-reduce", "hierarchical"), (size, &more), bounds);
        }
    }
}

/// Each host sends to all other hosts and receives from them, so its link sets the bound. With
/// `pairwise` a step also waits for the last ACK of the step before.
#[test]
fn all_to_all_fills_the_links() {
    for n in 1..=33 {
        for size in [one_size(n, n), one_size(n, n + 2)] {
            let (others, block) = (n - 1, size / n);
            let all = others.saturating_sub(1) * wire(block);
            let most = message(block + 1) + others * (acks(block + 1) + BYTE) + all;
            let direct = match n {
                1 => (0, 0),
                // Hosts interleave messages packet by packet, so some packets meet at the switch.
                _ => (message(block) + all, most + most / 20 + 2 * wire(MTU)),
            };
            let (least, most) = steps((0..others).map(|_| block));
            let back = others.saturating_sub(1) * 2 * (DELAY + ACK);
            let pairwise = (least + back, most + back);
            for (algorithm, bounds) in [("direct", direct), ("pairwise", pairwise)] {
                for operation in ["all-to-all", "all-to-all-v"] {
                    expect(n, (operation, algorithm), (size, ""), bounds);
                }
            }
        }
    }
}

/// Returns when the last member of the subtree at `place` has the data, which arrives there at
/// `at`. A member sends to the largest subtree first, and waits for an ACK before it sends to the
/// next one.
fn binomial(at: u64, (place, mut reach): (u64, u64), n: u64, bytes: u64) -> u64 {
    let (mut last, mut next) = (at, at);
    while reach > 1 {
        reach /= 2;
        if place + reach < n {
            let arrival = next + message(bytes);
            next = arrival + 2 * (DELAY + ACK);
            last = last.max(binomial(arrival, (place + reach, reach), n, bytes));
        }
    }
    last
}

#[test]
fn a_binomial_broadcast_takes_a_message_for_each_round() {
    for n in 1..=33u64 {
        let rounds = u64::from(n.next_power_of_two().ilog2());
        for size in [100_000, 1_000_000, 9_000_000] {
            // A member sends an ACK before its next message, and 2 ACKs for each packet are in the
            // way.
            let least = binomial(0, (0, n.next_power_of_two()), n, size);
            let most = least + rounds * acks(size);
            expect(n, ("broadcast", "binomial"), (size, ""), (least, most));
            // Thakur, Rabenseifner, Gropp: ceil(lg n) (alpha + size beta). alpha is the delay both
            // ways.
            let alpha = 2 * DELAY + 2 * ACK;
            assert!(least <= rounds * (message(size) + alpha), "{n} {size}");
        }
        // Messages of one packet leave one behind the other.
        for size in [0, 9_000] {
            let most = rounds * (message(size) + ACK) + n * ACK;
            let least = u64::from(n.ilog2()) * message(size);
            expect(
                n,
                ("broadcast", "binomial"),
                (size, "root = 0"),
                (least, most),
            );
        }
    }
}

#[test]
fn a_chain_takes_its_hops_and_a_pipeline_its_chunks() {
    for n in 1..=33 {
        for (size, chunks) in [(0, 1), (0, 4), (700, 1), (90_000, 1), (900_000, 10)] {
            let (hops, chunk) = (n - 1, size / chunks);
            let rest = if n > 1 { chunks - 1 } else { 0 };
            let (least, most) = steps((0..hops).map(|_| chunk));
            let bounds = (
                least + rest * wire(chunk),
                most + rest * (wire(chunk) + acks(chunk)),
            );
            let more = format!("chunks = {chunks}");
            expect(n, ("broadcast", "chain"), (size, &more), bounds);
        }
    }
}

#[test]
fn send_receive_takes_one_message() {
    for n in 1..=33 {
        for size in sizes(n) {
            let bounds = steps((1..n).take(1).map(|_| size));
            expect(n, ("send-receive", "ring"), (size, ""), bounds);
        }
    }
}
