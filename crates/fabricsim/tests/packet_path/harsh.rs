//! The papers' fabric of 320 hosts under everything that can go wrong, with every algorithm of the
//! registry. Takes tens of minutes: `cargo test --release -p fabricsim --test packet_path harsh --
//! --ignored --nocapture`.

use crate::support;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::algorithms::cc_tables;
use fabricsim::{Scenario, Simulation};
use fabricsim_base::flow::Completion;
use fabricsim_base::units::Time;
use fabricsim_core::network::{Counters, Stop};
use fabricsim_core::plugin::EndpointCounters;
use fabricsim_scenario::cc::registry::Transport;

const FABRIC: &str = r#"
    [topology]
    kind = "fat-tree"
    preset = "hpcc-fat320"
"#;
const WEBSEARCH: &str = r#"
    [[workload]]
    kind = "poisson"
    sizes = "websearch"
    load = 0.5
    duration = "200us"
"#;

/// Runs `text` on `threads` threads and returns the results once every flow has finished.
fn run(text: &str, base: &Path, threads: usize) -> (Vec<Completion>, Counters, EndpointCounters) {
    let scenario = Scenario::from_text("harsh", text, base, &[])
        .unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let mut simulation = Simulation::new(&scenario, threads).unwrap();
    let stop = simulation.run_until(Time::MAX);
    assert_eq!(
        stop,
        Stop::Finished,
        "{text}\n{:?}",
        simulation.unfinished()
    );
    assert!(simulation.unreachable().is_empty(), "{text}");
    (
        simulation.take_completions(),
        simulation.counters(),
        simulation.endpoint_counters(),
    )
}

/// Checks that every algorithm finishes all flows of `network`, with the same results on any number
/// of threads, and delivers each byte once.
fn every_algorithm(name: &str, network: &str, base: &Path, check: impl Fn(&str, &Counters)) {
    for cc in cc_tables(Transport::Rdma) {
        let text = format!("{network}[cc]\n{cc}\n");
        let expected = run(&text, base, 1);
        let (done, counters, ends) = &expected;
        let asked: u64 = done.iter().map(|c| c.flow.request.size.get()).sum();
        assert_eq!(ends.delivered.get(), asked, "{name} {cc}");
        assert_eq!(
            ends.sent.get() - ends.retransmitted.get(),
            asked,
            "{name} {cc}"
        );
        assert!(ends.sent.get() >= ends.arrived.get() + counters.lost_payload.get());
        check(&cc, counters);
        println!(
            "{name}, {}: {} flows, last after {:.0} us, {} pauses, {} buffer drops, {} other \
             losses, {} bytes again, {} timeouts",
            cc.replace("kind = ", "").replace('\n', " ").trim(),
            done.len(),
            done.iter()
                .map(|c| c.finish.as_secs_f64())
                .fold(0.0, f64::max)
                * 1e6,
            counters.pauses,
            counters.buffer_drops,
            counters.link_losses + counters.link_down_drops,
            ends.retransmitted,
            ends.timeouts,
        );
        for threads in [2, 3, 8] {
            assert!(
                run(&text, base, threads) == expected,
                "{name} {cc} on {threads}"
            );
        }
    }
}

#[test]
#[ignore = "takes minutes"]
fn an_incast_of_176() {
    let text = format!(
        r#"
            {FABRIC}
            [[workload]]
            kind = "incast"
            fan_in = 176
            size = "500KB"
            at = "0s"
        "#
    );
    every_algorithm("176 to 1", &text, Path::new("."), |cc, counters| {
        assert_eq!(counters.buffer_drops, 0, "{cc}");
    });
}

#[test]
#[ignore = "takes minutes"]
fn incasts_of_60_beside_websearch() {
    // At 2% of the capacity such an incast happens every 19 ms, so this run contains one.
    let text = format!(
        r#"
            {FABRIC}{WEBSEARCH}
            [[workload]]
            kind = "incast"
            fan_in = 60
            size = "500KB"
            at = "50us"
        "#
    );
    every_algorithm("60 to 1", &text, Path::new("."), |cc, counters| {
        assert_eq!(counters.buffer_drops, 0, "{cc}");
    });
}

