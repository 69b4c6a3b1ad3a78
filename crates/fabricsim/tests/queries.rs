//! Queries on real packets (PINT, SIGCOMM 2020): paths that are found are the ones that packets took, quantiles
//! are near the truth, and a plan is kept by all switches and sinks.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

use std::collections::BTreeSet;
use std::fmt::Write as _;

use fabricsim::pint::query::{Answers, HopAnswer, PathAnswer, Reach, Statistic};
use fabricsim::{Scenario, Simulation};
use fabricsim_core::flow::Completion;
use fabricsim_core::id::NodeId;
use fabricsim_core::network::Stop;
use fabricsim_core::units::Time;

/// 320 hosts, then 20 top-of-rack, 20 aggregation and 16 core switches.
const FAT320: &str = "[topology]\nkind = \"fat-tree\"\npreset = \"hpcc-fat320\"\n";

fn scenario(text: &str) -> Scenario {
    Scenario::from_toml(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Runs `scenario` to the end of all flows.
fn finish(scenario: &Scenario, threads: usize) -> (Vec<Completion>, Answers) {
    let mut simulation = Simulation::new(scenario, threads).unwrap();
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    (simulation.take_completions(), simulation.answers())
}

fn query(keys: &str) -> String {
    format!("[[query]]\n{keys}\n")
}

/// That no path was wrong, no digest was taken for a path that had changed, and how many were found.
fn decoded(answers: &Answers) -> usize {
    let known: Vec<&PathAnswer> = answers
        .paths
        .iter()
        .filter(|answer| answer.part.decoded_after.is_some())
        .collect();
    for answer in &known {
        assert_eq!(answer.part.correct, Some(true), "{answer:?}");
        assert_eq!(answer.part.path.len(), usize::from(answer.part.hops));
    }
    known.len()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0u32);
    for value in values {
        sum += value;
        count += 1;
    }
    sum / f64::from(count)
}

#[test]
fn ten_thousand_paths_of_the_fat_tree_are_found_under_load_and_loss() {
    let mut text = format!(
        "{FAT320}[cc]\nkind = \"dcqcn\"\nwindow = true\n[rdma]\nrecovery = \"selective\"\n\
         [[workload]]\nkind = \"permutation\"\nsize = \"60KB\"\ncount = 32\ngap = \"8us\"\n{}",
        query("value = \"switch-id\"")
    );
    for core in 360..364 {
        write!(
            text,
            "[[event]]\nat = \"0s\"\nkind = \"link-loss\"\nlink = [340, {core}]\nloss = 0.02\n"
        )
        .unwrap();
    }
    let (completions, answers) = finish(&scenario(&text), 2);
    assert_eq!(completions.len(), 10_240);
    let resent: u64 = completions.iter().map(|c| c.retransmitted.get()).sum();
    assert!(resent > 0, "some packets are lost");
    let found = decoded(&answers);
    assert!(found > 10_200, "{found} of 10,240 flows of 60 packets");
    assert!(
        answers
            .paths
            .iter()
            .all(|answer| answer.part.ended_by.is_none())
    );
    let lengths: BTreeSet<u8> = answers
        .paths
        .iter()
        .map(|answer| answer.part.hops)
        .collect();
    assert_eq!(lengths, BTreeSet::from([1, 3, 5]));
}

/// A row of 59 switches, four of them with a second one beside them, and two hosts at each end, as the link
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
            "[topology]\nkind = \"file\"\npath = \"topology.txt\"\n[cc]\nkind = \"dctcp\"\n\
             [[workload]]\nkind = \"list\"\npath = \"flows.csv\"\n\
             [rdma]\nrecovery = \"selective\"\n{}",
            query(&format!(
                "value = \"switch-id\"\nknowledge = \"{knowledge}\""
            ))
        );
        let scenario = Scenario::from_text("row.toml", &text, dir.path(), &[]).unwrap();
        let (completions, answers) = finish(&scenario, 2);
        assert_eq!(completions.len(), 200);
        assert!(completions.iter().any(|c| c.retransmitted.get() > 0));
        assert_eq!(decoded(&answers), 200);
        assert!(answers.paths.iter().all(|answer| answer.part.hops == 59));
        let paths: BTreeSet<&[u64]> = answers.paths.iter().map(|a| &a.part.path[..]).collect();
        assert!(paths.len() > 8, "{} of 16 paths", paths.len());
        let packets = answers.paths.iter().filter_map(|a| a.part.decoded_after);
        let packets = mean(packets.map(|packets| packets as f64));
        assert!(packets < most, "{packets} packets with {knowledge}");
        means.push(packets);
    }
    assert!(means[0] < 0.5 * means[1], "{means:?}");
}

