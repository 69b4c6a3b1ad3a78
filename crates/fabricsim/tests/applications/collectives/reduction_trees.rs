//! Trees over several switches: their closed form, their room, failures, and other traffic.

use fabricsim::outcome::Status;

use crate::collectives::row::run;

const DELAY: u64 = 1_000_000;
const APART: u64 = 100_000;
/// Picoseconds for a byte at 100 Gbps, 400 Gbps, and at the rate of aggregators.
const HOST: u64 = 80;
const FABRIC: u64 = 20;
const INNER: u64 = 2;
const HEADER: u64 = 48;
const ACK: u64 = 60;
const MTU: u64 = 1_000;

/// Returns a leaf-spine with aggregators of 4 Tbps.
fn fabric(leaves: u64, per_leaf: u64, keys: &str) -> String {
    format!(
        r#"
            [topology]
            kind = "leaf-spine"
            leaves = {leaves}
            hosts_per_leaf = {per_leaf}
            spines = 2
            host_rate = "100Gbps"
            fabric_rate = "400Gbps"
            link_delay = "1us"
            [switch]
            reduction_trees = 2
            reduction_rate = "4Tbps"
            [cc]
            kind = "none"
            window_bdp = 0
            {keys}
        "#
    )
}

fn collective(operation: &str, algorithm: &str, size: u64, keys: &str) -> String {
    format!(
        r#"
            [[workload]]
            kind = "collective"
            operation = "{operation}"
            algorithm = "{algorithm}"
            size = "{size}B"
            {keys}
        "#
    )
}

/// Returns the time of an all-reduce of `packets` packets of `wire` bytes each over `leaves` leaves
/// with `hosts` each. All of a switch's children send at the same time.
fn all_reduce(leaves: u64, hosts: u64, packets: u64, wire: u64) -> u64 {
    let up = wire * HOST + DELAY;
    let at_leaf = up + hosts * wire * INNER + APART;
    let to_spine = (ACK + wire) * INNER + APART + wire * FABRIC + DELAY;
    let at_spine = at_leaf + to_spine + leaves * wire * INNER + APART;
    // The copy for the last leaf is behind the ACK to it, and the copies for other leaves.
    let copies = (leaves * wire * INNER).max(ACK * FABRIC);
    let to_leaf = ACK * INNER + copies + APART + wire * FABRIC + DELAY + wire * INNER + APART;
    let back = at_spine + to_leaf;
    // From now on the last host's link is busy, with copies and with ACKs of later packets.
    let copy = back + ACK * INNER + hosts * wire * INNER + APART;
    let mut start = copy;
    let mut acks = 0;
    for packet in 0..packets {
        let acknowledged = at_leaf + packet * wire * HOST + ACK * INNER + APART;
        if acknowledged > copy {
            acks += 1;
        } else {
            start = start.max(acknowledged + ACK * HOST);
        }
    }
    start + packets * wire * HOST + acks * ACK * HOST + DELAY
}

#[test]
fn a_tree_takes_one_step_and_its_levels() {
    for (leaves, hosts) in [(2, 1), (2, 4), (3, 2), (8, 8)] {
        for (packets, payload) in [(1, 1), (1, 700), (1, MTU), (4, MTU), (100, MTU)] {
            let keys = format!("segment = \"{MTU}B\"");
            let size = packets * payload;
            let work = collective("all-reduce", "sharp", size, &keys);
            let (_, _, rows) = run(&fabric(leaves, hosts, &work), 1);
            let expected = all_reduce(leaves, hosts, packets, payload + HEADER);
            let off = rows[0].duration.abs_diff(expected);
            assert!(
                off < 1_000,
                "{leaves} leaves, {hosts} hosts, {packets} packets of {payload}: {} and not {expected}",
                rows[0].duration
            );
        }
    }
}

/// The bound of a broadcast and of an all-gather is the data that a rank gets, of a reduction the
/// data that it has. A ring takes as long for two of them, a tree for an all-reduce.
#[test]
fn operations_take_the_bytes_of_one_link() {
    let size = 1_000_000;
    // A packet of the default size, with headers and the ACK of another one.
    let least = size * HOST;
    let most = least * (MTU + HEADER + ACK) / MTU + 40_000_000;
    for (operation, algorithm) in [
        ("all-reduce", "sharp"),
        ("all-gather", "sharp"),
        ("reduce-scatter", "sharp"),
        ("broadcast", "sharp"),
    ] {
        let keys = "segment = \"1000B\"";
        let work = collective(operation, algorithm, size, keys);
        let (summary, _, rows) = run(&fabric(4, 2, &work), 1);
        assert_eq!(summary.status, Status::Finished, "{operation}");
        let found = rows[0].duration;
        // A rank has its own part of an all-gather already.
        let least = if operation == "all-gather" {
            least * 7 / 8
        } else {
            least
        };
        assert!((least..most).contains(&found), "{operation}: {found} ps");
    }
}

