//! Tests of the algorithm with handmade digests.

use std::collections::VecDeque;

use fabricsim_base::flow::FlowKey;
use fabricsim_base::id::{FlowId, NodeId, PortId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Duration, Time};
use fabricsim_core::packet::{Packet, PacketKind};
use fabricsim_core::plugin::{CcConfig, CcContext, ControllerFactory, Hop, Quirks, Telemetry};

use super::*;
use crate::config::PintConfig;
use crate::digest::Digest;
use crate::published_draws::PortLink;
use crate::telemetry::{PintSettings, PintTelemetry};

const LINE: Rate = Rate::from_gbps(100);
const RTT: Duration = Duration::from_ns(12_240);

fn context(quirks: Quirks) -> CcContext {
    CcContext {
        base_rtt: RTT,
        longest_path: 5,
        seed: 1,
        quirks,
        ..CcContext::of_nics(LINE)
    }
}

fn cc(config: &PintConfig, quirks: Quirks) -> HpccPint {
    assert_eq!(config.validate(), Ok(()));
    ControllerFactory::<Digest>::build(config, &start(LINE, &context(quirks)))
}

fn start(line_rate: Rate, network: &CcContext) -> FlowStart<'_> {
    FlowStart::new(line_rate, RTT, Bytes::new(1_000), network)
}

fn ack(cc: &mut HpccPint, code: Option<u16>, cumulative: u64, next_seq: u64) {
    let mut header = Digest::default();
    if let Some(code) = code {
        header.carry_digest();
        header.raise_digest(code);
    }
    cc.on_ack(&Ack::new(
        Time::ZERO,
        cumulative,
        next_seq,
        Duration::ZERO,
        &header,
    ));
}

fn gbps(cc: &HpccPint) -> f64 {
    cc.rate.as_bps_f64() / 1e9
}

fn window(cc: &HpccPint) -> Option<Bytes> {
    CongestionControl::<Digest>::window(cc)
}

fn reschedules(cc: &HpccPint) -> bool {
    CongestionControl::<Digest>::reschedules(cc)
}

/// Returns a flow after its first digest, at byte 1,000 with 153,000 bytes sent.
fn begun(config: &PintConfig, quirks: Quirks) -> HpccPint {
    let mut cc = cc(config, quirks);
    ack(&mut cc, Some(200), 1_000, 153_000);
    cc
}

#[test]
fn windows_can_be_fixed_or_missing() {
    let after = |window: bool, fixed_window: bool| {
        let config = PintConfig {
            window,
            fixed_window,
            ..PintConfig::default()
        };
        let mut cc = begun_unchecked(&config);
        ack(&mut cc, Some(255), 154_000, 200_000);
        (window_and_rate(&cc), config.validate().is_ok())
    };
    let ((scaled, rate), _) = after(true, false);
    assert!(scaled.is_some_and(|bytes| bytes < Bytes::new(153_000)) && rate < 100.0);
    assert_eq!(after(true, true), ((Some(Bytes::new(153_000)), rate), true));
    assert_eq!(after(false, false), ((None, rate), true));
    assert!(!after(false, true).1);
}

/// Same as [`begun`], for settings that are not validated.
fn begun_unchecked(config: &PintConfig) -> HpccPint {
    let network = context(Quirks::EXACT);
    let mut cc = ControllerFactory::<Digest>::build(config, &start(LINE, &network));
    ack(&mut cc, Some(200), 1_000, 153_000);
    cc
}

fn window_and_rate(cc: &HpccPint) -> (Option<Bytes>, f64) {
    (window(cc), gbps(cc))
}

#[test]
fn the_first_digest_changes_nothing() {
    let cc = begun(&PintConfig::default(), Quirks::EXACT);
    assert_eq!(cc.rate, LINE);
    assert_eq!(window(&cc), Some(Bytes::new(153_000)));
    assert_eq!(cc.last_update_seq, 153_000);
    assert!(!reschedules(&cc));
}

