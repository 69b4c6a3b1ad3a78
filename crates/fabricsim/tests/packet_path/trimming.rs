//! Switches that trim the payload of packets instead of dropping them.

use crate::support;
use fabricsim::warnings::scenario_warnings;
use fabricsim::{Scenario, Simulation};
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::network::Stop;

/// An incast of 15 hosts at one, twice in a row, in a fat-tree of 16.
fn incast(cc: &str, more: &str) -> Scenario {
    let text = format!(
        r#"
            [topology]
            kind = "fat-tree"
            k = 4
            host_rate = "100Gbps"
            fabric_rate = "100Gbps"
            [switch]
            pfc = false
            {more}
            [cc]
            kind = "{cc}"
            [[workload]]
            kind = "incast"
            fan_in = 15
            size = "150KB"
            receiver = 3
            at = "0s"
            [[workload]]
            kind = "incast"
            fan_in = 15
            size = "50KB"
            receiver = 3
            at = "20us"
        "#
    );
    support::scenario(&text)
}

const OFFERED: Bytes = Bytes::new(15 * 200_000);
const TRIM: &str = r#"trim_above = "80KB""#;

fn finished(scenario: &Scenario, threads: usize) -> Simulation {
    let mut simulation = Simulation::new(scenario, threads).unwrap();
    let stop = simulation.run_until(Time::ZERO + Duration::from_ms(50));
    assert_eq!(stop, Stop::Finished, "{:?}", simulation.unfinished());
    simulation
}

#[test]
fn what_is_trimmed_is_sent_again_at_once_and_nothing_else() {
    for cc in ["none", "dcqcn", "timely", "hpcc"] {
        for policy in ["ecmp", "random"] {
            let routing = format!(
                r#"
                {TRIM}
                [routing]
                policy = "{policy}""#
            );
            let simulation = finished(&incast(cc, &routing), 2);
            let (counters, ends) = (simulation.counters(), simulation.endpoint_counters());
            let case = format!("{cc} over {policy}: {counters:?} {ends:?}");
            assert!(counters.trimmed > 0, "{case}");
            assert_eq!(counters.buffer_drops, 0, "{case}");
            assert_eq!(ends.timeouts, 0, "{case}");
            assert_eq!(ends.delivered, OFFERED, "{case}");
            assert_eq!(ends.sent, OFFERED + ends.retransmitted, "{case}");
            assert_eq!(ends.retransmitted, counters.lost_payload, "{case}");
            assert_eq!(ends.arrived, OFFERED, "{case}");
            assert_eq!(simulation.queued_bytes(), Bytes::ZERO, "{case}");
        }
    }
}

#[test]
fn an_incast_that_is_trimmed_ends_before_the_first_timeout_of_one_that_is_dropped() {
    let ended = |more: &str| {
        let mut simulation = finished(&incast("none", more), 1);
        let done = simulation.take_completions();
        let last = done.iter().map(|flow| flow.finish).max().unwrap();
        (last, simulation.counters().buffer_drops)
    };
    let (dropped, drops) = ended(
        r#"buffer = "300KB"
        reserve = "0B""#,
    );
    let (trimmed, none) = ended(TRIM);
    assert!(drops > 0 && none == 0);
    // 3 MB at 100 Gbps take 240 us; the headers of trimmed packets take a share of the link.
    assert!(trimmed < Time::ZERO + Duration::from_us(600), "{trimmed}");
    assert!(dropped > Time::ZERO + Duration::from_ms(4), "{dropped}");
}

/// Two incasts, each with receivers that send in the other one, so acknowledgements meet full
/// queues of data.
#[test]
fn acknowledgements_go_before_data_and_none_is_dropped() {
    let text = r#"
        [topology]
        kind = "fat-tree"
        k = 4
        host_rate = "100Gbps"
        fabric_rate = "100Gbps"
        [switch]
        pfc = false
        trim_above = "40KB"
        buffer = "300KB"
        reserve = "0B"
        [cc]
        kind = "none"
        [[workload]]
        kind = "incast"
        fan_in = 15
        size = "150KB"
        receiver = 3
        at = "0s"
        [[workload]]
        kind = "incast"
        fan_in = 15
        size = "150KB"
        receiver = 5
        at = "0s"
    "#;
    let simulation = finished(&support::scenario(text), 1);
    let (counters, ends) = (simulation.counters(), simulation.endpoint_counters());
    assert!(counters.trimmed > 0, "{counters:?}");
    assert_eq!(counters.buffer_drops, 0, "{counters:?}");
    assert_eq!(ends.timeouts, 0, "{ends:?}");
}

