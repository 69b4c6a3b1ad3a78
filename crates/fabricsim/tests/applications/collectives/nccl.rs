//! NCCL's rings and trees on an idle star: durations to the picosecond, from rate, delay and packet
//! sizes.
//!
//! Delays are so long that a host has sent all of its packets before the first one of the next step
//! arrives, so that only an ACK of its own precedes a message. `exact.rs` has the same form for
//! equal parts.

mod trees;

use crate::collectives::row::run;
use crate::collectives::star::{Link, Star};

/// Picoseconds for a byte at 100 Gbps.
const BYTE: u64 = 80;
const MTU: u64 = 9_000;
const HEADER: u64 = 48;
const ACK: u64 = 60 * BYTE;
const LINE: u64 = 16;

/// A star without limits, and the collective that it runs.
struct Case<'a> {
    n: u64,
    /// Delay of a link in picoseconds.
    delay: u64,
    keys: &'a str,
}

impl Case<'_> {
    fn duration(&self) -> u64 {
        let Self { n, delay, keys } = self;
        let text = format!(
            r#"
                [topology]
                kind = "star"
                hosts = {n}
                rate = "100Gbps"
                delay = "{}ns"
                [switch]
                buffer = "100TB"
                pfc = false
                [rdma]
                mtu = "{MTU}B"
                rto_min = "100s"
                [cc]
                kind = "none"
                window_bdp = 0
                [[workload]]
                kind = "collective"
                {keys}
            "#,
            delay / 1_000
        );
        let (_, file, rows) = run(&text, 1);
        assert_eq!((rows.len(), rows[0].start), (1, 0), "{file}");
        rows[0].duration
    }

    /// Time from the start of a message to the delivery of its last byte.
    fn message(&self, bytes: u64) -> u64 {
        2 * self.delay + wire(bytes) + packet(bytes.min(MTU))
    }

    /// Time of messages that wait for one another.
    fn chain(&self, sizes: impl IntoIterator<Item = u64>) -> u64 {
        let (count, sum) = (sizes.into_iter()).fold((0, 0), |(count, sum), bytes| {
            (count + 1, sum + self.message(bytes))
        });
        sum + (count - 1) * ACK
    }
}

/// Returns the model of a star.
fn star(hosts: u64, delay: u64) -> Star {
    Star::new(hosts, Link { gbps: 100, delay }, MTU)
}

const fn packet(payload: u64) -> u64 {
    (payload + HEADER) * BYTE
}

/// Transmission time of a message.
const fn wire(bytes: u64) -> u64 {
    (bytes + bytes.div_ceil(MTU) * HEADER) * BYTE
}

/// Bytes with flags: 16 for each 8 of LL, 2,048 for each 1,920 of LL128.
fn flagged(protocol: &str, data: u64) -> u64 {
    match protocol {
        "ll" => data.div_ceil(8) * 16,
        "ll128" => data.div_ceil(1_920) * 2_048,
        _ => data,
    }
    .max(1)
}

/// Largest blocks of the rounds of a ring over `n` ranks: full chunks, and then the rest in equal
/// parts of whole lines.
fn rounds(size: u64, n: u64, chunk: u64) -> Vec<u64> {
    let mut rounds = vec![chunk; usize::try_from(size / (n * chunk)).unwrap()];
    let rest = size % (n * chunk);
    if rest > 0 {
        let block = rest.div_ceil(n).div_ceil(LINE) * LINE;
        rounds.push(block.min(rest));
    }
    rounds
}

/// Returns the keys of a ring with one channel.
fn ring_keys(protocol: &str, size: u64) -> String {
    format!(
        r#"operation = "all-reduce"
        algorithm = "ring"
        protocol = "{protocol}"
        channels = 1
        size = "{size}B""#
    )
}

fn ring(n: u64, (protocol, chunk): (&str, u64), size: u64) {
    let keys = ring_keys(protocol, size);
    let case = Case {
        n,
        // A short last block gains time at each step, but never reaches the block ahead of it.
        delay: 100_000_000_000,
        keys: &keys,
    };
    let steps = 2 * (n - 1);
    let rounds = rounds(size, n, chunk).into_iter();
    let messages = rounds.flat_map(|block| (0..steps).map(move |_| flagged(protocol, block)));
    let expected = case.chain(messages);
    assert_eq!(case.duration(), expected, "{n} {protocol} {size}");
}

const LL: (&str, u64) = ("ll", 32_768);
const LL128: (&str, u64) = ("ll128", 576_000);

/// From one byte on, fewer bytes than ranks, sizes that do not divide, and several rounds.
#[test]
fn rings_take_their_steps_round_by_round() {
    for n in [2, 3, 8, 64] {
        for size in [1, n - 1, n + 1, 16 * n + 5, 999 * n + 1] {
            ring(n, LL, size);
            ring(n, LL128, size);
        }
        ring(n, LL, 2 * n * LL.1);
        ring(n, LL, n * LL.1 + 7);
    }
    for size in [1, 511, 10_007] {
        ring(512, LL, size);
    }
    for size in [1_000_000, 10_000_001] {
        ring(2, LL128, size);
        ring(3, LL128, size);
    }
}

/// The blocks of all members in each round.
fn blocks((protocol, chunk): (&str, u64), n: u64, size: u64) -> Vec<Vec<u64>> {
    let mut first = 0;
    let round = |block: &u64| {
        let data = (size - first).min(n * block);
        first += data;
        let part = |member| data.saturating_sub(member * block).min(*block);
        (0..n)
            .map(|member| flagged(protocol, part(member)))
            .collect()
    };
    rounds(size, n, chunk).iter().map(round).collect()
}

