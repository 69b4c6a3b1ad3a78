//! The largest use of buffers and the reactions of congestion control: as large as in the network,
//! and the same however a run is divided.

use fabricsim::Simulation;
use fabricsim::summary::CcSummary;
use fabricsim_base::units::{Duration, Time};
use fabricsim_core::plugin::BufferUse;

use crate::support::simulation;

/// An incast in a star, with more keys of `[switch]` and `[output]`.
fn incast(cc: &str, fan_in: usize, more: &str) -> String {
    format!(
        "[topology]\nkind = \"star\"\nhosts = {}\n[cc]\nkind = \"{cc}\"\n{more}\n[[workload]]\n\
         kind = \"incast\"\nfan_in = {fan_in}\nsize = \"200KB\"\nat = \"0s\"\n",
        fan_in + 1
    )
}

const EXACT: &str = "[output]\nexact_buffers = true\n";

/// Returns the largest use of the only switch.
fn largest(simulation: &Simulation) -> BufferUse {
    simulation.buffer_uses()[0].1
}

fn after_run(text: &str) -> Simulation {
    let mut simulation = simulation(text, 1);
    simulation.run_until(Time::MAX);
    simulation
}

#[test]
fn the_use_is_exact_on_request_and_otherwise_bounded() {
    for (cc, fan_in) in [("none", 3), ("hpcc", 7), ("dctcp", 16), ("none", 100)] {
        let bounded = largest(&after_run(&incast(cc, fan_in, "")));
        let exact = largest(&after_run(&incast(cc, fan_in, EXACT)));
        assert!(exact.is_exact);
        match bounded.is_exact {
            true => assert_eq!(bounded, exact),
            false => assert!(bounded.shared > exact.shared, "{bounded:?} {exact:?}"),
        }
        // Only the largest incast comes near a threshold.
        assert_eq!(bounded.is_exact, fan_in == 100);
    }
}

#[test]
fn without_reserves_the_largest_use_is_the_longest_queue() {
    let text = incast("none", 16, &format!("[switch]\nreserve = \"0B\"\n{EXACT}"));
    let simulation = after_run(&text);
    let queue = simulation.counters().max_queue.get();
    let used = largest(&simulation).shared.get();
    // ACKs may wait at the ports of the senders at the same time.
    assert!((queue..queue + 3_000).contains(&used), "{used} {queue}");
}

#[test]
fn pauses_use_headroom_but_never_all_of_it() {
    for ns in [100, 1_500, 5_000] {
        let text = incast("none", 16, "[switch]\nbuffer = \"6MB\"\n")
            .replace("hosts = 17", &format!("hosts = 17\ndelay = \"{ns}ns\""))
            .replace("kind = \"none\"", "kind = \"none\"\nwindow_bdp = 0.0")
            .replace("200KB", "2MB");
        let simulation = after_run(&text);
        let (used, counters) = (largest(&simulation), simulation.counters());
        assert!(counters.pauses > 0 && counters.buffer_drops == 0, "{ns}");
        // At 100 Gbps, 12.5 bytes are under way in a nanosecond.
        let one_way = ns * 25 / 2;
        let headroom = 2 * (one_way + 1) + 28_016;
        let most = used.in_fullest.get();
        assert!(most > 0 && most <= headroom, "{most} of {headroom}");
        assert!(used.headroom >= used.in_fullest);
        // A pause takes a round trip, in which a sender at line rate goes on.
        assert!(most >= 2 * one_way, "{most} at {ns} ns");
    }
}

#[test]
fn the_use_does_not_depend_on_the_division_of_a_run() {
    let shown = |simulation: &Simulation| {
        format!(
            "{:?}\n{:?}",
            simulation.buffer_uses(),
            simulation.cc_activity()
        )
    };
    for (cc, more) in [
        ("none", "[switch]\nbuffer = \"3MB\"\n"),
        ("dctcp", EXACT),
        ("hpcc", ""),
        (
            "dcqcn",
            "[switch]\nbuffer = \"2MB\"\n[output]\nexact_buffers = true\n",
        ),
        ("cubic", "[switch]\nbuffer = \"1500KB\"\n"),
        ("cubic", EXACT),
    ] {
        let text = incast(cc, 24, more);
        let whole = after_run(&text);
        for threads in [1, 2, 3] {
            let mut stepped = simulation(&text, threads);
            let mut at = Time::ZERO;
            while stepped.flows_finished() < 24 {
                at += Duration::from_ns(7_771);
                stepped.run_until(at);
            }
            stepped.run_until(Time::MAX);
            assert_eq!(shown(&stepped), shown(&whole), "{cc} on {threads} threads");
        }
    }
}

