//! Expected utilization, compared with closed forms and with the bytes that ports have sent.

use crate::support;
use std::fmt::Write as _;

use fabricsim::utilization::{BusySpan, ExpectedUtilization};
use fabricsim::{Scenario, Simulation};
use fabricsim_base::id::NodeId;

fn expected(text: &str) -> ExpectedUtilization {
    ExpectedUtilization::of(&support::scenario(text), &support::simulation(text, 1))
}

fn span(text: &str) -> BusySpan {
    let found = expected(text);
    found.span.unwrap_or_else(|| panic!("{:?}", found.left_out))
}

fn assert_near(found: f64, expected: f64) {
    let error = (found / expected - 1.0).abs();
    assert!(error < 1e-9, "{found} instead of {expected}");
}

/// Wire bytes per payload byte, in both directions, of `packets` packets for `size` bytes under an
/// algorithm without telemetry.
fn factor(size: f64, packets: f64) -> f64 {
    (size + packets * (48.0 + 60.0)) / size
}

/// 36 hosts of a rack send 0.9 of 25 Gbps each, and 180 in 215 of their flows leave the rack, over
/// two links of 100 Gbps.
#[test]
fn an_oversubscribed_core_is_told() {
    let text = r#"
        [topology]
        kind = "leaf-spine"
        leaves = 6
        hosts_per_leaf = 36
        spines = 2
        host_rate = "25Gbps"
        fabric_rate = "100Gbps"
        [[workload]]
        kind = "poisson"
        sizes = "10KB"
        load = 0.9
        duration = "10ms"
        [cc]
        kind = "dcqcn"
    "#;
    let found = expected(text);
    let span = found.span.clone().unwrap();
    let names: Vec<(&str, u64)> = span
        .tiers
        .iter()
        .map(|tier| (tier.tier.as_str(), tier.links))
        .collect();
    let all = [
        ("host to leaf", 216),
        ("leaf to spine", 12),
        ("spine to leaf", 12),
        ("leaf to host", 216),
    ];
    assert_eq!(names, all);
    // Only flows that leave the rack load the uplinks.
    let wire = factor(10_000.0, 10.0);
    let leaves_the_rack = 180.0 / 215.0;
    let up = 36.0 * 25.0 * 0.9 * leaves_the_rack * wire / 200.0;
    for (tier, expected) in span.tiers.iter().zip([0.9 * wire, up, up, 0.9 * wire]) {
        assert_near(tier.mean, expected);
        assert_near(tier.busiest, expected);
    }
    assert_near(span.busiest.utilization, up);
    assert_eq!((span.from_ns, span.until_ns), (0, 10_000_000));
    let warning = found.warning().unwrap();
    assert!(warning.contains("leaf to spine"), "{warning}");
    // The suggested load keeps the links below 90%, and the next higher one does not.
    let named: f64 = warning
        .split("load = ")
        .nth(1)
        .unwrap()
        .split(',')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    let at = |load: f64| {
        self::span(&text.replace("load = 0.9", &format!("load = {load}")))
            .busiest
            .utilization
    };
    assert!(at(named) <= 0.9 && at(named + 0.001) > 0.9, "{warning}");
    assert!(
        expected(&text.replace("load = 0.9", &format!("load = {named}")))
            .warning()
            .is_none()
    );
}

#[test]
fn a_fat_tree_is_the_less_busy_the_higher() {
    let text = r#"
        [topology]
        kind = "fat-tree"
        k = 8
        fabric_rate = "100Gbps"
        [[workload]]
        kind = "poisson"
        sizes = "1000B"
        load = 0.5
        duration = "1ms"
        [cc]
        kind = "dcqcn"
    "#;
    let wire = factor(1_000.0, 1.0);
    let expected = [
        ("host to ToR", 0.5 * wire),
        ("ToR to aggregation", 0.5 * wire * 124.0 / 127.0),
        ("aggregation to core", 0.5 * wire * 112.0 / 127.0),
        ("core to aggregation", 0.5 * wire * 112.0 / 127.0),
        ("aggregation to ToR", 0.5 * wire * 124.0 / 127.0),
        ("ToR to host", 0.5 * wire),
    ];
    let span = span(text);
    for (tier, (name, expected)) in span.tiers.iter().zip(expected) {
        assert_eq!(tier.tier, name);
        assert_near(tier.mean, expected);
        assert_near(tier.busiest, expected);
    }
    assert!(self::expected(text).warning().is_none());
}

