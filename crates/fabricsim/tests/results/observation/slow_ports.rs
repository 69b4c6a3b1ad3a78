//! Computations that slow the ports of their host: packets counted by hand.
//!
//! Two hosts at a switch, 100 Gbit/s and 1 us for each link. A full packet has 1,048 bytes on the
//! wire and takes 83,840 ps, an acknowledgement has 60 bytes and takes 4,800 ps. A message of 50
//! packets whose last one has left the host at `t` is acknowledged at `t` + [`WAY`]: the switch
//! never is the slower one of two ports on the way.

use std::path::Path;

use fabricsim::Scenario;
use fabricsim::driver::{Actions, Driver, Event};
use fabricsim::prelude::*;

use super::overlap::{Row, named, ps};
use super::{run, table};
use crate::support;

const PACKET: u64 = 83_840;
const ACK: u64 = 4_800;
/// The link, the packet at the switch, the link, then the acknowledgement over both links.
const WAY: u64 = 4_000_000 + PACKET + 2 * ACK;

/// A message of 50 packets beside a computation of so many nanoseconds at its sender.
fn graph(computes_ns: f64) -> String {
    format!(
        "rank,id,op,peer,bytes,duration_ns,tag\n\
         0,c,calc,,,{computes_ns},\n\
         0,s,send,1,50000,,0\n\
         1,r,recv,0,,,0\n"
    )
}

/// Returns a scenario with `jobs`, each with its graph and other keys.
fn text(dir: &Path, jobs: &[(&str, &str)], more: &str) -> String {
    let mut workloads = String::new();
    for (number, (graph, keys)) in jobs.iter().enumerate() {
        let path = dir.join(format!("{number}.csv"));
        std::fs::write(&path, graph).unwrap();
        workloads += &format!("[[workload]]\nkind = \"graph\"\npath = {path:?}\n{keys}\n");
    }
    format!(
        r#"
        {workloads}
        [topology]
        kind = "star"
        hosts = 2
        rate = "100Gbps"
        delay = "1us"
        [cc]
        kind = "none"
        [observe]
        operations = true
        {more}"#
    )
}

/// Runs `jobs` and returns all their operations.
fn operations(jobs: &[(&str, &str)], more: &str) -> Vec<Row> {
    let dir = tempfile::tempdir().unwrap();
    let text = text(dir.path(), jobs, more);
    run(&text, dir.path(), 1);
    let rows = table(dir.path(), "operations.csv");
    let bytes = std::fs::read(dir.path().join("operations.csv")).unwrap();
    for threads in [2, 3] {
        run(&text, dir.path(), threads);
        let again = std::fs::read(dir.path().join("operations.csv")).unwrap();
        assert!(bytes == again, "{threads} threads: {text}");
    }
    rows
}

fn end(rows: &[Row], name: &str) -> u64 {
    ps(named(rows, name), "end_ns")
}

/// At 1/1.3 of the rate, packets leave every 108,992 ps. Ten of them begin to leave before the
/// computation ends after 1 us. The tenth is on the wire then, and keeps its time; the other 40 have
/// the full rate.
#[test]
fn packets_are_slow_until_the_computation_ends() {
    let keys = "overlap = { communication = 1.3 }";
    let rows = operations(&[(&graph(1_000.0), keys)], "");
    assert_eq!(end(&rows, "c"), 1_000_000);
    assert_eq!(end(&rows, "s"), 10 * 108_992 + 40 * PACKET + WAY);
    // A packet that can leave at the very instant of the end leaves before it.
    let rows = operations(&[(&graph(1_089.92), keys)], "");
    assert_eq!(end(&rows, "c"), 10 * 108_992);
    assert_eq!(end(&rows, "s"), 11 * 108_992 + 39 * PACKET + WAY);
    // 1.33 * 83,840 = 111,507.2, rounded up to a picosecond.
    let keys = "overlap = { communication = 1.33 }";
    let rows = operations(&[(&graph(1_000.0), keys)], "");
    assert_eq!(end(&rows, "s"), 9 * 111_508 + 41 * PACKET + WAY);
    // A computation without time slows nothing. The receiver's ends before it acknowledges anything.
    let graph = graph(0.0) + "1,e,calc,,,1000,\n";
    let rows = operations(&[(&graph, keys)], "");
    assert_eq!(end(&rows, "s"), 50 * PACKET + WAY);
}

