//! Runs that skip periods have the results of runs that do not: random scenarios, stopped at random
//! times, on one to three threads.

use std::fmt::Write as _;

use fabricsim::Simulation;
use fabricsim_base::rng::mix;
use fabricsim_base::units::{Duration, Time};
use fabricsim_workload::RankApplication;

use crate::random_scenario::{self, Dice};
use crate::support::simulation;

const NETWORKS: [&str; 7] = [
    r#"kind = "star"
        hosts = 2"#,
    r#"kind = "star"
        hosts = 5"#,
    r#"kind = "star"
        hosts = 8
        rate = "400Gbps""#,
    r#"kind = "star"
        hosts = 4
        rate = "25Gbps"
        delay = "300ns""#,
    r#"kind = "leaf-spine"
        leaves = 2
        spines = 2
        hosts_per_leaf = 3"#,
    r#"kind = "fat-tree"
        k = 4"#,
    r#"kind = "chain"
        switches = 3"#,
];

const ALGORITHMS: [&str; 16] = [
    r#"kind = "none""#,
    r#"kind = "none"
        window_bdp = 0.5"#,
    r#"kind = "none"
        window_bdp = 3.0"#,
    r#"kind = "none"
        window_bdp = 0.0"#,
    r#"kind = "dctcp""#,
    r#"kind = "dctcp"
        window = false"#,
    r#"kind = "dcqcn""#,
    r#"kind = "dcqcn"
        window = true"#,
    r#"kind = "timely"
        alpha = 1.0"#,
    r#"kind = "swift"
        max_cwnd = 40"#,
    r#"kind = "nscc""#,
    r#"kind = "hpcc""#,
    r#"kind = "theta-powertcp""#,
    r#"kind = "cubic""#,
    r#"kind = "rccc""#,
    r#"kind = "hpcc-pint""#,
];

const WORKLOADS: [&str; 14] = [
    r#"kind = "permutation""#,
    r#"kind = "permutation"
        count = 2
        gap = "350us""#,
    r#"kind = "all-to-all""#,
    r#"kind = "collective"
        operation = "all-reduce""#,
    r#"kind = "collective"
        operation = "all-gather"
        iterations = 2
        compute = "30us""#,
    r#"kind = "collective"
        operation = "all-to-all"
        connections = "per-message""#,
    r#"kind = "collective"
        operation = "broadcast"
        algorithm = "chain""#,
    r#"kind = "collective"
        operation = "all-reduce"
        iterations = 12"#,
    r#"kind = "collective"
        operation = "broadcast"
        algorithm = "chain"
        iterations = 9
        compute = "17us""#,
    r#"kind = "collective"
        operation = "all-to-all"
        iterations = 7
        compute = "8us""#,
    r#"kind = "collective"
        operation = "pipeline"
        chunks = 12
        forward = ["20us"]
        backward = ["40us"]
        iterations = 3"#,
    r#"kind = "collective"
        operation = "broadcast"
        algorithm = "binomial"
        iterations = 10"#,
    r#"kind = "incast"
        fan_in = 1
        at = "20us""#,
    r#"kind = "rpc"
        queries = 3
        response = "5MB"
        query"#,
];

/// Returns a scenario with long flows, in which the state of the network may repeat.
fn steady(seed: u64) -> String {
    let mut dice = Dice(mix(seed));
    let (network, cc) = (dice.pick(&NETWORKS), dice.pick(&ALGORITHMS));
    let mut text = format!("seed = {seed}\n[topology]\n{network}\n[cc]\n{cc}\n");
    let tcp = cc.contains("cubic");
    if dice.one_in(4) && !tcp {
        text.push_str("[switch]\npfc = false\n");
    } else if dice.one_in(4) {
        text.push_str("[switch]\necn = { kmin = \"20KB\", kmax = \"200KB\", pmax = 0.5 }\n");
    }
    if dice.one_in(4) {
        text.push_str("[output]\nexact_buffers = true\n");
    }
    if dice.one_in(6) {
        let policy = dice.pick(&[
            r#""random""#,
            r#""round-robin""#,
            r#"{ kind = "shortest-queue", update_interval = "100us" }"#,
        ]);
        writeln!(text, "[routing]\npolicy = {policy}").expect("text takes any length");
    }
    if dice.one_in(3) {
        let mtu = dice.pick(&["500B", "4096B", "1234B"]);
        writeln!(text, "[rdma]\nmtu = \"{mtu}\"").expect("text takes any length");
    }
    let count = 1 + dice.roll(2);
    for _ in 0..count {
        let workload = dice.pick(&WORKLOADS);
        let most = if workload.contains("iterations") {
            900
        } else {
            9_000
        };
        let size = 100 + dice.roll(most);
        let size = if workload.ends_with("query") {
            format!(" = \"{size}KB\"")
        } else {
            format!("\nsize = \"{size}KB\"")
        };
        writeln!(text, "[[workload]]\n{workload}{size}").expect("text takes any length");
    }
    if dice.one_in(4) && network.contains("leaf-spine") {
        let at = 50 + dice.roll(600);
        let kind = dice.pick(&[
            "link-down\"",
            "link-rate\"\nrate = \"40Gbps\"",
            "link-loss\"\nloss = 0.001",
        ]);
        let link = r#"link = ["leaf0", "spine0"]"#;
        writeln!(text, "[[event]]\nkind = \"{kind}\nat = \"{at}us\"\n{link}")
            .expect("text takes any length");
    }
    text
}

