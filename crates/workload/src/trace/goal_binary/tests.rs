use proptest::prelude::*;

use super::*;
use crate::context::testing::context;
use crate::{FlowTimes, GraphConfig, Workload};

/// Written by `Goal.hpp` and `Parser.hpp` of LogGOPSim for the two ranks of [`TEXT`].
const OF_LOGGOPSIM: &str = "7f1000000000000002000000020226000000000000008400000000000000840000000\
    0000000e200000000000000020000000100000000000000000000000101000000080000000000000003000000010\
    201000000000000000000000001000000010000000300000000960000000000000000000000020000000000010000\
    000000000001000000010000000200000001000000000000000000000002000000000800000000000000030000000\
    000000000000000000001000000000000000100000003000000000a00000000000000000000000000000000000100\
    00000000000001000000 01000000";

const TEXT: &str = "num_ranks 2
rank 0 {
l0: send 8b to 1 tag 3 cpu 1 nic 2
l1: calc 150 cpu 2
l1 requires l0
}
rank 1 {
l0: recv 8b from 0 tag 3 cpu 0 nic 0
l1: calc 10 cpu 0
l1 irequires l0
}
";

fn file() -> Vec<u8> {
    let digits: Vec<u32> = OF_LOGGOPSIM
        .chars()
        .filter_map(|one| one.to_digit(16))
        .collect();
    let byte = |pair: &[u32]| u8::try_from(pair[0] << 4 | pair[1]).unwrap();
    digits.chunks(2).map(byte).collect()
}

#[test]
fn a_file_of_loggopsim_says_what_its_text_says() {
    let file = file();
    assert_eq!(file.len(), 234);
    assert!(is_goal_binary(&file));
    assert!(!is_goal_binary(TEXT.as_bytes()));
    assert_eq!(goal_binary_to_text(&file).unwrap(), TEXT);
}

#[test]
fn sources_and_tags_that_are_not_named_are_refused() {
    for (at, any) in [
        (8 + 38 + 94 + 12 + 5, "any source"),
        (8 + 38 + 94 + 12 + 17, "any tag"),
    ] {
        let mut file = file();
        file[at..at + 4].fill(0xff);
        let text = goal_binary_to_text(&file).unwrap();
        let mut config = GraphConfig::new("graph.bin");
        let loaded = config.load(&text, &context(2, 1), FlowTimes::Exact);
        assert!(loaded.unwrap_err().message.contains(any));
    }
}

#[test]
fn what_is_no_such_file_is_refused() {
    let whole = file();
    let error = |file: &[u8]| goal_binary_to_text(file).unwrap_err().message;
    for length in 8..whole.len() {
        let message = error(&whole[..length]);
        assert!(message.contains("damaged"), "{length}: {message}");
    }
    let with = |at: usize, value: u8| {
        let mut file = whole.clone();
        file[at] = value;
        file
    };
    assert!(error(&with(0, 0x7e)).contains("no binary GOAL"));
    assert!(error(&[&USED_UP[..], &whole[8..]].concat()).contains("--save-mem"));
    assert!(error(&with(8, 0)).contains("0 ranks"));
    // The type of the first operation.
    assert!(error(&with(8 + 38 + 12 + 4, 9)).contains("of type 9"));
    // The number of dependencies of the second one.
    assert!(error(&with(8 + 38 + 12 + 39, 2)).contains("operation 1 waits for more"));
    assert!(error(&with(8 + 38 + 12 + 39, 0)).contains("operation 1 waits for others"));
    // The part of rank 1 cannot begin before the part of rank 0 ends.
    assert!(error(&with(8 + 22, 0x26)).contains("part of rank 1"));
}

proptest! {
    #[test]
    fn damaged_files_are_read_or_refused(
        changes in prop::collection::vec((0..234usize, any::<u8>()), 0..6),
        length in 0..=234usize,
    ) {
        let mut file = file();
        for (at, byte) in changes {
            file[at] = byte;
        }
        file.truncate(length);
        if let Ok(text) = goal_binary_to_text(&file) {
            // The length is bounded by the operations and dependencies.
            prop_assert!(text.len() < 2_000);
            let mut config = GraphConfig::new("graph.bin");
            let _ = config.load(&text, &context(2, 1), FlowTimes::Exact);
        }
    }
}
