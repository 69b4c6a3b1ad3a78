//! Tests of duplicate acknowledgements without SACK.

use fabricsim_base::units::Rate;
use fabricsim_core::plugin::{CcContext, DynFactory, FlowStart};
use std::sync::Arc;

use super::*;
use crate::cc::NewRenoConfig;
use crate::tcp::config::{TcpConfig, TcpProfile};

const RTT: Duration = Duration::from_us(20);
const MSS: u64 = 1_448;

/// Returns a sender with its first window of ten segments in flight, and the time one round trip
/// later.
fn sending() -> (TcpSender, Time) {
    let rate = Rate::from_gbps(25);
    let network = CcContext::of_nics(rate);
    let factory = NewRenoConfig::default();
    let cc = factory.build_dyn(&FlowStart {
        wire: Bytes::new(1_538),
        ip: Bytes::new(1_500),
        initial_window: Bytes::new(10 * MSS),
        feedback: Feedback::None,
        ..FlowStart::new(rate, RTT, Bytes::new(MSS), &network)
    });
    let config = TcpConfig {
        profile: TcpProfile::UserSpace,
        ..TcpConfig::default()
    };
    let parameters = Arc::new(config.parameters());
    assert_eq!(parameters.detection, Detection::DupAcks);
    let ecn = factory.ecn(Feedback::None);
    let mut sender = TcpSender::new((cc, Rate::from_gbps(10)), ecn, Feedback::None, parameters);
    sender.write(1_000 * MSS);
    fill(&mut sender, Time::ZERO);
    (sender, Time::ZERO + RTT)
}

/// Sends all segments that may leave. Returns the number of segments that were retransmitted or
/// wait for retransmission.
fn fill(sender: &mut TcpSender, now: Time) -> u32 {
    let mut again = 0;
    while sender.may_send() {
        again += u32::from(sender.send(now).again);
    }
    again + sender.board.lost()
}

/// Acknowledges all bytes below segment `next` (from zero). Returns the number of segments then
/// considered lost.
fn acknowledge(sender: &mut TcpSender, now: Time, next: u64) -> u32 {
    sender.on_ack(
        now,
        &Incoming {
            cumulative: next * MSS,
            blocks: &[],
            ece: false,
            ce_count: 0,
            echo: Some(Time::from_ps(now.as_ps() - RTT.as_ps())),
        },
    );
    fill(sender, now)
}

/// Returns the number of the next segment, from zero.
fn next(sender: &TcpSender) -> u64 {
    sender.next / MSS
}

/// RFC 5681, section 3.2: the third duplicate indicates a loss, and the first segment is considered
/// lost.
#[test]
fn the_third_duplicate_begins_a_recovery() {
    let (mut sender, now) = sending();
    acknowledge(&mut sender, now, 2);
    for _ in 0..2 {
        assert_eq!(acknowledge(&mut sender, now, 2), 0);
        assert_eq!(sender.phase, Phase::Open);
    }
    let recover = next(&sender);
    assert_eq!(acknowledge(&mut sender, now, 2), 1);
    assert_eq!(sender.phase, Phase::Recovery);
    assert_eq!(sender.recovery_point, recover * MSS);
}

/// RFC 5681, section 3.2, step 3, and RFC 6582, section 3.2, step 3: the lost segment is
/// retransmitted immediately, although more than half of the window is in flight; new segments are
/// not sent.
#[test]
fn what_is_lost_is_retransmitted_whatever_is_in_flight() {
    let (mut sender, now) = sending();
    acknowledge(&mut sender, now, 2);
    for _ in 0..2 {
        acknowledge(&mut sender, now, 2);
    }
    let sent = next(&sender);
    acknowledge(&mut sender, now, 2);
    assert_eq!(sender.board.lost(), 0, "it has left");
    assert_eq!(sender.retransmitted, MSS);
    let in_flight = u64::from(sender.board.in_flight()) * MSS;
    assert!(in_flight > sender.window_bytes().get());
    assert_eq!(next(&sender), sent);
    // The same holds for the segment requested by a partial acknowledgement.
    acknowledge(&mut sender, now + RTT, 3);
    assert_eq!((sender.board.lost(), sender.retransmitted), (0, 2 * MSS));
}

/// RFC 6582, section 3.2, step 2: three duplicates begin a recovery only if they acknowledge more
/// than `recover`, the last byte sent before the previous recovery began.
#[test]
fn a_second_recovery_begins_only_beyond_recover() {
    let (mut sender, now) = sending();
    for _ in 0..4 {
        acknowledge(&mut sender, now, 2);
    }
    let recover = sender.recovery_point / MSS;
    // A full acknowledgement (step 3) ends the recovery at exactly `recover`.
    let now = now + RTT;
    assert_eq!(acknowledge(&mut sender, now, recover), 0);
    assert_eq!((sender.phase, sender.una), (Phase::Open, recover * MSS));
    for _ in 0..5 {
        assert_eq!(acknowledge(&mut sender, now, recover), 0);
        assert_eq!(sender.phase, Phase::Open);
    }
    // One segment later, three duplicates begin a recovery.
    let now = now + RTT;
    acknowledge(&mut sender, now, recover + 1);
    for _ in 0..2 {
        assert_eq!(acknowledge(&mut sender, now, recover + 1), 0);
        assert_eq!(sender.phase, Phase::Open);
    }
    assert_eq!(acknowledge(&mut sender, now, recover + 1), 1);
    assert_eq!(sender.phase, Phase::Recovery);
}

/// RFC 6582, section 3.2, step 3: after a partial acknowledgement, the next segment is considered
/// lost, and the recovery continues.
#[test]
fn a_partial_acknowledgement_goes_on_with_the_recovery() {
    let (mut sender, now) = sending();
    for _ in 0..4 {
        acknowledge(&mut sender, now, 2);
    }
    let recover = sender.recovery_point;
    assert_eq!(acknowledge(&mut sender, now + RTT, 5), 1);
    assert_eq!(
        (sender.phase, sender.recovery_point),
        (Phase::Recovery, recover)
    );
}

/// RFC 5681, section 3.2: duplicates are counted from the last acknowledgement of new data.
#[test]
fn stray_duplicates_are_forgotten_on_progress() {
    let (mut sender, now) = sending();
    for cumulative in 1..6 {
        acknowledge(&mut sender, now, cumulative);
        let outstanding = next(&sender) - cumulative;
        assert_eq!(u64::from(sender.board.in_flight()), outstanding);
        // Each represents a segment that has left the network.
        for stray in 1..=2 {
            assert_eq!(acknowledge(&mut sender, now, cumulative), 0);
            let outstanding = next(&sender) - cumulative;
            assert_eq!(u64::from(sender.board.in_flight()), outstanding - stray);
            assert_eq!(sender.phase, Phase::Open);
        }
    }
}