/// Everything that a run shows at a time.
fn shown(simulation: &mut Simulation) -> String {
    let ranks = simulation.applications::<RankApplication>();
    let ranks = ranks.map(|(_, rank)| (rank.done(), rank.iterations(), rank.left()));
    let ranks = format!("{:?}", ranks.collect::<Vec<_>>());
    format!(
        "{ranks}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}",
        simulation.ended(),
        simulation.take_completions(),
        simulation.counters(),
        simulation.endpoint_counters(),
        simulation.unfinished(),
        simulation.ports(),
        simulation.live_flows(),
        simulation.queue_reports(),
        simulation.buffer_uses(),
        simulation.cc_activity(),
    )
}

/// Runs `text` with and without skipping, and compares everything at each of `stops`. Returns the
/// number of jumps.
fn compare(text: &str, threads: usize, stops: &[Time]) -> u64 {
    let mut plain = simulation(text, threads);
    let mut skipping = simulation(text, threads);
    skipping.fast_forward_always();
    for &stop in stops {
        let expected = (plain.run_until(stop), shown(&mut plain));
        let found = (skipping.run_until(stop), shown(&mut skipping));
        assert!(
            expected == found,
            "until {stop}: {expected:?}\n{found:?}\n{text}"
        );
    }
    skipping.skipped().map_or(0, |skipped| skipped.jumps)
}

/// Compares the scenarios of `seeds`. Returns the number of those with jumps.
fn compare_all(seeds: std::ops::Range<u64>) -> u64 {
    let mut with_jumps = 0;
    for seed in seeds {
        let mut dice = Dice(mix(seed ^ 0x5eed));
        let threads = 1 + usize::try_from(seed % 3).unwrap();
        let first = Duration::from_ns(100_000 + dice.roll(700_000));
        let stops = [
            Time::ZERO + first,
            Time::ZERO + first + Duration::from_ns(1 + dice.roll(200_000)),
            Time::ZERO + Duration::from_ms(30),
        ];
        let text = steady(seed);
        with_jumps += u64::from(compare(&text, threads, &stops) > 0);
        if seed % 4 == 0 {
            compare(&random_scenario::scenario(seed), threads, &stops);
        }
    }
    with_jumps
}

#[test]
fn skipped_periods_change_no_result() {
    let with_jumps = compare_all(0..60);
    // Enough happened for the comparison to mean something.
    assert!(with_jumps >= 15, "{with_jumps}");
}

/// Runs `text` with skipping. Returns the share of skipped packet-hops.
fn skipped_share(text: &str) -> f64 {
    let mut skipping = simulation(text, 1);
    skipping.fast_forward_always();
    skipping.run_until(Time::HORIZON);
    let skipped = skipping.skipped().map_or(0, |skipped| skipped.packet_hops);
    skipped as f64 / skipping.counters().packet_hops as f64
}

/// The ends of computations move whenever a message begins or ends, and the rates of hosts change
/// whenever a computation does.
#[test]
fn periods_with_slowed_computations_and_ports_are_skipped() {
    for overlap in [
        "compute = 1.3",
        "communication = 1.3",
        "compute = 1.3, communication = 1.7",
    ] {
        let text = slowed_pipeline(overlap);
        compare(&text, 2, &[Time::HORIZON]);
        let share = skipped_share(&text);
        assert!(share > 0.5, "{overlap}: {share}");
    }
    // Another period ends in between, when some ports are slow.
    let text = slowed_pipeline("communication = 1.7");
    let stops = [310, 700, 1_111].map(|us| Time::ZERO + Duration::from_us(us));
    compare(&text, 3, &stops);
}

fn slowed_pipeline(overlap: &str) -> String {
    format!(
        r#"[topology]
        kind = "star"
        hosts = 4
        [cc]
        kind = "dctcp"
        [[workload]]
        kind = "collective"
        operation = "pipeline"
        size = "1200KB"
        chunks = 6
        forward = ["20us"]
        backward = ["40us"]
        overlap = {{ {overlap} }}
        iterations = 30"#
    )
}

#[test]
fn iterations_of_short_messages_are_skipped() {
    // No message is long enough for a period of packets.
    let text = r#"[topology]
        kind = "star"
        hosts = 6
        [cc]
        kind = "dctcp"
        [[workload]]
        kind = "collective"
        operation = "all-reduce"
        size = "120KB"
        iterations = 60
        compute = "15us""#;
    compare(text, 2, &[Time::HORIZON]);
    let share = skipped_share(text);
    assert!(share > 0.8, "{share}");
}

#[test]
#[ignore = "takes minutes"]
fn skipped_periods_change_no_result_of_500_scenarios() {
    compare_all(1_000..1_500);
}
