//! Tests of the paper's form with handmade marks.

use fabricsim_base::units::Rate;
use fabricsim_core::plugin::{Ack, CcConfig as _, CongestionControl, Quirks};

use super::super::super::harness::{ack, cc, mbps};
use super::super::{Dcqcn, ParameterSet};
use super::*;

fn paper() -> DcqcnConfig {
    DcqcnConfig {
        parameters: ParameterSet::Paper,
        ..DcqcnConfig::default()
    }
}

fn marked(us: u64) -> Ack<'static, ()> {
    ack(us, 1_000, 100_000, Duration::from_us(10), true)
}

fn inner(cc: &Dcqcn) -> &PaperDcqcn {
    match cc {
        Dcqcn::Paper(cc) => cc,
        Dcqcn::Vendor(_) => unreachable!("the configuration asks for the paper's form"),
    }
}

fn target(cc: &Dcqcn) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "small"
    )]
    let mbps = (inner(cc).target / 1e6).round() as u64;
    mbps
}

/// Runs the timers up to and at `us`. Returns (time in us, rate, target in Mbps) after each.
fn timers(cc: &mut Dcqcn, us: u64) -> Vec<(u64, u64, u64)> {
    let mut steps = Vec::new();
    while CongestionControl::<()>::deadline(cc) <= Time::from_ns(us * 1_000) {
        let now = CongestionControl::<()>::deadline(cc);
        CongestionControl::<()>::on_timer(cc, now);
        steps.push((now.as_ns() / 1_000, mbps(cc), target(cc)));
    }
    steps
}

fn send(cc: &mut Dcqcn, packets: u64) {
    for _ in 0..packets {
        CongestionControl::<()>::on_sent(cc, Bytes::new(1_000));
    }
}

#[test]
fn the_first_mark_cuts_at_once_and_others_when_the_interval_is_over() {
    let mut cc: Dcqcn = cc(&paper(), Quirks::EXACT);
    assert!(timers(&mut cc, 9).is_empty());
    cc.on_ack(&marked(10));
    assert_eq!((mbps(&cc), target(&cc)), (50_000, 100_000));
    // Three marks within 50 us give one notification at the end; the target falls each time.
    for us in [11, 30, 59] {
        cc.on_ack(&marked(us));
    }
    assert_eq!(mbps(&cc), 50_000);
    assert_eq!(timers(&mut cc, 109), [(60, 25_000, 50_000)]);
    // No mark in the second interval: the next mark cuts immediately.
    cc.on_ack(&marked(111));
    assert_eq!((mbps(&cc), target(&cc)), (12_500, 25_000));
}

#[test]
fn a_mark_at_the_end_of_the_interval_belongs_to_the_next() {
    let mut cc: Dcqcn = cc(&paper(), Quirks::EXACT);
    cc.on_ack(&marked(0));
    cc.on_ack(&marked(20));
    // The collected mark is notified first; this one waits.
    cc.on_ack(&marked(50));
    assert_eq!(mbps(&cc), 25_000);
    assert_eq!(timers(&mut cc, 104)[0], (100, 12_500, 25_000));
}

#[test]
fn the_cut_uses_the_estimate_from_before_the_notification() {
    let config = DcqcnConfig {
        g: 0.5,
        initial_alpha: 0.5,
        ..paper()
    };
    let mut cc: Dcqcn = cc(&config, Quirks::EXACT);
    // 1 - .5/2, then alpha = .75: 1 - .75/2.
    cc.on_ack(&marked(0));
    assert_eq!(mbps(&cc), 75_000);
    cc.on_ack(&marked(50));
    assert_eq!(mbps(&cc), 46_875);
    // alpha = .875 halves at 105 and 160 us: 1 - .21875/2. Ticks at 105 and 160 us raise the rate
    // to 75 - 28.125/4 Gbps.
    timers(&mut cc, 160);
    assert_eq!(mbps(&cc), 67_969);
    cc.on_ack(&marked(161));
    assert_eq!(mbps(&cc), 60_535);
    assert_eq!(target(&cc), 67_969);
}

#[test]
fn five_iterations_recover_then_the_target_grows_by_40_mbps() {
    let mut cc: Dcqcn = cc(&paper(), Quirks::EXACT);
    cc.on_ack(&marked(0));
    cc.on_ack(&marked(50));
    let steps = timers(&mut cc, 50 + 8 * 55);
    let times: Vec<u64> = steps.iter().map(|step| step.0).collect();
    assert_eq!(times, [105, 160, 215, 270, 325, 380, 435, 490]);
    let targets: Vec<u64> = steps.iter().map(|step| step.2).collect();
    assert_eq!(
        targets,
        [
            50_000, 50_000, 50_000, 50_000, 50_000, 50_040, 50_080, 50_120
        ]
    );
    // 25 Gbps below the target, halved five times.
    assert_eq!(steps[0].1, 37_500);
    assert_eq!(steps[4].1, 50_000 - 781);
}