#[test]
fn a_server_reduces_inside() {
    let text = |operation: &str, algorithm: &str| {
        let work = collective(operation, algorithm, 8_000_000, "group_size = 4");
        format!(
            r#"
                [topology]
                kind = "rail"
                servers = 2
                servers_per_unit = 2
                gpus_per_server = 4
                spines = 1
                [switch]
                reduction_trees = 1
                [rdma]
                mtu = "4096B"
                [cc]
                kind = "none"
                {work}
            "#
        )
    };
    let time = |operation: &str, algorithm: &str| {
        let (summary, _, rows) = run(&text(operation, algorithm), 1);
        assert_eq!((summary.status, rows.len()), (Status::Finished, 2));
        rows[0].duration
    };
    // 8 MB take 17.8 us at 3.6 Tbps: a rank sends all of it and a quarter more, and gets as much.
    let nvls = time("all-reduce", "nvls");
    assert!((22_000_000..28_000_000).contains(&nvls), "{nvls}");
    let (gather, scatter) = (time("all-gather", "nvls"), time("reduce-scatter", "nvls"));
    assert!((17_700_000..24_000_000).contains(&gather), "{gather}");
    assert!((17_700_000..24_000_000).contains(&scatter), "{scatter}");
    assert!(nvls < time("all-reduce", "ring"));
}

#[test]
fn groups_without_room_use_a_ring() {
    // Each leaf has room for two of the four groups.
    let keys = "group_size = 2\ngroup_stride = 4\nchannels = 2";
    let text = fabric(2, 4, &collective("all-reduce", "sharp", 100_000, keys));
    let (summary, file, rows) = run(&text, 1);
    assert_eq!((summary.status, rows.len()), (Status::Finished, 4));
    let algorithm = |row: &str| row.split(',').nth(5).unwrap().to_owned();
    let mut found: Vec<String> = file.lines().skip(1).map(algorithm).collect();
    found.sort();
    assert_eq!(found, ["ring", "ring", "sharp", "sharp"]);
    let warning = "2 of 4 groups find no room in the switches for a tree of \"sharp\"";
    let warnings = &summary.warnings;
    assert!(
        warnings.iter().any(|one| one.contains(warning)),
        "{warnings:?}"
    );
}

/// Other jobs and other traffic, on any number of threads.
#[test]
fn trees_are_the_same_on_any_number_of_threads() {
    for cc in ["dcqcn", "hpcc", "tcp-dctcp"] {
        let work = [
            collective("all-reduce", "sharp", 300_000, "ranks = 8\niterations = 3"),
            collective(
                "all-gather",
                "sharp",
                100_000,
                "ranks = 8\nskip = 4\niterations = 2",
            ),
            "[[workload]]\nkind = \"poisson\"\nsizes = \"websearch\"\nload = 0.3\n\
             duration = \"100us\""
                .to_owned(),
        ];
        let text = fabric(4, 4, &work.concat());
        let text = text.replace("\"none\"\n            window_bdp = 0", &format!("\"{cc}\""));
        let (summary, file, rows) = run(&text, 1);
        assert_eq!((summary.status, rows.len()), (Status::Finished, 5), "{cc}");
        for threads in [2, 3, 8] {
            assert_eq!(run(&text, threads).1, file, "{cc}, {threads} threads");
        }
    }
}

/// The reliable connections of a tree take another path if a link of the tree fails.
#[test]
fn a_failed_link_of_a_tree_delays_it() {
    let event = r#"
        [[event]]
        kind = "link-down"
        link = ["leaf0", "spine0"]
        at = "20us"
        [rdma]
        rto_min = "200us"
        [routing]
        convergence = "5us"
    "#;
    let work = collective("all-reduce", "sharp", 1_000_000, "");
    let (_, _, idle) = run(&fabric(2, 2, &work), 1);
    let (summary, _, rows) = run(&fabric(2, 2, &format!("{work}{event}")), 1);
    assert_eq!(summary.status, Status::Finished);
    // Packets are lost until the routes avoid the link, and retransmitted.
    assert!(rows[0].duration > idle[0].duration + 5_000_000);
}

/// Without any path, the run says which ranks wait for which aggregator.
#[test]
fn a_host_that_is_cut_off_stops_its_tree() {
    let event = r#"
        [[event]]
        kind = "link-down"
        link = ["host3", "leaf1"]
        at = "20us"
        [run]
        stall_after = "20ms"
    "#;
    let work = collective("all-reduce", "sharp", 1_000_000, "job = \"train\"");
    let (summary, _, rows) = run(&fabric(2, 2, &format!("{work}{event}")), 1);
    assert_eq!((summary.status, rows.len()), (Status::Stalled, 0));
    let job = &summary.jobs[0];
    assert_eq!(
        (job.ranks, job.ranks_finished, job.collectives_unfinished),
        (4, 0, 1)
    );
    assert_eq!(job.waiting.len(), 4);
    let waits = "receives from the aggregator of a switch for a collective";
    assert!(job.waiting[0].contains(waits), "{:?}", job.waiting);
}
