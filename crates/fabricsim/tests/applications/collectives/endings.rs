//! Collectives that do not end.

use fabricsim::Scenario;
use fabricsim::outcome::{Status, run_to_folder};

use crate::collectives::row::run;

#[test]
fn ranks_that_are_cut_off_say_what_they_wait_for() {
    for (cc, connections) in [
        ("hpcc", "kept"),
        ("newreno", "kept"),
        ("none", "per-message"),
    ] {
        let text = format!(
            r#"
                [topology]
                kind = "star"
                hosts = 4
                [cc]
                kind = "{cc}"
                [run]
                stall_after = "20ms"
                [routing]
                convergence = "1us"
                [[event]]
                at = "50us"
                kind = "link-down"
                link = [0, 4]
                [[workload]]
                kind = "collective"
                operation = "all-reduce"
                size = "400KB"
                iterations = 1000
                job = "train"
                connections = "{connections}"
            "#
        );
        // Rank 0 is cut off for good, so its neighbors wait, and then theirs.
        let (summary, _, rows) = run(&text, 1);
        assert_eq!(summary.status, Status::Stalled, "{cc}");
        let job = &summary.jobs[0];
        assert_eq!((job.ranks_finished, job.completion_ns), (0, None), "{cc}");
        assert_eq!(job.iterations, rows.len() as u64);
        assert_eq!(job.collectives_unfinished, 1, "{cc}");
        assert_eq!(job.waiting.len(), 4, "{:?}", job.waiting);
        assert!(
            job.waiting
                .iter()
                .all(|words| words.contains("of job `train`") && words.contains("rank ")),
            "{:?}",
            job.waiting
        );
        assert!(
            job.waiting[1].contains("receives from rank 0"),
            "{:?}",
            job.waiting
        );
    }
}

/// A flow of a list is no message of a graph, even if they share a class: rank 1 waits for rank 0,
/// which computes for a millisecond first, and then computes for five.
#[test]
fn flows_of_lists_are_no_messages_of_graphs() {
    let dir = tempfile::tempdir().unwrap();
    let graph = "rank,id,op,peer,bytes,tag,duration_ns,after\n\
                 0,w,calc,,,,1000000,\n0,s,send,1,1000,0,,w\n1,r,recv,0,,0,,\n\
                 1,d,calc,,,,5000000,r\n";
    std::fs::write(dir.path().join("graph.csv"), graph).unwrap();
    let flows = "src,dst,size_bytes,start_ns,class\n0,1,1000,0,0\n";
    std::fs::write(dir.path().join("flows.csv"), flows).unwrap();
    let text = r#"
        [topology]
        kind = "star"
        hosts = 2
        [cc]
        kind = "none"
        [[workload]]
        kind = "graph"
        path = "graph.csv"
        [[workload]]
        kind = "list"
        path = "flows.csv"
    "#;
    let scenario = Scenario::from_text("t.toml", text, dir.path(), &[]).unwrap();
    let summary = run_to_folder(&scenario, &dir.path().join("out"), 1, &mut ()).unwrap();
    let time = summary.jobs[0].completion_ns.unwrap();
    assert!(time > 6e6, "{time}");
}

/// Receipts of one sender and tag take messages in the order in which they begin to wait: the
/// second one waits from the beginning, the first one after a computation.
#[test]
fn messages_are_received_in_the_order_of_waiting() {
    let dir = tempfile::tempdir().unwrap();
    let graph = "rank,id,op,peer,bytes,tag,duration_ns,after\n\
                 0,first,send,1,1000,7,,\n0,w,calc,,,,2000000,first\n\
                 0,second,send,1,1000,7,,w\n1,w,calc,,,,1000000,\n\
                 1,late,recv,0,,7,,w\n1,early,recv,0,,7,,\n1,d,calc,,,,5000000,early\n";
    std::fs::write(dir.path().join("graph.csv"), graph).unwrap();
    let text = r#"
        [topology]
        kind = "star"
        hosts = 2
        [cc]
        kind = "none"
        [[workload]]
        kind = "graph"
        path = "graph.csv"
    "#;
    let scenario = Scenario::from_text("t.toml", text, dir.path(), &[]).unwrap();
    let summary = run_to_folder(&scenario, &dir.path().join("out"), 1, &mut ()).unwrap();
    // All computations of a rank follow one another: 1 ms and then 5 ms, from the first message on.
    let time = summary.jobs[0].completion_ns.unwrap();
    assert!((6e6..6.1e6).contains(&time), "{time}");
}
