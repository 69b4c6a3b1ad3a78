//! Tests of steps computed by hand.

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::Time;
use fabricsim_core::plugin::{CcContext, Hop};

use super::*;
use crate::config::Reaction;
use crate::path::PortLabel;
use crate::stack::ExactStack;

type Stack = ExactStack<5>;

const LINE: Rate = Rate::from_gbps(100);
/// τ: 125,000 bytes in flight at line rate.
const TAU: Duration = Duration::from_us(10);
/// A tenth of the window, as with ten expected flows.
const TENTH: Rate = Rate::from_gbps(10);

fn network() -> CcContext {
    CcContext {
        base_rtt: TAU,
        ..CcContext::of_nics(LINE)
    }
}

fn flow(network: &CcContext) -> PowerTcp<Stack> {
    let config = PowerTcpConfig {
        additive_increase: Some(TENTH),
        ..PowerTcpConfig::default()
    };
    let start = FlowStart::new(LINE, TAU, Bytes::new(1_000), network);
    ControllerFactory::<Stack>::build(&config, &start)
}

/// Returns the stack of one hop of `node` at `ns`, with `sent` bytes sent and `queue` bytes queued.
fn seen(network: &CcContext, node: u32, ns: u64, sent: u64, queue: u64) -> Stack {
    let mut stack = Stack::default();
    let hop = Hop {
        now: Time::from_ns(ns),
        arrived: Time::from_ns(ns),
        ingress: PortId(0),
        port: PortId(0),
        rate: LINE,
        queue: Bytes::new(queue),
        sent: Bytes::new(sent),
    };
    let label = PortLabel::new(NodeId(node), PortId(0), 0);
    stack.push(&hop, label, &IntScale::new(network));
    stack
}

fn ack(cc: &mut PowerTcp<Stack>, cumulative: u64, stack: &Stack) -> f64 {
    cc.on_ack(&Ack::new(
        Time::ZERO,
        cumulative,
        cumulative + 100_000,
        TAU,
        stack,
    ));
    cc.window.window
}

#[test]
fn a_full_link_without_a_queue_has_power_one() {
    let network = network();
    let mut cc = flow(&network);
    let window = ack(&mut cc, 1_000, &seen(&network, 4, 1_024, 0, 0));
    assert!((window - 125_000.0).abs() < 1e-6, "{window}");
    // 12,800 bytes in 1,024 ns are line rate: the power stays 1, and the window is at its limit.
    let window = ack(&mut cc, 2_000, &seen(&network, 4, 2_048, 12_800, 0));
    assert!((window - 125_000.0).abs() < 1e-6, "{window}");
    assert!((cc.power() - 1.0).abs() < 1e-9, "{}", cc.power());
}

#[test]
fn a_queue_of_one_product_halves_the_window() {
    let network = network();
    let mut cc = flow(&network);
    ack(&mut cc, 1_000, &seen(&network, 4, 1_024, 0, 125_008));
    // Over a whole round trip: current 1 and voltage 2, so the power is 2, and the window is 0.9
    // (125,000 / 2 + 12,500) + 0.1 125,000 = 80,000.
    let window = ack(&mut cc, 2_000, &seen(&network, 4, 11_264, 128_000, 125_008));
    assert!((cc.power() - 2.0).abs() < 1e-3, "{}", cc.power());
    assert!((window - 80_000.0).abs() < 20.0, "{window}");
}

#[test]
fn a_queue_that_grows_counts_before_it_is_long() {
    let network = network();
    let mut cc = flow(&network);
    ack(&mut cc, 1_000, &seen(&network, 4, 1_024, 0, 0));
    // 12,800 bytes sent and as many queued in 1,024 ns: current 2, voltage 1.1024. The weight is
    // 0.1024 of a round trip: 0.8976 + 0.1024 2.2048 = 1.12337.
    let window = ack(&mut cc, 2_000, &seen(&network, 4, 2_048, 12_800, 12_800));
    assert!((cc.power() - 1.12337).abs() < 1e-4, "{}", cc.power());
    let expected = 0.9 * (125_000.0 / 1.12337 + 12_500.0) + 12_500.0;
    assert!((window - expected).abs() < 5.0, "{window}");
}

