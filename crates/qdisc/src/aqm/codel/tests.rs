use fabricsim_core::packet::Flags;

use super::*;
use crate::aqm::queue::AqmQueue;
use crate::testing::{
    CONTEXT, counters, drain, fill, offer, packet, rule_queue, rule_queue_at, serve, with,
};

/// A packet of 1,500 bytes takes 240 us at 50 Mbps; finer steps show the times of signals.
const STEP: Duration = Duration::from_us(10);

/// Returns the times of the first `signals` signals in milliseconds, for a queue that is overloaded
/// from the start: every 10 us one packet leaves and two arrive.
fn signals(config: &CodelConfig, flags: Flags, signals: usize) -> Vec<f64> {
    let mut queue = rule_queue(config);
    let full = with(packet(1, 1_500), flags);
    let (mut now, mut times) = (Time::ZERO, Vec::new());
    // Keep a backlog with a head that has always waited longer than the target.
    while times.len() < signals {
        for _ in 0..2 {
            assert!(offer(&mut queue, now, &full).0);
        }
        // The backlog grows by one in each step, so the head has waited for half of the time.
        let served = serve(&mut queue, now);
        assert!(served.dropped == 0 || !served.marked);
        let count = served.dropped + usize::from(served.marked);
        times.extend(std::iter::repeat_n(now.as_secs_f64() * 1e3, count));
        now += STEP;
    }
    let counters = counters(&queue);
    assert_eq!(
        counters.marked + counters.aqm_drops.packets,
        times.len() as u64
    );
    times
}

fn unlimited(ecn: bool, linux_newton: bool) -> CodelConfig {
    CodelConfig {
        ecn,
        linux_newton,
        limit: Some(u32::MAX),
        ..CodelConfig::default()
    }
}

/// The gaps from the first signal to the next ten, computed independently of this crate.
const EXACT: [f64; 10] = [
    100.0, 170.7, 228.4, 278.4, 323.2, 364.0, 401.8, 437.1, 470.5, 502.1,
];
const NEWTON: [f64; 10] = [
    100.0, 150.0, 206.2, 255.0, 299.2, 339.6, 377.1, 412.3, 445.4, 476.9,
];

#[test]
fn signals_follow_the_square_root() {
    for (linux_newton, expected) in [(false, EXACT), (true, NEWTON)] {
        let marks = signals(&unlimited(true, linux_newton), Flags::ECT0, 11);
        // The head has waited for the target of 5 ms after 10 ms; then an interval passes.
        assert!((marks[0] - 110.0).abs() < 0.05, "{marks:?}");
        for (mark, expected) in marks[1..].iter().zip(expected) {
            let after = mark - marks[0];
            assert!((after - expected).abs() < 0.1, "{after} {expected}");
        }
    }
}

#[test]
fn drops_come_when_marks_would() {
    for linux_newton in [false, true] {
        let marks = signals(&unlimited(true, linux_newton), Flags::ECT1, 11);
        let unable = signals(&unlimited(true, linux_newton), Flags::NONE, 11);
        let off = signals(&unlimited(false, linux_newton), Flags::ECT1, 11);
        assert_eq!(unable, off);
        for (mark, drop) in marks.iter().zip(&unable) {
            // A drop shortens the queue by one more packet, which is one step.
            assert!((mark - drop).abs() < 0.15, "{mark} {drop}");
        }
    }
}

/// Returns the number of marks in two seconds. The packets of the queue wait for 7 ms, but for 4 ms
/// once every `dip_every` ms.
fn marks_with_dips(dip_every: u64) -> u64 {
    let mut queue = rule_queue(&unlimited(true, false));
    let full = with(packet(1, 1_500), Flags::ECT0);
    for ms in 0..2_000u64 {
        let now = Time::from_ns(1_000_000 * ms);
        offer(&mut queue, now, &full);
        if ms < 7 {
            continue;
        }
        serve(&mut queue, now);
        if ms % dip_every == 0 {
            drain(&mut queue, now, 3);
            fill(&mut queue, now, &full, 3);
        }
    }
    counters(&queue).marked
}

#[test]
fn no_signal_when_the_queue_is_short_once_in_an_interval() {
    assert_eq!(marks_with_dips(90), 0);
    let (some, many) = (marks_with_dips(150), marks_with_dips(3_000));
    assert!(some > 5, "{some}");
    assert!(many > 2 * some, "{many}");
}

