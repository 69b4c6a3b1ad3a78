//! Windows, batches and open loops.

use std::collections::{BTreeMap, BTreeSet};

use crate::rpc::row::{Row, run};

const STAR: &str = r#"
    [topology]
    kind = "star"
    hosts = 4
    rate = "25Gbps"
    delay = "1us"
"#;

/// Two clients flood host 0, and a third one keeps two queries outstanding on each of 4
/// connections.
fn flood(cc: &str, outstanding: u32, duration: &str) -> String {
    let workload = |clients: &str, outstanding: u32| {
        format!(
            r#"
                [[workload]]
                kind = "rpc"
                clients = ["{clients}"]
                servers = ["0"]
                connections = 4
                outstanding = {outstanding}
                query = "4KB"
                duration = "{duration}"
            "#
        )
    };
    let (flood, victim) = (workload("1..3", outstanding), workload("3", 2));
    format!(
        r#"
        {STAR}
        [cc]
        kind = "{cc}"
        {flood}{victim}"#
    )
}

#[test]
fn outstanding_queries_are_queries_per_second_times_their_mean_time() {
    for cc in ["hpcc", "dcqcn", "newreno"] {
        let (summary, _, _) = run(&flood(cc, 8, "30ms"), 2);
        for (class, outstanding) in summary.rpc.iter().zip([2.0 * 4.0 * 8.0, 4.0 * 2.0]) {
            let product = class.qps.unwrap() * class.qct_mean_ns.unwrap() / 1e9;
            assert!(
                (product / outstanding - 1.0).abs() < 0.01,
                "{cc}: {product} of {outstanding}"
            );
        }
    }
}

#[test]
fn rpc_csv_is_the_same_on_any_number_of_threads_over_every_algorithm() {
    for cc in [
        "hpcc",
        "hpcc-pint",
        "dcqcn",
        "dctcp",
        "timely",
        "none",
        "newreno",
        "cubic",
        "tcp-dctcp",
        "prague",
    ] {
        let (one, file, rows) = run(&flood(cc, 16, "300us"), 1);
        assert!(rows.len() > 100, "{cc}: {}", rows.len());
        assert!(rows.iter().all(|row| row.qct >= row.ideal), "{cc}");
        assert!(one.warnings.is_empty(), "{cc}: {:?}", one.warnings);
        let queries: BTreeSet<u64> = rows.iter().map(|row| row.query).collect();
        assert_eq!(queries.len(), rows.len());
        for threads in [2, 3, 8] {
            let (many, same, _) = run(&flood(cc, 16, "300us"), threads);
            assert!(same == file, "{cc} on {threads} threads");
            assert_eq!((many.checksum, &many.rpc), (one.checksum.clone(), &one.rpc));
        }
    }
}

/// Returns the greatest number of queries that waited at one time, for each connection.
fn most_outstanding(rows: &[Row]) -> BTreeMap<u64, usize> {
    let mut changes: Vec<(u64, i32, u64)> = Vec::new();
    for row in rows {
        changes.push((row.issue, 1, row.connection));
        // A response starts the next query at the same instant.
        changes.push((row.completion, -1, row.connection));
    }
    changes.sort_unstable();
    let (mut now, mut most) = (BTreeMap::<u64, i32>::new(), BTreeMap::new());
    for (_, change, connection) in changes {
        let waiting = now.entry(connection).or_default();
        *waiting += change;
        let most: &mut usize = most.entry(connection).or_default();
        *most = (*most).max(usize::try_from(*waiting).unwrap());
    }
    most
}

fn alone(keys: &str) -> Vec<Row> {
    let text = format!(
        r#"
        {STAR}
        [cc]
        kind = "dcqcn"
        [[workload]]
        kind = "rpc"
        {keys}
    "#
    );
    run(&text, 1).2
}

