//! Queue lengths by group of ports.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use fabricsim::observe::QueueGroupSummary;

use crate::observation::{number, run, table};

/// Time of a full frame of 1,048 bytes at 100 Gbps, in picoseconds.
const FRAME: u64 = 83_840;
/// Frames of each sender.
const FRAMES: u64 = 100;

/// Hosts 0 and 1 send 100 frames each to host 2 without a pause. From 1,083.84 ns on two frames
/// arrive for each one that leaves, so that the queue has every length for the time of one frame
/// while it grows. Then it has every length for the same time while it drains. It is observed from
/// the first arrival until the last frame leaves the queue.
fn triangle(observe: &str) -> String {
    let ns = |ps: u64| format!("{}.{:03}ns", ps / 1_000, ps % 1_000);
    let from = 1_000_000 + FRAME;
    let until = from + 2 * FRAMES * FRAME;
    format!(
        r#"
            [topology]
            kind = "star"
            hosts = 3
            [[workload]]
            kind = "incast"
            fan_in = 2
            size = "100KB"
            receiver = 2
            at = "0s"
            [cc]
            kind = "none"
            window_bdp = 0
            [observe]
            from = "{}"
            until = "{}"
            queue_distribution = true
            distribution_bin = "1048B"
            queue_groups = [{{ name = "bottleneck", nodes = ["3"], ports = ["2"] }}]
            {observe}"#,
        ns(from),
        ns(until)
    )
}

fn group<'s>(groups: &'s [QueueGroupSummary], name: &str) -> &'s QueueGroupSummary {
    groups.iter().find(|group| group.group == name).unwrap()
}

/// Returns the bins of a group in `queue_groups.csv`: start, time in ns, share below the end.
fn bins(dir: &Path, group: &str) -> Vec<(f64, f64, f64)> {
    let rows = table(dir, "queue_groups.csv");
    let own = rows.iter().filter(|row| row["group"] == group);
    own.map(|row| {
        let [from, time, share] =
            ["from_bytes", "time_ns", "share_below"].map(|name| number(row, name));
        (from, time, share)
    })
    .collect()
}

#[test]
fn an_incast_that_grows_and_drains_has_every_length_for_the_same_time() {
    let dir = tempfile::tempdir().unwrap();
    let summary = run(&triangle(""), dir.path(), 1);
    let bottleneck = group(&summary.queue_groups, "bottleneck");
    let bins = bins(dir.path(), "bottleneck");
    for frames in 2..FRAMES - 2 {
        let from = (frames * 1_048) as f64;
        let (_, time, _) = bins.iter().find(|bin| (bin.0 - from).abs() < 0.5).unwrap();
        assert!((time - 167.68).abs() < 1e-6, "{frames} frames: {time}");
    }
    let total: f64 = bins.iter().map(|bin| bin.1).sum();
    assert!((total - (2 * FRAMES * FRAME) as f64 / 1e3).abs() < 1e-6);
    // Uniform from zero to 100 frames.
    let frame = 1_048.0;
    assert!(
        (bottleneck.mean_bytes - 50.0 * frame).abs() < 1.5 * frame,
        "{bottleneck:?}"
    );
    for (found, share) in [
        (bottleneck.p50_bytes, 0.50),
        (bottleneck.p95_bytes, 0.95),
        (bottleneck.p99_bytes, 0.99),
    ] {
        let wanted = share * FRAMES as f64 * frame;
        assert!(
            (found as f64 - wanted).abs() < 2.5 * frame,
            "{share}: {bottleneck:?}"
        );
    }
    // The other two ports of the switch carry only acknowledgements, which never wait for long.
    let all = group(&summary.queue_groups, "all");
    assert_eq!((all.ports, bottleneck.ports), (3, 1));
    assert!(
        (all.mean_bytes - bottleneck.mean_bytes / 3.0).abs() < 30.0,
        "{all:?}"
    );
    assert_eq!(all.p50_bytes, 0);
    // All links belong to one tier, so there are no groups by tier.
    assert_eq!(summary.queue_groups.len(), 2);
}

#[test]
fn samples_taken_often_agree() {
    let dir = tempfile::tempdir().unwrap();
    run(
        &triangle(
            r#"queues = true
            interval = "7ns"
            nodes = ["3"]
            ports = ["2"]"#,
        ),
        dir.path(),
        1,
    );
    let mut lengths: Vec<f64> = table(dir.path(), "queues.csv")
        .iter()
        .map(|row| number(row, "queue_bytes"))
        .collect();
    lengths.sort_unstable_by(f64::total_cmp);
    assert!(lengths.len() > 2_000);
    for (from, _, share) in bins(dir.path(), "bottleneck") {
        let below = lengths.partition_point(|&length| length < from + 1_048.0);
        let sampled = below as f64 / lengths.len() as f64;
        assert!((sampled - share).abs() < 0.01, "{from}: {sampled} {share}");
    }
}

/// The tiers of a leaf-spine: their times are the sums over their ports, and do not depend on
/// threads.
#[test]
fn tiers_are_sums_of_ports_on_any_number_of_threads() {
    let text = |more: &str| {
        format!(
            r#"
                [topology]
                kind = "leaf-spine"
                leaves = 4
                hosts_per_leaf = 4
                nics_per_host = 2
                spines = 2
                host_rate = "25Gbps"
                fabric_rate = "100Gbps"
                [[workload]]
                kind = "poisson"
                sizes = "hadoop"
                load = 0.5
                duration = "200us"
                [cc]
                kind = "hpcc"
                [observe]
                queue_distribution = true
                {more}"#
        )
    };
    // The distribution of single ports serves as the reference for that of tiers.
    let mut seen = Vec::new();
    for threads in [1, 2, 3, 8] {
        let dir = tempfile::tempdir().unwrap();
        let summary = run(&text(""), dir.path(), threads);
        let read = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
        seen.push((read("queue_groups.csv"), summary.queue_groups));
        let mut by_tier: BTreeMap<&str, f64> = BTreeMap::new();
        for row in table(dir.path(), "queue_distribution.csv") {
            // Leaves are 16 to 19, spines 20 and 21; the first eight ports of a leaf lead to hosts.
            let tier = match (number(&row, "node") < 20.0, number(&row, "port") < 8.0) {
                (true, true) => "leaf to host",
                (true, false) => "leaf to spine",
                (false, _) => "spine to leaf",
            };
            *by_tier.entry(tier).or_default() += number(&row, "time_ns");
        }
        for (tier, time) in by_tier {
            let of_group: f64 = bins(dir.path(), tier).iter().map(|bin| bin.1).sum();
            assert!((of_group - time).abs() < 1.0, "{tier}: {of_group} {time}");
        }
    }
    let names: Vec<&str> = seen[0].1.iter().map(|group| group.group.as_str()).collect();
    assert_eq!(
        names,
        ["all", "leaf to host", "leaf to spine", "spine to leaf"]
    );
    assert!(seen.iter().all(|one| *one == seen[0]));
}

/// Without the key there is no file, and results are the same.
#[test]
fn nobody_asked() {
    let dir = tempfile::tempdir().unwrap();
    let with = run(&triangle(""), dir.path(), 1);
    let text = triangle("");
    let plain = text.split("[observe]").next().unwrap();
    let other = tempfile::tempdir().unwrap();
    let without = run(plain, other.path(), 1);
    assert_eq!(with.checksum, without.checksum);
    assert!(without.queue_groups.is_empty());
    assert!(!other.path().join("queue_groups.csv").exists());
}
