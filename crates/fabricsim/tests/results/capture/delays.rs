//! `delays.csv` beside a capture of the same run: where the deciding packet of each flow and its
//! acknowledgement waited, and for how long.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fabricsim_scenario::scenario::Scenario;

use crate::capture::file::{Frame, read};
use crate::capture::{run, table};
use crate::random_scenario;

type Row = BTreeMap<String, String>;

/// The parts that are waits at a switch.
const WAITS: [&str; 2] = ["queue", "pause"];

/// Captures have whole nanoseconds.
const TOLERANCE: f64 = 1.001;

/// Returns `true` if two times in nanoseconds are equal as far as a capture can tell.
fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= TOLERANCE
}

/// A frame at a port.
#[derive(Debug)]
struct Passage {
    node: String,
    port: String,
    ns: u64,
    sent: bool,
}

/// The addresses and the transport header of a frame, which are the same at each port.
type Identity = Vec<u8>;

/// Returns `true` if `own` is the arrival of a frame at its last node.
fn is_end(way: &[Passage], own: &Passage) -> bool {
    let goes_on = |other: &Passage| other.sent && other.node == own.node;
    !own.sent && !way.iter().any(goes_on)
}

/// Returns the host of an IPv4 address at `at`: the last three bytes.
fn host(identity: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([0, identity[at + 1], identity[at + 2], identity[at + 3]])
}

/// Returns all frames of the capture in `dir` by their identity, in order.
fn passages(dir: &Path) -> BTreeMap<Identity, Vec<Passage>> {
    let (names, frames) = read(dir);
    let mut passages: BTreeMap<Identity, Vec<Passage>> = BTreeMap::new();
    // A trimmed packet has no transport header.
    let is_whole = |frame: &&Frame| !frame.is_pause() && frame.bytes.len() >= 54;
    for frame in frames.iter().filter(is_whole) {
        let port = &names[frame.interface];
        let (node, _) = port.split_once(" port ").unwrap();
        let identity = frame.bytes[26..frame.bytes.len().min(58)].to_vec();
        passages.entry(identity).or_default().push(Passage {
            node: node.to_owned(),
            port: port.clone(),
            ns: frame.ns,
            sent: frame.sent,
        });
    }
    passages
}

/// One flow in delays.csv.
struct Account<'a> {
    rows: &'a [&'a Row],
    src: u32,
    dst: u32,
    /// The queue pair of RDMA.
    pair: u32,
    finish_ns: f64,
}

impl<'a> Account<'a> {
    fn new(rows: &'a [&'a Row]) -> Self {
        let number = |name: &str| rows[0][name].parse::<f64>().unwrap();
        let whole = |name: &str| rows[0][name].parse::<u32>().unwrap();
        Self {
            rows,
            src: whole("src"),
            dst: whole("dst"),
            pair: whole("flow").wrapping_add(16),
            finish_ns: number("start_ns") + number("fct_ns"),
        }
    }

    /// Returns the nanoseconds of `parts` in `stage`, at `port` only if it is given.
    fn time(&self, stage: &str, port: Option<&str>, parts: &[&str]) -> f64 {
        let is_there = |row: &Row| {
            let name = format!("{} port {}", row["name"], row["port"]);
            port.is_none_or(|port| name == port)
        };
        let own = self
            .rows
            .iter()
            .filter(|row| row["stage"] == stage && parts.contains(&&*row["part"]) && is_there(row));
        own.map(|row| row["time_ns"].parse::<f64>().unwrap()).sum()
    }

    /// Returns `true` if frames with `identity` go from `src` to `dst`, and belong to the flow as far
    /// as their header says so.
    fn owns(&self, identity: &Identity, src: u32, dst: u32) -> bool {
        let is_rdma = identity[10..12] == 4_791_u16.to_be_bytes();
        let pair = u32::from_be_bytes([0, identity[21], identity[22], identity[23]]);
        host(identity, 0) == src && host(identity, 4) == dst && (!is_rdma || pair == self.pair)
    }

    /// Returns `true` if the frame that arrived as `last` left its host at `sent` ns, and waited at
    /// the ports on its way for `waits` ns: at each one for as long as `stage` says. Frames that were
    /// retransmitted look alike, so `seen` has the arrivals that lead nowhere, each with the rest of
    /// the waits (ps).
    fn explains(
        &self,
        stage: &str,
        way: &[Passage],
        (last, sent, waits): (usize, f64, f64),
        seen: &mut BTreeSet<(usize, u64)>,
    ) -> bool {
        if !seen.insert((last, (waits * 1_000.0).round().to_bits())) {
            return false;
        }
        let last = &way[last];
        let in_time = |own: &&Passage| own.ns < last.ns && own.ns as f64 >= sent - TOLERANCE;
        let departures = way.iter().filter(in_time);
        let mut departures = departures.filter(|own| own.sent && own.node != last.node);
        departures.any(|departure| {
            let arrivals = (0..way.len()).filter(|own| way[*own].node == departure.node);
            let mut arrivals = arrivals.filter(|own| !way[*own].sent).peekable();
            if arrivals.peek().is_none() {
                return near(departure.ns as f64, sent) && near(waits, 0.0);
            }
            let here = self.time(stage, Some(&departure.port), &WAITS);
            let fits = |own: &usize| near(departure.ns as f64 - way[*own].ns as f64, here);
            let mut arrivals = arrivals.filter(fits);
            arrivals.any(|own| self.explains(stage, way, (own, sent, waits - here), seen))
        })
    }

    /// Returns `true` if some packet and its acknowledgement took the way that the rows describe.
    fn is_in(&self, passages: &BTreeMap<Identity, Vec<Passage>>) -> bool {
        let whole = |stage| self.time(stage, None, &["transmission", "propagation"]);
        let waits = |stage| self.time(stage, None, &WAITS);
        let [packet, acknowledgement] = ["packet", "acknowledgement"];
        let replied = self.finish_ns - whole(acknowledgement) - waits(acknowledgement);
        let received = replied - self.time(acknowledgement, None, &["receiver"]);
        let sent = received - whole(packet) - waits(packet);
        let found = |stage, (src, dst), arrival, departure| {
            let own = passages.iter().filter(|own| self.owns(own.0, src, dst));
            own.into_iter().any(|(_, way)| {
                let mut seen = BTreeSet::new();
                let arrived = (0..way.len()).filter(|own| near(way[*own].ns as f64, arrival));
                let mut ends = arrived.filter(|own| is_end(way, &way[*own]));
                ends.any(|own| {
                    let from = (own, departure, waits(stage));
                    self.explains(stage, way, from, &mut seen)
                })
            })
        };
        found(
            acknowledgement,
            (self.dst, self.src),
            self.finish_ns,
            replied,
        ) && found(packet, (self.src, self.dst), received, sent)
    }
}