/// Workloads add up as long as both last, and the report shows the busier time.
#[test]
fn workloads_add_up_where_they_overlap() {
    let poisson = |load: f64, start: u32, duration: u32| {
        format!(
            r#"
                [[workload]]
                kind = "poisson"
                sizes = "1000B"
                load = {load}
                start = "{start}us"
                duration = "{duration}us"
            "#
        )
    };
    let text = format!(
        "[topology]\nkind = \"star\"\nhosts = 5\n{}{}{}[[workload]]\nkind = \"incast\"\nfan_in = 4\n\
         size = \"1MB\"\nat = \"0s\"\n[cc]\nkind = \"none\"\n",
        poisson(0.2, 0, 700),
        poisson(0.3, 500, 500),
        poisson(0.4, 900, 100),
    );
    let found = expected(&text);
    let span = found.span.unwrap();
    // 0.2, then 0.5, 0.3 and 0.7.
    assert_eq!((span.from_ns, span.until_ns), (900_000, 1_000_000));
    assert_near(span.busiest.utilization, 0.7 * factor(1_000.0, 1.0));
    assert_eq!(
        found.left_out,
        ["[[workload]] 3 (incast): its flows start all at once"]
    );
}

/// Checks that ports send the expected bytes in a run, within the error of the sum of flows.
#[test]
fn runs_load_links_as_expected() {
    let traffic = [
        r#"
            [[workload]]
            kind = "poisson"
            sizes = "20KB"
            load = 0.3
            duration = "4ms"
        "#,
        r#"
            [[workload]]
            kind = "poisson"
            sizes = "3500B"
            load = 0.2
            duration = "4ms"
            sources = ["0..6"]
            destinations = ["4..12"]
        "#,
        r#"
            [[workload]]
            kind = "incast"
            fan_in = 5
            size = "10KB"
            load = 0.05
            duration = "4ms"
        "#,
        r#"
            [[workload]]
            kind = "permutation"
            size = "20KB"
            count = 400
            gap = "10us"
        "#,
        r#"
            [[workload]]
            kind = "all-to-all"
            size = "500KB"
            stagger = "250us"
        "#,
    ];
    let networks = [
        r#"kind = "leaf-spine"
            leaves = 3
            hosts_per_leaf = 4
            spines = 2
            fabric_rate = "200Gbps"
        "#,
        r#"kind = "dumbbell"
            hosts_per_side = 6
        "#,
    ];
    // Acknowledgements and telemetry differ between algorithms, so each network runs with two.
    for (network, cc) in networks
        .iter()
        .flat_map(|network| ["hpcc", "dcqcn"].map(|cc| (network, cc)))
    {
        for traffic in traffic {
            let text = format!(
                r#"
                [topology]
                {network}{traffic}
                [cc]
                kind = "{cc}"
            "#
            );
            compare(&text);
        }
    }
}

/// Compares whole tiers instead of single links, since all links of a tier are alike.
fn compare(text: &str) {
    let found = span(text);
    let mut simulation = support::run(text, 1);
    let seconds = (found.until_ns - found.from_ns) as f64 / 1e9;
    let ports = simulation.ports();
    let topology = simulation.routes().topology().clone();
    let mut sent = std::collections::BTreeMap::<(usize, usize), (f64, f64)>::new();
    let hosts_at = |node: NodeId| usize::from(!topology.is_host(node));
    let mut level = vec![0; topology.len()];
    for node in topology.switches() {
        let near = topology
            .ports(node)
            .iter()
            .any(|port| hosts_at(port.peer) == 0);
        level[node.index()] = if near { 1 } else { 2 };
    }
    let mut index = 0;
    for node in (0..topology.len()).map(NodeId::from_index) {
        for port in topology.ports(node) {
            let sum = sent
                .entry((level[node.index()], level[port.peer.index()]))
                .or_default();
            sum.0 += ports[index].sent.as_f64();
            sum.1 += port.rate.as_bps_f64() / 8.0 * seconds;
            index += 1;
        }
    }
    let mut text_of_all = String::new();
    let mut up: Vec<f64> = sent
        .iter()
        .filter(|(tier, _)| tier.0 <= tier.1)
        .map(|(_, s)| s.0 / s.1)
        .collect();
    let down = sent.iter().rev().filter(|(tier, _)| tier.0 > tier.1);
    up.extend(down.map(|(_, sum)| sum.0 / sum.1));
    for (tier, seen) in found.tiers.iter().zip(&up) {
        let _ = writeln!(
            text_of_all,
            "{}: {} expected, {seen} seen",
            tier.tier, tier.mean
        );
        let error = (tier.mean / seen - 1.0).abs();
        assert!(error < 0.12, "{text}\n{text_of_all}");
    }
    println!("{text_of_all}");
}