#[test]
fn a_code_leads_to_a_rate() {
    for (code, want) in [
        (113, 100.0),
        (120, 100.0),
        (126, 100.0),
        (127, 99.122),
        (128, 94.405),
        (136, 63.913),
        (150, 32.305),
        (200, 2.863),
    ] {
        let config = PintConfig {
            additive_increase: Some(Rate::from_mbps(50)),
            log_base: Some(1.05),
            ..PintConfig::default()
        };
        for quirks in [Quirks::EXACT, Quirks::PUBLISHED] {
            let mut cc = begun(&config, quirks);
            ack(&mut cc, Some(code), 2_000, 154_000);
            assert!((gbps(&cc) - want).abs() < 1e-3, "{code}: {}", gbps(&cc));
            assert!(reschedules(&cc));
            let full = 153_000.0 * cc.rate.as_bps_f64() / 100e9;
            let window = window(&cc).map_or(0.0, Bytes::as_f64);
            assert!((0.0..1.0).contains(&(full - window)), "{full} {window}");
        }
    }
}

#[test]
fn between_commits_the_reference_stays() {
    let mut cc = begun(&PintConfig::default(), Quirks::EXACT);
    ack(&mut cc, Some(150), 2_000, 154_000);
    ack(&mut cc, Some(150), 153_000, 200_000);
    assert!((cc.reference - 100e9).abs() < 1e-3);
    assert!((gbps(&cc) - 32.305).abs() < 1e-3);
    // The first ACK above the `snd_nxt` of the last commit.
    ack(&mut cc, Some(150), 154_000, 201_000);
    assert!((cc.reference - 32.305e9).abs() < 1e6);
    assert_eq!(cc.last_update_seq, 201_000);
    ack(&mut cc, Some(150), 155_000, 202_000);
    assert!((gbps(&cc) - 10.47).abs() < 1e-2, "{}", gbps(&cc));
    assert_eq!(cc.last_update_seq, 201_000);
}

#[test]
fn without_a_digest_nothing_happens() {
    let mut cc = cc(&PintConfig::default(), Quirks::EXACT);
    ack(&mut cc, None, 1_000, 153_000);
    assert_eq!(cc.last_update_seq, 0, "the first digest has yet to come");
    ack(&mut cc, Some(150), 2_000, 154_000);
    ack(&mut cc, Some(150), 3_000, 155_000);
    assert!(reschedules(&cc));
    let rate = cc.rate;
    ack(&mut cc, None, 200_000, 300_000);
    assert_eq!(cc.rate, rate);
    assert_eq!(cc.last_update_seq, 154_000);
    assert!(!reschedules(&cc));
}

#[test]
fn a_path_far_above_its_target_gets_the_lowest_rate() {
    let mut cc = begun(&PintConfig::default(), Quirks::EXACT);
    ack(&mut cc, Some(255), 2_000, 154_000);
    assert_eq!(cc.rate, Rate::from_gbps(1));
    assert_eq!(window(&cc), Some(Bytes::new(1_530)));
}

#[test]
fn additive_stages_come_before_a_multiplicative_change() {
    let config = PintConfig {
        max_stage: 1,
        ..PintConfig::default()
    };
    let mut cc = begun(&config, Quirks::EXACT);
    cc.reference = 10e9;
    ack(&mut cc, Some(60), 154_000, 200_000);
    assert!((gbps(&cc) - 10.05).abs() < 1e-6, "{}", gbps(&cc));
    ack(&mut cc, Some(60), 201_000, 300_000);
    assert!(gbps(&cc) > 90.0, "{}", gbps(&cc));
}

#[test]
fn only_packets_with_a_digest_grow() {
    let count = |cc: &mut HpccPint| {
        let mut bytes = 0;
        for _ in 0..1_600 {
            let mut header = Digest::default();
            let grown = cc.prepare(&mut header);
            assert_eq!(header.digest(), (grown > 0).then_some(0));
            bytes += grown;
        }
        bytes
    };
    let whole = PintConfig::default();
    assert_eq!(count(&mut cc(&whole, Quirks::EXACT)), 1_600);
    assert_eq!(count(&mut cc(&whole, Quirks::PUBLISHED)), 3_200);
    let sixteenth = PintConfig {
        digest_fraction: 1.0 / 16.0,
        ..PintConfig::default()
    };
    let sampled = count(&mut cc(&sixteenth, Quirks::EXACT));
    assert!((70..130).contains(&sampled), "{sampled}");
    assert_eq!(count(&mut cc(&sixteenth, Quirks::PUBLISHED)), 3_200);
}

