//! Tests of the algorithm with handmade telemetry.

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::Time;
use fabricsim_core::plugin::{CcContext, ControllerFactory, Hop, Quirks};

use super::*;
use crate::config::{Form, HpccConfig};
use crate::path::PortLabel;
use crate::scale::IntScale;
use crate::stack::ExactStack;
use fabricsim_base::units::Duration;

mod paths;

type Stack = ExactStack<5>;

const LINE: Rate = Rate::from_gbps(100);
/// T of the tests.
const T_NS: u64 = 10_000;

/// A configuration in a network.
struct Setup {
    config: HpccConfig,
    network: CcContext,
    scale: IntScale,
}

impl Setup {
    fn start(&self) -> FlowStart<'_> {
        let base_rtt = Duration::from_ns(T_NS);
        FlowStart::new(LINE, base_rtt, Bytes::new(1_000), &self.network)
    }
}

fn factory(config: HpccConfig, quirks: Quirks) -> Setup {
    let network = CcContext {
        base_rtt: Duration::from_ns(T_NS),
        quirks,
        ..CcContext::of_nics(LINE)
    };
    Setup {
        config,
        scale: IntScale::new(&network),
        network,
    }
}

fn flow(setup: &Setup) -> Hpcc<Stack> {
    ControllerFactory::<Stack>::build(&setup.config, &setup.start())
}

fn window(cc: &Hpcc<Stack>) -> Option<Bytes> {
    CongestionControl::<Stack>::window(cc)
}

fn reschedules(cc: &Hpcc<Stack>) -> bool {
    CongestionControl::<Stack>::reschedules(cc)
}

fn label(node: u32, port: u16) -> PortLabel {
    PortLabel::new(NodeId(node), PortId(port), 0)
}

/// Returns the stack of one hop, dequeued at `ns`, with `sent` bytes sent and `queue` bytes queued.
fn seen(factory: &Setup, ns: u64, sent: u64, queue: u64) -> Stack {
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
    stack.push(&hop, label(4, 0), &factory.scale);
    stack
}

fn ack(cc: &mut Hpcc<Stack>, stack: &Stack, cumulative: u64, next_seq: u64) {
    cc.on_ack(&Ack::new(
        Time::ZERO,
        cumulative,
        next_seq,
        Duration::ZERO,
        stack,
    ));
}

fn gbps(cc: &Hpcc<Stack>) -> f64 {
    cc.rate.as_bps_f64() / 1e9
}

#[test]
fn the_first_acknowledgement_only_sets_the_scene() {
    let factory = factory(HpccConfig::default(), Quirks::EXACT);
    let mut cc = flow(&factory);
    ack(&mut cc, &seen(&factory, 1_024, 0, 0), 1_000, 100_000);
    assert_eq!(cc.rate, LINE);
    assert_eq!(window(&cc), Some(Bytes::new(125_000)));
    assert!(!reschedules(&cc));
}

#[test]
fn a_flow_whose_first_packet_was_trimmed_follows_the_link_all_the_same() {
    let factory = factory(HpccConfig::default(), Quirks::EXACT);
    let mut cc = flow(&factory);
    // Only later packets have arrived.
    let first = seen(&factory, 1_024, 0, 125_000);
    let second = seen(&factory, 11_264, 128_000, 125_000);
    ack(&mut cc, &first, 0, 100_000);
    ack(&mut cc, &second, 0, 101_000);
    // The link is full and its queue holds one bandwidth-delay product.
    assert!(gbps(&cc) < 50.0, "{}", gbps(&cc));
}

#[test]
fn a_half_idle_link_over_a_whole_round_trip_doubles_the_reference() {
    let factory = factory(HpccConfig::default(), Quirks::EXACT);
    let mut cc = flow(&factory);
    // Start from half the line rate.
    cc.single.reference = 50e9;
    ack(&mut cc, &seen(&factory, 1_024, 0, 0), 1_000, 100_000);
    // 62,500 bytes in 10,000 ns are 50 Gbps: u = 0.5, measured over all of T.
    ack(
        &mut cc,
        &seen(&factory, 1_024 + T_NS, 62_500, 0),
        101_000,
        200_000,
    );
    assert!(
        (cc.utilization() - 0.5).abs() < 1e-3,
        "{}",
        cc.utilization()
    );
    // 50 / (0.5 / 0.95) + 0.05 = 95.05 Gbps; the resolution of timestamps is 256 ps.
    assert!((gbps(&cc) - 95.05).abs() < 0.1, "{}", gbps(&cc));
}

