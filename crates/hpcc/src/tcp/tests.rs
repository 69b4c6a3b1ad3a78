//! Tests of HPCC inside TCP with handmade probes.

use fabricsim_base::units::{Duration, Time};
use fabricsim_core::plugin::{CcContext, ProbeForm};

use super::*;
use crate::view::ByteCounter;

const LINE: Rate = Rate::from_gbps(25);
/// T of the tests.
const T: Duration = Duration::from_us(15);
/// Bytes that the line sends in T.
const BDP: u64 = 46_875;
const MSS: u64 = 1_448;

fn controller(config: &TcpHpccConfig) -> TcpHpcc {
    let network = CcContext::of_nics(LINE);
    config.build(&FlowStart {
        wire: Bytes::new(1_538),
        ..FlowStart::new(LINE, T, Bytes::new(MSS), &network)
    })
}

fn with(change: impl FnOnce(&mut TcpHpccConfig)) -> TcpHpcc {
    let mut config = TcpHpccConfig::default();
    change(&mut config);
    assert_eq!(
        fabricsim_core::plugin::CcConfig::validate(&config),
        Ok(()),
        "{config:?}"
    );
    controller(&config)
}

/// Returns the view of path `path` over one link that has sent `sent` bytes until `us` and has a
/// queue of `queue` bytes.
fn seen(path: u32, us: u64, sent: u64, queue: u64) -> TelemetryView {
    view(path, vec![link(us, sent, queue)])
}

fn view(path: u32, hops: Vec<IntHop>) -> TelemetryView {
    let mut view = TelemetryView::default();
    view.set(IntView { path, hops });
    view
}

fn link(us: u64, sent: u64, queue: u64) -> IntHop {
    IntHop {
        at: Time::ZERO + Duration::from_us(us),
        sent: ByteCounter::new(Bytes::new(sent), Bytes::new(1 << 32)),
        queue: Bytes::new(queue),
        rate: LINE,
    }
}

/// Delivers a probe with `view` that left when `snd_nxt` was `sent_next` and returns when it is
/// `next_seq`.
fn probe(cc: &mut TcpHpcc, view: &TelemetryView, sent_next: u64, next_seq: u64) {
    cc.on_probe(&ReturnedProbe {
        now: Time::ZERO,
        sent_next,
        next_seq,
        rtt: T,
        telemetry: view,
    });
}

/// Returns the window in whole segments.
fn segments(cc: &TcpHpcc) -> u64 {
    cc.window().map_or(0, Bytes::get) / MSS
}

#[test]
fn the_first_window_is_what_the_nic_sends_in_the_base_round_trip() {
    // 46,875 bytes are 30.5 packets of 1,538 bytes.
    assert_eq!(segments(&with(|_| {})), 30);
    let longer = with(|config| config.base_rtt = Some(T * 2));
    assert_eq!(segments(&longer), 60);
    assert!(longer.pacing_rate().is_none());
    assert_eq!(
        longer.probes().map(|probes| probes.form),
        Some(ProbeForm::Packet)
    );
}

#[test]
fn the_first_probe_only_sets_the_scene() {
    let mut cc = with(|_| {});
    probe(&mut cc, &seen(1, 0, 0, 90_000), MSS, 30 * MSS);
    assert_eq!(segments(&cc), 30);
    assert_eq!(cc.last_update_seq, 30 * MSS);
}

/// The line is busy and has a queue of one bandwidth-delay product: U = 2, and W = W_c 0.95 / 2.
#[test]
fn a_standing_queue_halves_the_window_and_an_idle_path_opens_it() {
    let mut cc = with(|_| {});
    probe(&mut cc, &seen(1, 0, 0, BDP), MSS, 30 * MSS);
    probe(&mut cc, &seen(1, 15, BDP, BDP), 31 * MSS, 60 * MSS);
    assert!((cc.utilization() - 2.0).abs() < 1e-9);
    let expected = 25e9 * 0.95 / 2.0 + 12.5e6;
    assert!((cc.rate - expected).abs() < 1.0, "{}", cc.rate);
    assert_eq!(segments(&cc), 14);
    probe(&mut cc, &seen(1, 30, BDP, 0), 61 * MSS, 70 * MSS);
    assert_eq!(segments(&cc), 30, "never more than the first window");
}