#[test]
fn a_path_that_changes_is_reported() {
    let text = format!(
        "[topology]\nkind = \"fat-tree\"\nk = 6\n[cc]\nkind = \"hpcc\"\n\
         [rdma]\nrto_min = \"100us\"\n\
         [[workload]]\nkind = \"permutation\"\nsize = \"4MB\"\n\
         [[event]]\nat = \"150us\"\nkind = \"switch-down\"\nswitch = 90\n{}",
        query("value = \"switch-id\"")
    );
    let (completions, answers) = finish(&scenario(&text), 2);
    assert_eq!(completions.len(), 54);
    decoded(&answers);
    let changed: Vec<&PathAnswer> = answers
        .paths
        .iter()
        .filter(|answer| answer.part.path.contains(&90))
        .collect();
    assert!(
        !changed.is_empty(),
        "some flows went through the core that fails"
    );
    for answer in &changed {
        let why = answer.part.ended_by.as_deref();
        assert!(why.is_some_and(|why| why.contains("fit")), "{answer:?}");
        assert!(answer.part.unnoticed < 60, "{answer:?}");
        let next = answers
            .paths
            .iter()
            .filter(|other| other.flow == answer.flow);
        let next = next.max_by_key(|other| other.part.number).unwrap();
        assert!(next.part.decoded_after.is_some() && !next.part.path.contains(&90));
    }
    // Others keep their path, though some are hashed to another core.
    let kept = answers.paths.iter().filter(|answer| {
        answer.part.number == 1 && answer.part.ended_by.is_none() && answer.part.unnoticed == 0
    });
    assert!(kept.count() > 10);
}

/// Web search traffic at 60% on 16 hosts, with `rest`.
fn websearch(rest: &str) -> Scenario {
    scenario(&format!(
        "[topology]\nkind = \"fat-tree\"\nk = 4\n[[workload]]\nkind = \"poisson\"\n\
         sizes = \"websearch\"\nload = 0.6\nduration = \"4ms\"\n{rest}"
    ))
}

const PINT_CC: &str = "[cc]\nkind = \"hpcc-pint\"\n";
const PATH: &str = "name = \"path\"\nvalue = \"switch-id\"";
const LATENCY: &str = "name = \"latency\"\nvalue = \"hop-latency\"";
const CONTROL: &str = "name = \"control\"\nvalue = \"egress-utilization\"\naggregation = \"max\"";

/// Relative errors of `statistic` where a hop has at least `least` digests and the truth is not nothing.
fn errors(answers: &Answers, statistic: Statistic, least: u64) -> Vec<f64> {
    let wanted = |answer: &&HopAnswer| answer.statistic == statistic && answer.digests >= least;
    let known = answers.hops.iter().filter(wanted).filter_map(|answer| {
        let truth = answer.truth.filter(|&truth| truth > 100.0)?;
        Some((answer.estimate?.value / truth - 1.0).abs())
    });
    known.collect()
}

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

#[test]
fn latencies_are_near_the_truth() {
    let text = [PINT_CC.to_owned(), query(LATENCY), query(CONTROL)];
    let (_, all) = finish(&websearch(&text.concat()), 2);
    let medians = errors(&all, Statistic::Quantile(0.5), 100);
    let tails = errors(&all, Statistic::Quantile(0.99), 100);
    assert!(
        medians.len() > 10 && tails.len() > 100,
        "{} {}",
        medians.len(),
        tails.len()
    );
    let (median, tail) = (middle(medians), middle(tails));
    // A hundred digests leave a tenth of the ranks open, where many values are nothing.
    assert!(median < 0.15, "{median}");
    assert!(tail < 0.08, "{tail}");
}

