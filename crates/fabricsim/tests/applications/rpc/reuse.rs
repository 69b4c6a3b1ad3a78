//! The connections that queries of an open loop use.

use std::collections::BTreeSet;

use crate::rpc::row::{Row, run};

/// Queries from host 0 to host 1 of a star of 100 Gbps.
fn queries(cc: &str, keys: &str) -> Vec<Row> {
    let text = format!(
        r#"
            [topology]
            kind = "star"
            hosts = 2
            rate = "100Gbps"
            delay = "1us"
            [cc]
            {cc}
            [[workload]]
            kind = "rpc"
            clients = ["0"]
            servers = ["1"]
            mode = "poisson"
            {keys}
        "#
    );
    let (summary, _, rows) = run(&text, 1);
    assert_eq!(summary.rpc[0].unfinished, 0);
    rows
}

fn overlap(rows: &[Row]) -> bool {
    rows.iter().any(|a| {
        let on_it = rows.iter().filter(|b| b.connection == a.connection);
        on_it
            .filter(|b| b.query != a.query)
            .any(|b| a.issue < b.completion && b.issue < a.completion)
    })
}

#[test]
fn a_query_that_is_a_flow_of_its_own_starts_at_the_line_rate() {
    let keys = r#"query = "20KB"
        queries = 20
        rate = 10000
        reuse = "none""#;
    let own = queries(r#"kind = "hpcc""#, keys);
    assert_eq!(own.len(), 20);
    for row in &own {
        assert_eq!(row.connection, row.query);
        assert_eq!(row.qct, row.ideal, "{row:?}");
    }
}

/// Slow start, which a reused connection has finished after some queries.
#[test]
fn a_query_that_is_a_flow_of_its_own_has_the_initial_window() {
    let keys = r#"query = "200KB"
        queries = 10
        rate = 3000
        reuse ="#;
    let cc = r#"kind = "newreno"
        opening = "open""#;
    let own = queries(cc, &format!(r#"{keys}"none""#));
    assert!(own.iter().all(|row| row.qct == own[0].qct), "{own:?}");
    let shared = queries(cc, &format!(r#"{keys}"shared""#));
    assert!(shared[9].qct + 1_000_000 < own[9].qct, "{shared:?}");
}

#[test]
fn no_query_waits_behind_another_one_on_an_idle_connection() {
    let keys = r#"query = "30KB"
        queries = 300
        rate = 300000
        connections = 2
        reuse ="#;
    for cc in [
        r#"kind = "dctcp""#,
        r#"kind = "newreno"
        opening = "open""#,
    ] {
        let idle = queries(cc, &format!(r#"{keys}"idle""#));
        assert_eq!(idle.len(), 300);
        assert!(!overlap(&idle));
        let used: BTreeSet<_> = idle.iter().map(|row| row.connection).collect();
        assert!((3..100).contains(&used.len()), "{} connections", used.len());
        let shared = queries(cc, &format!(r#"{keys}"shared""#));
        assert!(overlap(&shared));
        let used: BTreeSet<_> = shared.iter().map(|row| row.connection).collect();
        assert_eq!(used.len(), 2);
    }
}
