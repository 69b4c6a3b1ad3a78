//! Queries for the paths of flows.

use crate::support;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use fabricsim::{Scenario, Simulation};
use fabricsim_base::id::NodeId;
use fabricsim_pint::query::PathResult;

use crate::queries::plans::CONTROL;
use crate::queries::{FAT320, LATENCY, PATH, PINT_CC, decoded, finish, mean, query};

#[test]
fn ten_thousand_paths_of_the_fat_tree_are_found_under_load_and_loss() {
    let mut text = format!(
        r#"
            {FAT320}
            [cc]
            kind = "dcqcn"
            window = true
            [rdma]
            recovery = "selective"
            [[workload]]
            kind = "permutation"
            size = "60KB"
            count = 32
            gap = "8us"
            {}"#,
        query(r#"value = "switch-id""#)
    );
    for core in 360..364 {
        write!(
            text,
            r#"
                [[event]]
                at = "0s"
                kind = "link-loss"
                link = [340, {core}]
                loss = 0.02
            "#
        )
        .unwrap();
    }
    let (completions, results) = finish(&support::scenario(&text), 2);
    assert_eq!(completions.len(), 10_240);
    let resent: u64 = completions.iter().map(|c| c.retransmitted.get()).sum();
    assert!(resent > 0, "some packets are lost");
    let found = decoded(&results);
    assert!(found > 10_200, "{found} of 10,240 flows of 60 packets");
    assert!(
        results
            .paths
            .iter()
            .all(|result| result.part.ended_by.is_none())
    );
    let lengths: BTreeSet<u8> = results
        .paths
        .iter()
        .map(|result| result.part.hops)
        .collect();
    assert_eq!(lengths, BTreeSet::from([1, 3, 5]));
}

/// A row of 59 switches, four of which have a parallel one, and two hosts at each end, as a link
/// list of the HPCC simulator.
fn long_row() -> String {
    const ROW: u32 = 59;
    let switch = |place: u32| 4 + place;
    let mut links: Vec<(u32, u32)> = (1..ROW).map(|i| (switch(i - 1), switch(i))).collect();
    for (number, place) in (0..).zip([10, 25, 40, 55]) {
        let second = switch(ROW + number);
        links.extend([(switch(place - 1), second), (second, switch(place + 1))]);
    }
    links.extend([
        (0, switch(0)),
        (1, switch(0)),
        (2, switch(ROW - 1)),
        (3, switch(ROW - 1)),
    ]);
    let mut text = format!("{} {} {}\n", 4 + ROW + 4, ROW + 4, links.len());
    (4..4 + ROW + 4).for_each(|id| write!(text, "{id} ").unwrap());
    for (a, b) in links {
        let loss = if a == switch(30) { 0.001 } else { 0.0 };
        write!(text, "\n{a} {b} 100Gbps 100ns {loss}").unwrap();
    }
    text + "\n"
}

#[test]
fn paths_through_59_switches_are_found_under_load_and_loss() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("topology.txt"), long_row()).unwrap();
    let mut list = "src,dst,size_bytes,start_ns\n".to_owned();
    for flow in 0..200 {
        writeln!(
            list,
            "{},{},400000,{}",
            flow % 2,
            2 + flow / 2 % 2,
            flow * 20_000
        )
        .unwrap();
    }
    std::fs::write(dir.path().join("flows.csv"), list).unwrap();
    let mut means = Vec::new();
    for (knowledge, most) in [("links", 40.0), ("switches", 140.0)] {
        let text = format!(
            r#"
                [topology]
                kind = "file"
                path = "topology.txt"
                [cc]
                kind = "dctcp"
                [[workload]]
                kind = "list"
                path = "flows.csv"
                [rdma]
                recovery = "selective"
                {}"#,
            query(&format!(
                r#"value = "switch-id"
                    knowledge = "{knowledge}""#
            ))
        );
        let scenario = Scenario::from_text("row.toml", &text, dir.path(), &[]).unwrap();
        let (completions, results) = finish(&scenario, 2);
        assert_eq!(completions.len(), 200);
        assert!(completions.iter().any(|c| c.retransmitted.get() > 0));
        assert_eq!(decoded(&results), 200);
        assert!(results.paths.iter().all(|result| result.part.hops == 59));
        let paths: BTreeSet<&[u64]> = results.paths.iter().map(|a| &a.part.path[..]).collect();
        assert!(paths.len() > 8, "{} of 16 paths", paths.len());
        let packets = results.paths.iter().filter_map(|a| a.part.decoded_after);
        let packets = mean(packets.map(|packets| packets as f64));
        assert!(packets < most, "{packets} packets with {knowledge}");
        means.push(packets);
    }
    assert!(means[0] < 0.5 * means[1], "{means:?}");
}