#[test]
fn threads_do_not_change_what_is_trimmed() {
    let scenario = incast(
        "none",
        &format!(
            r#"
            {TRIM}
            [routing]
            policy = "power-of-two""#
        ),
    );
    let run = |threads| {
        let mut simulation = finished(&scenario, threads);
        (simulation.take_completions(), simulation.counters().trimmed)
    };
    let one = run(1);
    for threads in [2, 3, 8] {
        assert_eq!(run(threads), one, "{threads} threads");
    }
}

/// A short queue of an incast in which headers arrive faster than they leave: 150 KB of each of 15
/// senders at once are 2,250 packets, and 4.8 KB have room for 100 headers.
#[test]
fn headers_have_room_for_twice_the_queue_and_what_is_lost_is_found_by_timeouts() {
    let trim = Bytes::new(2_400);
    let simulation = finished(
        &incast(
            "none",
            r#"trim_above = "2400B"
            lossy_alpha = 8"#,
        ),
        1,
    );
    let (counters, ends) = (simulation.counters(), simulation.endpoint_counters());
    assert!(counters.queue_drops > 0, "{counters:?}");
    assert!(ends.timeouts > 0, "{ends:?}");
    assert_eq!(ends.delivered, OFFERED, "{ends:?}");
    let most = trim.get() * 3;
    assert!(counters.max_queue.get() <= most, "{counters:?}");
}

#[test]
fn marks_that_begin_where_packets_are_trimmed_are_warned_of() {
    let warned = |more: &str| {
        let warnings = scenario_warnings(&incast("dctcp", more));
        let of_marks = |text: &&String| text.contains("no packet is marked");
        warnings.iter().filter(of_marks).count()
    };
    // DCTCP marks above 300 KB.
    assert_eq!(warned(r#"trim_above = "300KB""#), 1);
    assert_eq!(warned(r#"trim_above = "301KB""#), 0);
    let marks = r#"ecn = { kmin = "30KB", kmax = "60KB", pmax = 1.0 }"#;
    assert_eq!(
        warned(&format!(
            r#"trim_above = "80KB"
        {marks}"#
        )),
        0
    );
    // Without trimming or without marks there is no warning.
    assert_eq!(warned(""), 0);
    let unmarked = incast("timely", r#"trim_above = "80KB""#);
    assert!(scenario_warnings(&unmarked).is_empty());
}

/// 15 us and six queues at the slowest link. Each trimmed packet is reported, so a timeout is only
/// for lost headers.
#[test]
fn a_timeout_waits_for_six_queues_unless_one_is_set() {
    let least = |more: &str| incast("nscc", more).transport_resolved().rto_min;
    // 80 KB take 6.4 us at 100 Gbps.
    assert_eq!(least(TRIM), Some(Duration::from_ns(53_400)));
    let set = format!(
        r#"
        {TRIM}
        [rdma]
        rto_min = "2ms""#
    );
    assert_eq!(least(&set), Some(Duration::from_ms(2)));
    assert_eq!(least(""), Some(Duration::from_ms(4)));
    let slow = r#"
        [topology]
        kind = "fat-tree"
        k = 4
        host_rate = "25Gbps"
        fabric_rate = "100Gbps"
        [switch]
        pfc = false
        trim_above = "80KB"
        [cc]
        kind = "nscc"
        [[workload]]
        kind = "permutation"
        size = "1KB"
    "#;
    let slow = support::scenario(slow);
    let expected = Duration::from_ns(15_000 + 6 * 25_600);
    assert_eq!(slow.transport_resolved().rto_min, Some(expected));
    for cc in ["none", "timely", "hpcc", "nscc"] {
        let simulation = finished(&incast(cc, TRIM), 1);
        assert_eq!(simulation.endpoint_counters().timeouts, 0, "{cc}");
    }
}