/// Checks the way of the deciding packet of each flow and its acknowledgement. Returns the number of
/// flows, the longest wait at a switch and the longest pause.
fn check(text: &str, name: &str) -> (usize, f64, f64) {
    let dir = tempfile::tempdir().unwrap();
    run(text, dir.path(), 1);
    let rows = table(dir.path(), "delays.csv");
    let passages = passages(dir.path());
    let mut flows: BTreeMap<u32, Vec<&Row>> = BTreeMap::new();
    for row in &rows {
        flows
            .entry(row["flow"].parse().unwrap())
            .or_default()
            .push(row);
    }
    let (mut checked, mut queue, mut pause) = (0, 0.0_f64, 0.0_f64);
    for flow in table(dir.path(), "fct.csv") {
        let own = &flows[&flow["flow"].parse().unwrap()];
        let account = Account::new(own);
        if account.time("packet", None, &["transmission"]) == 0.0 {
            continue;
        }
        assert!(
            account.is_in(&passages),
            "{name}, flow {}: {own:?}\n{text}",
            flow["flow"]
        );
        checked += 1;
        queue = queue.max(account.time("packet", None, &["queue"]));
        pause = pause.max(account.time("packet", None, &["pause"]));
    }
    (checked, queue, pause)
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
    let (flows, queue, pause) = check(&text("dcqcn"), "dcqcn");
    assert_eq!(flows, 14);
    assert!(queue > 10_000.0 && pause > 100.0, "{queue} {pause}");
    let (flows, queue, _) = check(&text("hpcc"), "hpcc");
    assert_eq!(flows, 14);
    assert!(queue > 500.0, "{queue}");
}

/// Compares the scenarios of `seeds` with their captures.
fn check_scenarios(seeds: std::ops::Range<u64>) {
    let (mut scenarios, mut flows) = (0, 0);
    for seed in seeds {
        let mut text = random_scenario::scenario(seed);
        if text.contains("[observe]") {
            text = text.replace("hop_delays = true", "hop_delays = true\ndelays = true");
        } else {
            text += "[observe]\ndelays = true\n";
        }
        text += "[capture]\nsnap_length = \"64B\"\n";
        if Scenario::from_text("random", &text, Path::new("."), &[]).is_err() {
            continue;
        }
        let (some, ..) = check(&text, &format!("seed {seed}"));
        println!("seed {seed}: {some} flows");
        flows += some;
        scenarios += 1;
    }
    assert!(
        flows > 10 * scenarios,
        "{flows} flows of {scenarios} scenarios"
    );
}

#[test]
fn packets_wait_as_captures_of_random_scenarios_show() {
    check_scenarios(0..8);
}

#[test]
#[ignore = "four minutes"]
fn packets_wait_as_captures_of_300_random_scenarios_show() {
    check_scenarios(8..308);
}
