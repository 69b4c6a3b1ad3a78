//! Queries per second in closed form.

use crate::rpc::row::{Row, run};

/// One query at a time from host 0 to host 1, with 20 us from each response to the next query.
fn run_alone(keys: &str) -> (Option<f64>, Vec<Row>) {
    let text = format!(
        r#"
            [topology]
            kind = "star"
            hosts = 2
            [cc]
            kind = "dcqcn"
            [[workload]]
            kind = "rpc"
            clients = ["0"]
            servers = ["1"]
            query = "4KB"
            think = "20us"
            {keys}
        "#
    );
    let (summary, _, rows) = run(&text, 1);
    (summary.rpc[0].qps, rows)
}

fn is(qps: Option<f64>, queries: u64, span_ps: u64) {
    let expected = queries as f64 / (span_ps as f64 / 1e12);
    let qps = qps.unwrap();
    assert!(
        (qps / expected - 1.0).abs() < 1e-9,
        "{qps} is not {expected}"
    );
}

const THINK: u64 = 20_000_000;

#[test]
fn counted_queries_are_over_the_time_to_the_last_response() {
    let (qps, rows) = run_alone(
        r#"queries = 1
        start = "7us""#,
    );
    let qct = rows[0].qct;
    is(qps, 1, qct);
    for queries in [2, 5] {
        let (qps, rows) = run_alone(&format!("queries = {queries}"));
        assert!(rows.iter().all(|row| row.qct == qct));
        is(qps, queries, queries * qct + (queries - 1) * THINK);
        // The queries run out before the duration ends.
        let (same, _) = run_alone(&format!(
            r#"queries = {queries}
            duration = "10ms""#
        ));
        assert_eq!(same, qps);
    }
}

#[test]
fn queries_of_a_duration_are_over_that() {
    let (_, rows) = run_alone("queries = 1");
    let round = rows[0].qct + THINK;
    for duration_us in [60, 61, 500, 3_000] {
        let duration = duration_us * 1_000_000;
        let (qps, rows) = run_alone(&format!(
            r#"duration = "{duration_us}us"
            start = "7us""#
        ));
        // Query n completes after n rounds minus the last pause.
        let completed = (duration + THINK) / round;
        assert!(completed <= rows.len() as u64);
        is(qps, completed, duration);
    }
    // No query is complete when the client sends the last one.
    let (qps, rows) = run_alone(
        r#"duration = "1us"
        outstanding = 4"#,
    );
    let last = rows.iter().map(|row| row.completion).max().unwrap();
    is(qps, 4, last);
}

#[test]
fn a_run_that_is_cut_short_counts_until_then() {
    let (_, rows) = run_alone("queries = 1");
    let round = rows[0].qct + THINK;
    let (qps, _) = run_alone(
        r#"duration = "1ms"
        [run]
        stop_at = "300us""#,
    );
    is(qps, (300_000_000 + THINK) / round, 300_000_000);
}

/// The completions of the last queries, all after the client has sent the last one, count as well.
#[test]
fn queries_at_random_times_are_counted_to_the_last_one() {
    let text = r#"
        [topology]
        kind = "star"
        hosts = 2
        [cc]
        kind = "dcqcn"
        [[workload]]
        kind = "rpc"
        clients = ["0"]
        servers = ["1"]
        query = "4KB"
        mode = "poisson"
        rate = 1e9
        queries = 20
    "#;
    let (summary, _, rows) = run(text, 1);
    let first = rows.iter().map(|row| row.issue).min().unwrap();
    let last = rows.iter().map(|row| row.completion).max().unwrap();
    assert!(rows.iter().map(|row| row.issue).max() < rows.iter().map(|row| row.completion).min());
    is(summary.rpc[0].qps, 20, last - first);
}