#[test]
fn a_window_is_kept_full_on_each_connection_of_each_pair() {
    let rows = alone(
        r#"query = "1KB"
        connections = 2
        outstanding = 3
        duration = "100us""#,
    );
    let most = most_outstanding(&rows);
    assert_eq!(most.len(), 4 * 3 * 2);
    assert!(most.values().all(|&most| most == 3));
    let pairs: BTreeSet<(u64, u64)> = rows.iter().map(|row| (row.client, row.server)).collect();
    assert_eq!(pairs.len(), 12);
    assert!(rows.iter().all(|row| row.issue < 100_000_000));
}

#[test]
fn a_batch_waits_for_its_last_response_and_then_thinks() {
    let rows = alone(
        r#"query = "1KB"
            clients = ["1"]
            servers = ["0"]
            mode = "batch"
            outstanding = 5
            think = "3us"
            queries = 23"#,
    );
    assert_eq!(rows.len(), 23);
    for (batch, next) in rows.chunks(5).zip(rows.chunks(5).skip(1)) {
        assert!(batch.iter().all(|row| row.issue == batch[0].issue));
        assert_eq!(next[0].issue, batch[4].completion + 3_000_000);
    }
}

#[test]
fn random_targets_share_one_window() {
    let rows = alone(
        r#"query = "1KB"
            clients = ["1"]
            targets = "random"
            outstanding = 2
            queries = 600"#,
    );
    assert_eq!(rows.len(), 600);
    for server in [0, 2, 3] {
        let share = rows.iter().filter(|row| row.server == server).count();
        assert!((160..240).contains(&share), "{share} to {server}");
    }
    let mut times: Vec<(u64, i32)> = rows
        .iter()
        .flat_map(|row| [(row.issue, 1), (row.completion, -1)])
        .collect();
    times.sort_unstable();
    let waiting = times.iter().scan(0, |waiting, (_, change)| {
        *waiting += change;
        Some(*waiting)
    });
    assert_eq!(waiting.max(), Some(2));
}

#[test]
fn an_open_loop_sends_at_its_rate_whatever_waits() {
    let keys = r#"query = "4KB"
        mode = "poisson"
        duration = "20ms"
    "#;
    let by_rate = alone(&format!("{keys}rate = 50000"));
    let expected = 4.0 * 50_000.0 * 0.02;
    assert!(
        (by_rate.len() as f64 - expected).abs() < 4.0 * expected.sqrt(),
        "{}",
        by_rate.len()
    );
    let by_load = alone(&format!("{keys}load = 0.1"));
    let expected = 4.0 * 0.1 * 25e9 / 8.0 * 0.02 / 4_000.0;
    assert!(
        (by_load.len() as f64 - expected).abs() < 4.0 * expected.sqrt(),
        "{}",
        by_load.len()
    );
    assert!(
        by_load.iter().any(|row| row.qct > row.ideal),
        "queries meet"
    );
}

#[test]
fn exponential_service_times_have_their_mean() {
    let rows = alone(
        r#"query = "1KB"
            clients = ["1"]
            servers = ["0"]
            service = "10us"
            service_times = "exponential"
            queries = 4000"#,
    );
    let least = rows.iter().map(|row| row.qct).min().unwrap();
    let mean = rows.iter().map(|row| (row.qct - least) as f64).sum::<f64>() / 4e3 / 1e6;
    assert!((mean - 10.0).abs() < 0.6, "{mean}");
    assert!(rows.iter().all(|row| row.qct >= row.ideal));
}

#[test]
fn a_server_is_a_client_of_others_and_distributions_are_sampled() {
    let rows = alone(
        r#"query = "alistorage"
        size_steps = "atom"
        queries = 300"#,
    );
    assert_eq!(rows.len(), 4 * 300);
    let four = rows.iter().filter(|row| row.size == 4_000).count() as f64 / 1_200.0;
    assert!((four - 0.229).abs() < 0.05, "{four}");
    assert!(
        rows.iter()
            .all(|row| row.size >= 4_000 && row.response == 64)
    );
}