#[test]
fn what_is_not_counted_is_said() {
    let burst = expected(
        r#"
            [topology]
            kind = "star"
            hosts = 5
            [[workload]]
            kind = "permutation"
            size = "1MB"
            [cc]
            kind = "dcqcn"
        "#,
    );
    assert_eq!(burst.span, None);
    assert_eq!(
        burst.left_out,
        ["[[workload]] 0 (permutation): its flows start all at once"]
    );
    assert_eq!(burst.warning(), None);
    let chain = expected(
        r#"
            [topology]
            kind = "star"
            hosts = 5
            [[workload]]
            kind = "poisson"
            sizes = "websearch"
            load = 0.95
            duration = "1ms"
            [[workload]]
            kind = "poisson"
            sizes = "websearch"
            load = 0.5
            duration = "1ms"
            [cc]
            kind = "hpcc"
        "#,
    );
    let warning = chain.warning().unwrap();
    assert!(warning.contains("reduce the load to"), "{warning}");
}

/// Returns the expected utilization of a list of flows between four hosts of 100 Gbps.
fn of_list(flows: &str, stop_at: &str) -> ExpectedUtilization {
    let dir = tempfile::tempdir().unwrap();
    let list = format!("src,dst,size_bytes,start_ns\n{flows}");
    std::fs::write(dir.path().join("flows.csv"), list).unwrap();
    let text = format!(
        r#"
            [topology]
            kind = "star"
            hosts = 4
            [[workload]]
            kind = "list"
            path = "flows.csv"
            [cc]
            kind = "none"
            [run]
            stop_at = "{stop_at}"
        "#
    );
    let scenario = Scenario::from_text("case", &text, dir.path(), &[]).unwrap();
    ExpectedUtilization::of(&scenario, &Simulation::new(&scenario, 1).unwrap())
}

/// A flow sends no faster than its host. A flow that needs longer than the list takes to start
/// flows has no load of its own, regardless of its size.
#[test]
fn flows_without_an_end_in_practice_are_no_load() {
    let endless = of_list("0,1,1000000000000,0\n2,3,900000000000,1000000\n", "5ms");
    assert_eq!(endless.span, None);
    assert_eq!(endless.warning(), None);
    assert_eq!(
        endless.left_out,
        [
            "[[workload]] 0 (list): 2 of its flows last longer than the time in which flows \
             start, at any possible rate"
        ]
    );
    // Another 1 MB every 200 us is 40% of 100 Gbps.
    let small: String = (0..50)
        .map(|round| format!("0,1,1000000,{}\n", round * 200_000))
        .collect();
    let mixed = of_list(&format!("{small}2,3,1000000000000,0\n"), "100ms");
    let share = mixed.span.unwrap().busiest.utilization;
    // With the endless flow 51 flows start within 50 gaps.
    let seconds = 9.8e-3 * 51.0 / 50.0;
    assert_near(share, 50.0 * 8e6 * (1.0 + 0.048) / (seconds * 100e9));
    assert!(
        mixed.left_out[0].contains("1 of its flows"),
        "{:?}",
        mixed.left_out
    );
}

#[test]
fn a_load_ends_with_the_run() {
    let flows: String = (0..100)
        .map(|round| format!("0,1,1000000,{}\n", round * 200_000))
        .collect();
    let span = of_list(&flows, "5ms").span.unwrap();
    assert_eq!((span.from_ns, span.until_ns), (0, 5_000_000));
    assert_near(span.busiest.utilization, 8e6 * 1.048 / (200e-6 * 100e9));
}