#[test]
fn the_published_sender_overlooks_acks() {
    let config = PintConfig {
        digest_fraction: 1.0 / 16.0,
        ..PintConfig::default()
    };
    let mut cc = cc(&config, Quirks::PUBLISHED);
    let mut followed = 0;
    for number in 1..=1_600 {
        ack(&mut cc, Some(128), number * 1_000, number * 1_000 + 153_000);
        followed += u32::from(reschedules(&cc));
    }
    assert!((70..130).contains(&followed), "{followed}");
}

#[test]
fn flows_of_one_kind_share_their_constants() {
    let (config, network) = (PintConfig::default(), context(Quirks::EXACT));
    let build = |rate| ControllerFactory::<Digest>::build(&config, &start(rate, &network));
    let (one, same, slow) = (build(LINE), build(LINE), build(Rate::from_gbps(10)));
    assert!(Arc::ptr_eq(&one.constants, &same.constants));
    assert_eq!(slow.rate, Rate::from_gbps(10));
    assert!((slow.constants.rule.additive_increase - 5e6).abs() < 1e-3);
    assert!((slow.constants.rule.min_rate - 1e8).abs() < 1e-3);
}

/// Returns the mean rate in Gbps of a flow over one switch port, after it has settled. ACKs arrive
/// after T.
fn settled(config: &PintConfig, quirks: Quirks) -> f64 {
    let mut cc = cc(config, quirks);
    let settings = PintSettings::new(config, &context(quirks));
    let link = PortLink {
        rate: LINE,
        delay: Duration::from_ns(1_000),
    };
    let mut switch = PintTelemetry::new(&settings, &[link], 1, NodeId(2));
    let mut acks: VecDeque<(u64, u64, Digest)> = VecDeque::new();
    let key = FlowKey {
        src: NodeId(0),
        dst: NodeId(1),
        src_port: 10_000,
        dst_port: 100,
    };
    let (mut ps, mut sum) = (0, 0.0);
    let packets = 60_000;
    for number in 0..packets {
        let sent = (number + 1) * 1_000;
        while let Some(&(at, acked, header)) = acks.front()
            && at <= ps
        {
            acks.pop_front();
            cc.on_ack(&Ack::new(Time::from_ps(ps), acked, sent, RTT, &header));
        }
        let mut packet = Packet::<Digest>::new(PacketKind::Data, Priority::new(3), key, FlowId(0));
        packet.wire = 1_048 + cc.prepare(&mut packet.telemetry);
        let hop = Hop {
            now: Time::from_ps(ps),
            arrived: Time::from_ps(ps),
            ingress: PortId(0),
            port: PortId(0),
            rate: LINE,
            queue: Bytes::ZERO,
            sent: Bytes::ZERO,
        };
        switch.on_dequeue(&mut packet, &hop);
        acks.push_back((ps + RTT.as_ps(), sent, packet.telemetry));
        ps += cc.rate.transmission(packet.size()).as_ps();
        if number >= packets / 2 {
            sum += gbps(&cc);
        }
    }
    sum / (packets / 2) as f64
}

#[test]
fn a_flow_alone_settles_at_its_target() {
    for quirks in [Quirks::EXACT, Quirks::PUBLISHED] {
        for digest_fraction in [1.0, 1.0 / 16.0] {
            let config = PintConfig {
                digest_fraction,
                ..PintConfig::default()
            };
            let mean = settled(&config, quirks);
            println!("{quirks:?}, share {digest_fraction}: {mean:.2} Gbps");
            assert!((mean - 95.0).abs() < 2.0, "{mean}");
        }
    }
}
