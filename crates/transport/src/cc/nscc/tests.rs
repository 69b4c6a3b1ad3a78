//! Tests of steps computed by hand: 100 Gbps, 8 us, packets of 1,000 bytes.

use super::super::harness::{LINE, ack, cc};
use super::*;
use fabricsim_core::plugin::Quirks;

fn us(us: u64) -> Duration {
    Duration::from_us(us)
}

/// The target is 4 us; the product is 100,000 bytes, two thirds of the reference's.
fn nscc() -> Nscc {
    let config = NsccConfig {
        target_delay: Some(us(4)),
        ..NsccConfig::default()
    };
    cc(&config, Quirks::EXACT)
}

/// Acknowledges one packet that has waited for `queue`, at `at` us.
fn acknowledge(cc: &mut Nscc, at: u64, queue: u64, marked: bool) {
    cc.on_ack(&Ack {
        newly_acked: Bytes::new(1_000),
        ..ack(at, 1_000, 101_000, us(8 + queue), marked)
    });
}

fn lose(cc: &mut Nscc, at: u64, signal: Signal) {
    CongestionControl::<()>::on_congestion(
        cc,
        &Congestion {
            now: Time::ZERO + us(at),
            signal,
            in_flight: Bytes::new(50_000),
            next_seq: 0,
        },
    );
}

fn near(value: f64, expected: f64) -> bool {
    (value - expected).abs() < 1e-6 * expected.abs().max(1.0)
}

#[test]
fn a_flow_starts_with_one_and_a_half_products() {
    let cc = nscc();
    assert!(near(cc.cwnd, 150_000.0), "{}", cc.cwnd);
    assert_eq!(CongestionControl::<()>::pacing_rate(&cc), Some(LINE));
}

#[test]
fn below_the_target_growth_is_in_proportion_to_what_is_left() {
    let mut cc = nscc();
    cc.cwnd = 50_000.0;
    // Eight packets with half of the target left, then the ninth: 4 MSS 2/3 1/3 (2 us / 4 us) times
    // 9,000 bytes, divided by the window.
    for number in 0..9 {
        acknowledge(&mut cc, number / 2, 2, false);
    }
    let gain = 4.0 * 1_000.0 * (2.0 / 3.0) * (1.0 / 3.0) * 0.5 * 9_000.0 / 50_000.0;
    assert!(near(cc.cwnd, 50_000.0 + gain), "{}", cc.cwnd);
}

#[test]
fn a_delay_without_a_mark_grows_by_the_same_for_all() {
    let mut cc = nscc();
    cc.cwnd = 50_000.0;
    for number in 0..9 {
        acknowledge(&mut cc, number / 2, 6, false);
    }
    let gain = 5.0 * 1_000.0 * (2.0 / 3.0) * 9_000.0 / 50_000.0;
    assert!(near(cc.cwnd, 50_000.0 + gain), "{}", cc.cwnd);
}

#[test]
fn a_window_without_a_queue_grows_by_a_sixth_of_what_arrives() {
    let mut cc = nscc();
    cc.cwnd = 5_000.0;
    cc.parameters.adjust_bytes = f64::INFINITY;
    for _ in 0..7 {
        acknowledge(&mut cc, 1, 0, false);
    }
    // The sixth packet exceeds a window; from then on each packet adds 0.25 2/3 of itself.
    assert!(near(cc.cwnd, 5_000.0 + 2.0 * 1_000.0 / 6.0), "{}", cc.cwnd);
}