#[test]
fn a_standing_queue_counts_like_load() {
    let factory = factory(HpccConfig::default(), Quirks::EXACT);
    let mut cc = flow(&factory);
    ack(&mut cc, &seen(&factory, 1_024, 0, 125_008), 1_000, 100_000);
    // Line rate and a queue of one bandwidth-delay product: u = 2.
    ack(
        &mut cc,
        &seen(&factory, 1_024 + T_NS, 125_000, 125_008),
        101_000,
        200_000,
    );
    assert!(
        (cc.utilization() - 2.0).abs() < 1e-2,
        "{}",
        cc.utilization()
    );
    assert!(
        (gbps(&cc) - (100.0 * 0.95 / 2.0 + 0.05)).abs() < 0.2,
        "{}",
        gbps(&cc)
    );
    let window = window(&cc).map_or(0, Bytes::get);
    assert!((59_000..=60_000).contains(&window), "{window}");
}

/// B T of a link of 100 Gbps is 125,000 bytes, regardless of the flow's own NIC.
#[test]
fn a_queue_is_measured_by_its_link_and_not_by_the_nic() {
    for nic in [10, 25, 100].map(Rate::from_gbps) {
        let factory = factory(HpccConfig::default(), Quirks::EXACT);
        let mut cc: Hpcc<Stack> = ControllerFactory::<Stack>::build(
            &factory.config,
            &FlowStart {
                line_rate: nic,
                bdp: nic.bytes_in(Duration::from_ns(T_NS)),
                ..factory.start()
            },
        );
        ack(&mut cc, &seen(&factory, 1_024, 0, 125_008), 1_000, 100_000);
        // A quarter of the link's rate and a queue of one bandwidth-delay product: u = 1.25.
        let loaded = seen(&factory, 1_024 + T_NS, 31_250, 125_008);
        ack(&mut cc, &loaded, 101_000, 200_000);
        let utilization = cc.utilization();
        assert!((utilization - 1.25).abs() < 1e-2, "{nic}: {utilization}");
    }
}

#[test]
fn between_commits_the_rate_moves_and_the_reference_stays() {
    let factory = factory(HpccConfig::default(), Quirks::EXACT);
    let mut cc = flow(&factory);
    ack(&mut cc, &seen(&factory, 1_024, 0, 0), 1_000, 100_000);
    ack(
        &mut cc,
        &seen(&factory, 1_124, 1_250, 50_000),
        2_000,
        101_000,
    );
    assert!(cc.rate < LINE);
    assert!((cc.single.reference - 100e9).abs() < 1.0);
    // The first acknowledgement above the old `snd_nxt` commits.
    ack(
        &mut cc,
        &seen(&factory, 1_224, 2_500, 50_000),
        101_000,
        200_000,
    );
    assert!((cc.single.reference - cc.rate.as_bps_f64()).abs() < 1.0);
}

#[test]
fn per_rtt_reaction_ignores_what_comes_between() {
    let config = HpccConfig {
        reaction: Reaction::PerRtt,
        ..HpccConfig::default()
    };
    let factory = factory(config, Quirks::EXACT);
    let mut cc = flow(&factory);
    ack(&mut cc, &seen(&factory, 1_024, 0, 90_000), 1_000, 100_000);
    ack(
        &mut cc,
        &seen(&factory, 6_024, 62_500, 90_000),
        2_000,
        101_000,
    );
    assert_eq!(cc.rate, LINE);
    ack(
        &mut cc,
        &seen(&factory, 1_024 + T_NS, 125_000, 90_000),
        101_000,
        200_000,
    );
    assert!(cc.rate < LINE);
}

/// Within a round trip, an empty queue carries no information, so its entry is skipped. One
/// acknowledgement per round trip counts even so.
#[test]
fn with_sampled_feedback_empty_queues_count_once_in_a_round_trip() {
    let config = HpccConfig {
        sampled_feedback: true,
        ..HpccConfig::default()
    };
    let factory = factory(config, Quirks::EXACT);
    let mut cc = flow(&factory);
    let scene = seen(&factory, 1_024, 0, 0);
    ack(&mut cc, &scene, 1_000, 100_000);
    ack(&mut cc, &seen(&factory, 2_024, 12_500, 0), 2_000, 101_000);
    assert_eq!((cc.rate, reschedules(&cc)), (LINE, false));
    // 25,000 bytes in 2,000 ns since the first acknowledgement are line rate: U stays 1.
    ack(&mut cc, &seen(&factory, 3_024, 25_000, 16), 3_000, 102_000);
    assert!((gbps(&cc) - 95.05).abs() < 0.1, "{}", gbps(&cc));
    assert!(reschedules(&cc));
    // A new round trip: half of the line rate for 2,000 ns, U = 0.8 + 0.2 0.5.
    ack(&mut cc, &seen(&factory, 5_024, 37_500, 0), 101_000, 200_000);
    let utilization = cc.utilization();
    assert!((utilization - 0.9).abs() < 1e-3, "{utilization}");
}