#[test]
#[ignore = "takes minutes"]
fn a_fabric_that_loses_one_packet_in_a_thousand() {
    let plain = support::scenario(&format!(
        "{FABRIC}{WEBSEARCH}[cc]\n{}",
        cc_tables(Transport::Rdma)[0]
    ));
    let topology = &plain.topology();
    let switches: Vec<String> = topology.switches().map(|node| node.0.to_string()).collect();
    let mut list = format!(
        "{} {} {}\n{}\n",
        topology.len(),
        switches.len(),
        topology.links().len(),
        switches.join(" ")
    );
    for link in topology.links() {
        let gbps = link.rate.as_bps() / 1_000_000_000;
        writeln!(list, "{} {} {gbps}Gbps 1us 0.001", link.a, link.b).unwrap();
    }
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("lossy.txt"), list).unwrap();
    for recovery in ["go-back-n", "selective"] {
        let text = format!(
            r#"
                [topology]
                kind = "file"
                path = "lossy.txt"
                [switch]
                pfc = false
                [rdma]
                recovery = "{recovery}"
                {WEBSEARCH}"#
        );
        every_algorithm(
            &format!("lossy, {recovery}"),
            &text,
            dir.path(),
            |cc, counters| {
                assert!(counters.link_losses > 1_000, "{cc}");
                assert_eq!(counters.pauses, 0, "{cc}");
            },
        );
    }
}

fn event(at_us: u64, what: &str) -> String {
    format!(
        r#"
        [[event]]
        at = "{at_us}us"
        {what}
    "#
    )
}

#[test]
#[ignore = "takes minutes"]
fn links_flap_in_the_middle_of_a_run() {
    let scenario = support::scenario(&format!(
        "{FABRIC}{WEBSEARCH}[cc]\n{}",
        cc_tables(Transport::Rdma)[0]
    ));
    let topology = scenario.topology();
    let fabric = topology
        .links()
        .iter()
        .filter(|link| !topology.is_host(link.a) && !topology.is_host(link.b));
    let mut text = format!(
        r#"
        {FABRIC}{WEBSEARCH}
        [routing]
        convergence = "20us"
    "#
    );
    for (index, link) in fabric.step_by(29).enumerate() {
        let link = format!("link = [{}, {}]", link.a, link.b);
        let at = 60 + 5 * index as u64;
        text += &event(
            at,
            &format!(
                r#"kind = "link-down"
            {link}"#
            ),
        );
        text += &event(
            at + 70,
            &format!(
                r#"kind = "link-up"
            {link}"#
            ),
        );
    }
    every_algorithm("flaps", &text, Path::new("."), |cc, counters| {
        assert!(counters.link_down_drops > 100, "{cc}");
    });
}

#[test]
#[ignore = "takes minutes"]
fn an_aggregation_and_a_core_switch_are_lost() {
    let scenario = support::scenario(&format!(
        "{FABRIC}{WEBSEARCH}[cc]\n{}",
        cc_tables(Transport::Rdma)[0]
    ));
    let topology = scenario.topology();
    let core = topology.switches().last().unwrap();
    let is_leaf = |node| {
        topology
            .ports(node)
            .iter()
            .any(|port| topology.is_host(port.peer))
    };
    let aggregation = topology.switches().find(|&node| !is_leaf(node)).unwrap();
    let mut text = format!("{FABRIC}{WEBSEARCH}");
    text += &event(
        80,
        &format!(
            r#"kind = "switch-down"
        switch = {core}"#
        ),
    );
    text += &event(
        110,
        &format!(
            r#"kind = "switch-down"
            switch = {aggregation}"#
        ),
    );
    every_algorithm("switches lost", &text, Path::new("."), |cc, counters| {
        assert!(counters.link_down_drops > 100, "{cc}");
        assert_eq!(counters.no_route, 0, "{cc}");
    });
}
