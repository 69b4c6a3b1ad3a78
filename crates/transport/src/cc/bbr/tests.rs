//! Tests of states and windows with handmade samples: 10 Gbps, 1 ms, segments of 1,448 bytes.

use super::super::tcp_harness::{ack, cc};
use super::*;
use fabricsim_base::units::Time;
use fabricsim_core::plugin::{Recovering, Signal};

const RTT: Duration = Duration::from_ms(1);
/// Segments of 1,448 bytes that 10 Gbps carry in a millisecond.
const PRODUCT: f64 = 10e9 * 1e-3 / 8.0 / 1_448.0;

/// A connection over a path that carries `capacity` bit/s.
struct Path {
    cc: Bbr,
    now: Time,
    delivered: u64,
    capacity: f64,
    /// Segments in flight, set by the test.
    in_flight: u64,
}

impl Path {
    fn new() -> Self {
        Self {
            cc: cc(&BbrConfig::default()),
            now: Time::ZERO,
            delivered: 0,
            capacity: 10e9,
            in_flight: 1,
        }
    }

    /// A round trip with one acknowledgement of `segments`, at the lower of the pacing rate and the
    /// capacity of the path.
    fn round(&mut self, segments: u32, recovering: Recovering, lost: u32) {
        let rate = Rate::from_bps_f64(self.cc.rate.min(self.capacity));
        self.sample(segments, recovering, lost, Some(rate));
    }

    /// A round trip that measures `rate`.
    fn sample(&mut self, segments: u32, recovering: Recovering, lost: u32, rate: Option<Rate>) {
        let prior = self.delivered;
        self.delivered += u64::from(segments);
        self.now += RTT + Duration::from_ns(1);
        let sample = RateSample {
            rate,
            interval: RTT,
            delivered: self.delivered,
            prior_delivered: Some(prior),
            prior_in_flight: 2_000,
            lost,
            application_limited: false,
        };
        self.cc.on_ack(&Ack {
            delivered: segments,
            in_flight: Bytes::new(self.in_flight * 1_448),
            recovering,
            sample: Some(&sample),
            ..ack(self.now, RTT)
        });
    }

    fn rounds(&mut self, count: u32) {
        for _ in 0..count {
            self.round(100, Recovering::No, 0);
        }
    }

    fn signal(&mut self, signal: Signal) {
        CongestionControl::<()>::on_congestion(
            &mut self.cc,
            &Congestion {
                now: self.now,
                signal,
                in_flight: Bytes::ZERO,
                next_seq: 0,
            },
        );
    }
}

#[test]
fn startup_doubles_until_three_rounds_do_not_grow() {
    let mut path = Path::new();
    path.rounds(1);
    // Ten segments in the first round trip, times 2 / ln 2.
    let first = HIGH_GAIN * 10.0 * 1_448.0 * 8.0 / 1e-3;
    assert!(path.cc.rate >= first * 0.999, "{}", path.cc.rate);
    for _ in 0..20 {
        if path.cc.states.filled_pipe {
            break;
        }
        let before = path.cc.rate;
        path.rounds(1);
        let filled = path.cc.states.filled_pipe;
        assert!(
            filled || path.cc.rate >= before,
            "{before} {}",
            path.cc.rate
        );
    }
    assert!(path.cc.states.filled_pipe);
    // One segment is in flight, so the queue counts as drained immediately.
    assert_eq!(path.cc.states.state, State::ProbeBw);
    assert!((path.cc.model.bandwidth() - 10e9).abs() < 1.0);
}

#[test]
fn a_queue_is_drained_before_the_bandwidth_is_probed() {
    let mut path = Path::new();
    path.in_flight = 2_000;
    for _ in 0..20 {
        if path.cc.states.state == State::Startup {
            path.rounds(1);
        }
    }
    assert_eq!(path.cc.states.state, State::Drain);
    assert!(
        (path.cc.rate - 10e9 / HIGH_GAIN).abs() < 1e3,
        "{}",
        path.cc.rate
    );
    path.in_flight = 800;
    path.rounds(1);
    assert_eq!(path.cc.states.state, State::ProbeBw);
}

