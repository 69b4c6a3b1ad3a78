//! Completion times in their parts: by hand, beside queue waits that are recorded differently, and
//! in random scenarios.

use std::collections::BTreeMap;
use std::path::Path;

use fabricsim_scenario::scenario::Scenario;

use crate::observation::{number, run, table};
use crate::random_scenario;

type Row = BTreeMap<String, String>;

/// Returns nanoseconds with up to three decimals in picoseconds.
fn ps(row: &Row, column: &str) -> u64 {
    let (whole, rest) = row[column].split_once('.').unwrap_or((&row[column], ""));
    format!("{whole}{rest:0<3}").parse().unwrap()
}

/// Returns the picoseconds of each part of `flow`, as stage, part and owner in front.
fn parts(rows: &[Row], flow: &str) -> BTreeMap<(String, String, String), u64> {
    let mut parts = BTreeMap::new();
    for row in rows.iter().filter(|row| row["flow"] == flow) {
        let key = (
            row["stage"].clone(),
            row["part"].clone(),
            row["behind"].clone(),
        );
        *parts.entry(key).or_default() += ps(row, "time_ns");
    }
    parts
}

fn expected(parts: &[(&str, &str, &str, u64)]) -> BTreeMap<(String, String, String), u64> {
    let owned = parts.iter().map(|(stage, part, behind, ps)| {
        let key = (
            (*stage).to_owned(),
            (*part).to_owned(),
            (*behind).to_owned(),
        );
        (key, *ps)
    });
    owned.collect()
}

/// Checks that the parts of each flow add up to its completion time, and that each flow in fct.csv
/// has parts. Returns the number of flows and messages, and the time of unknown parts (ps).
fn check_sums(dir: &Path, name: &str) -> (usize, u64) {
    let rows = table(dir, "delays.csv");
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    for row in &rows {
        *sums.entry(&row["flow"]).or_default() += ps(row, "time_ns");
    }
    for row in &rows {
        assert_eq!(
            sums[row["flow"].as_str()],
            ps(row, "fct_ns"),
            "{name}: {row:?}"
        );
    }
    for flow in table(dir, "fct.csv") {
        assert_eq!(
            sums.get(flow["flow"].as_str()),
            Some(&ps(&flow, "fct_ns")),
            "{name}: {flow:?}"
        );
    }
    let unknown = rows.iter().filter(|row| row["part"] == "unexplained");
    (sums.len(), unknown.map(|row| ps(row, "time_ns")).sum())
}

/// Two senders with frames of 1,048 bytes (83.84 ns at 100 Gbps), delays of 1 us. All 200 frames
/// leave the switch one after the other. The last frame of a flow waits while 99 or 100 others leave
/// that arrived before it, half of them its own.
#[test]
fn an_incast_of_two_waits_at_the_switch() {
    const FRAME: u64 = 83_840;
    let text = r#"
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
        delays = true"#;
    let dir = tempfile::tempdir().unwrap();
    run(text, dir.path(), 1);
    let rows = table(dir.path(), "delays.csv");
    for (flow, others, own) in [("1", 49, 50), ("0", 50, 50)] {
        let want = expected(&[
            ("sending", "transmission", "", 99 * FRAME),
            ("packet", "transmission", "", 2 * FRAME),
            ("packet", "propagation", "", 2_000_000),
            ("packet", "queue", "0", others * FRAME),
            ("packet", "queue", "own", own * FRAME),
            ("acknowledgement", "transmission", "", 2 * 4_800),
            ("acknowledgement", "propagation", "", 2_000_000),
        ]);
        let found = parts(&rows, flow);
        // The first frame of each flow begins at the same time, so the order of the owners within
        // the wait may shift by one frame.
        let without = |parts: &BTreeMap<(String, String, String), u64>| {
            let kept = parts.iter().filter(|((_, part, _), _)| part != "queue");
            kept.map(|(key, ps)| (key.clone(), *ps))
                .collect::<BTreeMap<_, _>>()
        };
        let queued = |parts: &BTreeMap<(String, String, String), u64>| -> u64 {
            let queues = parts.iter().filter(|((_, part, _), _)| part == "queue");
            queues.map(|(_, ps)| ps).sum()
        };
        assert_eq!(without(&found), without(&want));
        assert_eq!(queued(&found), queued(&want), "{found:?}");
        let own = found[&("packet".to_owned(), "queue".to_owned(), "own".to_owned())];
        assert!(own.abs_diff(50 * FRAME) <= FRAME, "{found:?}");
    }
    let place = rows.iter().find(|row| row["part"] == "queue").unwrap();
    assert_eq!(
        [&place["name"], &place["tier"], &place["peer"]],
        ["switch0", "switch to host", "host2"]
    );
}

