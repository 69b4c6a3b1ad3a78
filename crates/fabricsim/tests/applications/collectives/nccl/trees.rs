//! NCCL's trees: one tree against its recurrence, and two against an independent model.

use super::{ACK, Case, packet};
use crate::collectives::star::{Star, parents};

/// Returns the parents of NCCL's first tree: member 0 is the root, and the others are a tree in
/// order.
fn tree_parents(n: usize) -> Vec<Option<usize>> {
    let others = parents(n - 1);
    let above = |parent: &Option<usize>| Some(parent.map_or(0, |parent| parent + 1));
    std::iter::once(None)
        .chain(others.iter().map(above))
        .collect()
}

/// Ends of `data` at the port of a host, which sends ACKs first.
fn sent(acks: &[u64], data: &[u64], time: u64) -> Vec<u64> {
    let (mut free, mut acks) = (0, acks.iter().copied().peekable());
    let mut ends = Vec::new();
    for &ready in data {
        while let Some(at) = acks.next_if(|at| *at <= free.max(ready)) {
            free = free.max(at) + ACK;
        }
        free = free.max(ready) + time;
        ends.push(free);
    }
    ends
}

/// Deliveries of messages that leave hosts at `ends`, through the port of the switch.
fn delivered(ends: &[u64], time: u64, delay: u64) -> Vec<u64> {
    let mut free = 0;
    let pass = |end: &u64| {
        free = free.max(end + delay) + time;
        free + delay
    };
    ends.iter().map(pass).collect()
}

/// Returns when the last member has the last of `chunks` messages, each `time` on a link, by the
/// first tree: no direction of a link carries data of two steps at one time.
fn tree(parents: &[Option<usize>], chunks: usize, time: u64, delay: u64) -> u64 {
    let children = |at: usize| -> Vec<usize> {
        let of = |child: &usize| parents[*child] == Some(at);
        (0..parents.len()).filter(of).collect()
    };
    // Arrivals of all messages at a member, and the times at which it has each chunk of all.
    let up = |at: usize, ends: &[Vec<u64>]| -> (Vec<u64>, Vec<u64>) {
        let mut all: Vec<(u64, usize)> = Vec::new();
        for child in children(at) {
            all.extend(ends[child].iter().copied().zip(0..));
        }
        all.sort_unstable();
        let times: Vec<u64> = all.iter().map(|one| one.0).collect();
        let times = delivered(&times, time, delay);
        let mut ready = vec![0; chunks];
        for ((_, chunk), at) in all.iter().zip(&times) {
            ready[*chunk] = ready[*chunk].max(*at);
        }
        (times, ready)
    };
    // Children before parents: odd places are leaves, and a subtree of height h has a root whose
    // place is a multiple of 2^h.
    let mut order: Vec<usize> = (1..parents.len()).collect();
    order.sort_by_key(|place| place.trailing_zeros());
    let mut ends = vec![Vec::new(); parents.len()];
    for &at in &order {
        let (acks, ready) = up(at, &ends);
        ends[at] = sent(&acks, &ready, time);
    }
    let (_, ready) = up(0, &ends);
    let mut has = vec![Vec::new(); parents.len()];
    has[0] = ready;
    for &at in std::iter::once(&0).chain(order.iter().rev()) {
        let below = children(at);
        let copies: Vec<u64> = (has[at].iter())
            .flat_map(|ready| below.iter().map(move |_| *ready))
            .collect();
        let ends = sent(&has[at], &copies, time);
        for (place, &child) in below.iter().enumerate() {
            let own: Vec<u64> = ends
                .iter()
                .skip(place)
                .step_by(below.len())
                .copied()
                .collect();
            has[child] = delivered(&own, time, delay);
        }
    }
    has.iter()
        .filter_map(|times| times.last())
        .max()
        .copied()
        .unwrap()
}

/// Runs one tree, the first of two: the communicator has two channels, and a row chooses one.
fn one_tree(n: u64, delay: u64, (chunk, chunks): (u64, u64), size: u64) {
    let keys = format!(
        r#"operation = "all-reduce"
        algorithm = "nccl"
        channels = 2
        chunk_size = "{chunk}B"
        tuner = [{{ algorithm = "tree", protocol = "simple", channels = 1 }}]
        size = "{size}B""#
    );
    let case = Case {
        n,
        delay,
        keys: &keys,
    };
    let parents = tree_parents(usize::try_from(n).unwrap());
    let chunks = usize::try_from(chunks).unwrap();
    let expected = tree(&parents, chunks, packet(chunk.min(size)), delay);
    assert_eq!(case.duration(), expected, "{n} {chunk} {size}");
}

#[test]
fn a_tree_of_chunks_is_a_pipeline() {
    for n in [2, 3, 8, 64, 512] {
        for size in [12, 700, 8_704] {
            one_tree(n, 100_000_000, (8_704, 1), size);
        }
        for chunks in [2, 7] {
            one_tree(n, 100_000_000, (8_704, chunks), chunks * 8_704);
        }
    }
    one_tree(64, 100_000_000, (512, 200), 200 * 512);
}

#[test]
#[ignore = "simulates a billion bytes"]
fn trees_of_up_to_a_billion_bytes_are_pipelines() {
    for (n, chunks) in [
        (2, 114_890),
        (3, 114_890),
        (8, 10_000),
        (64, 10_000),
        (512, 1_000),
    ] {
        one_tree(n, 500_000_000_000, (8_704, chunks), chunks * 8_704);
    }
}

/// Both trees with one packet each, against the independent model of `star.rs`.
#[test]
fn two_trees_take_what_an_independent_model_says() {
    for n in [2, 3, 8, 64, 512] {
        // Two cells of 4 KiB, one on each channel: a packet of 8,192 bytes with flags.
        let keys = r#"operation = "all-reduce"
            algorithm = "double-binary-tree"
            protocol = "ll"
            channels = 2
            chunk_size = "4096B"
            size = "8192B""#;
        let case = Case {
            n,
            delay: 1_000_000,
            keys,
        };
        let star = Star {
            packet: packet(8_192),
            ack: ACK,
            delay: 1_000_000,
        };
        let expected = star.trees(tree_parents(usize::try_from(n).unwrap()));
        assert_eq!(case.duration(), expected, "{n}");
    }
    // Two ranks: each is the root of one tree, and the chunks of both pass at once.
    for chunks in [1, 5] {
        let keys = format!(
            r#"operation = "all-reduce"
            algorithm = "double-binary-tree"
            protocol = "ll"
            channels = 2
            chunk_size = "4096B"
            size = "{}B""#,
            2 * chunks * 4_096
        );
        let case = Case {
            n: 2,
            delay: 100_000_000,
            keys: &keys,
        };
        let expected = case.chain([8_192; 2]) + (chunks - 1) * (ACK + packet(8_192));
        assert_eq!(case.duration(), expected, "{chunks}");
    }
}
