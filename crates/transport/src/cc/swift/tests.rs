//! Tests of steps of algorithm 1 and of target values, computed by hand.

use super::super::harness::{LINE, ack, cc, mbps};
use super::*;
use fabricsim_core::plugin::{CcContext, Quirks};

/// The base round-trip time of the harness is 8 us, and so is the target without scaling.
fn plain() -> SwiftConfig {
    SwiftConfig {
        fs_range: Some(Duration::ZERO),
        ..SwiftConfig::default()
    }
}

fn swift(config: &SwiftConfig) -> Swift {
    cc(config, Quirks::EXACT)
}

fn us(us: u64) -> Duration {
    Duration::from_us(us)
}

/// Acknowledges one packet at `at` us, after `rtt`.
fn acknowledge(cc: &mut Swift, at: u64, rtt: Duration) {
    cc.on_ack(&Ack {
        newly_acked: Bytes::new(1_000),
        ..ack(at, 1_000, 2_000, rtt, false)
    });
}

fn signal(cc: &mut Swift, at: u64, signal: Signal) {
    CongestionControl::<()>::on_congestion(
        cc,
        &Congestion {
            now: Time::ZERO + us(at),
            signal,
            in_flight: Bytes::new(1_000),
            next_seq: 2_000,
        },
    );
}

#[test]
fn a_flow_starts_with_a_bandwidth_delay_product() {
    let cc = swift(&SwiftConfig::default());
    assert_eq!(cc.window, Bytes::new(100_000));
    assert_eq!(mbps(&cc), 100_000);
}

#[test]
fn below_the_target_a_round_trip_adds_one_packet() {
    let mut cc = swift(&plain());
    cc.cwnd = 10.0;
    for number in 0..10 {
        acknowledge(&mut cc, number, us(7));
    }
    // Each acknowledgement adds one over the window, which has grown since the first.
    assert!((cc.cwnd - 11.0).abs() < 0.06, "{}", cc.cwnd);
    // Below one packet, each acknowledged packet adds a whole one.
    cc.cwnd = 0.25;
    acknowledge(&mut cc, 20, us(7));
    assert!((cc.cwnd - 1.25).abs() < 1e-12, "{}", cc.cwnd);
}

#[test]
fn above_the_target_a_round_trip_decreases_once_and_by_the_excess() {
    let mut cc = swift(&plain());
    // 10 us exceed the target of 8 us by a fifth of the delay: 1 - 0.8 / 5.
    acknowledge(&mut cc, 100, us(10));
    assert!((cc.cwnd - 84.0).abs() < 1e-9, "{}", cc.cwnd);
    acknowledge(&mut cc, 105, us(10));
    assert!((cc.cwnd - 84.0).abs() < 1e-9, "{}", cc.cwnd);
    acknowledge(&mut cc, 110, us(10));
    assert!((cc.cwnd - 84.0 * 0.84).abs() < 1e-9, "{}", cc.cwnd);
    // A decrease takes at most half.
    acknowledge(&mut cc, 1_200, us(1_000));
    assert!((cc.cwnd - 42.0 * 0.84).abs() < 1e-9, "{}", cc.cwnd);
}

#[test]
fn small_windows_and_long_paths_have_higher_targets() {
    let config = SwiftConfig {
        base_target: Some(us(25)),
        fs_range: Some(us(300)),
        ..SwiftConfig::default()
    };
    let network = CcContext {
        longest_path: 3,
        ..CcContext::of_nics(LINE)
    };
    let start = FlowStart::new(LINE, us(8), Bytes::new(1_000), &network);
    let target = TargetDelay::new(&config, &start);
    let at = |cwnd: f64| target.at(cwnd) / 1e6;
    // 25 us plus 1 us for each of three switches. The curve falls from 300 us at 0.1 packets to
    // zero at 100: 300 / (1 / sqrt(0.1) - 1 / sqrt(100)) (1 / sqrt(w) - 1 / sqrt(100)).
    assert!((at(0.001) - 328.0).abs() < 1e-9, "{}", at(0.001));
    assert!((at(0.1) - 328.0).abs() < 1e-9, "{}", at(0.1));
    assert!((at(1.0) - (28.0 + 88.1697)).abs() < 1e-3, "{}", at(1.0));
    assert!((at(100.0) - 28.0).abs() < 1e-9, "{}", at(100.0));
    assert!((at(1_000.0) - 28.0).abs() < 1e-9, "{}", at(1_000.0));
    assert_eq!(target.longest(), us(328));
}

#[test]
fn a_window_of_less_than_a_packet_is_paced() {
    let mut cc = swift(&plain());
    cc.rtt = us(20);
    cc.set(Time::ZERO, 0.5);
    assert_eq!(cc.window, Bytes::new(1_000));
    // One packet of 1,048 bytes per 40 us.
    assert_eq!(mbps(&cc), 210);
    cc.set(Time::ZERO, 1.7);
    assert_eq!((cc.window, mbps(&cc)), (Bytes::new(1_000), 100_000));
    cc.set(Time::ZERO, 0.0);
    assert!((cc.cwnd - 0.001).abs() < 1e-12, "{}", cc.cwnd);
}

#[test]
fn a_loss_halves_once_a_round_trip_and_five_timeouts_reset() {
    let mut cc = swift(&plain());
    signal(&mut cc, 100, Signal::Loss);
    signal(&mut cc, 101, Signal::Loss);
    assert!((cc.cwnd - 50.0).abs() < 1e-9, "{}", cc.cwnd);
    for number in 1..5 {
        signal(&mut cc, 100 + number * 1_000, Signal::Timeout);
    }
    assert!((cc.cwnd - 50.0 / 16.0).abs() < 1e-9, "{}", cc.cwnd);
    signal(&mut cc, 10_000, Signal::Timeout);
    assert!((cc.cwnd - 0.001).abs() < 1e-12, "{}", cc.cwnd);
    // An acknowledgement resets the count of timeouts.
    acknowledge(&mut cc, 20_000, us(7));
    signal(&mut cc, 30_000, Signal::Timeout);
    assert!(cc.cwnd > 0.3, "{}", cc.cwnd);
}

#[test]
fn ranges_that_are_upside_down_are_refused() {
    let config = SwiftConfig {
        fs_min_cwnd: 100.0,
        ..SwiftConfig::default()
    };
    assert_eq!(config.validate().map_err(|e| e.key), Err("fs_min_cwnd"));
    let config = SwiftConfig {
        min_cwnd: 10.0,
        max_cwnd: Some(5.0),
        ..SwiftConfig::default()
    };
    assert_eq!(config.validate().map_err(|e| e.key), Err("max_cwnd"));
}
