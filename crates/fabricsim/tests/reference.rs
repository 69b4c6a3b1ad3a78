//! The simulator against the runs of the published HPCC simulator that stand in `reference/`.
//!
//! `cargo test -p fabricsim --test reference -- --nocapture` prints how far apart they are.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use fabricsim::{Scenario, Simulation};
use fabricsim_core::flow::Completion;
use fabricsim_core::id::NodeId;
use fabricsim_core::network::Stop;
use fabricsim_core::plugin::FlowKey;
use fabricsim_core::units::Time;
use fabricsim_report::{Comparison, FctRecord, SizeClass, compare, read_fct};

const PROFILE: &str = "profile = \"ns3-hpcc\"";

const STAR_OF_2: &str = "kind = \"star\"\nhosts = 2";
const STAR_OF_3: &str = "kind = \"star\"\nhosts = 3";
const STAR_OF_17: &str = "kind = \"star\"\nhosts = 17";
const MID64: &str = "kind = \"file\"\npath = \"mid64.topology.txt\"";
const FAT320: &str = "kind = \"fat-tree\"\npreset = \"hpcc-fat320\"";

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/reference")
}

/// What the published simulator made of `case`, in the order of the flows.
fn reference(case: &str) -> Vec<FctRecord> {
    let text = fs::read_to_string(folder().join(format!("{case}.csv"))).unwrap();
    let (_source, rows) = text.split_once('\n').unwrap();
    read_fct(rows).unwrap()
}

fn scenario(case: &str, profile: &str, topology: &str, additive_increase: &str) -> Scenario {
    let text = format!(
        "{profile}
        [topology]
        {topology}
        [[workload]]
        kind = \"list\"
        path = \"{case}.csv\"
        [cc]
        kind = \"hpcc\"
        eta = 0.95
        additive_increase = \"{additive_increase}\""
    );
    Scenario::from_text(case, &text, &folder(), &[]).unwrap()
}

/// Runs `scenario` to its end; its flows in the order in which they started.
fn simulate(scenario: &Scenario) -> (Vec<Completion>, Vec<FctRecord>) {
    let mut simulation = Simulation::new(scenario, 2).unwrap();
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    let mut completions = simulation.take_completions();
    completions.sort_by_key(|completion| completion.flow.id);
    let records = completions.iter().map(|done| simulation.record(done));
    let records = records.collect();
    (completions, records)
}

/// The flows of `case` as we simulate them under the profile, and as the published simulator did.
fn both(case: &str, topology: &str, additive_increase: &str) -> (Vec<FctRecord>, Vec<FctRecord>) {
    let theirs = reference(case);
    let scenario = scenario(case, PROFILE, topology, additive_increase);
    let (completions, ours) = simulate(&scenario);
    assert_eq!(ours.len(), theirs.len(), "{case}: every flow finishes");
    let mut ports = SourcePorts::default();
    for ((done, our), their) in completions.iter().zip(&ours).zip(&theirs) {
        let who = |r: &FctRecord| (r.flow, r.src, r.dst, r.size, r.start);
        assert_eq!(who(our), who(their), "{case}");
        let port = done.flow.request.src_port;
        assert_eq!(port, Some(ports.next(our)), "{case}: {}", our.flow);
        assert_eq!(our.ideal, their.ideal, "{case}: {}", our.flow);
        assert_eq!(our.retransmitted.get(), 0, "{case}: {}", our.flow);
    }
    (ours, theirs)
}

/// The published simulator's source ports: counted for each pair of hosts.
#[derive(Default)]
struct SourcePorts(HashMap<(NodeId, NodeId), u16>);

impl SourcePorts {
    fn next(&mut self, flow: &FctRecord) -> u16 {
        let next = self.0.entry((flow.src, flow.dst)).or_insert(10_000);
        *next += 1;
        *next - 1
    }
}

/// Completion time over the reference's, less one.
fn deviation((our, their): (&FctRecord, &FctRecord)) -> f64 {
    our.fct.as_secs_f64() / their.fct.as_secs_f64() - 1.0
}

