//! NCCL's trees against an independent model.

use super::{ACK, Case, flagged, packet, star};
use crate::collectives::star::{Tree, parents};

/// Returns NCCL's first tree: member 0 is the root, and the others are a tree in order.
fn tree(n: u64) -> Tree {
    let others = parents(usize::try_from(n - 1).unwrap());
    let above = |parent: &Option<usize>| Some(parent.map_or(0, |parent| parent + 1));
    let first = std::iter::once(None);
    Tree::new(first.chain(others.iter().map(above)).collect())
}

/// Runs one tree, the first of two: the communicator has two channels, and a row chooses one.
fn one_tree(n: u64, delay: u64, (protocol, chunk): (&str, u64), size: u64) {
    let keys = format!(
        r#"operation = "all-reduce"
        algorithm = "nccl"
        channels = 2
        chunk_size = "{chunk}B"
        tuner = [{{ algorithm = "tree", protocol = "{protocol}", channels = 1 }}]
        size = "{size}B""#
    );
    let case = Case {
        n,
        delay,
        keys: &keys,
    };
    let data = [chunk, size].map(|bytes| flagged(protocol, bytes));
    let expected = star(n, delay).trees(&[tree(n)], data.into());
    assert_eq!(case.duration(), expected, "{n} {chunk} {size}");
}

/// Chunks that are one message, and long ones.
const SHORT: (&str, u64) = ("simple", 8_704);
const LONG: u64 = 262_144;

#[test]
fn a_tree_of_chunks_is_a_pipeline() {
    for n in [2, 3, 8, 64, 512] {
        for delay in [1_000_000, 100_000_000] {
            for size in [1, 12, 700, 8_704] {
                one_tree(n, delay, SHORT, size);
            }
            for chunks in [2, 7] {
                one_tree(n, delay, SHORT, chunks * 8_704);
            }
            one_tree(n, delay, SHORT, 2 * 8_704 + 5);
        }
    }
    one_tree(64, 1_000_000, ("simple", 512), 200 * 512);
}

#[test]
#[ignore = "simulates a billion bytes of each rank"]
fn trees_of_up_to_a_billion_bytes_are_pipelines() {
    for n in [2, 3, 8] {
        one_tree(n, 1_000_000, SHORT, 114_890 * 8_704);
    }
    // More short chunks would be more messages than a run keeps.
    for n in [64, 512] {
        one_tree(n, 1_000_000, ("ll", LONG), 3_815 * LONG);
    }
}

/// Runs both trees, one on each of two channels, with `chunks` chunks, which have twice the bytes
/// with flags. `expected` returns the duration.
fn two_trees_take(
    (n, delay): (u64, u64),
    (chunk, chunks): (u64, u64),
    expected: impl FnOnce(&Case<'_>) -> u64,
) {
    let keys = format!(
        r#"operation = "all-reduce"
        algorithm = "double-binary-tree"
        protocol = "ll"
        channels = 2
        chunk_size = "{chunk}B"
        size = "{}B""#,
        2 * chunks * chunk
    );
    let keys = &keys;
    let case = Case { n, delay, keys };
    assert_eq!(case.duration(), expected(&case), "{n} {chunks}");
}

fn two_trees(n: u64, (chunk, chunks): (u64, u64)) {
    two_trees_take((n, 1_000_000), (chunk, chunks), |case| {
        star(n, case.delay).two_trees(tree(n), (2 * chunk, 2 * chunk * chunks))
    });
}

#[test]
fn two_trees_take_what_an_independent_model_says() {
    for n in [2, 3, 8, 64, 512] {
        for chunks in [1, 2, 7] {
            two_trees(n, (4_096, chunks));
        }
    }
    two_trees(8, (4_096, 500));
}

#[test]
#[ignore = "simulates a billion bytes of each rank"]
fn two_trees_of_a_billion_bytes_take_what_an_independent_model_says() {
    for n in [2, 3, 8] {
        two_trees(n, (4_096, 122_071));
    }
    for n in [64, 512] {
        two_trees(n, (LONG, 1_908));
    }
}

/// Two ranks: each is the root of one tree, and the chunks of both pass at once.
#[test]
fn two_trees_of_two_ranks_take_two_messages() {
    for chunks in [1, 5] {
        two_trees_take((2, 100_000_000), (4_096, chunks), |case| {
            case.chain([8_192; 2]) + (chunks - 1) * (ACK + packet(8_192))
        });
    }
}