/// With short links, a block catches up with the ACKs and the packets of other steps.
fn ring_by_model(n: u64, (protocol, chunk): (&str, u64), size: u64) {
    let keys = ring_keys(protocol, size);
    let case = Case {
        n,
        delay: 1_000_000,
        keys: &keys,
    };
    let expected = star(n, case.delay).rounds(&blocks((protocol, chunk), n, size));
    assert_eq!(case.duration(), expected, "{n} {protocol} {size}");
}

#[test]
fn rings_take_what_an_independent_model_says() {
    for n in [2, 3, 8, 64] {
        for size in [1, n + 1, 999 * n + 1, 9_100 * n, 50_000 * n + 17] {
            ring_by_model(n, LL, size);
            ring_by_model(n, LL128, size);
        }
        ring_by_model(n, LL, 2 * n * LL.1 + 9_999);
    }
    ring_by_model(512, LL, 10_007);
}

#[test]
#[ignore = "simulates a billion bytes of each rank"]
fn rings_of_a_billion_bytes_take_what_an_independent_model_says() {
    for n in [2, 3, 8, 64] {
        ring_by_model(n, LL128, 1_000_000_000);
    }
    ring_by_model(512, LL128, 1_000_000);
    ring_by_model(2, LL, 1_000_000_000);
    ring_by_model(8, LL, 100_000_000);
}

/// The links are as long as all steps of a short block gain.
#[test]
#[ignore = "simulates a billion bytes of each of 512 ranks"]
fn rings_of_up_to_a_billion_bytes_take_their_steps() {
    for size in [1_000_000, 16_000_000, 1_000_000_000] {
        for n in [2, 3, 8, 64, 512] {
            ring(n, LL128, size);
        }
    }
}

/// A round of steps that also wait for the ACK of the second slice: it leaves before the first slice,
/// or between its packets. The last packet is the one of the second slice.
#[test]
fn slices_follow_one_another() {
    for n in [2, 3, 8, 64, 512] {
        let steps = 2 * (n - 1);
        // A first slice has up to 32 KiB, so the second one is empty or has one packet.
        for (chunk, count) in [(512, 1), (8_704, 1), (8_704, 3), (33_792, 1), (33_792, 2)] {
            if n == 512 && (count > 1 || chunk > 8_704) {
                continue;
            }
            let keys = format!(
                r#"operation = "all-reduce"
                algorithm = "ring"
                protocol = "simple"
                channels = 1
                chunk_size = "{chunk}B"
                size = "{}B""#,
                count * n * chunk
            );
            let case = Case {
                n,
                delay: 100_000_000,
                keys: &keys,
            };
            let (first, second) = (chunk.min(32_768), chunk.saturating_sub(32_768).max(1));
            let round = case.chain((0..steps).map(|_| first)) + (steps - 1) * ACK;
            // The next round waits for the second slice, whose ACK follows the first slice's ACK.
            let between = packet(second).max(ACK) + ACK;
            let expected = count * round + (count - 1) * between + packet(second);
            assert_eq!(case.duration(), expected, "{n} {chunk} {count}");
        }
    }
}

/// A further channel follows the first one by its ACK and its packet.
#[test]
fn channels_follow_one_another() {
    for n in [2, 3, 8, 64] {
        let steps = 2 * (n - 1);
        // Channels of two rounds each, whole cells of 4 KiB.
        let (channels, cells) = (4, n);
        let keys = format!(
            r#"operation = "all-reduce"
            algorithm = "ring"
            protocol = "ll"
            channels = {channels}
            chunk_size = "2048B"
            size = "{}B""#,
            channels * cells * 4_096
        );
        let case = Case {
            n,
            delay: 100_000_000,
            keys: &keys,
        };
        let first = case.chain((0..2 * steps).map(|_| 4_096));
        let expected = first + (channels - 1) * (ACK + packet(4_096));
        assert_eq!(case.duration(), expected, "{n}");
    }
}

#[test]
fn halves_of_the_ring_and_the_chain_take_their_steps() {
    for n in [2, 3, 8, 64] {
        for operation in ["all-gather", "reduce-scatter"] {
            let keys = format!(
                r#"operation = "{operation}"
                algorithm = "ring"
                protocol = "ll"
                channels = 1
                size = "{}B""#,
                n * 40_000
            );
            let case = Case {
                n,
                delay: 100_000_000,
                keys: &keys,
            };
            let sizes = [32_768, 7_232].into_iter();
            let messages = sizes.flat_map(|data| (1..n).map(move |_| 2 * data));
            assert_eq!(case.duration(), case.chain(messages), "{n} {operation}");
        }
        let keys = r#"operation = "broadcast"
            algorithm = "chain"
            protocol = "ll"
            channels = 1
            root = 1
            chunk_size = "4096B"
            size = "16384B""#;
        let case = Case {
            n,
            delay: 100_000_000,
            keys,
        };
        // The second rank sets the pace: an ACK and a chunk for each chunk.
        let pace = packet(8_192) + if n > 2 { ACK } else { 0 };
        let expected = case.chain((1..n).map(|_| 8_192)) + 3 * pace;
        assert_eq!(case.duration(), expected, "{n}");
    }
}
