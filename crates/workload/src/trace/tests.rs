use fabricsim_base::id::ClassId;
use fabricsim_base::units::Bytes;
use proptest::prelude::*;

use super::*;
use crate::context::testing::context;
use crate::graph::Operation;
use crate::list::FlowTimes;
use crate::workload::Workload;

fn load(text: &str) -> Result<GraphConfig, InputError> {
    let mut config = GraphConfig::new("graph");
    config.load(text, &context(8, 1), FlowTimes::Exact)?;
    Ok(config)
}

fn programs(text: &str) -> Vec<Arc<Program>> {
    let config = load(text).unwrap();
    config.loaded.map(|all| all.programs.clone()).unwrap()
}

const GOAL: &str = "num_ranks 2

rank 0 { // the first
l1: send 8b to 1 tag 3 cpu 1 nic 2
/* what follows
   waits */
l2: calc 150 cpu 2
l2 requires l1
}
rank 1 {
l1: recv 8b from 0 tag 3
l2: calc 10
l2 irequires l1
}
";

const CSV: &str = "rank,id,op,peer,bytes,tag,duration_ns,stream,after,after_start
0,l1,send,1,8,3,,2,,
0,l2,calc,,,,150,2,l1,
1,l1,recv,0,8,3,,,,
1,l2,calc,,,,10,,,l1
";

#[test]
fn both_forms_say_the_same() {
    let goal = programs(GOAL);
    assert_eq!(goal, programs(CSV));
    assert_eq!(goal.len(), 2);
    assert_eq!(
        goal[0].operations()[0],
        Operation::Send {
            channel: 2,
            to: 1,
            size: Bytes::new(8),
            tag: 3
        }
    );
    let mut config = load(GOAL).unwrap();
    let expected = config.expected(&context(8, 1)).unwrap();
    assert!((expected.flows - 1.0).abs() < 1e-9);
    config.table.calc_unit = Duration::from_us(1);
    config.load(GOAL, &context(8, 1), FlowTimes::Exact).unwrap();
    let slower = &config.loaded.unwrap().programs[0];
    let Operation::Compute { span, .. } = slower.operations()[1] else {
        panic!("a computation")
    };
    assert_eq!(span, Duration::from_us(150));
}

#[test]
fn collectives_of_a_list_are_matched_by_their_group_and_turn() {
    let text = "rank,id,op,peer,bytes,after
0,a,all-reduce,,1000,
1,a,all-reduce,,1000,
2,a,all-reduce,,1000,
0,b,broadcast,0;1,100,a
1,b,broadcast,1;0,100,a
1,c,all-to-all,1 2,100,b
2,c,all-to-all,1 2,100,a
";
    let config = load(text).unwrap();
    let loaded = config.loaded.as_ref().unwrap();
    let found: Vec<(u32, u32, &str)> = (loaded.instances.iter())
        .map(|one| (one.group, one.ranks, &*one.algorithm))
        .collect();
    assert_eq!(
        found,
        [(0, 3, "ring"), (1, 2, "binomial"), (2, 2, "direct")]
    );
    assert_eq!(
        config
            .applications(&context(8, 1), ClassId(0))
            .unwrap()
            .len(),
        3
    );
}

/// The second collective has fewer blocks than the first one, so tags computed as number times
/// blocks would collide.
#[test]
fn messages_of_two_collectives_have_different_tags() {
    let text = "rank,id,op,peer,bytes,after
0,a,all-to-all,0;1,100,
1,a,all-to-all,0;1,100,
0,b,broadcast,0;1;2;3,100,
1,b,broadcast,0;1;2;3,100,
2,b,broadcast,0;1;2;3,100,
3,b,broadcast,0;1;2;3,100,
";
    let loaded = load(text).unwrap().loaded.unwrap();
    let mut tags: Vec<u64> = (loaded.programs[0].operations().into_iter())
        .filter_map(|operation| match operation {
            Operation::Send { to: 1, tag, .. } => Some(tag),
            _ => None,
        })
        .collect();
    assert_eq!(tags.len(), 2);
    tags.dedup();
    assert_eq!(tags.len(), 2, "both have tag {tags:?}");
}

