//! Queries that do not complete.

use crate::support;
use fabricsim::outcome::{Status, run_to_folder};

use crate::rpc::row::run;

fn cut(cc: &str) -> String {
    format!(
        r#"
            [topology]
            kind = "star"
            hosts = 3
            [cc]
            kind = "{cc}"
            [run]
            stall_after = "20ms"
            [routing]
            convergence = "10s"
            [[event]]
            at = "50us"
            kind = "link-down"
            link = [0, 3]
            [[workload]]
            kind = "rpc"
            clients = ["1..3"]
            servers = ["0"]
            outstanding = 3
            query = "4KB"
            duration = "1ms"
        "#
    )
}

#[test]
fn queries_to_a_server_that_is_cut_off_are_reported_with_what_they_wait_for() {
    for cc in ["hpcc", "newreno"] {
        let (summary, _, rows) = run(&cut(cc), 1);
        assert_eq!(summary.status, Status::Stalled, "{cc}");
        let rpc = &summary.rpc[0];
        assert_eq!(rpc.unfinished, 6, "{cc}");
        assert_eq!(rpc.queries, rows.len() as u64);
        assert!(!rows.is_empty(), "{cc}");
        assert!(!summary.unfinished.is_empty(), "{cc}");
        let reasons = summary.unfinished.iter().map(|flow| flow.reason.as_str());
        assert!(reasons.clone().all(|reason| !reason.is_empty()));
        assert!(
            summary
                .unfinished
                .iter()
                .all(|flow| flow.flow.is_some_and(|id| id >= 1 << 31)),
            "{cc}"
        );
    }
}

#[test]
fn queries_whose_service_takes_longer_than_the_run_are_counted() {
    let text = r#"
        [topology]
        kind = "star"
        hosts = 2
        [cc]
        kind = "hpcc"
        [run]
        stop_at = "100us"
        [[workload]]
        kind = "rpc"
        clients = ["0"]
        servers = ["1"]
        queries = 1
        query = "4KB"
        service = "1ms"
    "#;
    let (summary, file, rows) = run(text, 1);
    assert_eq!((summary.status, rows.len()), (Status::TimeReached, 0));
    assert_eq!(summary.rpc[0].unfinished, 1);
    assert_eq!(file.lines().count(), 1);
    assert_eq!(summary.rpc[0].qct_mean_ns, None);
}

#[test]
fn a_file_of_ones_own_is_not_overwritten_and_the_same_run_can_be_repeated() {
    let text = r#"
        [topology]
        kind = "star"
        hosts = 2
        [cc]
        kind = "hpcc"
        [[workload]]
        kind = "rpc"
        clients = ["0"]
        servers = ["1"]
        queries = 3
        query = "4KB"
    "#;
    let scenario = support::scenario(text);
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("rpc.csv");
    std::fs::write(&file, "mine").unwrap();
    let refused = run_to_folder(&scenario, dir.path(), 1, &mut ()).unwrap_err();
    assert!(refused.to_string().contains("rpc.csv"), "{refused}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    std::fs::remove_file(&file).unwrap();
    let first = run_to_folder(&scenario, dir.path(), 1, &mut ()).unwrap();
    let rows = std::fs::read_to_string(&file).unwrap();
    assert_eq!(rows.lines().count(), 4);
    let again = run_to_folder(&scenario, dir.path(), 1, &mut ()).unwrap();
    assert_eq!(first.checksum, again.checksum);
    let other = scenario.with_seed(2).unwrap();
    assert!(run_to_folder(&other, dir.path(), 1, &mut ()).is_err());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), rows);
}