#[test]
fn three_queries_share_two_bytes() {
    let with = |keys: &str, frequency: &str| query(&format!("{keys}\nfrequency = {frequency}"));
    let text = [
        PINT_CC.to_owned(),
        with(PATH, "1.0"),
        with(LATENCY, "0.9375"),
        with(CONTROL, "0.0625"),
    ];
    let scenario = websearch(&text.concat());
    let mut simulation = Simulation::new(&scenario, 1).unwrap();
    assert_eq!(simulation.facts().telemetry_bytes, 2);
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    let answers = simulation.answers();
    let completions = simulation.take_completions();
    assert!(decoded(&answers) > completions.len() / 2);
    let packets = simulation.endpoint_counters().packets as f64;
    let of_paths: u64 = answers.paths.iter().map(|answer| answer.part.packets).sum();
    let median = Statistic::Quantile(0.5);
    let of_latency = answers.hops.iter().filter(|hop| hop.statistic == median);
    let of_latency: u64 = of_latency.map(|hop| hop.digests).sum();
    let of_controller = answers
        .packets
        .iter()
        .filter(|answer| answer.statistic == median);
    let of_controller: u64 = of_controller.map(|answer| answer.digests).sum();
    assert!(
        (of_paths as f64 - packets).abs() < 0.5,
        "{of_paths} of {packets}"
    );
    // Shares within four standard deviations.
    for (found, share) in [(of_latency, 0.9375), (of_controller, 0.0625)] {
        let deviation = (packets * share * (1.0 - share)).sqrt();
        let expected = packets * share;
        assert!(
            (found as f64 - expected).abs() < 4.0 * deviation,
            "{found}, not {expected}"
        );
    }
    // The same on any number of threads.
    for threads in [2, 3] {
        let found = finish(&scenario, threads);
        assert!(
            found == (completions.clone(), answers.clone()),
            "{threads} threads"
        );
    }
}

#[test]
fn extremes_and_sums_of_a_packets_hops_come_in_their_order() {
    let text = [
        "[pint]\nbits = 48\n[cc]\nkind = \"hpcc\"\n".to_owned(),
        query("name = \"most\"\nvalue = \"hop-latency\"\naggregation = \"max\""),
        query("name = \"least\"\nvalue = \"hop-latency\"\naggregation = \"min\""),
        query("name = \"sum\"\nvalue = \"hop-latency\"\naggregation = \"sum\"\nbits = 16"),
        query("name = \"age\"\nvalue = \"egress-time\"\naggregation = \"max\"\nbits = 16"),
    ];
    let (_, answers) = finish(&websearch(&text.concat()), 2);
    let tail = Statistic::Quantile(0.99);
    let of = |query: usize| {
        let own = move |answer: &&_| -> bool {
            let answer: &fabricsim::pint::query::PacketAnswer = answer;
            answer.query == query && answer.statistic == tail && answer.digests > 100
        };
        answers
            .packets
            .iter()
            .filter(own)
            .map(|answer| answer.estimate.unwrap().value)
    };
    let together = of(0).zip(of(1)).zip(of(2).zip(of(3)));
    let mut flows = 0;
    for ((most, least), (sum, age)) in together {
        assert!(least <= most, "{least} {most}");
        // A code of 8 bits errs by 2%, one of 16 by less, and the counter by some percent.
        // The lowest code of an extreme stands for one unit, that of a sum for nothing.
        assert!(sum + 1.5 >= most * 0.9, "{sum} {most}");
        assert!(age + 1.5 >= sum * 0.9, "{age} {sum}");
        flows += 1;
    }
    assert!(flows > 50, "{flows}");
}