/// A window of half a bandwidth-delay product: the sender waits for the first acknowledgement, whose
/// way has no queue.
#[test]
fn a_full_window_waits_for_the_way_of_a_packet() {
    let text = r#"
        [topology]
        kind = "star"
        hosts = 2
        [[workload]]
        kind = "incast"
        fan_in = 1
        receiver = 1
        size = "100KB"
        at = "0s"
        [cc]
        kind = "none"
        window_bdp = 0.5
        [observe]
        delays = true"#;
    let dir = tempfile::tempdir().unwrap();
    run(text, dir.path(), 1);
    let rows = table(dir.path(), "delays.csv");
    let found = parts(&rows, "0");
    let of = |stage: &str, part: &str| {
        let key = (stage.to_owned(), part.to_owned(), String::new());
        found.get(&key).copied().unwrap_or(0)
    };
    assert!(of("window", "propagation") > 4_000_000, "{found:?}");
    assert!(
        found.keys().all(|(_, part, _)| part != "queue"),
        "{found:?}"
    );
    check_sums(dir.path(), "window");
}

/// Flows of one packet: the wait of the packet at each switch is the wait of the flow there, which
/// another series records in another way.
#[test]
fn queues_are_the_waits_of_single_packets() {
    let text = r#"
        [topology]
        kind = "leaf-spine"
        leaves = 2
        hosts_per_leaf = 6
        spines = 2
        [[workload]]
        kind = "poisson"
        sizes = "1KB"
        load = 0.7
        duration = "100us"
        [cc]
        kind = "none"
        [observe]
        delays = true
        hop_delays = true"#;
    let dir = tempfile::tempdir().unwrap();
    run(text, dir.path(), 2);
    let (flows, unknown) = check_sums(dir.path(), "single packets");
    assert!(flows > 1_000 && unknown == 0);
    let key = |row: &Row| {
        (
            row["flow"].clone(),
            row["node"].clone(),
            row["port"].clone(),
        )
    };
    let mut queues: BTreeMap<_, u64> = BTreeMap::new();
    for row in table(dir.path(), "delays.csv") {
        if row["stage"] == "packet" && row["part"] == "queue" {
            *queues.entry(key(&row)).or_default() += ps(&row, "time_ns");
        }
    }
    let mut waited = 0;
    for row in table(dir.path(), "hop_delays.csv") {
        let own = queues.remove(&key(&row)).unwrap_or(0);
        assert_eq!(own, ps(&row, "delay_ns"), "{row:?}");
        waited += own;
    }
    assert!(queues.is_empty() && waited > 0);
}

/// Packets of one size from many hosts make an M/D/1 queue at each port to a host: the mean wait follows
/// from the rate and the sizes (Pollaczek and Khinchine). The NICs of the senders spread the arrivals
/// slightly.
#[test]
fn queues_of_constant_packets_are_those_of_m_d_1() {
    let text = r#"
        [topology]
        kind = "star"
        hosts = 32
        [[workload]]
        kind = "poisson"
        sizes = "1KB"
        load = 0.5
        duration = "150us"
        [cc]
        kind = "none"
        [observe]
        delays = true"#;
    let dir = tempfile::tempdir().unwrap();
    run(text, dir.path(), 2);
    let (flows, unknown) = check_sums(dir.path(), "M/D/1");
    assert_eq!(unknown, 0);
    let rows = table(dir.path(), "delays.csv");
    let wait = |stage: &str, part: &str| {
        let own = rows
            .iter()
            .filter(|row| row["stage"] == stage && row["part"] == part);
        own.map(|row| number(row, "time_ns")).sum::<f64>() / flows as f64
    };
    // A port also carries the acknowledgements of 60 bytes for the packets that its host sends.
    let (frame, reply) = (83.84, 4.8);
    let rate = flows as f64 / 32.0 / 150_000.0;
    let mean = rate * (frame * frame + reply * reply) / 2.0 / (1.0 - rate * (frame + reply));
    let found = wait("packet", "queue");
    assert!(
        (found / mean - 1.0).abs() < 0.1,
        "{found} ns, by the formula {mean} ns"
    );
}

