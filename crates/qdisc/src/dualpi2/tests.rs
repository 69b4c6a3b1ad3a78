use fabricsim_base::units::Rate;
use fabricsim_core::packet::Flags;

use super::*;
use crate::discipline_config::DisciplineKind;
use crate::testing::{counters, drain, fill, offer, packet, serve, with};

const CONTEXT: DisciplineContext = DisciplineContext {
    seed: 5,
    entity: 2,
    rate: Rate::from_mbps(50),
    packet: Bytes::new(1_514),
};

fn queues(config: &DualPi2Config) -> DualPi2<()> {
    config.validate().expect("good settings");
    DualPi2::new(config, &CONTEXT)
}

fn at(us: u64) -> Time {
    Time::from_ns(1_000 * us)
}

/// Returns the shares of marks and drops among `packets` heads with `flags`. A controller without
/// gains keeps the base probability at about `base`.
fn shares(base: f64, flags: Flags, packets: usize) -> (f64, f64) {
    let mut queues = queues(&DualPi2Config {
        alpha: 1e-30,
        beta: 1e-30,
        step: Duration::from_ms(1_000_000),
        ..DualPi2Config::default()
    });
    queues.controller.set_base(base);
    let full = with(packet(1, 1_500), flags);
    // Enough packets that the drops of one turn never leave fewer than two.
    fill(&mut queues, Time::ZERO, &full, 60);
    let (mut marked, mut dropped) = (0, 0);
    for _ in 0..packets {
        offer(&mut queues, Time::ZERO, &full);
        let served = serve(&mut queues, Time::ZERO);
        marked += usize::from(served.marked);
        dropped += served.dropped;
        // Replace each dropped packet.
        fill(&mut queues, Time::ZERO, &full, served.dropped);
    }
    let looked_at = (packets + dropped) as f64;
    (marked as f64 / looked_at, dropped as f64 / looked_at)
}

#[test]
fn the_coupling_is_twice_the_square_root() {
    for base in [0.05, 0.2, 0.45] {
        let (low, low_drops) = shares(base, Flags::ECT1, 200_000);
        let (classic, classic_drops) = shares(base, Flags::ECT0, 200_000);
        let (marks, drops) = shares(base, Flags::NONE, 200_000);
        assert!((classic - base * base).abs() < 0.003, "{base}: {classic}");
        assert!((drops - base * base).abs() < 0.003, "{base}: {drops}");
        assert!((low - 2.0 * classic.sqrt()).abs() < 0.02, "{base}: {low}");
        assert!(low_drops == 0.0 && classic_drops == 0.0 && marks == 0.0);
    }
}

#[test]
fn overload_drops_from_both_queues() {
    let (low, low_drops) = shares(0.6, Flags::ECT1, 100_000);
    let (classic, classic_drops) = shares(0.6, Flags::ECT0, 100_000);
    assert!((low_drops - 0.36).abs() < 0.01, "{low_drops}");
    assert!((classic_drops - 0.36).abs() < 0.01, "{classic_drops}");
    // All remaining packets of the low-latency queue are marked.
    assert!((low + low_drops - 1.0).abs() < 1e-9);
    assert!(classic == 0.0);
}

#[test]
fn the_share_of_the_classic_queue_is_kept() {
    for (c_protection, expected) in [(10, 0.1), (50, 0.5)] {
        let mut queues = queues(&DualPi2Config {
            c_protection,
            limit: 100_000,
            ..DualPi2Config::default()
        });
        let kinds = [
            with(packet(1, 1_500), Flags::ECT1),
            with(packet(1, 500), Flags::ECT0),
        ];
        let mut classic = 0u64;
        let mut all = 0u64;
        for _ in 0..10_000 {
            offer(&mut queues, Time::ZERO, &kinds[0]);
            fill(&mut queues, Time::ZERO, &kinds[1], 3);
            let served = serve(&mut queues, Time::ZERO).packet.expect("some wait");
            all += u64::from(served.wire);
            if served.ecn() == Ecn::Ect0 {
                classic += u64::from(served.wire);
            }
        }
        let share = classic as f64 / all as f64;
        assert!((share - expected).abs() < 0.002, "{c_protection}: {share}");
    }
}

