//! Tests of steps computed by hand: 100 Gbps, 8 us, packets of 1,000 bytes plus 48 bytes of
//! headers.

use super::super::harness::cc;
use super::*;
use fabricsim_core::plugin::Quirks;

/// Returns a flow with credit for 150,000 bytes.
fn rccc() -> Rccc {
    cc(&RcccConfig::default(), Quirks::EXACT)
}

fn send(cc: &mut Rccc, packets: u64) {
    for _ in 0..packets {
        assert!(may_send(cc));
        CongestionControl::<()>::on_sent(cc, Bytes::new(1_048));
    }
}

fn may_send(cc: &Rccc) -> bool {
    CongestionControl::<()>::has_credit(cc)
}

/// Returns the requested credit beyond the first number, with `unsent` and `lost` bytes left.
fn asked(cc: &mut Rccc, unsent: u64, lost: u64, ready: u32) -> i128 {
    let demand = CreditDemand {
        unsent: Bytes::new(unsent),
        lost: Bytes::new(lost),
        packet: Bytes::new(1_048),
        ready,
    };
    let number = CongestionControl::<()>::ask_for_credit(cc, &demand).expect("it uses credit");
    i128::from(number) - i128::from(CREDIT_BEGINS)
}

fn grant(cc: &mut Rccc, bytes: u64) {
    CongestionControl::<()>::on_credit(cc, Time::ZERO, CREDIT_BEGINS + bytes);
}

fn trim(cc: &mut Rccc) {
    CongestionControl::<()>::on_trimmed(
        cc,
        &Congestion {
            now: Time::ZERO,
            signal: Signal::Loss,
            in_flight: Bytes::ZERO,
            next_seq: 0,
        },
    );
}

#[test]
fn a_flow_begins_with_one_and_a_half_products() {
    let mut cc = rccc();
    // 143 packets are 149,864 bytes: one more may leave.
    send(&mut cc, 144);
    assert!(!may_send(&cc));
}

#[test]
fn what_is_left_of_the_first_credit_is_void_after_the_first_grant() {
    let mut cc = rccc();
    send(&mut cc, 100);
    grant(&mut cc, 3_840);
    assert_eq!(cc.credit, 3_840);
    // The next grant adds to the credit, an old one has no effect.
    grant(&mut cc, 2 * 3_840);
    grant(&mut cc, 3_840);
    assert_eq!(cc.credit, 2 * 3_840);
}

#[test]
fn what_was_overdrawn_is_paid_back() {
    let mut cc = rccc();
    send(&mut cc, 144);
    let owed = 144 * 1_048 - 150_000;
    trim(&mut cc);
    grant(&mut cc, 3_840);
    assert_eq!(cc.credit, 3_840 - owed);
}

#[test]
fn a_report_of_a_loss_voids_the_first_credit_and_no_other() {
    let mut cc = rccc();
    trim(&mut cc);
    assert!(!may_send(&cc));
    grant(&mut cc, 3_840);
    trim(&mut cc);
    assert_eq!(cc.credit, 3_840);
}

#[test]
fn credit_is_at_most_the_largest_window() {
    let mut cc = rccc();
    grant(&mut cc, 1_000_000);
    assert_eq!(cc.credit, 150_000);
}

#[test]
fn a_flow_asks_for_what_it_has_left_less_what_it_holds() {
    let mut cc = rccc();
    // All of the first credit is left: the flow requests a packet even so.
    assert_eq!(asked(&mut cc, 1_000_000, 0, 1), 1_280);
    // The last packet of a short flow requests a negative amount.
    assert_eq!(asked(&mut cc, 0, 0, 1), -150_000 + 240);
    send(&mut cc, 100);
    assert_eq!(asked(&mut cc, 1_000_000, 0, 1), 104_960);
    grant(&mut cc, 3_840);
    // 150,000 minus 3,840, from the granted number.
    assert_eq!(asked(&mut cc, 1_000_000, 0, 1), 150_016);
    assert_eq!(asked(&mut cc, 2_000, 8_000, 1), 10_240);
}

#[test]
fn flows_of_one_port_share_what_they_ask_for() {
    let mut cc = rccc();
    grant(&mut cc, 3_840);
    let wanted = (150_000 - 3_840) / 4;
    assert_eq!(
        asked(&mut cc, 1_000_000, 0, 4),
        (3_840_i128 + wanted + 255) / 256 * 256
    );
}

#[test]
fn grants_are_of_whole_units() {
    let network = CcContext {
        base_rtt: Duration::from_us(8),
        ..CcContext::of_nics(Rate::from_gbps(100))
    };
    let rules = |config: RcccConfig, mtu| config.credit(Bytes::new(mtu), &network).expect("credit");
    let four = rules(RcccConfig::default(), 4_096);
    assert_eq!(
        (four.grant, four.spare),
        (Bytes::new(16_384), Duration::from_us(12))
    );
    let one = RcccConfig {
        grant_packets: 1,
        ..RcccConfig::default()
    };
    assert_eq!(rules(one.clone(), 1_000).grant, Bytes::new(768));
    assert_eq!(rules(one, 64).grant, Bytes::new(256));
}
