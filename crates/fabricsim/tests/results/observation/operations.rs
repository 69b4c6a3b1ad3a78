//! Operations of ranks: schedules by hand, and their sums.

use std::collections::BTreeMap;

use crate::observation::{run, table};

type Row = BTreeMap<String, String>;

fn ns(row: &Row, column: &str) -> u64 {
    let text = &row[column];
    let exact: f64 = text.parse().unwrap();
    assert!(exact.fract() == 0.0, "{row:?}");
    text.parse().unwrap()
}

/// Returns the computations of `rank`: waiting time, start and end, in order.
fn computations(rows: &[Row], rank: &str) -> Vec<(u64, u64, u64)> {
    let own = |row: &&Row| row["rank"] == rank && row["kind"] == "compute";
    let own = rows.iter().filter(own);
    own.map(|row| (ns(row, "waited_ns"), ns(row, "start_ns"), ns(row, "end_ns")))
        .collect()
}

/// Four stages and five micro-batches of one byte. All micro-batches go forward, then back, so the
/// pipeline takes (m + p - 1) passes in each direction, and a message between two stages each time.
#[test]
fn a_pipeline_has_the_bubbles_of_its_closed_form() {
    const MESSAGES: usize = 5;
    let text = r#"
        [topology]
        kind = "star"
        hosts = 4
        [cc]
        kind = "none"
        [[workload]]
        kind = "collective"
        operation = "pipeline"
        algorithm = "gpipe"
        chunks = 5
        size = "5B"
        forward = ["100us"]
        backward = ["200us"]
        [observe]
        operations = true"#;
    let dir = tempfile::tempdir().unwrap();
    let summary = run(text, dir.path(), 2);
    let rows = table(dir.path(), "operations.csv");
    let messages: Vec<&Row> = rows.iter().filter(|row| row["kind"] == "receive").collect();
    assert_eq!(messages.len(), 2 * 3 * MESSAGES);
    let first = messages[0];
    let span: f64 = first["end_ns"].parse::<f64>().unwrap() - 100_000.0;
    // Two links of 1 us, and a little for the bits.
    assert!((2_000.0..2_100.0).contains(&span), "{first:?}");
    let job = &summary.jobs[0];
    let batches = MESSAGES as f64;
    let expected = (batches + 3.0) * 300_000.0 + 2.0 * 3.0 * span;
    let completion = job.completion_ns.unwrap();
    // A gradient arrives when the previous one leaves, so an acknowledgement of 60 bytes, 4.8 ns,
    // may go before a message.
    let late = completion - expected;
    assert!(
        (-0.01..6.0 * 4.8).contains(&late),
        "{completion} {expected}"
    );
    let share = job.rank_times.computing_share.unwrap();
    let computed = share * completion;
    assert!((computed - batches * 300_000.0).abs() < 1e-3, "{computed}");
    assert_eq!(job.rank_times.computing_longest_rank, None);
    // The first stage ends last: the gradients go back to it.
    assert_eq!(job.rank_times.last_rank, Some(0));
    let by_rank = |rank: &str| {
        let own = |row: &&Row| row["rank"] == rank && row["kind"] == "compute";
        rows.iter().filter(own).count()
    };
    assert_eq!(["0", "1", "2", "3"].map(by_rank), [2 * MESSAGES; 4]);
}

/// A rank with two computations on one stream and one on another: the second waits for the first.
#[test]
fn computations_of_a_stream_wait_for_one_another() {
    let dir = tempfile::tempdir().unwrap();
    let graph = dir.path().join("graph.csv");
    let operations = "rank,id,op,duration_ns,stream,peer,bytes,after\n\
                      0,a,calc,10000,0,,,\n\
                      0,b,calc,5000,0,,,\n\
                      0,c,calc,3000,1,,,\n\
                      0,d,send,,,1,1000,a;b;c\n\
                      1,e,recv,,,0,,\n\
                      1,f,calc,7000,0,,,e\n";
    std::fs::write(&graph, operations).unwrap();
    let text = format!(
        r#"
        [topology]
        kind = "star"
        hosts = 2
        [cc]
        kind = "none"
        [[workload]]
        kind = "graph"
        path = {graph:?}
        iterations = 3
        warm_up = 1
        slow_ranks = [{{ ranks = ["1"], factor = 2 }}]
        [observe]
        operations = true"#
    );
    let results = dir.path().join("results");
    let summary = run(&text, &results, 1);
    let rows = table(&results, "operations.csv");
    let first: Vec<Row> = rows
        .iter()
        .filter(|row| row["iteration"] == "0")
        .cloned()
        .collect();
    assert_eq!(
        computations(&first, "0"),
        [(0, 0, 3_000), (0, 0, 10_000), (10_000, 10_000, 15_000)]
    );
    let named = |name: &str| first.iter().find(|row| row["name"] == name).unwrap();
    let (sent, received, last) = (named("d"), named("e"), named("f"));
    assert_eq!((ns(sent, "start_ns"), &*sent["peer_rank"]), (15_000, "1"));
    assert_eq!(
        (&received["flow"], &received["start_ns"]),
        (&sent["flow"], &sent["start_ns"])
    );
    assert_eq!(received["size_bytes"], "1000");
    assert_eq!(received["end_ns"], last["start_ns"]);
    let ns = |column: &str| last[column].parse::<f64>().unwrap();
    assert!(
        (ns("end_ns") - ns("start_ns") - 14_000.0).abs() < 1e-6,
        "{last:?}"
    );
    // Each iteration of a rank follows its own previous one.
    assert_eq!(rows.len(), 3 * 6);
    let job = &summary.jobs[0];
    assert_eq!((job.iterations, job.warm_up), (3, 1));
    assert_eq!(job.rank_times.last_rank, Some(1));
    assert_eq!(job.rank_times.last_rank_iterations, Some(2));
}

#[test]
fn jitter_is_the_same_on_any_number_of_threads_and_differs_by_seed() {
    let text = |seed: u64| {
        format!(
            r#"
        seed = {seed}
        [topology]
        kind = "leaf-spine"
        leaves = 2
        spines = 2
        hosts_per_leaf = 4
        [cc]
        kind = "dcqcn"
        [[workload]]
        kind = "collective"
        operation = "all-reduce"
        size = "400KB"
        iterations = 4
        compute = "50us"
        compute_jitter = 0.2
        [observe]
        operations = true"#
        )
    };
    let dir = tempfile::tempdir().unwrap();
    let mut results = Vec::new();
    for (name, seed, threads) in [("a", 1, 1), ("b", 1, 3), ("c", 2, 1)] {
        let place = dir.path().join(name);
        let summary = run(&text(seed), &place, threads);
        let rows = std::fs::read_to_string(place.join("operations.csv")).unwrap();
        results.push((summary.checksum.clone(), rows));
    }
    assert!(results[0] == results[1]);
    assert!(results[0].0 != results[2].0 && results[0].1 != results[2].1);
    let rows = table(&dir.path().join("a"), "operations.csv");
    let spans: Vec<f64> = rows
        .iter()
        .filter(|row| row["kind"] == "compute")
        .map(|row| row["end_ns"].parse::<f64>().unwrap() - row["start_ns"].parse::<f64>().unwrap())
        .collect();
    assert_eq!(spans.len(), 3 * 8);
    let mean = spans.iter().sum::<f64>() / 24.0;
    // Four standard errors of 20% over 24 draws.
    assert!((mean / 50_000.0 - 1.0).abs() < 0.17, "{mean}");
}
