//! The time of a pass through a host's stack: there are four passes in a round trip.

use crate::support;
use fabricsim_base::units::Duration;

/// Flows of one packet, which meet no other packet and thus take one round trip.
fn lone(cc: &str, host: &str) -> String {
    format!(
        r#"
            [topology]
            kind = "testbed"
            [[workload]]
            kind = "poisson"
            sizes = "1KB"
            load = 0.0002
            duration = "5ms"
            sources = ["0"]
            destinations = ["3", "5"]
            [cc]
            {cc}
            {host}"#
    )
}

#[test]
fn a_round_trip_has_four_passes() {
    let open = r#"kind = "newreno"
        opening = "open""#;
    let shaken = r#"kind = "newreno""#;
    for (cc, round_trips) in [(r#"kind = "dcqcn""#, 1), (open, 1), (shaken, 2)] {
        let run = |host: &str| {
            let mut simulation = support::run(&lone(cc, host), 1);
            let mut done = simulation.take_completions();
            done.sort_by_key(|completion| completion.flow.id);
            let ideal = simulation.ideal();
            let flows = done.iter().map(|completion| {
                let base_rtt = completion.flow.path.base_rtt;
                [completion.fct(), base_rtt, ideal.of(completion)]
            });
            (
                simulation.network_info().path_stats.base_rtt,
                flows.collect::<Vec<_>>(),
            )
        };
        let (at_once, plain) = run("");
        let (later, delayed) = run(r#"
            [host]
            stack_delay = "3us"
        "#);
        let four = Duration::from_us(12);
        assert_eq!(later, at_once + four, "T of the network");
        assert!(plain.len() > 3 && plain.len() == delayed.len());
        for (plain, delayed) in plain.iter().zip(&delayed) {
            let more = four * round_trips;
            assert_eq!(
                *delayed,
                [plain[0] + more, plain[1] + four, plain[2] + more],
                "{cc}"
            );
        }
        assert_eq!(
            run(r#"
            [host]
            stack_delay = "0s"
        "#),
            (at_once, plain)
        );
    }
}

/// Pauses pass the stack too, and headroom accounts for it, so no packet is dropped.
#[test]
fn a_lossless_network_stays_lossless() {
    let text = r#"
        [topology]
        kind = "testbed"
        [host]
        stack_delay = "4us"
        [switch]
        buffer = "2MiB"
        alpha = 0.11
        [[workload]]
        kind = "incast"
        fan_in = 7
        size = "500KB"
        receiver = 3
        at = "0s"
        [cc]
        kind = "none"
        window_bdp = 0
        [routing]
        nics = [{ class = 0, to = 1 }]
    "#;
    let simulation = support::run(text, 2);
    let counters = simulation.counters();
    assert_eq!((counters.buffer_drops, counters.queue_drops), (0, 0));
    assert!(counters.pauses > 0);
}