/// Returns the reactions of the only class.
fn reactions(text: &str) -> CcSummary {
    let scenario = fabricsim::Scenario::from_toml(text).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let run = fabricsim::outcome::run_to_folder(&scenario, folder.path(), 1, &mut ());
    let mut classes = run.unwrap().congestion_control;
    assert_eq!(classes.len(), 1);
    classes.remove(0)
}

#[test]
fn an_algorithm_that_never_acts_is_named() {
    // Two senders fill a queue that is below the threshold of a mark.
    let quiet = reactions(&incast("dctcp", 1, ""));
    assert_eq!((quiet.marks_echoed, quiet.decreases), (0, 0));
    assert_eq!(
        quiet.never_acted.as_deref(),
        Some("no acknowledgement reported a mark, so dctcp never slowed a flow down")
    );
    assert_eq!((quiet.senders, quiet.slowed_senders), (1, 0));
    let busy = reactions(&incast("dctcp", 16, ""));
    assert!(busy.marks_echoed > 0 && busy.decreases > 0 && busy.never_acted.is_none());
    assert_eq!((busy.senders, busy.slowed_senders), (16, 16));
    assert_eq!(busy.below_line_rate, 16);
    let tcp = reactions(&incast("cubic", 16, "[switch]\nlossy_limit = \"100KB\"\n"));
    assert!(tcp.decreases > 0 && tcp.never_acted.is_none());
    // An algorithm without reactions is not blamed for it.
    let none = reactions(&incast("none", 16, ""));
    assert_eq!((none.decreases, none.never_acted), (0, None));
    assert_eq!((none.senders, none.below_line_rate), (16, 0));
    // One packet: its acknowledgement ends the flow.
    let short = reactions(&incast("hpcc", 4, "").replace("200KB", "500B"));
    let sentence = "hpcc never slowed a flow down";
    assert_eq!(short.never_acted.as_deref(), Some(sentence));
}

#[test]
fn times_at_rates_are_shares_of_the_time_with_a_rate() {
    let shares = |text: &str| {
        let own = reactions(text);
        (own.time_at_line_rate, own.time_at_lowest_rate)
    };
    // A flow without congestion, and flows without control.
    assert_eq!(shares(&incast("dctcp", 1, "")), (Some(1.0), Some(0.0)));
    let unlimited = incast("dctcp", 16, "min_rate = \"100Gbps\"\n");
    assert_eq!(shares(&unlimited), (Some(1.0), Some(0.0)));
    // Sixteen senders share the last link: they slow down, and a sixteenth of the rate is the lowest
    // that they may have.
    let (line, lowest) = shares(&incast("dctcp", 16, ""));
    assert!(
        (0.0..0.9).contains(&line.unwrap()) && lowest == Some(0.0),
        "{line:?} {lowest:?}"
    );
    let (line, lowest) = shares(&incast("dctcp", 16, "min_rate = \"50Gbps\"\n"));
    let (line, lowest) = (line.unwrap(), lowest.unwrap());
    assert!(lowest > 0.3 && line + lowest <= 1.0, "{line} {lowest}");
    // TCP has no such rates.
    let tcp = incast("cubic", 4, "[switch]\nlossy_limit = \"100KB\"\n");
    assert_eq!(shares(&tcp), (None, None));
}

#[test]
fn each_data_packet_but_the_last_has_an_acknowledgement_that_is_read() {
    // 200 kB are 200 packets of 1000 bytes.
    assert_eq!(reactions(&incast("hpcc", 2, "")).acks_read, 2 * 199);
}