/// Returns the text at the position of the error, and the message.
/// Experts receive different numbers of tokens: each rank of an all-to-all divides its own data.
#[test]
fn ranks_of_an_all_to_all_have_sizes_of_their_own() {
    let text = "rank,id,op,peer,bytes\n0,a,all-to-all,,30\n1,a,all-to-all,,90\n2,a,all-to-all,,0\n";
    let sizes: Vec<Vec<u64>> = programs(text)
        .iter()
        .map(|program| {
            let operations = program.operations().into_iter();
            let sizes = operations.filter_map(|operation| match operation {
                Operation::Send { size, .. } => Some(size.get()),
                _ => None,
            });
            sizes.collect()
        })
        .collect();
    assert_eq!(sizes, [[10, 10], [30, 30], [1, 1]]);
    let loaded = load(text).unwrap().loaded.unwrap();
    assert_eq!(loaded.instances[0].size, Bytes::new(90));
    assert!((loaded.messages - 6.0).abs() < 1e-9 && (loaded.bytes - 82.0).abs() < 1e-9);
}

fn error(text: &str) -> (String, String) {
    let error = load(text).unwrap_err();
    let place = text.get(error.span.clone()).unwrap_or("").to_owned();
    (place, error.message)
}

#[test]
fn errors_of_rows_are_pointed_at() {
    let row = |rows: &str| {
        let header = "rank,id,op,peer,bytes,tag,duration_ns,after";
        error(&format!("{header}\n{rows}\n"))
    };
    // Mistakes that involve several rows: a message without a receipt, and a cycle.
    let (place, message) = row("0,a,send,1,8,,,\n1,b,recv,0,,9,,");
    assert_eq!(place, "send");
    assert!(message.contains("more messages"), "{message}");
    let (_, message) = row("0,a,calc,,,,5,b\n0,b,calc,,,,5,a");
    assert!(
        message.contains("2 operations wait for one another") && message.contains("`a`"),
        "{message}"
    );
    for (rows, at, words) in [
        ("0,a,snd,1,8,,,", "snd", "no operation"),
        ("0,a,send,7,8,,,", "send", "no rank 7"),
        ("0,a,calc,,,,,", "0,a,calc,,,,,", "needs `duration_ns`"),
        ("0,a,calc,,,,5,x", "x", "no operation `x`"),
        ("0,a,calc,,,,5,\n0,a,calc,,,,5,", "a", "a second `a`"),
        ("x,a,calc,,,,5,", "x", "is not"),
        ("0,a,calc", "0,a,calc", "3 fields"),
        (
            "0,a,all-reduce,,8,,,\n1,b,calc,,,,5,",
            "all-reduce",
            "1 of the 2",
        ),
        (
            "0,a,all-reduce,,8,,,\n1,a,all-reduce,,9,,,",
            "all-reduce",
            "another member",
        ),
        (
            "0,a,send,1,1000000000000001,,,\n1,b,recv,0,,,,",
            "send",
            "too large",
        ),
        (
            "0,a,all-gather,,18446744073709551615,,,\n1,a,calc,,,,5,",
            "all-gather",
            "too large",
        ),
        (
            "0,a,all-reduce,1,8,,,\n1,a,calc,,,,5,",
            "all-reduce",
            "no member",
        ),
    ] {
        let (place, message) = row(rows);
        assert!(message.contains(words), "{rows}: {message}");
        assert_eq!(place, at, "{message}");
    }
}

