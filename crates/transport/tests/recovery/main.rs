//! Tests of losses and late packets between two hosts, and of their cost.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at what it did not expect"
)]

mod transfer;

use fabricsim_base::units::{Bytes, Duration};
use fabricsim_core::packet::PacketKind;
use fabricsim_transport::rdma::Recovery;
use proptest::prelude::*;

use crate::transfer::{Fate, LAST, MTU, Outcome, PACKETS, RATE, RTO, transfer, transfer_on};

/// Sends a flow of [`PACKETS`]. `lost` lists packet numbers, each with the number of its losses.
fn with_losses(recovery: Recovery, lost: &[(u64, u32)]) -> Outcome {
    let outcome = transfer(&[PACKETS * MTU], recovery, None, |packet, before| {
        let losses = lost.iter().find(|(number, _)| number * MTU == packet.seq);
        match losses {
            Some((_, times)) if packet.kind() == PacketKind::Data && before < *times => Fate::Lost,
            _ => Fate::Arrives,
        }
    });
    assert_eq!(outcome.receiver.delivered, Bytes::new(PACKETS * MTU));
    assert_eq!(
        outcome.completions[0].retransmitted,
        outcome.sender.retransmitted
    );
    outcome
}

fn selectively(lost: &[(u64, u32)]) -> Outcome {
    with_losses(Recovery::Selective, lost)
}

#[test]
fn nothing_is_sent_again_without_loss() {
    for recovery in [Recovery::GoBackN, Recovery::Selective, Recovery::AnyOrder] {
        let outcome = with_losses(recovery, &[]);
        assert_eq!(outcome.again(), 0);
        assert_eq!((outcome.gaps, outcome.timeouts), (0, 0));
    }
}

#[test]
fn one_loss_costs_one_packet() {
    let outcome = selectively(&[(10, 1)]);
    assert_eq!((outcome.again(), outcome.gaps), (1, 1));
    assert_eq!(outcome.timeouts, 0);
    assert_eq!(outcome.receiver.arrived, outcome.receiver.delivered);
    // Going back costs at least a round trip of 4 us at line rate.
    let going_back = with_losses(Recovery::GoBackN, &[(10, 1)]);
    assert!(going_back.again() > 40, "{}", going_back.again());
}

#[test]
fn a_burst_costs_what_was_lost_and_is_one_episode() {
    let burst: Vec<(u64, u32)> = (10..20).chain([25, 31]).map(|number| (number, 1)).collect();
    let outcome = selectively(&burst);
    assert_eq!((outcome.again(), outcome.gaps), (12, 1));
    assert_eq!(outcome.timeouts, 0);
}

#[test]
fn losses_further_apart_than_a_round_trip_are_episodes_of_their_own() {
    let outcome = selectively(&[(5, 1), (90, 1)]);
    assert_eq!((outcome.again(), outcome.gaps), (2, 2));
    assert_eq!(outcome.timeouts, 0);
}

#[test]
fn a_lost_tail_takes_a_timeout() {
    let outcome = selectively(&[(LAST, 1)]);
    assert_eq!((outcome.again(), outcome.gaps, outcome.timeouts), (1, 0, 1));
    assert!(outcome.completions[0].fct() > RTO);
    // The timeout covers the lost packets at the end, and nothing before them.
    let outcome = selectively(&[(LAST - 3, 1), (LAST - 2, 1), (LAST - 1, 1), (LAST, 1)]);
    assert_eq!((outcome.again(), outcome.timeouts), (4, 1));
}

#[test]
fn a_second_copy_that_is_lost_is_noticed_when_something_later_arrives() {
    for times in [2, 3, 5] {
        let outcome = selectively(&[(10, times)]);
        assert_eq!(outcome.again(), u64::from(times));
        assert_eq!((outcome.gaps, outcome.timeouts), (1, 0), "{times}");
    }
}