#[test]
fn switches_trace_their_ports_too() {
    let (_, answers) = finish(
        &scenario(&format!(
            "[topology]\nkind = \"chain\"\nswitches = 4\nhosts_per_switch = 2\n[cc]\nkind = \"dctcp\"\n\
             [[workload]]\nkind = \"permutation\"\nsize = \"200KB\"\n{}{}",
            query("value = \"egress-port\"\nbits = 4"),
            query("value = \"switch-id\"\nbits = 4\nknowledge = \"switches\"")
        )),
        1,
    );
    let (ports, switches): (Vec<_>, Vec<_>) = answers.paths.iter().partition(|a| a.query == 0);
    assert_eq!((ports.len(), switches.len()), (8, 8));
    for (port, switch) in ports.iter().zip(&switches) {
        assert_eq!(port.flow, switch.flow);
        // Nothing is known of whether ports are right.
        assert_eq!((port.part.correct, port.part.unnoticed), (None, 0));
        assert_eq!(switch.part.correct, Some(true));
        let last = *switch.part.path.last().unwrap();
        let dst = port.flow.dst.unwrap();
        // Two hosts at each switch, on its first two ports.
        assert_eq!(last, u64::from(8 + dst.0 / 2));
        assert_eq!(*port.part.path.last().unwrap(), u64::from(dst.0 % 2));
    }
    assert!(switches.iter().any(|answer| answer.part.hops == 4));
    let first = |answer: &&PathAnswer| NodeId(u32::try_from(answer.part.path[0]).unwrap());
    assert!(
        switches
            .iter()
            .all(|a| first(a).0 == 8 + a.flow.src.unwrap().0 / 2)
    );
}

#[test]
fn a_link_that_becomes_slower_is_as_busy_as_it_is() {
    let (_, answers) = finish(
        &scenario(&format!(
            "[topology]\nkind = \"star\"\nhosts = 2\n[cc]\nkind = \"none\"\n\
             [[workload]]\nkind = \"permutation\"\nsize = \"2MB\"\n\
             [[event]]\nat = \"0s\"\nkind = \"link-rate\"\nlink = [0, 2]\nrate = \"10Gbps\"\n{}",
            query("value = \"egress-utilization\"\nbits = 16")
        )),
        1,
    );
    let median = |answer: &&HopAnswer| answer.statistic == Statistic::Quantile(0.5);
    for answer in answers.hops.iter().filter(median) {
        let (estimate, truth) = (answer.estimate.unwrap().value, answer.truth.unwrap());
        assert!((estimate / truth - 1.0).abs() < 0.1, "{answer:?}");
    }
}

#[test]
fn an_age_beyond_the_code_is_said_to_be_clipped() {
    let text = |largest: &str| {
        format!(
            "[topology]\nkind = \"chain\"\nswitches = 3\nhosts_per_switch = 1\ndelay = \"1ms\"\n[cc]\nkind = \"dctcp\"\n\
             [rdma]\nrto_min = \"50ms\"\n[run]\nstall_after = \"1s\"\n\
             [[workload]]\nkind = \"permutation\"\nsize = \"50KB\"\n{}",
            query(&format!("value = \"egress-time\"\n{largest}"))
        )
    };
    let reaches = |largest: &str| {
        let (_, answers) = finish(&scenario(&text(largest)), 1);
        let last = answers.hops.iter().filter(|answer| answer.hop == 2);
        last.filter_map(|answer| Some(answer.estimate?.reach))
            .collect::<Vec<_>>()
    };
    assert!(reaches("").iter().all(|&reach| reach == Reach::Within));
    assert!(
        reaches("largest = 100000.0")
            .iter()
            .all(|&reach| reach == Reach::Largest)
    );
}

#[test]
fn a_path_too_long_to_be_counted_is_refused() {
    let text = format!(
        "[topology]\nkind = \"chain\"\nswitches = 256\nhosts_per_switch = 1\ndelay = \"100ns\"\n\
         [cc]\nkind = \"dctcp\"\n[[workload]]\nkind = \"permutation\"\nsize = \"2KB\"\n{}",
        query("value = \"hop-latency\"")
    );
    let refused = Simulation::new(&scenario(&text), 1)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("a path passes 256 switches, and packets count up to 255"),
        "{refused}"
    );
    let text = text.replace("256", "255");
    let mut simulation = Simulation::new(&scenario(&text), 1).unwrap();
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    let longest = simulation
        .answers()
        .hops
        .iter()
        .map(|answer| answer.hop)
        .max();
    assert!(longest > Some(200), "{longest:?}");
}