/// The message starts after the first 250 ns of a chain of computations, whose second one begins at
/// the instant at which the first one ends: the ports stay slow.
#[test]
fn computations_that_follow_each_other_are_one_slow_period() {
    let graph = "rank,id,op,peer,bytes,duration_ns,stream,tag,after\n\
                 0,w,calc,,,250,0,,\n\
                 0,x,calc,,,250,1,,\n\
                 0,c,calc,,,750,0,,w\n\
                 0,s,send,1,50000,,,0,x\n\
                 1,r,recv,0,,,,0,\n";
    let rows = operations(&[(graph, "overlap = { communication = 1.3 }")], "");
    assert_eq!(end(&rows, "c"), 1_000_000);
    // From 250 ns on, 750 / 108.992 = 6.9 packets begin.
    assert_eq!(end(&rows, "s"), 250_000 + 7 * 108_992 + 43 * PACKET + WAY);
}

/// The receiver sends acknowledgements alone. The last one takes 6,240 ps at its port, and the one
/// before has left long before.
#[test]
fn a_computation_at_the_receiver_slows_its_acknowledgements() {
    let graph = "rank,id,op,peer,bytes,duration_ns,tag\n\
                 0,s,send,1,50000,,0\n\
                 1,c,calc,,,100000,\n\
                 1,r,recv,0,,,0\n";
    let rows = operations(&[(graph, "overlap = { communication = 1.3 }")], "");
    assert_eq!(end(&rows, "r"), 50 * PACKET + 2_000_000 + PACKET);
    assert_eq!(end(&rows, "s"), 50 * PACKET + WAY + 1_440);
}

/// With 1.5 and 1.25, a computation of 2 us ends after 3 us beside the message. Packets leave every
/// 104,800 ps until then: 28.6, so 29 of them begin. A computation of 100 us is beside all packets,
/// and does two thirds of this time. The rest follows at full speed.
#[test]
fn both_factors_act_at_the_same_time() {
    let keys = "overlap = { compute = 1.5, communication = 1.25 }";
    let rows = operations(&[(&graph(2_000.0), keys)], "");
    assert_eq!(end(&rows, "c"), 3_000_000);
    assert_eq!(end(&rows, "s"), 29 * 104_800 + 21 * PACKET + WAY);
    let rows = operations(&[(&graph(100_000.0), keys)], "");
    let message = 50 * 104_800 + WAY;
    assert_eq!(message, 9_333_440);
    assert_eq!(end(&rows, "s"), message);
    // 100,000,000 - 9,333,440 / 1.5 = 93,777,706.67.
    assert_eq!(end(&rows, "c"), message + 93_777_707);
}

/// One job computes until 2 us with a factor of 1.2, another one from 0.5 us to 1.5 us with 1.5. The
/// larger factor counts: packets of 100,608 ps, of 125,760 ps, and of 100,608 ps again.
#[test]
fn the_largest_factor_of_several_jobs_counts() {
    let other = "rank,id,op,peer,bytes,duration_ns\n0,b,calc,,,1000\n";
    let jobs = [
        (&*graph(2_000.0), "overlap = { communication = 1.2 }"),
        (
            other,
            "overlap = { communication = 1.5 }\nstart = \"500ns\"",
        ),
    ];
    let rows = operations(&jobs, "");
    assert_eq!(end(&rows, "b"), 1_500_000);
    // 500,000 / 100,608 = 4.97: the fifth one ends at 503,040. 996,960 / 125,760 = 7.93: the eighth
    // one ends at 1,509,120. 490,880 / 100,608 = 4.88.
    let slow = 5 * 100_608 + 8 * 125_760 + 5 * 100_608;
    assert_eq!(end(&rows, "s"), slow + 32 * PACKET + WAY);
}

/// The link has half of its rate from 600 ns on. Six packets have begun by then, two more begin
/// before the computation ends after 1 us. The acknowledgement takes twice its time on the link.
#[test]
fn a_link_that_changes_its_rate_stays_slowed() {
    let event = "[[event]]\nat = \"600ns\"\nkind = \"link-rate\"\nlink = [0, 2]\nrate = \"50Gbps\"";
    let keys = "overlap = { communication = 1.3 }";
    let rows = operations(&[(&graph(1_000.0), keys)], event);
    let slow = 6 * 108_992 + 2 * 2 * 108_992;
    assert_eq!(end(&rows, "s"), slow + 42 * 2 * PACKET + WAY + ACK);
}

