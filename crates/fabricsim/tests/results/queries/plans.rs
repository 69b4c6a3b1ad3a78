//! Queries that share the bytes of packets, with one another and with congestion control.

use crate::support;
use fabricsim::Simulation;
use fabricsim_base::units::Time;
use fabricsim_core::network::Stop;
use fabricsim_pint::query::Statistic;

use crate::queries::{LATENCY, PATH, PINT_CC, decoded, finish, query, websearch};

pub(crate) const CONTROL: &str = r#"name = "control"
    value = "egress-utilization"
    aggregation = "max""#;

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
    assert_eq!(simulation.network_info().telemetry_bytes, 2);
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    let results = simulation.query_results();
    let completions = simulation.take_completions();
    assert!(decoded(&results) > completions.len() / 2);
    let packets = simulation.endpoint_counters().packets as f64;
    let of_paths: u64 = results.paths.iter().map(|result| result.part.packets).sum();
    let median = Statistic::Quantile(0.5);
    let of_latency = results.hops.iter().filter(|hop| hop.statistic == median);
    let of_latency: u64 = of_latency.map(|hop| hop.digests).sum();
    let of_controller = results
        .packets
        .iter()
        .filter(|result| result.statistic == median);
    let of_controller: u64 = of_controller.map(|result| result.digests).sum();
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
            found == (completions.clone(), results.clone()),
            "{threads} threads"
        );
    }
}

/// Returns the bytes that a packet of 1,000 bytes takes on the first link.
fn wire_bytes(rest: &str) -> u64 {
    let mut simulation = Simulation::new(
        &support::scenario(&format!(
            r#"
                {rest}
                [topology]
                kind = "leaf-spine"
                [[workload]]
                kind = "incast"
                fan_in = 1
                size = "1000B"
                at = "0s"
            "#
        )),
        1,
    )
    .unwrap();
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    let src = simulation.take_completions()[0].flow.request.src;
    let port = simulation.port(src, fabricsim_base::id::PortId(0)).unwrap();
    port.sent.get()
}

#[test]
fn telemetry_and_digests_cost_their_bytes_on_the_wire() {
    assert_eq!(
        wire_bytes(
            r#"
        [cc]
        kind = "none"
    "#
        ),
        1_048
    );
    assert_eq!(
        wire_bytes(
            r#"
        [cc]
        kind = "hpcc"
    "#
        ),
        1_090
    );
    assert_eq!(wire_bytes(PINT_CC), 1_049);
    assert_eq!(
        wire_bytes(&format!(
            r#"profile = "ns3-hpcc"
            {PINT_CC}"#
        )),
        1_050
    );
    for (bits, bytes) in [(8, 1), (16, 2), (17, 3), (64, 8)] {
        let text = format!(
            r#"
                [cc]
                kind = "none"
                [pint]
                bits = {bits}
                {}"#,
            query(PATH)
        );
        assert_eq!(wire_bytes(&text), 1_048 + bytes, "{bits} bits");
    }
}

#[test]
fn two_flows_of_hpcc_pint_come_to_equal_rates() {
    let text = format!(
        r#"
            [topology]
            kind = "star"
            hosts = 3
            {PINT_CC}
            [[workload]]
            kind = "incast"
            receiver = 2
            fan_in = 2
            size = "400MB"
            at = "0s"
        "#
    );
    let mut simulation = support::simulation(&text, 1);
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
        // Almost no packet waits.
        assert!(
            simulation.queued_bytes().get() < 20_000,
            "{:?}",
            simulation.queued_bytes()
        );
        before = now;
    }
    // The digests' rounding makes shares vary by some ten percent, around a half.
    for [first, second] in &gbps {
        assert!((0.5..2.0).contains(&(first / second)), "{gbps:?}");
        assert!((85.0..95.0).contains(&(first + second)), "{gbps:?}");
    }
    let mean = |flow: usize| gbps.iter().map(|rates| rates[flow]).sum::<f64>() / 5.0;
    assert!((mean(0) / mean(1) - 1.0).abs() < 0.2, "{gbps:?}");
}