fn worst(ours: &[FctRecord], theirs: &[FctRecord]) -> f64 {
    ours.iter()
        .zip(theirs)
        .map(deviation)
        .fold(0.0, |worst: f64, d| worst.max(d.abs()))
}

fn percent(ratio: f64) -> f64 {
    (ratio - 1.0) * 100.0
}

fn assert_each_within(case: &str, topology: &str, additive_increase: &str, bound: f64) {
    let (ours, theirs) = both(case, topology, additive_increase);
    let worst = worst(&ours, &theirs);
    eprintln!("{case}: flows at most {:.4}% apart", worst * 100.0);
    assert!(worst <= bound, "{case}: {worst} apart");
}

#[test]
fn a_lone_flow_takes_as_long() {
    assert_each_within("tiny", STAR_OF_2, "40Mbps", 0.003);
    assert_each_within("tiny_ai50", STAR_OF_2, "50Mbps", 0.003);
}

#[test]
fn two_flows_share_a_link_alike() {
    assert_each_within("two_to_one", STAR_OF_3, "40Mbps", 0.003);
}

#[test]
fn an_incast_takes_as_long() {
    let (ours, theirs) = both("incast", STAR_OF_17, "40Mbps");
    let worst = worst(&ours, &theirs);
    let mean = compare(&ours, &theirs).ratio_of_means;
    eprintln!(
        "incast: flows at most {:.4}% apart, mean {:+.4}%",
        worst * 100.0,
        percent(mean)
    );
    assert!(worst <= 0.03, "{worst}");
    assert!((mean - 1.0).abs() <= 0.01, "{mean}");
}

#[test]
fn small_cases_agree_to_the_nanosecond() {
    for (case, topology, additive_increase) in [
        ("tiny", STAR_OF_2, "40Mbps"),
        ("tiny_ai50", STAR_OF_2, "50Mbps"),
        ("two_to_one", STAR_OF_3, "40Mbps"),
        ("incast", STAR_OF_17, "40Mbps"),
    ] {
        let (ours, theirs) = both(case, topology, additive_increase);
        for (our, their) in ours.iter().zip(&theirs) {
            assert_eq!(our.fct, their.fct, "{case}: {}", our.flow);
        }
    }
}

/// Prints how far apart `ours` and `theirs` are.
fn judge(case: &str, ours: &[FctRecord], theirs: &[FctRecord]) -> Comparison {
    let comparison = compare(ours, theirs);
    let equal = ours.iter().zip(theirs).filter(|(a, b)| a.fct == b.fct);
    eprintln!("{case}: {} flows agree to the nanosecond", equal.count());
    eprintln!("{comparison}");
    assert_eq!(comparison.matched, theirs.len(), "{case}");
    comparison
}

/// The tolerances for a run of many flows.
fn assert_slowdowns_agree(case: &str, comparison: &Comparison) {
    let within = |what: &str, ratio: f64, bound: f64| {
        assert!((ratio - 1.0).abs() <= bound, "{case}: {what} {ratio}");
    };
    assert!(
        comparison.median_deviation < 0.03,
        "{case}: median deviation {}",
        comparison.median_deviation
    );
    for row in &comparison.classes {
        match row.class {
            SizeClass::All => {
                within("overall p50", row.p50, 0.03);
                within("overall p95", row.p95, 0.04);
                within("overall p99", row.p99, 0.06);
            }
            SizeClass::Below10K | SizeClass::Below30K | SizeClass::Above1M => {
                within(&format!("{} p50", row.class), row.p50, 0.03);
                within(&format!("{} p95", row.class), row.p95, 0.08);
            }
            SizeClass::From30KTo1M => {}
        }
    }
}

#[test]
fn websearch_on_64_hosts_agrees() {
    let (ours, theirs) = both("mid64", MID64, "40Mbps");
    assert_slowdowns_agree("mid64", &judge("mid64", &ours, &theirs));
}

#[test]
#[ignore = "takes a minute"]
fn websearch_on_320_hosts_agrees() {
    let (ours, theirs) = both("fat320", FAT320, "40Mbps");
    assert_slowdowns_agree("fat320", &judge("fat320", &ours, &theirs));
}