#[test]
fn another_path_is_not_compared() {
    let network = network();
    let mut cc = flow(&network);
    ack(&mut cc, 1_000, &seen(&network, 4, 1_024, 0, 0));
    let window = ack(&mut cc, 2_000, &seen(&network, 5, 2_048, 1 << 30, 1 << 20));
    assert!((window - 125_000.0).abs() < 1e-6, "{window}");
    assert!((cc.power() - 1.0).abs() < 1e-9, "{}", cc.power());
}

fn theta(network: &CcContext) -> ThetaPowerTcp {
    let config = ThetaPowerTcpConfig {
        additive_increase: Some(TENTH),
        rtt_allowance: 1.0,
        ..ThetaPowerTcpConfig::default()
    };
    let start = FlowStart::new(LINE, TAU, Bytes::new(1_000), network);
    ControllerFactory::<Stack>::build(&config, &start)
}

fn theta_ack(cc: &mut ThetaPowerTcp, at: u64, rtt: u64, cumulative: u64) -> (f64, u64) {
    let stack = Stack::default();
    let rtt = Duration::from_us(rtt);
    let now = Time::from_ns(at * 1_000);
    CongestionControl::<Stack>::on_ack(
        cc,
        &Ack {
            least_rtt: TAU,
            ..Ack::new(now, cumulative, cumulative + 100_000, rtt, &stack)
        },
    );
    let window = CongestionControl::<Stack>::window(cc).map_or(0, Bytes::get);
    (cc.power(), window)
}

#[test]
fn theta_measures_the_power_by_the_round_trip_time() {
    let network = network();
    let mut cc = theta(&network);
    assert_eq!(theta_ack(&mut cc, 100, 10, 1_000), (1.0, 125_000));
    // 1 us later, the round-trip time is 1 us longer: current 2, voltage 1.1, with a weight of a
    // tenth of a round trip. The window is 0.7 (125,000 / 1.12 + 12,500) + 0.3 125,000 = 124,375.
    let (power, window) = theta_ack(&mut cc, 101, 11, 2_000);
    assert!((power - 1.12).abs() < 1e-9, "{power}");
    assert_eq!(window, 124_375);
    // Same round-trip time as before: current 1, voltage 1.1, over a whole round trip.
    let (power, _) = theta_ack(&mut cc, 111, 11, 3_000);
    assert!((power - 1.1).abs() < 1e-9, "{power}");
    // The current counts as at least one half, even if the round-trip time falls quickly.
    let (power, _) = theta_ack(&mut cc, 121, 1, 4_000);
    assert!(power > 0.49 && power < 0.51, "{power}");
}

#[test]
fn theta_moves_its_window_once_in_a_round_trip_if_told_so() {
    let network = network();
    let config = ThetaPowerTcpConfig {
        additive_increase: Some(TENTH),
        rtt_allowance: 1.0,
        reaction: Reaction::PerRtt,
        ..ThetaPowerTcpConfig::default()
    };
    let start = FlowStart::new(LINE, TAU, Bytes::new(1_000), &network);
    let mut cc = ControllerFactory::<Stack>::build(&config, &start);
    assert_eq!(theta_ack(&mut cc, 100, 10, 1_000), (1.0, 125_000));
    // The acknowledged bytes were sent before that: the power is 1.12, and the window stays.
    let (power, window) = theta_ack(&mut cc, 101, 11, 2_000);
    assert!((power - 1.12).abs() < 1e-9, "{power}");
    assert_eq!(window, 125_000);
    theta_ack(&mut cc, 111, 20, 3_000);
    // The next round trip: current 1, voltage 2.
    let (power, window) = theta_ack(&mut cc, 121, 20, 102_000);
    assert!((power - 2.0).abs() < 1e-9, "{power}");
    // 0.7 (125,000 / 2 + 12,500) + 0.3 125,000 = 90,000.
    assert_eq!(window, 90_000);
}
