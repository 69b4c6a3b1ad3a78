//! Queries and responses that find no route.

use crate::support;
use fabricsim::outcome::Status;

use crate::rpc::row::{Row, run};

/// Three hosts at switch 3. The link of `host` is down from `from` to `until`, in microseconds, or
/// forever.
fn star(host: u32, from: u64, until: Option<u64>, cc: &str, workload: &str) -> String {
    let event = |at: u64, kind: &str| {
        format!(
            r#"
            [[event]]
            at = "{at}us"
            kind = "{kind}"
            link = [{host}, 3]
        "#
        )
    };
    let repair = until.map_or_else(String::new, |until| event(until, "link-up"));
    format!(
        "[topology]\nkind = \"star\"\nhosts = 3\n[cc]\nkind = \"{cc}\"\n{}{repair}\
         [[workload]]\nkind = \"rpc\"\nclients = [\"0\"]\nquery = \"4KB\"\n{workload}\n",
        event(from, "link-down")
    )
}

const CCS: [&str; 3] = ["hpcc", "dcqcn", "newreno"];

fn us(ps: u64) -> u64 {
    ps / 1_000_000
}

#[test]
fn every_slot_of_a_window_or_batch_goes_on_when_there_is_a_route() {
    for (mode, cc) in ["window", "batch"]
        .iter()
        .flat_map(|mode| CCS.map(|cc| (mode, cc)))
    {
        for targets in ["all-pairs", "random"] {
            let workload = format!(
                r#"servers = ["1..3"]
                    mode = "{mode}"
                    targets = "{targets}"
                    outstanding = 3
                    queries = 60
                    connections = 2"#
            );
            let text = star(1, 0, Some(500), cc, &workload);
            let (summary, file, rows) = run(&text, 1);
            assert_eq!(summary.status, Status::Finished, "{text}");
            assert_eq!(summary.flows.unreachable, 0, "{text}");
            assert_eq!((summary.rpc[0].unfinished, rows.len()), (0, 60), "{text}");
            // Queries that were due before there was a route wait for it, and this wait is part of
            // their time.
            let waited: Vec<&Row> = rows
                .iter()
                .filter(|row| row.server == 1 && us(row.issue) < 500)
                .collect();
            let expected = if targets == "all-pairs" {
                2 * 3..=2 * 3
            } else {
                1..=3
            };
            assert!(
                expected.contains(&waited.len()),
                "{} of {text}",
                waited.len()
            );
            assert!(
                waited
                    .iter()
                    .all(|row| (500..650).contains(&us(row.completion))),
                "{text}"
            );
            for threads in [2, 3] {
                assert!(run(&text, threads).1 == file, "{threads} threads: {text}");
            }
        }
    }
}

#[test]
fn queries_of_an_open_loop_wait_for_a_route_in_their_order() {
    for cc in CCS {
        let workload = r#"servers = ["1..3"]
            mode = "poisson"
            rate = 1000000
            duration = "1ms""#;
        let (summary, _, rows) = run(&star(1, 0, Some(50), cc, workload), 1);
        assert_eq!(
            (summary.status, summary.flows.unreachable),
            (Status::Finished, 0)
        );
        assert_eq!(summary.rpc[0].unfinished, 0);
        let early: Vec<&Row> = (rows.iter())
            .filter(|row| row.server == 1 && us(row.issue) < 50)
            .collect();
        assert!(early.len() > 10, "{}", early.len());
        assert!(early.iter().all(|row| us(row.completion) >= 50));
        assert!(early.is_sorted_by_key(|row| row.issue), "{cc}");
    }
}

/// The query arrives within 10 us, and its server works for 20 us. By then its link is down.
#[test]
fn the_first_response_of_a_connection_leaves_when_there_is_a_route() {
    for cc in CCS {
        for service in ["20us", "0s"] {
            let workload = format!(
                r#"servers = ["1"]
                    queries = 3
                    service = "{service}"
                    start = "3us""#
            );
            // If the client's own link fails, the query has arrived, but the response has no route
            // back.
            for host in [0, 1] {
                let text = star(host, 12, Some(300), cc, &workload);
                let (summary, _, rows) = run(&text, 1);
                assert_eq!(summary.status, Status::Finished, "{text}");
                assert_eq!((rows.len(), summary.rpc[0].unfinished), (3, 0), "{text}");
                assert_eq!(summary.flows.unreachable, 0, "{text}");
            }
        }
    }
}

#[test]
fn a_run_whose_queries_never_find_a_route_says_what_they_wait_for() {
    for cc in CCS {
        let workload = r#"servers = ["1..3"]
            outstanding = 2
            queries = 9"#;
        let summary = support::summary(&star(1, 0, None, cc, workload), 1);
        assert_eq!(summary.status, Status::Stalled, "{cc}");
        assert_eq!(
            (summary.flows.unfinished, summary.flows.unreachable),
            (2, 0)
        );
        assert_eq!((summary.rpc[0].queries, summary.rpc[0].unfinished), (7, 2));
        for flow in &summary.unfinished {
            assert_eq!(
                flow.reason,
                "no route from host0 (node 0) to host1 (node 1): the link between host1 (node 1) and \
                 switch0 (node 3) is down since 0ps; has not started, and waits for a route"
            );
            assert!(flow.flow.is_some(), "it has its number");
        }
    }
}

#[test]
fn a_response_that_never_finds_a_route_is_listed() {
    let workload = r#"servers = ["1"]
        queries = 1
        service = "100us""#;
    for cc in CCS {
        let (summary, _, rows) = run(&star(0, 20, None, cc, workload), 1);
        assert_eq!((summary.status, rows.len()), (Status::Stalled, 0));
        let listed = &summary.unfinished[0];
        assert_eq!(
            (listed.src, listed.dst, listed.size_bytes),
            (1, 0, Some(64))
        );
        assert!(
            listed.reason.ends_with("waits for a route"),
            "{}",
            listed.reason
        );
    }
}