#[test]
fn a_second_copy_with_nothing_after_it_takes_a_timeout() {
    let outcome = selectively(&[(LAST - 1, 2)]);
    assert_eq!((outcome.again(), outcome.timeouts), (2, 1));
}

/// In a network that reorders packets, a late packet appears lost. It is retransmitted once, even
/// if many other packets pass it, unless it arrives before its copy can leave.
#[test]
fn a_late_packet_costs_a_copy_at_most() {
    let copies = |passed: u64, late: &[u64]| {
        let by = RATE.transmission(Bytes::new(1_048 * passed)) + Duration::from_ns(10);
        let outcome = transfer(
            &[PACKETS * MTU],
            Recovery::Selective,
            None,
            |packet, before| {
                let data = packet.kind() == PacketKind::Data;
                if data && before == 0 && late.contains(&(packet.seq / MTU)) {
                    Fate::Late(by)
                } else {
                    Fate::Arrives
                }
            },
        );
        assert_eq!(outcome.receiver.delivered, Bytes::new(PACKETS * MTU));
        assert_eq!(outcome.timeouts, 0);
        outcome.again()
    };
    for passed in 1..30 {
        assert!(copies(passed, &[40]) <= 1, "passed by {passed}");
        let five = copies(passed, &[10, 30, 31, 70, 90]);
        assert!(five <= 5, "passed by {passed}: {five}");
    }
    assert_eq!(
        (copies(20, &[40]), copies(20, &[10, 30, 31, 70, 90])),
        (1, 5)
    );
}

/// With any order, packets held beyond a lost one do not use the window: all other packets arrive
/// while one is missing.
#[test]
fn what_has_arrived_does_not_take_up_the_window() {
    let last_but_one = |recovery| {
        let mut before_copy = 0;
        let window = Some(Bytes::new(20 * MTU));
        let outcome = transfer(&[PACKETS * MTU], recovery, window, |packet, before| {
            let data = packet.kind() == PacketKind::Data;
            match data && packet.seq == 10 * MTU && before == 0 {
                true => return Fate::Lost,
                false if data && packet.seq == 10 * MTU => before_copy = 0,
                false if data => before_copy += 1,
                false => {}
            }
            Fate::Arrives
        });
        (outcome.again(), outcome.timeouts, before_copy)
    };
    // The copy is the last packet that leaves.
    assert_eq!(last_but_one(Recovery::AnyOrder), (1, 1, 0));
}

