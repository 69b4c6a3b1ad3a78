//! HPCC inside TCP: queues that follow from smallest windows, probes, faults and threads.

use crate::support;
use fabricsim_base::units::{Duration, Time};
use fabricsim_core::network::Stop;

use crate::tcp::{FABRIC, again, assert_conserved, run};

/// Hosts that send to one more over a switch. The round trip of a full segment without a queue
/// takes four delays, twice 492 ns at 25 Gbps, and some 58 ns for its acknowledgement.
fn star(senders: u32, delay: &str, cc: &str, rest: &str) -> String {
    format!(
        r#"
            [topology]
            kind = "star"
            hosts = {}
            rate = "25Gbps"
            delay = "{delay}"
            [tcp]
            profile = "user-space"
            [cc]
            kind = "tcp-hpcc"
            opening = "open"
            {cc}
            {rest}
        "#,
        senders + 1
    )
}

/// Each host opens `each` connections and sends `size` on each of them.
fn flows(senders: u32, each: usize, size: &str) -> String {
    format!(
        r#"
            [[workload]]
            kind = "incast"
            receiver = {senders}
            fan_in = {senders}
            size = "{size}"
            at = "0s"
        "#
    )
    .repeat(each)
}

/// Runs eight connections of each of three hosts for 20 ms. Returns the 50% and 99% quantiles of
/// the time-weighted length of the queue at the receiver, and the share of the line rate that
/// payload takes, without the first five milliseconds.
fn queue_of_24(delay: &str, cc: &str) -> ([f64; 2], f64) {
    let observe = r#"
        [observe]
        queue_distribution = true
        distribution_bin = "64B"
        from = "5ms"
        towards = "hosts"
    "#;
    let text = star(3, delay, cc, &(flows(3, 8, "1GB") + observe));
    let mut simulation = support::simulation(&text, 1);
    simulation.run_until(Time::ZERO + Duration::from_ms(5));
    let before = simulation.endpoint_counters().delivered.get();
    let stop = simulation.run_until(Time::ZERO + Duration::from_ms(20));
    assert_eq!(stop, Stop::TimeReached);
    assert_eq!(simulation.counters().buffer_drops, 0);
    let payload = simulation.endpoint_counters().delivered.get() - before;
    let share = payload as f64 * 8.0 / 25e9 / 15e-3;
    let bins = simulation.queue_distribution();
    let bins: Vec<_> = bins.iter().filter(|bin| bin.port.index() == 3).collect();
    let total: f64 = bins.iter().map(|bin| bin.time.as_secs_f64()).sum();
    let quantile = |share: f64| {
        let mut sum = 0.0;
        let bin = bins.iter().find(|bin| {
            sum += bin.time.as_secs_f64();
            sum >= share * total
        });
        bin.map_or(0.0, |bin| bin.upto.as_f64())
    };
    ([quantile(0.5), quantile(0.99)], share)
}

/// Returns the bytes of the smallest windows of 24 connections beyond the capacity of the path,
/// which wait in the queue: windows and probes, less the bytes that the line sends in a round trip
/// and the delay of an acknowledgement.
fn standing_queue(floor: u64, delay_ns: u64) -> f64 {
    let round_trip = 4 * delay_ns + 2 * 492 + 58 + 4_000;
    (24 * (floor * 1_538 + 64 + 42)) as f64 - 25.0 / 8.0 * round_trip as f64
}

