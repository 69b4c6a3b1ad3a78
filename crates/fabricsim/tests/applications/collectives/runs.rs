//! Whole runs: iterations, groups, concurrent jobs, transports and threads.

use std::collections::BTreeSet;

use fabricsim::outcome::Status;

use crate::collectives::row::run;

const FABRIC: &str = r#"
    [topology]
    kind = "leaf-spine"
    leaves = 4
    hosts_per_leaf = 4
    spines = 2
    host_rate = "100Gbps"
    fabric_rate = "100Gbps"
"#;

/// Two jobs of 8 ranks, with background traffic.
fn jobs(cc: &str, keys: &str) -> String {
    let collective = |job: &str, skip: u32| {
        format!(
            r#"
                [[workload]]
                kind = "collective"
                size = "200KB"
                iterations = 3
                compute = "10us"
                placement = "random"
                ranks = 8
                skip = {skip}
                job = "{job}"
                {keys}
            "#
        )
    };
    format!(
        "seed = 5\n{FABRIC}[cc]\nkind = \"{cc}\"\n{}{}[[workload]]\nkind = \"poisson\"\n\
         sizes = \"websearch\"\nload = 0.2\nduration = \"200us\"\n",
        collective("a", 0),
        collective("b", 8)
    )
}

#[test]
fn jobs_of_all_transports_are_the_same_on_any_number_of_threads() {
    for (cc, keys) in [
        (
            "hpcc",
            r#"operation = "all-reduce"
                algorithm = "double-binary-tree"
                chunks = 4"#,
        ),
        (
            "dcqcn",
            r#"operation = "all-to-all"
                connections = "per-message""#,
        ),
        (
            "tcp-dctcp",
            r#"operation = "all-reduce"
                algorithm = "bidirectional-ring""#,
        ),
        (
            "dctcp",
            r#"operation = "all-gather"
                group_size = 4
                group_stride = 2
                channels = 2"#,
        ),
        (
            "dcqcn",
            r#"operation = "all-reduce"
                algorithm = "nccl"
                local_size = 4
                chunk_size = "16KB""#,
        ),
        (
            "hpcc",
            r#"operation = "all-to-all"
                algorithm = "pxn"
                local_size = 4
                chunks = 2"#,
        ),
    ] {
        let text = jobs(cc, keys);
        let (summary, file, rows) = run(&text, 1);
        assert_eq!(summary.status, Status::Finished, "{cc}");
        for job in &summary.jobs {
            assert_eq!((job.ranks, job.ranks_finished), (8, 8));
            assert_eq!((job.iterations, job.collectives_unfinished), (3, 0));
        }
        let groups = if keys.contains("group_size") { 2 } else { 1 };
        assert_eq!(rows.len(), 2 * 3 * groups, "{cc}");
        for threads in [2, 3, 8] {
            let (other, same, _) = run(&text, threads);
            assert_eq!((&other.checksum, &same), (&summary.checksum, &file), "{cc}");
        }
    }
}

#[test]
fn iterations_follow_one_another_with_the_computation_between() {
    let text = format!(
        r#"
            {FABRIC}
            [cc]
            kind = "none"
            [[workload]]
            kind = "collective"
            operation = "all-reduce"
            size = "64KB"
            iterations = 4
            compute = "30us"
            start = "5us"
        "#
    );
    let (summary, _, rows) = run(&text, 1);
    assert_eq!(rows[0].start, 5_000_000);
    for (before, next) in rows.iter().zip(&rows[1..]) {
        // A rank may begin before the last rank has ended, but never before it has computed.
        assert!(next.start >= before.start + 30_000_000);
        assert!(next.start <= before.end + 30_000_000 + 10_000_000);
        assert_eq!(next.iteration, before.iteration + 1);
    }
    let job = &summary.jobs[0];
    assert_eq!(job.iteration_max_ns.map(|ns| (ns * 1e3).round()), {
        let longest = rows.iter().map(|row| row.since_last).max();
        longest.map(|ps| ps as f64)
    });
    assert_eq!(job.job, "job0");
}

#[test]
fn groups_work_beside_one_another() {
    let text = format!(
        r#"
            {FABRIC}
            [cc]
            kind = "none"
            [[workload]]
            kind = "collective"
            operation = "reduce-scatter"
            size = "64KB"
            group_size = 4
        "#
    );
    let (summary, _, rows) = run(&text, 1);
    assert_eq!(summary.jobs[0].ranks, 16);
    let groups: BTreeSet<u64> = rows.iter().map(|row| row.group).collect();
    assert_eq!(groups.into_iter().collect::<Vec<_>>(), [0, 1, 2, 3]);
    // Each group is behind one switch, so the groups do not delay one another.
    assert!(rows.iter().all(|row| row.duration == rows[0].duration));
    assert!(rows.iter().all(|row| (row.class, row.ranks) == (0, 4)));
    for row in &rows {
        assert_eq!(row.slowest_rank / 4, row.group);
        assert_eq!(row.last_sender / 4, row.group);
    }
}

/// Neighbors of a scattered ring are behind different switches, so the ring takes longer.
#[test]
fn placement_decides_how_far_neighbors_are() {
    let time = |keys: &str| {
        let text = format!(
            r#"
                {FABRIC}
                [cc]
                kind = "none"
                [[workload]]
                kind = "collective"
                operation = "all-reduce"
                size = "1600B"
                {keys}
            "#
        );
        run(&text, 1).2[0].duration
    };
    let packed = time("ranks = 4");
    let scattered = time(
        r#"ranks = 4
        placement = "scattered"
        placement_stride = 4"#,
    );
    assert!(scattered > packed * 3 / 2, "{packed} {scattered}");
}