/// Without the profile times are exact, telemetry is not quantised, and flows hash to other paths:
/// single flows differ, and the whole stays the same.
#[test]
fn the_default_model_is_close_to_the_published_one() {
    let theirs = reference("mid64");
    let (_, ours) = simulate(&scenario("mid64", "", MID64, "40Mbps"));
    let comparison = judge("mid64, default model", &ours, &theirs);
    assert!(
        comparison.median_deviation < 0.03,
        "{}",
        comparison.median_deviation
    );
    let all = comparison.classes[0];
    assert_eq!(all.class, SizeClass::All);
    assert!((all.p50 - 1.0).abs() < 0.03, "{}", all.p50);
    assert!((all.p95 - 1.0).abs() < 0.10, "{}", all.p95);
}

/// The next hops of the published simulator for each (node, destination), in its order.
fn published_next_hops(table: &str) -> HashMap<(u32, u32), Vec<u32>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../topology/tests/data")
        .join(table);
    let mut hops = HashMap::new();
    for line in fs::read_to_string(path).unwrap().lines().skip(2) {
        let (ranges, list) = line.rsplit_once(',').unwrap();
        let ranges: Vec<u32> = ranges.split(',').map(|n| n.parse().unwrap()).collect();
        for node in ranges[0]..=ranges[1] {
            for dst in ranges[2]..=ranges[3] {
                let list = match list {
                    "destination" => vec![dst],
                    list => list.split(' ').map(|n| n.parse().unwrap()).collect(),
                };
                hops.insert((node, dst), list);
            }
        }
    }
    hops
}

/// `MurmurHash3_x86_32` of `words` in little-endian order, by its published definition.
fn murmur3(words: [u32; 3], seed: u32) -> u32 {
    let scrambled = |word: u32| {
        word.wrapping_mul(0xcc9e_2d51)
            .rotate_left(15)
            .wrapping_mul(0x1b87_3593)
    };
    let mut hash = words.iter().fold(seed, |hash, &word| {
        let mixed = (hash ^ scrambled(word)).rotate_left(13);
        mixed.wrapping_mul(5).wrapping_add(0xe654_6b64)
    });
    hash ^= 12; // bytes
    for (shift, factor) in [(16, 0x85eb_ca6b_u32), (13, 0xc2b2_ae35)] {
        hash = (hash ^ (hash >> shift)).wrapping_mul(factor);
    }
    hash ^ (hash >> 16)
}

/// Every flow of `case` takes the path that the published simulator's tables and hash lead to.
fn assert_paths_agree(case: &str, topology: &str, table: &str) {
    const DST_PORT: u16 = 100;
    let hops = published_next_hops(table);
    let simulation = Simulation::new(&scenario(case, PROFILE, topology, "40Mbps"), 1).unwrap();
    let address = |NodeId(i)| 0x0b00_0001 + (i / 256) * 0x1_0000 + (i % 256) * 0x100;
    let mut ports = SourcePorts::default();
    let mut switches = 0;
    for flow in &reference(case) {
        let src_port = ports.next(flow);
        let words = [
            address(flow.src),
            address(flow.dst),
            u32::from(src_port) | u32::from(DST_PORT) << 16,
        ];
        let mut path = vec![flow.src.0];
        while path[path.len() - 1] != flow.dst.0 {
            let node = path[path.len() - 1];
            let choices = &hops[&(node, flow.dst.0)];
            let choice = murmur3(words, node) as usize % choices.len();
            path.push(choices[choice]);
        }
        let key = FlowKey {
            src: flow.src,
            dst: flow.dst,
            src_port,
            dst_port: DST_PORT,
        };
        let traced: Vec<u32> = simulation
            .routes()
            .trace(&key)
            .iter()
            .map(|n| n.0)
            .collect();
        assert_eq!(traced, path, "{case}: {}", flow.flow);
        switches += path.len() - 2;
    }
    eprintln!("{case}: the same {switches} switches on all paths");
}

#[test]
fn flows_take_the_published_paths_on_64_hosts() {
    assert_paths_agree("mid64", MID64, "mid64_next_hops.csv");
}

#[test]
fn flows_take_the_published_paths_on_320_hosts() {
    assert_paths_agree("fat320", FAT320, "fat320_next_hops.csv");
}