#[test]
fn a_path_that_changes_is_reported() {
    let text = format!(
        r#"
            [topology]
            kind = "fat-tree"
            k = 6
            [cc]
            kind = "hpcc"
            [rdma]
            rto_min = "100us"
            [[workload]]
            kind = "permutation"
            size = "4MB"
            [[event]]
            at = "150us"
            kind = "switch-down"
            switch = 90
            {}"#,
        query(r#"value = "switch-id""#)
    );
    let (completions, results) = finish(&support::scenario(&text), 2);
    assert_eq!(completions.len(), 54);
    decoded(&results);
    let changed: Vec<&PathResult> = results
        .paths
        .iter()
        .filter(|result| result.part.path.contains(&90))
        .collect();
    assert!(
        !changed.is_empty(),
        "some flows went through the core that fails"
    );
    for result in &changed {
        let why = result.part.ended_by.as_deref();
        assert!(why.is_some_and(|why| why.contains("fit")), "{result:?}");
        assert!(result.part.unnoticed < 60, "{result:?}");
        let next = results
            .paths
            .iter()
            .filter(|other| other.flow == result.flow);
        let next = next.max_by_key(|other| other.part.number).unwrap();
        assert!(next.part.decoded_after.is_some() && !next.part.path.contains(&90));
    }
    // Other flows keep their path, though some hash to another core.
    let kept = results.paths.iter().filter(|result| {
        result.part.number == 1 && result.part.ended_by.is_none() && result.part.unnoticed == 0
    });
    assert!(kept.count() > 10);
}

#[test]
fn switches_trace_their_ports_too() {
    let (_, results) = finish(
        &support::scenario(&format!(
            "[topology]\nkind = \"chain\"\nswitches = 4\nhosts_per_switch = 2\n[cc]\nkind = \"dctcp\"\n\
             [[workload]]\nkind = \"permutation\"\nsize = \"200KB\"\n{}{}",
            query(
                r#"value = "egress-port"
                bits = 4"#
            ),
            query(
                r#"value = "switch-id"
                bits = 4
                knowledge = "switches""#
            )
        )),
        1,
    );
    let (ports, switches): (Vec<_>, Vec<_>) = results.paths.iter().partition(|a| a.query == 0);
    assert_eq!((ports.len(), switches.len()), (8, 8));
    for (port, switch) in ports.iter().zip(&switches) {
        assert_eq!(port.flow, switch.flow);
        // The simulator cannot tell if ports are right.
        assert_eq!((port.part.correct, port.part.unnoticed), (None, 0));
        assert_eq!(switch.part.correct, Some(true));
        let last = *switch.part.path.last().unwrap();
        let dst = port.flow.dst.unwrap();
        // Each switch has two hosts on its first two ports.
        assert_eq!(last, u64::from(8 + dst.0 / 2));
        assert_eq!(*port.part.path.last().unwrap(), u64::from(dst.0 % 2));
    }
    assert!(switches.iter().any(|result| result.part.hops == 4));
    let first = |result: &&PathResult| NodeId(u32::try_from(result.part.path[0]).unwrap());
    assert!(
        switches
            .iter()
            .all(|a| first(a).0 == 8 + a.flow.src.unwrap().0 / 2)
    );
}

#[test]
fn a_path_too_long_to_be_counted_is_refused() {
    let text = format!(
        r#"
            [topology]
            kind = "chain"
            switches = 256
            hosts_per_switch = 1
            delay = "100ns"
            [cc]
            kind = "dctcp"
            [[workload]]
            kind = "permutation"
            size = "2KB"
            {}"#,
        query(r#"value = "hop-latency""#)
    );
    let refused = Simulation::new(&support::scenario(&text), 1)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("a path passes 256 switches, and packets count up to 255"),
        "{refused}"
    );
    let text = text.replace("256", "255");
    let simulation = support::run(&text, 1);
    let longest = simulation
        .query_results()
        .hops
        .iter()
        .map(|result| result.hop)
        .max();
    assert!(longest > Some(200), "{longest:?}");
}

#[test]
fn a_path_needs_no_more_packets_beside_other_queries() {
    let network = r#"
        [topology]
        kind = "fat-tree"
        k = 4
        [[workload]]
        kind = "permutation"
        size = "60KB"
        count = 1200
        gap = "8us"
    "#;
    let packets = |queries: &[String]| {
        let text = [network, PINT_CC, &queries.concat()].concat();
        let (_, results) = finish(&support::scenario(&text), 2);
        decoded(&results);
        let first = results
            .paths
            .iter()
            .filter(|a| a.part.number == 1 && a.part.hops == 5);
        mean(first.filter_map(|a| Some(a.part.decoded_after? as f64)))
    };
    let share = |keys: &str, frequency: &str| query(&format!("{keys}\nfrequency = {frequency}"));
    let alone = packets(&[query(PATH), query(CONTROL)]);
    let together = packets(&[
        query(PATH),
        share(LATENCY, "0.9375"),
        share(CONTROL, "0.0625"),
    ]);
    // The means are equal; 12,000 flows leave 0.6% of uncertainty on each side.
    assert!(
        (together / alone - 1.0).abs() < 0.02,
        "{together} after {alone}"
    );
}