#[test]
fn less_than_two_packets_behind_are_left_alone() {
    for (packets, expected) in [(2, 0), (3, 1), (5, 3)] {
        let mut queues = queues(&DualPi2Config::default());
        queues.controller.set_base(1.0);
        fill(&mut queues, Time::ZERO, &packet(1, 1_514), packets);
        let served = serve(&mut queues, Time::ZERO);
        assert!(served.packet.is_some());
        assert_eq!(served.dropped, expected);
    }
}

#[test]
fn the_credit_begins_anew_when_both_queues_are_empty() {
    let mut queues = queues(&DualPi2Config::default());
    let low = with(packet(1, 1_514), Flags::ECT1);
    for _ in 0..3 {
        // The ninth packet of the low-latency queue uses up its credit.
        fill(&mut queues, Time::ZERO, &packet(1, 1_514), 1);
        fill(&mut queues, Time::ZERO, &low, 9);
        for _ in 0..9 {
            let head = serve(&mut queues, Time::ZERO).packet;
            assert_eq!(head.map(|packet| packet.ecn()), Some(Ecn::Ect1));
        }
        assert!(queues.credit > 0);
        drain(&mut queues, Time::ZERO, 1);
        assert_eq!(queues.packets(), 0);
    }
}

#[test]
fn a_time_shift_lets_old_packets_of_the_classic_queue_go() {
    let mut queues = queues(&DualPi2Config {
        scheduler: DualScheduler::TimeShifted,
        ..DualPi2Config::default()
    });
    let (low, classic) = (with(packet(1, 1_500), Flags::ECT1), packet(1, 1_500));
    fill(&mut queues, at(0), &classic, 2);
    fill(&mut queues, at(10_000), &low, 4);
    let mut ecn = |us| serve(&mut queues, at(us)).packet.map(|packet| packet.ecn());
    // The classic head is 10 ms older than the other one, which is less than the shift.
    assert_eq!(ecn(60_000), Some(Ecn::Ect1));
    let mut queues = queues_with_old_classic();
    let head = serve(&mut queues, at(60_001)).packet;
    assert_eq!(head.map(|packet| packet.ecn()), Some(Ecn::NotCapable));
}

/// Returns queues with a classic packet that arrived 50.001 ms before a low-latency one.
fn queues_with_old_classic() -> DualPi2<()> {
    let mut queues = queues(&DualPi2Config {
        scheduler: DualScheduler::TimeShifted,
        ..DualPi2Config::default()
    });
    offer(&mut queues, at(0), &packet(1, 1_500));
    offer(
        &mut queues,
        at(50_001),
        &with(packet(1, 1_500), Flags::ECT1),
    );
    queues
}

#[test]
fn long_waits_are_marked_by_step_or_ramp() {
    let marks = |ramp, wait_us| {
        let mut queues = queues(&DualPi2Config {
            step: Duration::from_us(800),
            ramp,
            ..DualPi2Config::default()
        });
        let low = with(packet(1, 1_500), Flags::ECT1);
        // One at a time, so that the controller does not act.
        (0..20_000u64)
            .filter(|round| {
                let came = at(10_000 * round);
                offer(&mut queues, came, &low);
                serve(&mut queues, came + Duration::from_us(wait_us)).marked
            })
            .count() as f64
            / 2e4
    };
    assert!(marks(Duration::ZERO, 800) == 0.0);
    assert!(marks(Duration::ZERO, 801) >= 1.0);
    let ramp = Duration::from_us(400);
    assert!(marks(ramp, 800) == 0.0);
    assert!((marks(ramp, 900) - 0.25).abs() < 0.01);
    assert!((marks(ramp, 1_100) - 0.75).abs() < 0.01);
    assert!(marks(ramp, 1_200) >= 1.0);
}