/// In GOAL and in a list: a message without bytes is a message, a message of a rank to itself is no
/// flow, and a rank may be without operations.
#[test]
fn messages_without_bytes_and_to_oneself_are_read() {
    let goal = "num_ranks 3\nrank 0 {\na: send 0b to 2\nb: send 9b to 0 tag 1\n\
                c: recv 9b from 0 tag 1\n}\nrank 1 {\n}\nrank 2 {\na: recv 0b from 0\n}\n";
    let csv = "rank,id,op,peer,bytes,tag\n0,a,send,2,0,0\n0,b,send,0,9,1\n0,c,recv,0,,1\n\
               2,a,recv,0,,0\n";
    for text in [goal, csv] {
        let loaded = load(text).unwrap().loaded.unwrap();
        assert_eq!((loaded.messages, loaded.bytes), (1.0, 1.0));
        assert_eq!(loaded.programs.len(), 3);
        assert_eq!(loaded.programs[1].len(), 0);
    }
}

#[test]
fn errors_of_files_are_pointed_at() {
    for (text, at, words) in [
        ("num_ranks 0\n", "0", "0 ranks"),
        ("num_ranks 2\nrank 2 {\n}\n", "2", "no rank 2"),
        ("num_ranks 2\nrank 0 {\n", "", "ends inside"),
        ("num_ranks 2\nl1: calc 5\n", "l1", "outside"),
        ("num_ranks 2\nrank 0 {\na requires b\n}\n", "a", "no `a`"),
        (
            "num_ranks 2\nrank 0 {\na: fly 5\n}\n",
            "fly",
            "no operation",
        ),
        (
            "num_ranks 2\nrank 0 {\na: recv 5b from -1\n}\n",
            "-1",
            "any source",
        ),
        (
            "num_ranks 2\nrank 0 {\na: calc 5 gpu 2\n}\n",
            "gpu",
            "`gpu` here",
        ),
        (
            "num_ranks 2\nrank 0 {\na: calc 5 cpu\n}\n",
            "cpu",
            "no number",
        ),
        (
            "num_ranks 2\nrank 0 {\na: calc 5\na: calc 5\n}\n",
            "a",
            "a second",
        ),
        ("rank,id\n0,1\n", "rank,id", "no column `op`"),
        ("rank,id,op,fast\n", "fast", "unknown column"),
        ("rank,id,op,op\n", "op", "a second column"),
        ("rank,id,op\n", "rank,id,op", "no operations"),
        ("", "", "empty"),
    ] {
        let (place, message) = error(text);
        assert!(message.contains(words), "{text}: {message}");
        assert_eq!(place, at, "{message}");
    }
}

#[test]
fn a_graph_of_more_ranks_than_hosts_is_refused() {
    let config = load(CSV).unwrap();
    let error = config.expected(&context(8, 1)).err();
    assert_eq!(error, None);
    let mut config = load(CSV).unwrap();
    config.table.skip = 7;
    let error = config.expected(&context(8, 1)).unwrap_err();
    assert!(error.message.contains("2 ranks"), "{error}");
    let fresh = GraphConfig::new("graph.csv");
    assert_eq!(fresh.expected(&context(8, 1)).unwrap_err().key, "path");
}

const ALL_KINDS: &str = "rank,id,op,peer,bytes,tag,duration_ns,after,algorithm
0,a,all-reduce,,1000,,,,double-binary-tree
1,a,all-reduce,,1000,,,,double-binary-tree
0,b,send,1,8,3,,a,
1,b,recv,0,,3,,a,
1,c,calc,,,,1.5,b,
";

proptest! {
    /// Texts with replaced bytes, possibly truncated, are read or rejected at a position within the
    /// text.
    #[test]
    fn mutants_are_read_or_refused(
        seed in prop::sample::select(vec![GOAL, CSV, ALL_KINDS]),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0u8..128), 0..8),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = seed.as_bytes().to_vec();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if cut.index(2) == 0 {
            bytes.truncate(cut.index(bytes.len()));
        }
        let text = String::from_utf8(bytes).unwrap();
        if let Err(error) = load(&text) {
            prop_assert!(error.span.end <= text.len() && !error.help.is_empty());
        }
    }

    #[test]
    fn bytes_that_are_no_trace_are_refused(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        if let Ok(csv) = chakra_to_csv(&[bytes], "ring", &ProcessGroups::default()) {
            prop_assert!(csv.starts_with("rank,id,op"));
        }
    }
}