/// A run that continues from a checkpoint within the slow period ends at the same picosecond, on
/// another number of threads, also if the link has changed its rate before.
#[test]
fn a_slow_period_continues_after_a_checkpoint() {
    let event = "[[event]]\nat = \"600ns\"\nkind = \"link-rate\"\nlink = [0, 2]\nrate = \"50Gbps\"";
    let keys = "overlap = { communication = 1.3 }";
    let slow = 6 * 108_992 + 2 * 2 * 108_992;
    for (more, expected) in [
        ("", 10 * 108_992 + 40 * PACKET + WAY),
        (event, slow + 42 * 2 * PACKET + WAY + ACK),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let text = text(dir.path(), &[(&graph(1_000.0), keys)], more);
        for stop_ns in [1, 250, 700, 999, 1_001] {
            let mut simulation = support::simulation(&text, 1);
            simulation.run_until(Time::from_ns(stop_ns));
            let saved = simulation.snapshot().unwrap();
            let scenario = support::scenario(&text);
            let mut again = Simulation::restore(&scenario, 2, &saved).unwrap();
            again.run_until(Time::MAX);
            let done = again.take_completions();
            let ends: Vec<u64> = done.iter().map(|own| own.finish.as_ps()).collect();
            assert_eq!(ends, [expected], "from {stop_ns} ns on: {more}");
        }
    }
}

/// All bytes of a run, except the settings.
fn results(dir: &Path) -> [Vec<u8>; 3] {
    ["operations.csv", "fct.csv", "links.csv"].map(|name| std::fs::read(dir.join(name)).unwrap())
}

#[test]
fn a_factor_of_one_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let with = |keys: &str| {
        let text = text(
            dir.path(),
            &[(&graph(1_000.0), keys)],
            "links = true\ninterval = \"500ns\"",
        );
        run(&text, dir.path(), 1);
        results(dir.path())
    };
    assert!(with("") == with("overlap = { communication = 1.0 }"));
    let of_compute = with("overlap = { compute = 1.2 }");
    assert!(of_compute == with("overlap = { compute = 1.2, communication = 1 }"));
    assert!(of_compute != with("overlap = { compute = 1.2, communication = 1.000001 }"));
}

/// The port is busy without a break, although it sends fewer bytes while it is slow.
#[test]
fn a_slow_port_is_busy() {
    let dir = tempfile::tempdir().unwrap();
    let text = text(
        dir.path(),
        &[(&graph(1_000.0), "overlap = { communication = 1.3 }")],
        "links = true\ninterval = \"500ns\"",
    );
    run(&text, dir.path(), 1);
    let rows = table(dir.path(), "links.csv");
    let own: Vec<_> = rows.iter().filter(|row| row["node"] == "0").collect();
    let busy: Vec<&str> = own[..5].iter().map(|row| &*row["utilization"]).collect();
    assert_eq!(busy, ["1.000000"; 5]);
    // 500 / 108.992 = 4.6 packets begin in each half, then 5 more than that.
    let sent: Vec<&str> = own[..3].iter().map(|row| &*row["sent_bytes"]).collect();
    assert_eq!(sent, ["5240", "5240", "5240"]);
}

/// A run that a program drives has the same results.
#[test]
fn a_driven_run_has_the_same_times() {
    struct Idle;
    impl Driver for Idle {
        fn on_event(&mut self, _event: &Event, _actions: &mut Actions<'_>) {}
    }
    let dir = tempfile::tempdir().unwrap();
    let keys = "overlap = { compute = 1.5, communication = 1.25 }";
    let text = text(dir.path(), &[(&graph(2_000.0), keys)], "");
    for threads in 1..=3 {
        let mut simulation = support::simulation(&text, threads);
        simulation.attach(Idle);
        simulation.run_until(Time::HORIZON);
        let done = simulation.take_completions();
        let ends: Vec<u64> = done.iter().map(|own| own.finish.as_ps()).collect();
        assert_eq!(ends, [29 * 104_800 + 21 * PACKET + WAY]);
    }
}

#[test]
fn hosts_whose_ports_cannot_be_slowed_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let keys = "overlap = { compute = 1.2, communication = 1.3 }";
    let refused = |top: &str, more: &str| {
        let text = text(dir.path(), &[(&graph(1_000.0), keys)], more);
        let error = Scenario::from_toml(&format!("{top}\n{text}")).unwrap_err();
        error.to_string()
    };
    for (message, word) in [
        (refused("", "[host]\nforward = true"), "forwards"),
        (refused("profile = \"ns3-hpcc\"", ""), "published simulator"),
    ] {
        let words = ["`overlap`", "`communication`", word];
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }
    let text = text(
        dir.path(),
        &[(&graph(1.0), "overlap = { compute = 1.2 }")],
        "",
    );
    Scenario::from_toml(&format!("{text}\n[host]\nforward = true")).unwrap();
    Scenario::from_toml(&format!("profile = \"ns3-hpcc\"\n{text}")).unwrap();
}