/// The sample of a probe that was away for longer than T has the weight of T.
#[test]
fn a_sample_of_a_round_trip_replaces_the_average() {
    let mut cc = with(|_| {});
    probe(&mut cc, &seen(1, 0, 0, 0), MSS, 30 * MSS);
    // Half of the line rate for two T.
    probe(&mut cc, &seen(1, 30, BDP, 0), 31 * MSS, 60 * MSS);
    assert!((cc.utilization() - 0.5).abs() < 1e-9);
    // Full line rate for a fifth of T: 4/5 of the average remain.
    probe(&mut cc, &seen(1, 33, BDP + BDP / 5, 0), 61 * MSS, 90 * MSS);
    assert!((cc.utilization() - 0.6).abs() < 1e-9);
}

/// A probe that left right after a commit has measured the window before it.
#[test]
fn a_probe_that_left_at_a_commit_does_not_commit() {
    let mut cc = with(|_| {});
    probe(&mut cc, &seen(1, 0, 0, BDP), MSS, 30 * MSS);
    probe(&mut cc, &seen(1, 15, BDP, BDP), 31 * MSS, 60 * MSS);
    let (committed, reduced) = (cc.control.reference, segments(&cc));
    // The probe left at that instant: 60 segments were sent by then, and it reports the same queue.
    probe(&mut cc, &seen(1, 30, 2 * BDP, BDP), 60 * MSS, 64 * MSS);
    assert!((cc.control.reference - committed).abs() < 1.0);
    assert_eq!(cc.last_update_seq, 60 * MSS);
    // The window is computed from the same reference, not from itself: about half of a half.
    assert_eq!((reduced, segments(&cc)), (14, 6));
    // The next probe left one segment later and finds the queue empty: it commits.
    probe(&mut cc, &seen(1, 45, 3 * BDP, 0), 61 * MSS, 70 * MSS);
    assert!((cc.control.reference - (committed * 0.95 + 12.5e6)).abs() < 1.0);
    assert_eq!(cc.last_update_seq, 70 * MSS);
}

#[test]
fn windows_have_a_floor_in_whole_segments() {
    for floor in 1..=5 {
        let mut cc = with(|config| config.min_window = floor);
        probe(&mut cc, &seen(1, 0, 0, 50 * BDP), MSS, 30 * MSS);
        for round in 1..20 {
            let view = seen(1, 15 * round, BDP * round, 50 * BDP);
            let sent = (30 + round) * MSS;
            probe(&mut cc, &view, sent, sent);
        }
        assert_eq!(segments(&cc), u64::from(floor));
        // The reference has the same limit, so that the window can grow back just as quickly.
        let floor = f64::from(floor) * 1_538.0 * 8.0 / 15e-6;
        assert!((cc.control.reference - floor).abs() < 1.0);
    }
}

#[test]
fn a_floor_above_the_first_window_is_the_window() {
    let cc = with(|config| {
        config.base_rtt = Some(Duration::from_ns(100));
        config.min_window = 3;
    });
    assert_eq!(segments(&cc), 3);
}

#[test]
fn additive_stages_come_before_a_multiplicative_change() {
    let mut cc = with(|config| config.max_stage = 1);
    cc.control.reference = 5e9;
    probe(&mut cc, &seen(1, 0, 0, 0), MSS, 30 * MSS);
    probe(&mut cc, &seen(1, 15, BDP / 10, 0), 31 * MSS, 60 * MSS);
    assert!((cc.rate - 5.0125e9).abs() < 1.0, "{}", cc.rate);
    probe(&mut cc, &seen(1, 30, BDP / 5, 0), 61 * MSS, 90 * MSS);
    assert!(cc.rate > 20e9, "{}", cc.rate);
}