#[test]
fn a_mark_with_a_delay_shrinks_by_the_average_once_a_round_trip() {
    let mut cc = nscc();
    cc.cwnd = 100_000.0;
    cc.delay = QueueDelay::new(us(8));
    for _ in 0..300 {
        cc.delay.sample(us(16), Cause::Marked, 4e6);
    }
    let average = cc.delay.average();
    acknowledge(&mut cc, 100, 8, true);
    let factor = 1.0 - 0.8 * (cc.delay.average() - 4e6) / cc.delay.average();
    // The steady increase of 0.15 MSS 2/3 happens at the first adjustment after a round trip.
    assert!(average < cc.delay.average());
    assert!(near(cc.cwnd, 100_000.0 * factor + 100.0), "{}", cc.cwnd);
    let before = cc.cwnd;
    acknowledge(&mut cc, 104, 8, true);
    assert!(near(cc.cwnd, before), "{}", cc.cwnd);
    // A mark without a delay has no effect.
    acknowledge(&mut cc, 107, 1, true);
    assert!(near(cc.cwnd, before), "{}", cc.cwnd);
}

#[test]
fn a_loss_takes_a_packet_and_a_bad_round_leaves_what_has_arrived() {
    let mut cc = nscc();
    // The first round only begins.
    acknowledge(&mut cc, 1, 1, false);
    let before = cc.cwnd;
    lose(&mut cc, 2, Signal::Loss);
    assert!(near(cc.cwnd, before - 1_000.0), "{}", cc.cwnd);
    acknowledge(&mut cc, 3, 1, false);
    acknowledge(&mut cc, 4, 1, false);
    // Less than an eighth of 150,000 bytes arrived in the round: the window becomes the received
    // bytes.
    lose(&mut cc, 100, Signal::Loss);
    assert!(near(cc.cwnd, 2_000.0), "{}", cc.cwnd);
    // Marks on packets that were in flight at that time are ignored.
    acknowledge(&mut cc, 101, 20, true);
    assert!(near(cc.cwnd, 2_000.0), "{}", cc.cwnd);
    lose(&mut cc, 102, Signal::Timeout);
    assert!(near(cc.cwnd, 1_000.0), "{}", cc.cwnd);
}

/// The header of a trimmed packet returns after 5 us, on a path with an assumed 8 us.
#[test]
fn the_report_of_a_trimmed_packet_lowers_the_base_round_trip_time_and_the_largest_window() {
    let mut cc = nscc();
    lose(&mut cc, 5, Signal::Loss);
    assert!(near(cc.cwnd, 149_000.0), "{}", cc.cwnd);
    let average = cc.delay.average();
    cc.on_ack(&ack(5, 0, 150_000, us(5), false));
    assert_eq!(cc.delay.base(), us(5));
    // 1.5 times 62,500 bytes.
    assert!(near(cc.cwnd, 93_750.0), "{}", cc.cwnd);
    assert!(near(cc.delay.average(), average), "it is no queueing delay");
    // A longer round-trip time changes nothing.
    lose(&mut cc, 6, Signal::Loss);
    cc.on_ack(&ack(6, 0, 150_000, us(7), false));
    assert_eq!(cc.delay.base(), us(5));
    assert!(near(cc.cwnd, 92_750.0), "{}", cc.cwnd);
}

/// `_recvd_bytes` of the reference includes packets beyond a gap.
#[test]
fn what_has_arrived_beyond_a_gap_counts_when_it_arrives() {
    let gain = |steps: &[(u64, i64)]| {
        let mut cc = nscc();
        cc.cwnd = 50_000.0;
        for (number, &(newly, reported)) in (0..).zip(steps) {
            cc.on_ack(&Ack {
                newly_acked: Bytes::new(newly),
                reported,
                ..ack(number / 2, 1_000, 101_000, us(10), false)
            });
        }
        cc.cwnd - 50_000.0
    };
    let in_order = gain(&[(1_000, 0); 9]);
    let beyond = gain(&[(0, 1_000); 9]);
    assert!(
        in_order > 0.0 && near(beyond, in_order),
        "{beyond} {in_order}"
    );
    // The gap is filled: eight packets were already reported.
    let filled: Vec<(u64, i64)> = [(0, 1_000); 8]
        .into_iter()
        .chain([(9_000, -8_000)])
        .collect();
    assert!(near(gain(&filled), in_order));
}
