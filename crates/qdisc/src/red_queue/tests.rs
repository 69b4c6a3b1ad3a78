use fabricsim_base::units::{Duration, Rate};
use fabricsim_core::packet::Flags;

use super::*;
use crate::testing::{counters, offer, packet, serve, with};

const CONTEXT: DisciplineContext = DisciplineContext {
    seed: 7,
    entity: 3,
    rate: Rate::from_mbps(50),
    packet: Bytes::new(1_514),
};

/// A queue that holds `held` packets of 1,000 bytes, which were not marked.
fn filled(config: &RedConfig, held: usize) -> RedQueue<()> {
    config.validate().expect("good thresholds");
    let mut queue = RedQueue::new(config, &CONTEXT);
    let harmless = with(packet(1, 1_000), Flags::ECT0);
    while queue.packets() < held {
        queue.line.push(Time::ZERO, &harmless, &mut queue.counters);
        queue.marks.push(Mark::None);
    }
    queue.idle_since = None;
    queue
}

/// The places of marks among `arrivals` packets that find `held` packets before them.
fn marks(config: &RedConfig, held: usize, arrivals: usize) -> Vec<usize> {
    let mut queue = filled(config, held);
    let packet = with(packet(1, 1_000), Flags::ECT0);
    let mut leaving = Vec::new();
    for _ in 0..arrivals {
        assert!(offer(&mut queue, Time::ZERO, &packet).0);
        leaving.push(serve(&mut queue, Time::ZERO));
    }
    for _ in 0..held {
        leaving.push(serve(&mut queue, Time::ZERO));
    }
    let (before, came) = leaving.split_at(held);
    assert!(before.iter().all(|served| !served.marked));
    assert_eq!(
        counters(&queue).marked,
        came.iter().filter(|served| served.marked).count() as u64
    );
    (0..arrivals).filter(|&place| came[place].marked).collect()
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
    // The probability is 1/20: the gaps are uniform on 1 to 20 and 10.5 in the mean.
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
fn what_cannot_be_marked_is_dropped_instead() {
    let mut able = filled(&instantaneous(), 60);
    let mut unable = filled(&instantaneous(), 60);
    let (mut dropped, mut marked) = (Vec::new(), Vec::new());
    for _ in 0..10_000 {
        offer(&mut able, Time::ZERO, &with(packet(1, 1_000), Flags::ECT1));
        let (stored, _) = offer(&mut unable, Time::ZERO, &packet(1, 1_000));
        dropped.push(!stored);
        marked.push(serve(&mut able, Time::ZERO).marked);
        if stored {
            serve(&mut unable, Time::ZERO);
        }
    }
    marked.extend((0..60).map(|_| serve(&mut able, Time::ZERO).marked));
    // The same draws, so the same packets; those that come leave 60 packets later.
    assert_eq!(marked[60..], dropped);
    let drops = dropped.iter().filter(|&&dropped| dropped).count() as u64;
    assert!(drops > 300, "{drops}");
    assert_eq!(counters(&unable).aqm_drops.packets, drops);
    assert_eq!(counters(&unable).marked, 0);
}

#[test]
fn the_average_follows_slowly_and_falls_while_idle() {
    let config = RedConfig::default();
    let mut queue = filled(&config, 100);
    for _ in 0..500 {
        offer(&mut queue, Time::ZERO, &with(packet(1, 1_000), Flags::ECT0));
        serve(&mut queue, Time::ZERO);
    }
    // 500 steps of 0.002 towards 100,000 bytes.
    let expected = 1e5 * (1.0 - libm::pow(0.998, 500.0));
    assert!((queue.average - expected).abs() < 1.0, "{}", queue.average);
    while serve(&mut queue, Time::ZERO).packet.is_some() {}
    // 1,000 bytes take 160 us, so that 1,000 of them could have come in 160 ms.
    let later = Time::ZERO + Duration::from_ms(160);
    offer(&mut queue, later, &packet(1, 1_000));
    let expected = expected * libm::pow(0.998, 1_001.0);
    assert!((queue.average - expected).abs() < 1.0, "{}", queue.average);
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
#[test]
fn a_refused_packet_does_not_end_the_idle_time() {
    let mut queue = filled(&RedConfig::default(), 0);
    queue.average = 200_000.0;
    assert_eq!(offer(&mut queue, Time::ZERO, &packet(1, 1_000)), (false, 0));
    assert_eq!(counters(&queue).aqm_drops.packets, 1);
    // A second has room for 6,250 packets.
    let later = Time::from_ns(1_000_000_000);
    assert_eq!(offer(&mut queue, later, &packet(1, 1_000)), (true, 0));
    assert!(queue.average < 1.0, "{}", queue.average);
}