#[test]
fn a_backlog_of_one_packet_is_left_alone() {
    let marks = |left: u16, packet: u64, mtu: Option<u64>| {
        let config = CodelConfig {
            mtu: mtu.map(Bytes::new),
            ..unlimited(true, false)
        };
        let context = DisciplineContext {
            packet: Bytes::new(packet),
            ..CONTEXT
        };
        let mut queue = rule_queue_at(&config, &context);
        let packet = with(self::packet(1, left), Flags::ECT0);
        offer(&mut queue, Time::ZERO, &packet);
        offer(&mut queue, Time::ZERO, &packet);
        for ms in (50..1_000u64).step_by(50) {
            // Each packet waits for 100 ms and leaves one behind.
            let now = Time::from_ns(1_000_000 * ms);
            serve(&mut queue, now);
            offer(&mut queue, now, &packet);
        }
        counters(&queue).marked
    };
    // The limit is the full packet of the port, or `mtu` if it is set.
    for size in [1_100, 1_514, 1_538, 9_066] {
        let wire = u64::from(size);
        assert_eq!(marks(size, wire, None), 0);
        assert!(marks(size + 1, wire, None) > 5);
        assert_eq!(marks(size, 500, Some(wire)), 0);
        assert!(marks(size + 1, 20_000, Some(wire)) > 5);
    }
}

#[test]
fn a_new_episode_begins_where_a_recent_one_ended() {
    // Overload for a second, a short queue for `pause`, overload again.
    let gap_after = |pause: Duration| {
        let mut queue = rule_queue(&unlimited(true, false));
        let full = with(packet(1, 1_500), Flags::ECT0);
        let mut now = Time::ZERO;
        let overload = |queue: &mut AqmQueue<()>, now: &mut Time, marks: usize| {
            let mut times = Vec::new();
            while times.len() < marks {
                offer(queue, *now, &full);
                offer(queue, *now, &full);
                if serve(queue, *now).marked {
                    times.push(now.as_secs_f64());
                }
                *now += STEP;
            }
            times
        };
        overload(&mut queue, &mut now, 12);
        while serve(&mut queue, now).packet.is_some() {}
        now += pause;
        let times = overload(&mut queue, &mut now, 2);
        times[1] - times[0]
    };
    // Count was 12 and had begun at 1, so it starts again at 11.
    let again = gap_after(Duration::from_ms(100));
    assert!((again - 0.1 / f64::sqrt(11.0)).abs() < 2e-4, "{again}");
    let anew = gap_after(Duration::from_ms(1_700));
    assert!((anew - 0.1).abs() < 2e-4, "{anew}");
}

#[test]
fn the_threshold_for_marks_is_apart_from_the_algorithm() {
    let marks = |selector, flags| {
        let mut queue = rule_queue(&CodelConfig {
            ce_threshold: Some(Duration::from_ms(1)),
            ce_threshold_marks: selector,
            ..CodelConfig::default()
        });
        for _ in 0..3 {
            offer(&mut queue, Time::ZERO, &with(packet(1, 1_500), flags));
        }
        [999, 1_000, 1_001].map(|us| serve(&mut queue, Time::from_ns(1_000 * us)).marked)
    };
    let late = [false, false, true];
    assert_eq!(marks(EcnSelector::Capable, Flags::ECT0), late);
    assert_eq!(marks(EcnSelector::Capable, Flags::NONE), [false; 3]);
    assert_eq!(marks(EcnSelector::Ect1, Flags::ECT0), [false; 3]);
    assert_eq!(marks(EcnSelector::Ect1, Flags::ECT1), late);
}

#[test]
fn beyond_the_limit_the_tail_is_dropped() {
    let mut queue = rule_queue(&CodelConfig::default());
    let stored = (0..1_200)
        .filter(|_| offer(&mut queue, Time::ZERO, &packet(1, 1_500)).0)
        .count();
    assert_eq!(stored, 1_000);
    assert_eq!(counters(&queue).tail_drops.packets, 200);
}

#[test]
fn times_that_make_no_sense_are_refused() {
    let config = CodelConfig {
        interval: Duration::from_ms(4),
        ..CodelConfig::default()
    };
    assert_eq!(config.validate().expect_err("too short").key, "interval");
    let config = CodelConfig {
        target: Duration::ZERO,
        ..CodelConfig::default()
    };
    assert_eq!(config.validate().expect_err("no target").key, "target");
}
