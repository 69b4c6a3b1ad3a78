//! `delays.csv` beside a capture of the same run: where a packet waited, and for how long.

use std::collections::BTreeMap;
use std::path::Path;

use crate::capture::file::{Frame, read};
use crate::capture::{run, table};

type Row = BTreeMap<String, String>;

/// The opcode of acknowledgements (InfiniBand specification, volume 1, section 9.2).
const ACKNOWLEDGE: u8 = 17;

/// Returns the flow of an RDMA frame: the queue pair is its number plus 16.
fn flow(frame: &Frame) -> u32 {
    let pair = &frame.bytes[47..50];
    u32::from_be_bytes([0, pair[0], pair[1], pair[2]]) - 16
}

/// Returns the packet number of an RDMA frame.
fn packet(frame: &Frame) -> u32 {
    let number = &frame.bytes[51..54];
    u32::from_be_bytes([0, number[0], number[1], number[2]])
}

/// The ports and times at which one packet of a flow was sent and received, in order.
type Way = Vec<(String, u64, bool)>;

/// Returns the way of the last data packet of each flow, and the way of its acknowledgement.
fn ways(dir: &Path) -> BTreeMap<(u32, &'static str), Way> {
    let (names, frames) = read(dir);
    let mut ways: BTreeMap<(u32, &str), (u32, Way)> = BTreeMap::new();
    for frame in frames.iter().filter(|frame| !frame.is_pause()) {
        let stage = match frame.bytes[42] {
            ACKNOWLEDGE => "acknowledgement",
            _ => "packet",
        };
        let (newest, way) = ways.entry((flow(frame), stage)).or_default();
        if packet(frame) > *newest {
            (*newest, *way) = (packet(frame), Way::new());
        }
        if packet(frame) == *newest {
            way.push((names[frame.interface].clone(), frame.ns, frame.sent));
        }
    }
    let in_order = |mut way: Way| {
        // Frames of one nanosecond are ordered by port; a packet arrives before it is sent on.
        way.sort_by_key(|&(_, ns, sent)| (ns, sent));
        way
    };
    let ways = ways.into_iter();
    ways.map(|(key, (_, way))| (key, in_order(way))).collect()
}

/// Returns the nanoseconds of `parts` in `stage` of `flow`, at `port` only if it is given.
fn time(rows: &[Row], flow: u32, stage: &str, port: Option<&str>, parts: &[&str]) -> f64 {
    let is_there = |row: &Row| {
        let name = format!("{} port {}", row["name"], row["port"]);
        port.is_none_or(|port| name == port)
    };
    let own = rows.iter().filter(|row| {
        let is_own = row["flow"] == flow.to_string() && row["stage"] == stage;
        is_own && parts.contains(&&*row["part"]) && is_there(row)
    });
    own.map(|row| row["time_ns"].parse::<f64>().unwrap()).sum()
}

/// Checks the way of each last packet and its acknowledgement. Returns the longest wait at a switch, and
/// the longest pause.
fn check(text: &str) -> (f64, f64) {
    let dir = tempfile::tempdir().unwrap();
    run(text, dir.path(), 1);
    let rows = table(dir.path(), "delays.csv");
    let ways = ways(dir.path());
    assert_eq!(ways.len(), 2 * 14);
    let mut longest = (0.0_f64, 0.0_f64);
    for (&(flow, stage), way) in &ways {
        let mut on_links = 0.0;
        for (before, after) in way.iter().zip(&way[1..]) {
            // Captures have whole nanoseconds.
            let elapsed = (after.1 - before.1) as f64;
            if before.2 {
                on_links += elapsed;
                continue;
            }
            let at = |parts: &[&str]| time(&rows, flow, stage, Some(&after.0), parts);
            let (told, pause) = (at(&["queue", "pause"]), at(&["pause"]));
            let place = format!("flow {flow}, {stage}, {}", after.0);
            assert!((told - elapsed).abs() <= 1.0, "{place}: {told} {elapsed}");
            longest = (longest.0.max(told), longest.1.max(pause));
        }
        let told = time(&rows, flow, stage, None, &["transmission", "propagation"]);
        let tolerance = way.len() as f64;
        assert!(
            (told - on_links).abs() <= tolerance,
            "flow {flow}, {stage}: {told} {on_links}"
        );
    }
    longest
}

#[test]
fn packets_wait_in_switches_as_a_capture_shows() {
    // Two incasts through the same spines and a flow between them, with queues and pauses.
    let text = |cc: &str| {
        format!(
            r#"
            [topology]
            kind = "leaf-spine"
            leaves = 3
            hosts_per_leaf = 4
            spines = 2
            [cc]
            kind = "{cc}"
            [switch]
            buffer = "700KB"
            [observe]
            delays = true
            [capture]
            [[workload]]
            kind = "incast"
            fan_in = 9
            receiver = 11
            size = "150KB"
            at = "1us"
            [[workload]]
            kind = "incast"
            fan_in = 5
            receiver = 0
            size = "40KB"
            at = "3us"
            "#
        )
    };
    let (queue, pause) = check(&text("dcqcn"));
    assert!(queue > 10_000.0 && pause > 100.0, "{queue} {pause}");
    let (queue, _) = check(&text("hpcc"));
    assert!(queue > 500.0, "{queue}");
}
