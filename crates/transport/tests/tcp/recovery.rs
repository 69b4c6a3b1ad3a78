//! Tests of losses and reordering, and of their cost.

use fabricsim_base::units::{Duration, Time};
use fabricsim_transport::cc::{CubicConfig, NewRenoConfig};
use fabricsim_transport::tcp::{Bits, ClassConfig, Detection, Switch, TcpConfig};

use crate::network::{Fate, Network, Path, Segment, faultless, is_data, ms};

fn newreno() -> ClassConfig {
    ClassConfig {
        cc: std::sync::Arc::new(NewRenoConfig::default()),
        ..ClassConfig::default()
    }
}

fn rack() -> TcpConfig {
    TcpConfig::default()
}

fn dup_acks() -> TcpConfig {
    TcpConfig {
        detection: Some(Detection::DupAcks),
        tail_loss_probe: Some(Switch::Off),
        ..TcpConfig::default()
    }
}

/// Results of a transfer of 100 segments over a path with a round-trip time of 40 ms.
struct Outcome {
    fct: f64,
    again: u64,
    timeouts: u64,
}

fn transfer(config: &TcpConfig, fate: impl FnMut(Time, &Segment) -> Fate) -> Outcome {
    let mut network = Network::new(2, Path::wan(ms(40), 1 << 20), config, newreno(), fate);
    network.flow(0, 1, 144_800, Time::ZERO, 0);
    network.finish();
    Outcome {
        fct: network.fct_ms()[0],
        again: network.done[0].retransmitted.get() / 1_448,
        timeouts: network.counters(0).timeouts,
    }
}

/// Loses the first `copies` copies of each segment with one of these numbers.
fn lose(numbers: &[u64], copies: u32) -> impl FnMut(Time, &Segment) -> Fate {
    let mut left: Vec<(u64, u32)> = numbers.iter().map(|&n| (n, copies)).collect();
    move |_, packet| {
        let number = packet.seq / 1_448;
        let entry = left.iter_mut().find(|(n, _)| *n == number);
        match entry {
            Some((_, copies)) if is_data(packet) && *copies > 0 => {
                *copies -= 1;
                Fate::Lost
            }
            _ => Fate::Arrives,
        }
    }
}

#[test]
fn a_loss_costs_one_segment_and_no_timeout() {
    for config in [rack(), dup_acks()] {
        let outcome = transfer(&config, lose(&[20], 1));
        assert_eq!((outcome.again, outcome.timeouts), (1, 0));
    }
}

#[test]
fn with_reports_many_losses_of_a_window_take_one_round_trip() {
    let lost: Vec<u64> = (30..60).step_by(3).collect();
    let outcome = transfer(&rack(), lose(&lost, 1));
    assert_eq!((outcome.again, outcome.timeouts), (10, 0));
    // Without reports, each hole takes a round trip.
    let blind = transfer(&dup_acks(), lose(&lost, 1));
    assert!(
        blind.fct > outcome.fct + 200.0,
        "{} and {}",
        blind.fct,
        outcome.fct
    );
}

#[test]
fn a_lost_retransmission_is_found_by_its_time() {
    let outcome = transfer(&rack(), lose(&[20], 2));
    assert_eq!((outcome.again, outcome.timeouts), (2, 0));
    let blind = transfer(&dup_acks(), lose(&[20], 2));
    assert_eq!(blind.timeouts, 1);
}

#[test]
fn a_lost_tail_is_probed_for() {
    // A single segment waits as long as the timeout, because its acknowledgement may be delayed.
    let one = transfer(&rack(), lose(&[99], 1));
    assert_eq!((one.again, one.timeouts), (1, 0));
    let outcome = transfer(&rack(), lose(&[98, 99], 1));
    assert_eq!((outcome.again, outcome.timeouts), (2, 0));
    let without = TcpConfig {
        tail_loss_probe: Some(Switch::Off),
        ..rack()
    };
    let waited = transfer(&without, lose(&[98, 99], 1));
    assert_eq!((waited.again, waited.timeouts), (2, 1));
    assert!(
        waited.fct > outcome.fct + 100.0,
        "{} and {}",
        waited.fct,
        outcome.fct
    );
    // Three segments at the end are lost: the report of the probe reveals the other two.
    let three = transfer(&rack(), lose(&[97, 98, 99], 1));
    assert_eq!(three.timeouts, 0);
    assert_eq!(three.again, 3);
}