#[test]
fn bytes_count_as_the_timer_does_and_both_together_lead_to_hyper_increase() {
    let mut cc: Dcqcn = cc(&paper(), Quirks::EXACT);
    cc.on_ack(&marked(0));
    cc.on_ack(&marked(50));
    send(&mut cc, 9_999);
    assert_eq!(mbps(&cc), 25_000);
    send(&mut cc, 1);
    assert_eq!(mbps(&cc), 37_500);
    // Five rounds recover, the sixth adds 40 Mbps, without a tick of the timer.
    send(&mut cc, 40_000);
    assert_eq!(target(&cc), 50_000);
    send(&mut cc, 20_000);
    assert_eq!(target(&cc), 50_080);
    // After seven rounds, five ticks stay in additive increase, the sixth begins hyper increase:
    // 200 and, since there were seven rounds, 400 Mbps.
    let targets: Vec<u64> = timers(&mut cc, 50 + 8 * 55)
        .iter()
        .map(|step| step.2)
        .collect();
    assert_eq!(
        targets,
        [
            50_120, 50_160, 50_200, 50_240, 50_280, 50_480, 50_880, 51_280
        ]
    );
    // A notification resets both counts.
    cc.on_ack(&marked(491));
    send(&mut cc, 9_999);
    assert_eq!((inner(&cc).ticks, inner(&cc).rounds), (0, 0));
}

#[test]
fn nothing_is_counted_before_the_first_mark_or_at_line_rate() {
    let mut cc: Dcqcn = cc(&paper(), Quirks::EXACT);
    send(&mut cc, 25_000);
    assert_eq!(inner(&cc).rounds, 0);
    assert_eq!(CongestionControl::<()>::deadline(&cc), Time::MAX);
    cc.on_ack(&marked(0));
    // Half of line rate recovers to the last bit after some time; then the timer stops.
    let steps = timers(&mut cc, 1_000_000);
    assert!(steps.len() < 60, "{}", steps.len());
    assert_eq!(mbps(&cc), 100_000);
    assert_eq!(CongestionControl::<()>::deadline(&cc), Time::MAX);
}

#[test]
fn without_a_byte_counter_there_is_no_hyper_increase() {
    let config = DcqcnConfig {
        byte_counter: Some(Bytes::ZERO),
        ..paper()
    };
    let mut cc: Dcqcn = cc(&config, Quirks::EXACT);
    cc.on_ack(&marked(0));
    cc.on_ack(&marked(50));
    send(&mut cc, 100_000);
    let steps = timers(&mut cc, 50 + 20 * 55);
    assert_eq!(steps[19].2, 50_000 + 15 * 40);
}

#[test]
fn the_rate_stops_at_its_floor() {
    let mut cc: Dcqcn = cc(&paper(), Quirks::EXACT);
    for us in (0..2_000).step_by(10) {
        timers(&mut cc, us);
        cc.on_ack(&marked(us));
    }
    assert_eq!(mbps(&cc), 100);
}

#[test]
fn the_set_has_every_value_of_the_paper() {
    let context = fabricsim_core::plugin::CcContext::of_nics(Rate::from_gbps(40));
    let config = paper().resolved(&context);
    assert_eq!(config.alpha_timer, Some(Duration::from_us(55)));
    assert_eq!(config.decrease_timer, Some(Duration::from_us(50)));
    assert_eq!(config.increase_timer, Some(Duration::from_us(55)));
    assert_eq!(config.byte_counter, Some(Bytes::new(10_000_000)));
    assert_eq!(config.fast_recovery, Some(5));
    assert_eq!(config.additive_increase, Some(Rate::from_mbps(40)));
    assert_eq!(config.hyper_increase, Some(Rate::from_mbps(200)));
    assert_eq!(config.clamp, Some(true));
    assert_eq!(config.min_rate, Some(Rate::from_mbps(100)));
    let marks = paper().marking(context.nic_rate);
    let marks = marks.map(|m| (m.kmin.get(), m.kmax.get(), m.pmax));
    assert_eq!(marks, Some((5_000, 200_000, 0.01)));
    // Each value that is set overrides the default.
    let own = DcqcnConfig {
        fast_recovery: Some(1),
        byte_counter: Some(Bytes::ZERO),
        clamp: Some(false),
        ..paper()
    };
    let resolved = own.resolved(&context);
    assert_eq!(
        (
            resolved.fast_recovery,
            resolved.byte_counter,
            resolved.clamp
        ),
        (Some(1), Some(Bytes::ZERO), Some(false))
    );
}

#[test]
fn a_byte_counter_needs_the_papers_form_and_some_bytes() {
    let refused = |config: &DcqcnConfig| config.validate().unwrap_err().to_string();
    let vendor = DcqcnConfig {
        byte_counter: Some(Bytes::new(10_000_000)),
        ..DcqcnConfig::default()
    };
    assert!(
        refused(&vendor).contains("timer alone"),
        "{}",
        refused(&vendor)
    );
    let small = DcqcnConfig {
        byte_counter: Some(Bytes::new(9_999)),
        ..paper()
    };
    assert!(
        refused(&small).contains("every packet"),
        "{}",
        refused(&small)
    );
    let much = DcqcnConfig {
        initial_alpha: 1.5,
        ..paper()
    };
    assert!(refused(&much).contains("1.5"), "{}", refused(&much));
}