/// A calibration with a model of the bottleneck alone has 22.8 and 25.2 KB (50% and 99%) at a round
/// trip of 13 us with T = 15 us, 25.7 and 28.8 KB at 12 and 14 us, 53 and 55 KB at 16 us with
/// windows of three segments.
#[test]
fn smallest_windows_make_a_standing_queue() {
    for (floor, delay_ns, base_rtt, calibrated) in [
        (2, 2_990, 15, [22_800.0, 25_200.0]),
        (2, 2_740, 14, [25_700.0, 28_800.0]),
        (3, 3_740, 18, [53_000.0, 55_000.0]),
    ] {
        let cc = format!(
            r#"base_rtt = "{base_rtt}us"
            min_window = {floor}"#
        );
        let ([median, high], share) = queue_of_24(&format!("{delay_ns}ns"), &cc);
        let expected = standing_queue(floor, delay_ns);
        println!("floor {floor}, {delay_ns} ns: {median} {high} B, {expected} B expected");
        assert!((median - expected).abs() < 1_538.0, "{median} {expected}");
        assert!(high < expected + 2.0 * 1_538.0, "{high} {expected}");
        // The calibration leaves out probes and headers of acknowledgements.
        for (found, calibrated) in [(median, calibrated[0]), (high, calibrated[1])] {
            assert!(
                (found / calibrated - 1.0).abs() < 0.1,
                "{found} {calibrated}"
            );
        }
        assert!(share > 0.9, "{share}");
    }
}

/// A reference that moved with every probe would count each congestion twice. Windows would fall
/// far below the right value and grow far above it, and the queue would reach hundreds of
/// kilobytes.
#[test]
fn windows_above_the_smallest_keep_the_queue_short() {
    let ([median, high], share) = queue_of_24(
        "3740ns",
        r#"base_rtt = "18us"
        min_window = 1"#,
    );
    println!("floor 1: {median} {high} B, {share}");
    assert!(median < 3_100.0 && high < 15_000.0, "{median} {high}");
    assert!(share > 0.8, "{share}");
}

/// The suggestion of the paper: hardware spaces the packets that leave a software stack.
#[test]
fn pacing_lowers_the_queue() {
    for probe in ["packet", "data"] {
        let cc = |pacing: &str| {
            format!(
                r#"base_rtt = "15us"
                probe = "{probe}"
                pacing = "{pacing}""#
            )
        };
        let (bursts, _) = queue_of_24("2990ns", &cc("off"));
        let (paced, share) = queue_of_24("2990ns", &cc("on"));
        println!("{probe}: {bursts:?} B in bursts, {paced:?} B paced");
        assert!(3.0 * paced[0] < bursts[0], "{probe}: {bursts:?} {paced:?}");
        assert!(2.0 * paced[1] < bursts[1], "{probe}: {bursts:?} {paced:?}");
        assert!(share > 0.75, "{share}");
    }
}

/// Together with HPCC of RDMA and CUBIC, over links that fail and lose packets: all bytes arrive,
/// and threads do not matter.
#[test]
fn faults_stop_no_connection_and_threads_do_not_matter() {
    let faults = r#"
        [[event]]
        at = "5us"
        kind = "link-loss"
        link = [8, 10]
        loss = 0.05
        [[event]]
        at = "20us"
        kind = "link-down"
        link = [9, 11]
        [[event]]
        at = "300us"
        kind = "link-up"
        link = [9, 11]
        [[event]]
        at = "50us"
        kind = "link-down"
        link = [3, 8]
        [[event]]
        at = "5ms"
        kind = "link-up"
        link = [3, 8]
    "#;
    // Probes, pacing and the reaction to losses each have their own state to recover.
    for keys in [
        "",
        r#", probe = "data""#,
        r#", pacing = "on", on_loss = "halve", min_window = 1"#,
    ] {
        let text = format!(
            r#"
                {FABRIC}
                [tcp]
                profile = "user-space"
                [cc]
                kind = "hpcc"
                [[workload]]
                kind = "permutation"
                size = "200KB"
                [[workload]]
                kind = "permutation"
                size = "1MB"
                cc = {{ kind = "tcp-hpcc"{keys} }}
                [[workload]]
                kind = "permutation"
                size = "500KB"
                priority = 2
                cc = {{ kind = "cubic" }}
                {faults}"#
        );
        let (done, simulation) = run(&text, 1);
        assert_conserved(&done, &simulation);
        assert_eq!(done.len(), 24);
        let counters = simulation.counters();
        assert!(again(&done, 1) > 0, "nothing was lost: {counters:?}");
        for threads in [2, 3, 8] {
            let (other, again) = run(&text, threads);
            assert_eq!(other, done, "{keys}, {threads} threads");
            assert_eq!(again.counters(), counters, "{keys}, {threads} threads");
        }
    }
}