#[test]
fn timeouts_back_off_until_the_network_is_there_again() {
    // Everything between 100 ms and 10 s is lost: a link flap.
    let flap = |at: Time, _: &Segment| {
        let ms = at.as_ns() / 1_000_000;
        if (100..10_000).contains(&ms) {
            Fate::Lost
        } else {
            Fate::Arrives
        }
    };
    for config in [rack(), dup_acks()] {
        let outcome = transfer(&config, flap);
        assert!((5..8).contains(&outcome.timeouts), "{}", outcome.timeouts);
        // The timeouts double, so the last wait is at most as long as the flap.
        assert!(
            (10_000.0..20_500.0).contains(&outcome.fct),
            "{}",
            outcome.fct
        );
    }
}

#[test]
fn reordering_within_a_quarter_of_the_round_trip_is_learned() {
    // Every second data packet takes 5 ms longer, as on two paths.
    let spray = || {
        let mut count = 0;
        move |_: Time, packet: &Segment| {
            count += u32::from(is_data(packet));
            if is_data(packet) && count % 2 == 0 {
                Fate::Late(ms(5))
            } else {
                Fate::Arrives
            }
        }
    };
    let outcome = transfer(&rack(), spray());
    assert_eq!(outcome.timeouts, 0);
    // The first reordering counts as a loss (three reports); later ones do not.
    assert!(outcome.again <= 12, "{}", outcome.again);
    let blind = transfer(&dup_acks(), spray());
    assert!(blind.again + 5 > outcome.again);
}

#[test]
fn lost_acknowledgements_cost_nothing_but_time() {
    let mut count = 0;
    let half = move |_: Time, packet: &Segment| {
        let ack = !is_data(packet) && packet.telemetry.ack() > 0;
        count += u32::from(ack);
        if ack && count % 2 == 0 {
            Fate::Lost
        } else {
            Fate::Arrives
        }
    };
    let outcome = transfer(&rack(), half);
    // No acknowledgement follows the last one, so a probe requests it.
    assert_eq!((outcome.again, outcome.timeouts), (1, 0));
}

#[test]
fn copies_are_reported_and_harm_nobody() {
    let twice = |_: Time, _: &Segment| Fate::Twice(Duration::from_us(700));
    let outcome = transfer(&rack(), twice);
    let plain = transfer(&rack(), faultless);
    assert_eq!((outcome.again, outcome.timeouts), (0, 0));
    assert!(
        (outcome.fct - plain.fct).abs() < 2.0,
        "{} {}",
        outcome.fct,
        plain.fct
    );
}

#[test]
fn delayed_acknowledgements_are_one_for_two_segments() {
    let acks = std::cell::Cell::new(0u32);
    let fate = |_: Time, packet: &Segment| {
        let pure = !is_data(packet) && !packet.telemetry.bits.has(Bits::SYN);
        acks.set(acks.get() + u32::from(pure));
        Fate::Arrives
    };
    let config = TcpConfig::default();
    let class = ClassConfig {
        cc: std::sync::Arc::new(CubicConfig::default()),
        ..ClassConfig::default()
    };
    let mut network = Network::new(2, Path::wan(ms(40), 1 << 20), &config, class, fate);
    network.flow(0, 1, 1_000 * 1_448, Time::ZERO, 0);
    network.finish();
    drop(network);
    // One for the SYN-ACK, 16 quick ones, 984 / 2, and none that waited for its timer.
    assert!((509..=511).contains(&acks.get()), "{}", acks.get());
}