/// Counters of two ports are unrelated.
#[test]
fn another_path_starts_anew() {
    let mut cc = with(|_| {});
    probe(&mut cc, &seen(1, 0, 0, 0), MSS, 30 * MSS);
    probe(&mut cc, &seen(2, 15, 900 * BDP, BDP), 31 * MSS, 60 * MSS);
    assert_eq!(segments(&cc), 30);
    probe(&mut cc, &seen(2, 30, 901 * BDP, BDP), 61 * MSS, 90 * MSS);
    assert!((cc.utilization() - 2.0).abs() < 1e-9);
}

/// A path without switches has no entries.
#[test]
fn without_entries_the_window_stays() {
    let mut cc = with(|_| {});
    for round in 1..5 {
        probe(
            &mut cc,
            &TelemetryView::default(),
            round * MSS,
            (30 + round) * MSS,
        );
    }
    assert_eq!(segments(&cc), 30);
}

#[test]
fn the_busiest_link_rules() {
    let mut cc = with(|_| {});
    let two = |us, sent: [u64; 2]| view(1, sent.map(|sent| link(us, sent, 0)).to_vec());
    probe(&mut cc, &two(0, [0, 0]), MSS, 30 * MSS);
    probe(&mut cc, &two(15, [BDP, BDP / 4]), 31 * MSS, 60 * MSS);
    assert!((cc.utilization() - 1.0).abs() < 1e-9);
    probe(
        &mut cc,
        &two(30, [BDP + BDP / 4, BDP + BDP / 4]),
        61 * MSS,
        90 * MSS,
    );
    assert!((cc.utilization() - 1.0).abs() < 1e-3);
}

#[test]
fn a_loss_keeps_the_window_or_halves_it() {
    let lose = |on_loss, signal| {
        let mut cc = with(|config| config.on_loss = on_loss);
        cc.on_congestion(&Congestion {
            now: Time::ZERO,
            signal,
            in_flight: Bytes::new(30 * MSS),
            next_seq: 30 * MSS,
        });
        segments(&cc)
    };
    assert_eq!(lose(OnLoss::Keep, Signal::Loss), 30);
    assert_eq!(lose(OnLoss::Keep, Signal::Timeout), 30);
    assert_eq!(lose(OnLoss::Halve, Signal::Loss), 15);
    assert_eq!(lose(OnLoss::Halve, Signal::Timeout), 15);
    assert_eq!(lose(OnLoss::Halve, Signal::RepeatedTimeout), 30);
}

/// 24 senders that share a line get less than two segments per T each.
#[test]
fn spaced_segments_may_be_slower_than_the_smallest_window() {
    let mut cc = with(|config| config.pacing = Pacing::On);
    let rate = |cc: &TcpHpcc| cc.pacing_rate().map_or(0.0, Rate::as_bps_f64);
    // A segment takes 1,538 bytes of the line.
    assert!((rate(&cc) - 25e9 * 1_448.0 / 1_538.0).abs() < 10.0);
    probe(&mut cc, &seen(1, 0, 0, 50 * BDP), MSS, 30 * MSS);
    for round in 1..20 {
        let view = seen(1, 15 * round, BDP * round, 50 * BDP);
        let sent = (30 + round) * MSS;
        probe(&mut cc, &view, sent, sent);
    }
    assert_eq!(segments(&cc), 2);
    // A hundredth of the line rate.
    assert!((rate(&cc) - 0.25e9 * 1_448.0 / 1_538.0).abs() < 10.0);
}

#[test]
fn values_without_a_meaning_are_refused_by_their_key() {
    let refused = |change: fn(&mut TcpHpccConfig)| {
        let mut config = TcpHpccConfig::default();
        change(&mut config);
        fabricsim_core::plugin::CcConfig::validate(&config)
            .expect_err("refused")
            .key
    };
    assert_eq!(refused(|config| config.eta = 0.0), "eta");
    assert_eq!(refused(|config| config.min_window = 0), "min_window");
    assert_eq!(
        refused(|config| config.base_rtt = Some(Duration::ZERO)),
        "base_rtt"
    );
}
