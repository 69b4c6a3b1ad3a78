use fabricsim_base::units::Duration;
use fabricsim_core::packet::{Ecn, Flags};

use super::*;
use crate::testing::{
    CONTEXT, counters, fill, flow_packet, offer, packet, rule_queue, serve, with,
};

/// Returns a rule with a queue that is not idle.
fn rule(config: &RedConfig) -> Red {
    config.validate().expect("good thresholds");
    let mut rule = Red::new(config, &CONTEXT);
    rule.idle_since = None;
    rule
}

/// Passes a packet of 1,000 bytes with `ecn` to the rule, with `held` packets of that size before
/// it.
fn arrives(rule: &mut Red, now: Time, ecn: Ecn, held: usize) -> Verdict {
    let packet = AqmPacket {
        key: &flow_packet(1, 0).key,
        ecn,
        size: Bytes::new(1_000),
        arrival: now,
        others: held,
        other_bytes: Bytes::new(1_000 * held as u64),
    };
    rule.on_arrival(now, &packet)
}

/// Returns the positions of marks among `arrivals` packets, each with `held` packets before it.
fn marks(config: &RedConfig, held: usize, arrivals: usize) -> Vec<usize> {
    let mut rule = rule(config);
    let mut arrives = || arrives(&mut rule, Time::ZERO, Ecn::Ect0, held);
    (0..arrivals)
        .filter(|_| match arrives() {
            Verdict::Mark => true,
            verdict => {
                assert_eq!(verdict, Verdict::Pass);
                false
            }
        })
        .collect()
}

fn instantaneous() -> RedConfig {
    RedConfig {
        weight: 1.0,
        spread: false,
        limit: Some(100_000),
        ..RedConfig::default()
    }
}

#[test]
fn the_probability_is_linear_between_the_thresholds() {
    let share = |held| marks(&instantaneous(), held, 100_000).len() as f64 / 1e5;
    assert!(share(29) == 0.0);
    assert!(share(30) == 0.0);
    assert!((share(60) - 0.05).abs() < 0.003, "{}", share(60));
    assert!((share(89) - 0.0983).abs() < 0.004, "{}", share(89));
    assert!((share(90) - 1.0).abs() < f64::EPSILON);
    let gentle = RedConfig {
        gentle: true,
        ..instantaneous()
    };
    let share = marks(&gentle, 135, 100_000).len() as f64 / 1e5;
    assert!((share - 0.55).abs() < 0.006, "{share}");
}

#[test]
fn marks_are_spread_evenly() {
    let spread = RedConfig {
        spread: true,
        ..instantaneous()
    };
    // The probability is 1/20: the gaps are uniform on 1 to 20, with a mean of 10.5.
    let places = marks(&spread, 60, 100_000);
    let gaps: Vec<usize> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mean = gaps.iter().sum::<usize>() as f64 / gaps.len() as f64;
    assert_eq!(gaps.iter().max(), Some(&20));
    assert!((mean - 10.5).abs() < 0.2, "{mean}");
    for gap in 1..=20 {
        let share = gaps.iter().filter(|&&g| g == gap).count() as f64 / gaps.len() as f64;
        assert!((share - 0.05).abs() < 0.012, "{gap}: {share}");
    }
}

#[test]
fn packets_that_cannot_be_marked_are_dropped_instead() {
    let (mut able, mut unable) = (rule(&instantaneous()), rule(&instantaneous()));
    let mut drops = 0;
    for _ in 0..10_000 {
        let marked = arrives(&mut able, Time::ZERO, Ecn::Ect1, 60);
        let dropped = arrives(&mut unable, Time::ZERO, Ecn::NotCapable, 60);
        // The same draws, so the same packets.
        match marked {
            Verdict::Mark => assert_eq!(dropped, Verdict::DropEarly),
            _ => assert_eq!(dropped, marked),
        }
        drops += u32::from(dropped == Verdict::DropEarly);
    }
    assert!(drops > 300, "{drops}");
}

#[test]
fn the_average_follows_slowly_and_falls_while_idle() {
    let mut rule = rule(&RedConfig::default());
    for _ in 0..500 {
        arrives(&mut rule, Time::ZERO, Ecn::Ect0, 100);
    }
    // 500 steps of 0.002 towards 100,000 bytes.
    let expected = 1e5 * (1.0 - libm::pow(0.998, 500.0));
    assert!((rule.average - expected).abs() < 1.0, "{}", rule.average);
    let last = AqmPacket {
        key: &flow_packet(1, 0).key,
        ecn: Ecn::Ect0,
        size: Bytes::new(1_000),
        arrival: Time::ZERO,
        others: 0,
        other_bytes: Bytes::ZERO,
    };
    assert_eq!(rule.on_departure(Time::ZERO, &last), Verdict::Pass);
    // 1,000 bytes take 160 us, so 1,000 such packets could have arrived in 160 ms.
    let later = Time::ZERO + Duration::from_ms(160);
    arrives(&mut rule, later, Ecn::NotCapable, 0);
    let expected = expected * libm::pow(0.998, 1_001.0);
    assert!((rule.average - expected).abs() < 1.0, "{}", rule.average);
}

#[test]
fn a_refused_packet_does_not_end_the_idle_time() {
    let mut rule = rule(&RedConfig::default());
    rule.average = 200_000.0;
    let refused = arrives(&mut rule, Time::ZERO, Ecn::NotCapable, 0);
    assert_eq!(refused, Verdict::DropEarly);
    // In a second, 6,250 packets could have arrived.
    let later = Time::from_ns(1_000_000_000);
    assert_eq!(arrives(&mut rule, later, Ecn::NotCapable, 0), Verdict::Pass);
    assert!(rule.average < 1.0, "{}", rule.average);
}

#[test]
fn a_queue_marks_the_packets_that_come_beyond_the_thresholds() {
    let mut queue = rule_queue(&RedConfig {
        kmin: Bytes::new(2_999),
        kmax: Bytes::new(3_000),
        limit: Some(6),
        ..instantaneous()
    });
    fill(
        &mut queue,
        Time::ZERO,
        &with(packet(1, 1_000), Flags::ECT0),
        5,
    );
    assert_eq!(offer(&mut queue, Time::ZERO, &packet(1, 1_000)), (false, 0));
    fill(
        &mut queue,
        Time::ZERO,
        &with(packet(1, 1_000), Flags::ECT0),
        2,
    );
    let marks: Vec<bool> = (0..6)
        .map(|_| serve(&mut queue, Time::ZERO).marked)
        .collect();
    assert_eq!(marks, [false, false, false, true, true, true]);
    let counters = counters(&queue);
    assert_eq!(counters.marked, 3);
    assert_eq!(counters.aqm_drops.packets, 1);
    assert_eq!(counters.tail_drops.packets, 1);
}

#[test]
fn thresholds_out_of_order_are_refused() {
    let config = RedConfig {
        kmax: Bytes::new(30_000),
        ..RedConfig::default()
    };
    let error = config.validate().expect_err("kmin is not below kmax");
    assert_eq!(error.key, "kmax");
    for (pmax, weight) in [(0.0, 1.0), (1.5, 1.0), (f64::NAN, 1.0), (0.1, 0.0)] {
        let config = RedConfig {
            pmax,
            weight,
            ..RedConfig::default()
        };
        assert!(config.validate().is_err());
    }
}
