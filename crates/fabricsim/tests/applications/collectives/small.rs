//! Work that needs the network little or not at all: ranks that are alone, send to themselves, or
//! have nothing to do.

use fabricsim::Scenario;
use fabricsim::outcome::{Status, Summary, run_to_folder};

use crate::collectives::row::run;

#[test]
fn groups_of_one_rank_compute_alone() {
    for (operation, algorithms) in [
        (
            "all-reduce",
            "ring bidirectional-ring halving-doubling double-binary-tree hierarchical",
        ),
        ("all-to-all", "direct pairwise"),
        ("all-to-all-v", "direct pairwise"),
        ("broadcast", "binomial chain"),
        ("send-receive", "ring"),
    ] {
        for algorithm in algorithms.split(' ') {
            let text = format!(
                r#"
                    [topology]
                    kind = "star"
                    hosts = 4
                    [cc]
                    kind = "hpcc"
                    [[workload]]
                    kind = "collective"
                    operation = "{operation}"
                    algorithm = "{algorithm}"
                    size = "1MB"
                    group_size = 1
                    iterations = 3
                    compute = "7us"
                "#
            );
            let (summary, _, rows) = run(&text, 1);
            assert_eq!(summary.status, Status::Finished, "{operation} {algorithm}");
            assert_eq!((rows.len(), summary.flows.started), (12, 0));
            assert_eq!(summary.jobs[0].completion_ns, Some(14_000.0));
            assert_eq!(summary.jobs[0].busbw_gbps, None);
        }
    }
}

#[test]
fn a_pipeline_of_one_stage_computes() {
    let text = r#"
        [topology]
        kind = "star"
        hosts = 2
        [cc]
        kind = "none"
        [[workload]]
        kind = "collective"
        operation = "pipeline"
        size = "0B"
        ranks = 1
        chunks = 4
        forward = ["3us"]
        backward = ["5us"]
    "#;
    let (summary, _, _) = run(text, 1);
    assert_eq!(summary.status, Status::Finished);
    assert_eq!(summary.jobs[0].completion_ns, Some(32_000.0));
}

/// Runs a graph on a star of four hosts.
fn graph(text: &str, keys: &str) -> Summary {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("graph"), text).unwrap();
    let scenario = format!(
        r#"
            [topology]
            kind = "star"
            hosts = 4
            rate = "100Gbps"
            delay = "1us"
            [cc]
            kind = "none"
            [[workload]]
            kind = "graph"
            path = "graph"
            {keys}
        "#
    );
    let scenario = Scenario::from_text("t.toml", &scenario, dir.path(), &[]).unwrap();
    run_to_folder(&scenario, &dir.path().join("out"), 1, &mut ()).unwrap()
}

/// The receipt of a message to oneself ends when the message is sent, in either order of the two.
#[test]
fn a_message_to_oneself_is_there_at_once() {
    let goal = "num_ranks 2\nrank 0 {\na: calc 1000\nb: send 1000000b to 0 tag 5\nb requires a\n\
                c: recv 1000000b from 0 tag 5\nd: calc 500 cpu 1\nd requires c\n}\n\
                rank 1 {\ns: send 8b to 1\nw: calc 200\nr: recv 8b from 1\nr requires w\n\
                x: calc 300\nx requires r\nx requires s\n}\n";
    let csv = "rank,id,op,peer,bytes,tag,duration_ns,stream,after\n0,a,calc,,,,1000,,\n\
               0,b,send,0,1000000,5,,,a\n0,c,recv,0,,5,,,\n0,d,calc,,,,500,1,c\n";
    for (text, keys) in [
        (goal, r#"send_end = "posted""#),
        (goal, ""),
        (csv, r#"connections = "per-message""#),
    ] {
        let summary = graph(text, keys);
        assert_eq!(summary.status, Status::Finished, "{text}");
        assert_eq!(summary.flows.started, 0);
        assert_eq!(summary.jobs[0].completion_ns, Some(1_500.0));
    }
}

/// Ranks 1 and 2 have nothing to do, and a message of 0 bytes takes as long as a message of 1 byte.
#[test]
fn ranks_without_work_and_messages_without_bytes_end() {
    let csv = "rank,id,op,peer,bytes\n0,a,send,3,0\n3,a,recv,0,\n";
    let goal =
        "num_ranks 4\nrank 0 {\na: send 0b to 3\n}\nrank 1 {\n}\nrank 3 {\na: recv 0b from 0\n}\n";
    for text in [csv, goal] {
        let summary = graph(text, "");
        assert_eq!(summary.status, Status::Finished);
        let job = &summary.jobs[0];
        assert_eq!((job.ranks, job.ranks_finished), (4, 4));
        // Two delays, and two transmissions of a byte with 48 of headers.
        assert_eq!(job.completion_ns, Some(2_007.84));
    }
}

/// The gradient norm of a training step: 4 bytes among 8 ranks in 14 steps.
#[test]
fn a_few_bytes_are_summed_up_in_as_many_steps_as_many_bytes() {
    let rows: String = (0..8)
        .map(|rank| format!("{rank},norm,all-reduce,,4\n"))
        .collect();
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(
        dir.path().join("graph"),
        format!("rank,id,op,peer,bytes\n{rows}"),
    )
    .unwrap();
    let text = r#"
        [topology]
        kind = "star"
        hosts = 8
        rate = "100Gbps"
        delay = "1us"
        [cc]
        kind = "none"
        [[workload]]
        kind = "graph"
        path = "graph"
    "#;
    let scenario = Scenario::from_text("t.toml", text, dir.path(), &[]).unwrap();
    let summary = run_to_folder(&scenario, &dir.path().join("out"), 1, &mut ()).unwrap();
    assert_eq!(
        (summary.status, summary.flows.started),
        (Status::Finished, 8 * 14)
    );
    let time = summary.jobs[0].completion_ns.unwrap();
    assert!((14.0 * 2_007.8..14.0 * 2_020.0).contains(&time), "{time}");
}