fn recoveries() -> impl Strategy<Value = Recovery> {
    prop::sample::select(vec![
        Recovery::GoBackN,
        Recovery::Selective,
        Recovery::AnyOrder,
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// For any losses, each byte is delivered once and every flow ends.
    #[test]
    fn every_byte_is_delivered_once(
        sizes in prop::collection::vec(1u64..150_000, 1..4),
        recovery in recoveries(),
        window in prop::option::of(1u64..60_000),
        loss_of_data in 0u32..300,
        loss_of_acks in 0u32..300,
        late in 0u32..100,
        seed in any::<u64>(),
    ) {
        let mut random = seed | 1;
        let mut below = |thousandths: u32| {
            // xorshift64: any sequence without a pattern is suitable.
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random % 1_000 < u64::from(thousandths)
        };
        let outcome = transfer(&sizes, recovery, window.map(Bytes::new), |packet, _| {
            let loss = match packet.kind() {
                PacketKind::Data => loss_of_data,
                _ => loss_of_acks,
            };
            if below(loss) {
                Fate::Lost
            } else if below(late) {
                Fate::Late(Duration::from_us(3))
            } else {
                Fate::Arrives
            }
        });
        let total = Bytes::new(sizes.iter().sum());
        prop_assert_eq!(outcome.completions.len(), sizes.len());
        prop_assert_eq!(outcome.receiver.delivered, total);
        prop_assert_eq!(outcome.sender.acknowledged, total);
        prop_assert_eq!(outcome.sender.sent, total + outcome.sender.retransmitted);
        prop_assert!(outcome.receiver.arrived <= outcome.sender.sent);
        let again = outcome.completions.iter().map(|done| done.retransmitted.get());
        prop_assert_eq!(again.sum::<u64>(), outcome.sender.retransmitted.get());
    }

    /// With any order, exactly the lost packets are retransmitted, regardless of reordering.
    #[test]
    fn in_any_order_only_losses_are_retransmitted(
        packets in 2u64..200,
        window in prop::option::of(5u64..60),
        lost in prop::collection::btree_map(0u64..200, 1u32..3, 0..20),
        late in prop::collection::btree_map(0u64..200, 1u64..10_000, 0..60),
    ) {
        let mut gone = 0;
        let window = window.map(|packets| Bytes::new(packets * MTU));
        let outcome = transfer(&[packets * MTU], Recovery::AnyOrder, window, |packet, before| {
            let times = lost.get(&(packet.seq / MTU)).copied().unwrap_or(0);
            if packet.kind() == PacketKind::Data && before < times {
                gone += 1;
                return Fate::Lost;
            }
            match late.get(&(packet.seq / MTU)) {
                Some(&by) => Fate::Late(Duration::from_ns(by)),
                None => Fate::Arrives,
            }
        });
        prop_assert_eq!(outcome.receiver.delivered, Bytes::new(packets * MTU));
        prop_assert_eq!(outcome.again(), gone);
        prop_assert_eq!(outcome.gaps, 0);
    }

    /// If only data is lost and the order is kept, exactly the lost packets are retransmitted
    /// without a timeout.
    #[test]
    fn without_a_timeout_only_losses_are_retransmitted(
        packets in 2u64..200,
        window in prop::option::of(5u64..60),
        lost in prop::collection::btree_map(0u64..200, 1u32..3, 0..20),
    ) {
        let mut gone = 0;
        let window = window.map(|packets| Bytes::new(packets * MTU));
        let outcome = transfer(&[packets * MTU], Recovery::Selective, window, |packet, before| {
            let times = lost.get(&(packet.seq / MTU)).copied().unwrap_or(0);
            if packet.kind() == PacketKind::Data && before < times {
                gone += 1;
                return Fate::Lost;
            }
            Fate::Arrives
        });
        prop_assert_eq!(outcome.receiver.delivered, Bytes::new(packets * MTU));
        if outcome.timeouts == 0 {
            prop_assert_eq!(outcome.again(), gone);
        } else {
            prop_assert!(outcome.again() >= gone);
        }
    }
}

/// A late packet does not block a window of ten, neither of a flow nor of a connection, because
/// packets that have arrived beyond it are not in flight.
#[test]
fn what_arrives_beyond_a_late_packet_takes_no_window() {
    let window = Some(Bytes::new(10 * MTU));
    let late = Duration::from_us(60);
    let ends = |connection, sizes: &[u64], late: Option<Duration>| {
        let order = Recovery::AnyOrder;
        let outcome = transfer_on(connection, sizes, order, window, |packet, _| match late {
            Some(by) if packet.kind() == PacketKind::Data && packet.seq == 20 * MTU => {
                Fate::Late(by)
            }
            _ => Fate::Arrives,
        });
        assert_eq!(outcome.again(), 0);
        outcome.completions.iter().map(|done| done.finish).max()
    };
    let whole = [PACKETS * MTU];
    let (flow, connection) = (
        ends(false, &whole, Some(late)),
        ends(true, &whole, Some(late)),
    );
    assert_eq!(connection, flow);
    // It uses a tenth of the window as long as it is late.
    let punctual = ends(true, &whole, None).unwrap();
    let lost = connection.unwrap().since(punctual);
    assert!(lost < Duration::from_us(10), "{lost}");
    // Messages of a packet and a half: while packets are held, padding counts as well.
    let messages = [1_500; 100];
    let lost = ends(true, &messages, Some(late)).unwrap();
    let lost = lost.since(ends(true, &messages, None).unwrap());
    assert!(lost < Duration::from_us(25), "{lost}");
}