/// A ring of eight hosts on one idle switch: in each step, no two messages share a port.
#[test]
fn messages_of_an_idle_ring_never_wait() {
    let text = r#"
        [topology]
        kind = "star"
        hosts = 8
        [[workload]]
        kind = "collective"
        operation = "all-reduce"
        algorithm = "ring"
        size = "64KB"
        [cc]
        kind = "none"
        window_bdp = 0
        [observe]
        delays = true"#;
    let dir = tempfile::tempdir().unwrap();
    run(text, dir.path(), 1);
    let (messages, unknown) = check_sums(dir.path(), "ring");
    assert_eq!((messages, unknown), (8 * 2 * 7, 0));
    // 8,000 bytes a step: 8 packets, of which 7 leave before the deciding one.
    let want = expected(&[
        ("sending", "transmission", "", 7 * 83_840),
        ("packet", "transmission", "", 2 * 83_840),
        ("packet", "propagation", "", 2_000_000),
        ("acknowledgement", "transmission", "", 2 * 4_800),
        ("acknowledgement", "propagation", "", 2_000_000),
    ]);
    let rows = table(dir.path(), "delays.csv");
    let mut at_once = 0;
    for row in &rows {
        let mut found = parts(&rows, &row["flow"]);
        // From the second step on, the host first acknowledges the message that it has received.
        let nic = ("sending".to_owned(), "nic".to_owned(), String::new());
        let ahead = found.remove(&nic);
        assert_eq!(found, want);
        assert!(ahead.is_none_or(|time| time == 4_800), "{ahead:?}");
        at_once += usize::from(ahead.is_none());
    }
    assert_eq!(at_once, 8 * want.len(), "the messages of the first step");
}

#[test]
fn a_share_of_the_flows_has_the_same_parts() {
    let text = |share: &str| {
        format!(
            r#"
            [topology]
            kind = "leaf-spine"
            leaves = 2
            hosts_per_leaf = 4
            spines = 2
            [[workload]]
            kind = "poisson"
            sizes = "hadoop"
            load = 0.5
            duration = "300us"
            [cc]
            kind = "hpcc"
            [observe]
            delays = true
            {share}"#
        )
    };
    let read = |share: &str, threads| {
        let dir = tempfile::tempdir().unwrap();
        let summary = run(&text(share), dir.path(), threads);
        (summary.checksum, table(dir.path(), "delays.csv"))
    };
    let (checksum, all) = read("", 1);
    let (same, some) = read("flow_share = 0.2\ninterval = \"1us\"", 3);
    assert_eq!(checksum, same);
    let chosen = some.iter().map(|row| &row["flow"]);
    let chosen: std::collections::BTreeSet<&String> = chosen.collect();
    assert!(!chosen.is_empty());
    let mut want = all.clone();
    want.retain(|row| chosen.contains(&row["flow"]));
    assert_eq!(some, want);
    let flows = |rows: &[Row]| {
        let numbers = rows.iter().map(|row| row["flow"].clone());
        numbers.collect::<std::collections::BTreeSet<_>>().len()
    };
    let (part, whole) = (flows(&some), flows(&all));
    assert!((whole / 10..whole / 3).contains(&part), "{part} of {whole}");
}

fn check_scenarios(seeds: std::ops::Range<u64>) {
    let (mut flows, mut unknown) = (0, 0);
    for seed in seeds {
        let mut text = random_scenario::scenario(seed);
        if text.contains("[observe]") {
            text = text.replace("hop_delays = true", "hop_delays = true\ndelays = true");
        } else {
            text += "[observe]\ndelays = true\n";
        }
        if Scenario::from_text("random", &text, Path::new("."), &[]).is_err() {
            continue;
        }
        let dir = tempfile::tempdir().unwrap();
        let threads = 1 + usize::try_from(seed % 3).unwrap();
        run(&text, dir.path(), threads);
        let (some, time) = check_sums(dir.path(), &format!("seed {seed}"));
        flows += some;
        unknown += u64::from(time > 0);
        let tcp = text.contains("[tcp]");
        assert!(
            tcp || time == 0,
            "seed {seed}: {time} ps without a reason\n{text}"
        );
    }
    assert!(
        flows > 1_000,
        "{flows} flows, {unknown} scenarios with unknown parts"
    );
}

#[test]
fn parts_add_up_in_random_scenarios() {
    check_scenarios(0..20);
}

#[test]
#[ignore = "a minute"]
fn parts_add_up_in_300_random_scenarios() {
    check_scenarios(20..320);
}