/// Bytes that a packet of 1,000 bytes takes on the first link.
fn wire_bytes(rest: &str) -> u64 {
    let mut simulation = Simulation::new(
        &scenario(&format!(
            "{rest}[topology]\nkind = \"leaf-spine\"\n[[workload]]\nkind = \"incast\"\nfan_in = 1\n\
             size = \"1000B\"\nat = \"0s\"\n"
        )),
        1,
    )
    .unwrap();
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    let src = simulation.take_completions()[0].flow.request.src;
    let port = simulation.port(src, fabricsim_core::id::PortId(0)).unwrap();
    port.sent.get()
}

#[test]
fn telemetry_and_digests_cost_their_bytes_on_the_wire() {
    assert_eq!(wire_bytes("[cc]\nkind = \"none\"\n"), 1_048);
    assert_eq!(wire_bytes("[cc]\nkind = \"hpcc\"\n"), 1_090);
    assert_eq!(wire_bytes(PINT_CC), 1_049);
    assert_eq!(
        wire_bytes(&format!("profile = \"ns3-hpcc\"\n{PINT_CC}")),
        1_050
    );
    for (bits, bytes) in [(8, 1), (16, 2), (17, 3), (64, 8)] {
        let text = format!(
            "[cc]\nkind = \"none\"\n[pint]\nbits = {bits}\n{}",
            query(PATH)
        );
        assert_eq!(wire_bytes(&text), 1_048 + bytes, "{bits} bits");
    }
}

#[test]
fn a_path_needs_no_more_packets_beside_other_queries() {
    let network = "[topology]\nkind = \"fat-tree\"\nk = 4\n[[workload]]\nkind = \"permutation\"\n\
                   size = \"60KB\"\ncount = 1200\ngap = \"8us\"\n";
    let packets = |queries: &[String]| {
        let text = [network, PINT_CC, &queries.concat()].concat();
        let (_, answers) = finish(&scenario(&text), 2);
        decoded(&answers);
        let first = answers
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
    // The same in the mean; 12,000 flows leave 0.6% of a doubt on each side.
    assert!(
        (together / alone - 1.0).abs() < 0.02,
        "{together} after {alone}"
    );
}

#[test]
fn two_flows_of_hpcc_pint_come_to_equal_rates() {
    let text = format!(
        "[topology]\nkind = \"star\"\nhosts = 3\n{PINT_CC}[[workload]]\nkind = \"incast\"\nreceiver = 2\n\
         fan_in = 2\nsize = \"400MB\"\nat = \"0s\"\n"
    );
    let mut simulation = Simulation::new(&scenario(&text), 1).unwrap();
    let acknowledged = |simulation: &Simulation| -> Vec<f64> {
        let flows = simulation.live_flows();
        flows
            .iter()
            .map(|flow| flow.acknowledged.as_f64() * 8.0)
            .collect()
    };
    let mut gbps = Vec::new();
    let mut before = vec![0.0; 2];
    for ms in [10, 20, 30, 40, 50] {
        simulation.run_until(Time::from_ns(ms * 1_000_000));
        let now = acknowledged(&simulation);
        gbps.push([(now[0] - before[0]) / 1e7, (now[1] - before[1]) / 1e7]);
        // Next to nothing waits.
        assert!(
            simulation.queued_bytes().get() < 20_000,
            "{:?}",
            simulation.queued_bytes()
        );
        before = now;
    }
    // The digests' rounding makes shares wander by some ten percent, around a half.
    for [first, second] in &gbps {
        assert!((0.5..2.0).contains(&(first / second)), "{gbps:?}");
        assert!((85.0..95.0).contains(&(first + second)), "{gbps:?}");
    }
    let mean = |flow: usize| gbps.iter().map(|rates| rates[flow]).sum::<f64>() / 5.0;
    assert!((mean(0) / mean(1) - 1.0).abs() < 0.2, "{gbps:?}");
}