/// A sender that halves its rate with each signal in a round trip, and increases it otherwise,
/// keeps the classic queue at the target. A sender that reacts to the share of marks stays below 1
/// ms.
#[test]
fn the_queues_settle_at_their_targets() {
    let mut queues = queues(&DualPi2Config::default());
    let rtt = Duration::from_ms(20);
    let slot = Rate::from_mbps(50).transmission(Bytes::new(1_500));
    // Windows in packets; feedback takes a round trip plus the queueing time.
    let mut windows = [20.0f64, 20.0];
    let mut in_flight = [0.0f64; 2];
    let mut acks: std::collections::VecDeque<(Time, usize, bool)> = Default::default();
    let mut blind_until = Time::ZERO;
    let mut sent = [0u64; 2];
    let kinds = [
        with(packet(1, 1_500), Flags::ECT1),
        with(packet(1, 1_500), Flags::ECT0),
    ];
    let mut now = Time::ZERO;
    let end = Time::from_ns(60_000_000_000);
    let warm = Time::from_ns(20_000_000_000);
    while now < end {
        // A classic sender halves its window only once per round trip.
        while acks.front().is_some_and(|ack| ack.0 <= now) {
            let (_, who, marked) = acks.pop_front().expect("just seen");
            in_flight[who] -= 1.0;
            if marked && who == 0 {
                windows[0] -= 0.5;
            } else if marked && now >= blind_until {
                windows[1] /= 2.0;
                blind_until = now + rtt;
            } else if !marked {
                windows[who] += 1.0 / windows[who];
            }
            windows[who] = windows[who].max(2.0);
        }
        for who in 0..2 {
            // Paced: at most two packets in a slot.
            for _ in 0..2 {
                if in_flight[who] < windows[who] {
                    in_flight[who] += 1.0;
                    assert!(offer(&mut queues, now, &kinds[who]).0);
                }
            }
        }
        let served = serve(&mut queues, now);
        if let Some(packet) = served.packet {
            let who = usize::from(packet.ecn() == Ecn::Ect0);
            sent[who] += u64::from(now >= warm);
            acks.push_back((now + rtt, who, served.marked));
        }
        now += slot;
    }
    // The start is not excluded from delays, so their bounds are wide.
    let classic = queues.classic_sojourn().mean().expect("it has sent");
    let low = queues
        .low_latency_sojourn()
        .quantile(0.5)
        .expect("it has sent");
    assert!((0.008..0.022).contains(&classic.as_secs_f64()), "{classic}");
    assert!(low < Duration::from_ms(1), "{low}");
    let utilization = (sent[0] + sent[1]) as f64 * slot.as_secs_f64() / 40.0;
    assert!(utilization > 0.95, "{utilization}");
    let ratio = sent[0] as f64 / sent[1] as f64;
    assert!((0.4..2.5).contains(&ratio), "{sent:?}");
    let base = queues.base_probability();
    assert!((0.01..0.4).contains(&base), "{base}");
}

#[test]
fn beyond_the_limit_the_tail_is_dropped() {
    let mut queues = queues(&DualPi2Config {
        limit: 3,
        ..DualPi2Config::default()
    });
    let kinds = [packet(1, 100), with(packet(1, 100), Flags::ECT1)];
    let stored: Vec<bool> = (0..5)
        .map(|number| offer(&mut queues, Time::ZERO, &kinds[number % 2]).0)
        .collect();
    assert_eq!(stored, [true, true, true, false, false]);
    assert_eq!(counters(&queues).tail_drops.packets, 2);
}

#[test]
fn settings_out_of_range_are_refused() {
    let good = DualPi2Config::default();
    let refused = |config: DualPi2Config| config.validate().expect_err("out of range").key;
    assert_eq!(
        refused(DualPi2Config {
            coupling: 0.5,
            ..good.clone()
        }),
        "coupling"
    );
    assert_eq!(
        refused(DualPi2Config {
            beta: f64::NAN,
            ..good.clone()
        }),
        "beta"
    );
    assert_eq!(
        refused(DualPi2Config {
            c_protection: 101,
            ..good
        }),
        "c_protection"
    );
}