#[test]
fn additive_stages_come_before_a_multiplicative_change() {
    let config = HpccConfig {
        max_stage: 1,
        ..HpccConfig::default()
    };
    let factory = factory(config, Quirks::EXACT);
    let mut cc = flow(&factory);
    cc.single.reference = 10e9;
    cc.single.utilization = 0.1;
    ack(&mut cc, &seen(&factory, 1_024, 0, 0), 1_000, 100_000);
    ack(
        &mut cc,
        &seen(&factory, 1_024 + T_NS, 12_500, 0),
        101_000,
        200_000,
    );
    assert!((gbps(&cc) - 10.05).abs() < 1e-6, "{}", gbps(&cc));
    ack(
        &mut cc,
        &seen(&factory, 1_024 + 2 * T_NS, 25_000, 0),
        201_000,
        300_000,
    );
    assert!(gbps(&cc) > 90.0, "{}", gbps(&cc));
}

#[test]
fn a_fixed_window_stays_when_the_rate_falls() {
    let config = HpccConfig {
        fixed_window: true,
        ..HpccConfig::default()
    };
    let factory = factory(config, Quirks::EXACT);
    let mut cc = flow(&factory);
    ack(&mut cc, &seen(&factory, 1_024, 0, 125_008), 1_000, 100_000);
    let full = seen(&factory, 1_024 + T_NS, 125_000, 125_008);
    ack(&mut cc, &full, 101_000, 200_000);
    assert!(gbps(&cc) < 50.0, "{}", gbps(&cc));
    assert_eq!(window(&cc), Some(Bytes::new(125_000)));
}

#[test]
fn rate_and_window_form_agree_up_to_clamping() {
    let forms = [Form::Rate, Form::Window].map(|form| {
        let factory = factory(
            HpccConfig {
                form,
                ..HpccConfig::default()
            },
            Quirks::EXACT,
        );
        let mut cc = flow(&factory);
        for step in 0..50u64 {
            let stack = seen(
                &factory,
                1_024 + step * 500,
                step * 5_000,
                (step % 7) * 8_000,
            );
            ack(&mut cc, &stack, step * 1_000 + 1, step * 1_000 + 100_000);
        }
        (cc.rate, window(&cc))
    });
    assert_eq!(forms[0].0, forms[1].0);
    let [rate, window] = forms.map(|(_, window)| window.map_or(0, Bytes::get));
    assert!(rate.abs_diff(window) <= 1, "{rate} {window}");
}

#[test]
fn with_rates_per_hop_the_busiest_link_rules() {
    let config = HpccConfig {
        per_hop_rates: true,
        ..HpccConfig::default()
    };
    let factory = factory(config, Quirks::EXACT);
    let mut cc = flow(&factory);
    let two = |ns, sent: [u64; 2], queue| {
        let mut stack = seen(&factory, ns, sent[0], 0);
        let hop = Hop {
            now: Time::from_ns(ns),
            arrived: Time::from_ns(ns),
            ingress: PortId(0),
            port: PortId(0),
            rate: LINE,
            queue: Bytes::new(queue),
            sent: Bytes::new(sent[1]),
        };
        stack.push(&hop, label(5, 0), &factory.scale);
        stack
    };
    ack(&mut cc, &two(1_024, [0, 0], 125_008), 1_000, 100_000);
    ack(
        &mut cc,
        &two(1_024 + T_NS, [12_500, 125_000], 125_008),
        101_000,
        200_000,
    );
    assert!(
        (gbps(&cc) - (100.0 * 0.95 / 2.0 + 0.05)).abs() < 0.2,
        "{}",
        gbps(&cc)
    );
    assert!(cc.per_hop[0].reference > cc.per_hop[1].reference);
}

#[test]
fn published_rates_are_whole_bits() {
    let factory = factory(HpccConfig::default(), Quirks::PUBLISHED);
    let control = Control {
        utilization: 0.97,
        reference: 33_333_333_333.0,
        stage: 0,
    };
    let cc = flow(&factory);
    let (rate, _) = control.step(&cc.constants.rule);
    let exact: f64 = 33_333_333_333.0 / (0.97 / 0.95);
    assert!((rate - (exact.trunc() + 40e6)).abs() < 1e-3, "{rate}");
}
