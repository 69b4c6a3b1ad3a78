//! Tests of the algorithm with handmade marks and timers.

use fabricsim_base::units::{Bytes, Rate};
use fabricsim_core::plugin::{Ack, CcConfig as _, CongestionControl, Quirks};

use super::super::super::harness::{LINE, ack, cc, mbps};
use super::super::Dcqcn;
use super::*;

const RTT: Duration = Duration::from_us(10);

fn marked(us: u64) -> Ack<'static, ()> {
    ack(us, 1_000, 100_000, RTT, true)
}

fn target(cc: &Dcqcn) -> f64 {
    match cc {
        Dcqcn::Vendor(cc) => cc.target,
        Dcqcn::Paper(_) => f64::NAN,
    }
}

/// Runs the timers up to and at `us`. Returns (time in ns, rate in Mbps, target in Mbps) after
/// each.
fn timers(cc: &mut Dcqcn, us: u64) -> Vec<(u64, u64, u64)> {
    let until = Time::from_ns(us * 1_000 + 1);
    let mut steps = Vec::new();
    while CongestionControl::<()>::deadline(cc) <= until {
        let now = CongestionControl::<()>::deadline(cc);
        CongestionControl::<()>::on_timer(cc, now);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "small"
        )]
        steps.push((now.as_ns(), mbps(cc), (target(cc) / 1e6) as u64));
    }
    steps
}

#[test]
fn a_mark_halves_the_rate_once_and_timers_bring_it_back() {
    let mut cc: Dcqcn = cc(&DcqcnConfig::default(), Quirks::PUBLISHED);
    cc.on_ack(&marked(10));
    // Four ticks of alpha: 1, then 255/256 of it each time.
    let after_four = (255.0f64 / 256.0).powi(4);
    let first = 100_000.0 * (1.0 - after_four / 2.0);
    let steps = timers(&mut cc, 700);
    assert_eq!(steps[0].0, 14_001);
    assert!((steps[0].1 as f64 - first).abs() < 1.0, "{steps:?}");
    // No more marks: only increases, every 300 us; the target stays at line rate.
    let increases: Vec<(u64, u64)> = steps[1..].iter().map(|s| (s.0, s.2)).collect();
    assert_eq!(increases, [(314_001, 100_000), (614_001, 100_000)]);
    assert_eq!(steps[1].1, u64::midpoint(steps[0].1, 100_000));
}

#[test]
fn the_target_grows_after_fast_recovery() {
    let mut cc: Dcqcn = cc(&DcqcnConfig::default(), Quirks::PUBLISHED);
    cc.on_ack(&marked(0));
    timers(&mut cc, 10);
    // A second decrease without an increase in between keeps the target, the third lowers it.
    cc.on_ack(&marked(10));
    assert_eq!(timers(&mut cc, 20)[0].2, 100_000);
    timers(&mut cc, 400);
    cc.on_ack(&marked(400));
    let steps = timers(&mut cc, 2_000);
    let lowered = steps[0].2;
    assert!(lowered < 70_000, "{steps:?}");
    let targets: Vec<u64> = steps[1..].iter().map(|step| step.2 - lowered).collect();
    // Fast recovery, additive increase (20 Mbps), then hyper increase (200 Mbps).
    assert_eq!(targets[..4], [0, 20, 220, 420]);
}

#[test]
fn steady_marks_bring_the_rate_to_its_floor_and_the_window_with_it() {
    let config = DcqcnConfig {
        window: true,
        ..DcqcnConfig::default()
    };
    let mut cc: Dcqcn = cc(&config, Quirks::EXACT);
    let window = |cc: &Dcqcn| CongestionControl::<()>::window(cc).map(Bytes::get);
    assert_eq!(window(&cc), Some(100_000));
    for us in (0..4_000).step_by(2) {
        timers(&mut cc, us);
        cc.on_ack(&marked(us));
    }
    assert_eq!(mbps(&cc), 1_000);
    assert_eq!(window(&cc), Some(1_000));
}

#[test]
fn times_can_be_set() {
    let config = DcqcnConfig {
        decrease_timer: Some(Duration::from_us(50)),
        increase_timer: Some(Duration::from_us(70)),
        ..DcqcnConfig::default()
    };
    let mut cc: Dcqcn = cc(&config, Quirks::EXACT);
    cc.on_ack(&marked(0));
    let times: Vec<u64> = timers(&mut cc, 200).iter().map(|step| step.0).collect();
    assert_eq!(times, [50_001, 120_001, 190_001]);
}

#[test]
fn the_marks_grow_with_the_nic() {
    let marks = |rate| {
        DcqcnConfig::default()
            .marking(rate)
            .map(|m| (m.kmin.get(), m.kmax.get()))
    };
    assert_eq!(marks(LINE), Some((400_000, 1_600_000)));
    assert_eq!(marks(Rate::from_gbps(25)), Some((100_000, 400_000)));
}
