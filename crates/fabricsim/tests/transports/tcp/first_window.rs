//! The first window of an algorithm that paces: its rate follows the round trip of the handshake,
//! and the first ten segments are not spaced, as in Linux.

use super::*;
use crate::support;

/// One flow of `size` from host 0 to host 1.
fn alone(network: &str, cc: &str, size: &str) -> String {
    format!(
        r#"
            [topology]
            kind = "star"
            hosts = 2
            {network}
            [cc]
            kind = "{cc}"
            [[workload]]
            kind = "incast"
            fan_in = 1
            receiver = 1
            size = "{size}"
            at = "0s"
        "#
    )
}

fn completion(cc: &str, size: &str) -> Duration {
    let (done, _) = run(&alone(r#"rate = "100Gbps""#, cc, size), 1);
    done[0].fct()
}

#[test]
fn ten_segments_of_bbr_take_no_longer_than_those_of_cubic() {
    for size in ["1B", "2KB", "3KB", "10KB", "14480B"] {
        assert_eq!(completion("bbr", size), completion("cubic", size), "{size}");
    }
}

/// Afterwards segments leave at 2.885 windows a round trip, faster than the windows themselves.
#[test]
fn bbr_has_no_round_trip_of_its_own_in_a_datacenter() {
    for size in ["20KB", "100KB", "1MB"] {
        let [bbr, cubic] = ["bbr", "cubic"].map(|cc| completion(cc, size).as_secs_f64());
        assert!(bbr < 1.1 * cubic, "{size}: {bbr} and {cubic}");
    }
}

/// Returns the pacing rate of the only flow after `ms`.
fn rate_after(text: &str, ms: u64) -> f64 {
    let mut simulation = support::simulation(text, 1);
    let at = Time::ZERO + Duration::from_ms(ms);
    assert_eq!(simulation.run_until(at), Stop::TimeReached);
    simulation.live_flows()[0].rate.as_bps_f64()
}

/// 50 Mbps and 40 ms: 2 / ln 2 times ten segments a round trip.
#[test]
fn the_first_rate_of_bbr_follows_the_handshake() {
    let wan = r#"rate = "50Mbps"
        delay = "10ms"
        [tcp]
        profile = "linux-wan"
        [run]
        stop_at = "5s""#;
    let text = alone(wan, "bbr", "10MB");
    let window = 10.0 * 1_448.0 * 8.0;
    let gain = 2.0 / std::f64::consts::LN_2;
    // A SYN and its reply of 74 bytes take 12 us on each of two links.
    let round_trip = 0.04 + 4.0 * 74.0 * 8.0 / 50e6;
    let expected = gain * window / round_trip;
    let seen = rate_after(&text, 41);
    assert!((seen / expected - 1.0).abs() < 1e-6, "{seen}, {expected}");
    // Before the first sample, and without a handshake, the round trip counts as a millisecond
    // (section 4.2.1).
    let nominal = gain * window / 1e-3;
    let before = rate_after(&text, 39);
    assert!((before / nominal - 1.0).abs() < 1e-6, "{before}, {nominal}");
    let open = text.replace(
        r#"kind = "bbr""#,
        r#"kind = "bbr"
        opening = "open""#,
    );
    let without = rate_after(&open, 39);
    assert!(
        (without / nominal - 1.0).abs() < 1e-6,
        "{without}, {nominal}"
    );
}