#[test]
fn a_cycle_has_one_phase_of_more_one_of_less_and_six_of_the_bandwidth() {
    let mut path = Path::new();
    path.rounds(30);
    let mut gains: Vec<f64> = Vec::new();
    for _ in 0..8 {
        path.rounds(1);
        gains.push(path.cc.states.pacing_gain);
    }
    assert!((gains.iter().sum::<f64>() - 8.0).abs() < 1e-9, "{gains:?}");
    let up = gains.iter().position(|&gain| gain > 1.0);
    let down = gains.iter().position(|&gain| gain < 1.0);
    assert_eq!(down, up.map(|up| (up + 1) % 8), "{gains:?}");
    // In this state, the window is two products and three segments.
    assert!(
        (path.cc.cwnd - 2.0 * PRODUCT - 3.0).abs() < 0.01,
        "{}",
        path.cc.cwnd
    );
}

#[test]
fn a_lower_bandwidth_is_believed_after_ten_rounds() {
    let mut path = Path::new();
    path.rounds(30);
    path.capacity = 2e9;
    path.rounds(9);
    assert!((path.cc.model.bandwidth() - 10e9).abs() < 1.0);
    path.rounds(2);
    assert!((path.cc.model.bandwidth() - 2e9).abs() < 1.0);
}

#[test]
fn the_round_trip_time_is_measured_again_with_four_segments() {
    let mut path = Path::new();
    path.rounds(30);
    let before = path.cc.cwnd;
    // Longer round-trip times do not count until the minimum is ten seconds old.
    path.cc.model = {
        let mut model = path.cc.model.clone();
        model.update_rtt(path.now, Some(Duration::from_us(500)));
        model
    };
    path.now += Duration::from_ms(10_001);
    path.rounds(1);
    assert_eq!(path.cc.states.state, State::ProbeRtt);
    assert!((path.cc.cwnd - 4.0).abs() < 1e-9, "{}", path.cc.cwnd);
    // Many more rounds than the filter has, with four segments each.
    path.capacity = 4.0 * 1_448.0 * 8.0 / 1e-3;
    path.rounds(150);
    assert_eq!(path.cc.states.state, State::ProbeRtt);
    // Their rate does not change the bandwidth of the path.
    assert!((path.cc.model.bandwidth() - 10e9).abs() < 1.0);
    path.capacity = 10e9;
    path.rounds(60);
    assert_eq!(path.cc.states.state, State::ProbeBw);
    assert!(path.cc.cwnd >= before * 0.99, "{} {before}", path.cc.cwnd);
}

#[test]
fn recovery_conserves_packets_for_a_round_and_gives_the_window_back() {
    let mut path = Path::new();
    path.rounds(30);
    let before = path.cc.cwnd;
    path.in_flight = 500;
    path.round(1, Recovering::Yes, 3);
    path.signal(Signal::Loss);
    assert!((path.cc.cwnd - 501.0).abs() < 1e-9, "{}", path.cc.cwnd);
    path.round(2, Recovering::Yes, 0);
    assert!(path.cc.cwnd < 600.0, "{}", path.cc.cwnd);
    path.round(2, Recovering::No, 0);
    assert!(path.cc.cwnd >= before - 1e-6, "{} {before}", path.cc.cwnd);
    // A timeout leaves one segment.
    path.signal(Signal::Timeout);
    assert_eq!(
        CongestionControl::<()>::window(&path.cc),
        Some(Bytes::new(1_448))
    );
}

#[test]
fn a_path_that_cannot_be_measured_keeps_its_bandwidth_and_new_rates_replace_it() {
    let mut path = Path::new();
    path.rounds(30);
    let before = path.cc.model.bandwidth();
    for _ in 0..40 {
        path.sample(100, Recovering::No, 0, None);
    }
    assert!((path.cc.model.bandwidth() - before).abs() < 1.0);
    assert!(path.cc.rate > 0.0);
    for _ in 0..11 {
        let rate = Some(Rate::from_gbps(2));
        path.sample(100, Recovering::No, 0, rate);
    }
    assert!((path.cc.model.bandwidth() - 2e9).abs() < 1.0);
}
