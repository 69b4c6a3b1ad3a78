//! Tests with random losses, delays and copies of data and acknowledgements: every flow ends.

use std::sync::Arc;

use fabricsim_base::rng::{Purpose, Stream};
use fabricsim_base::units::{Duration, Time};
use fabricsim_core::plugin::DynFactory;
use fabricsim_transport::cc::{CubicConfig, NewRenoConfig, PragueConfig, TcpDctcpConfig};
use fabricsim_transport::tcp::{
    ClassConfig, Detection, Feedback, Opening, Pattern, Reuse, Switch, TcpConfig, TcpProfile,
};
use proptest::prelude::*;

use crate::network::{Fate, Network, Path, Segment};

fn algorithm(index: usize) -> Arc<dyn DynFactory> {
    match index {
        0 => Arc::new(CubicConfig::default()),
        1 => Arc::new(NewRenoConfig::default()),
        2 => Arc::new(TcpDctcpConfig::default()),
        _ => Arc::new(PragueConfig::default()),
    }
}

#[derive(Clone, Debug)]
struct Scenario {
    seed: u64,
    loss: f64,
    late: f64,
    copies: f64,
    buffer: u64,
    delay_us: u64,
    cc: usize,
    feedback: Feedback,
    plain: (Pattern, Reuse, Opening),
    profile: TcpProfile,
    detection: Detection,
    flows: Vec<(u32, u32, u64, u64)>,
}

fn scenario() -> impl Strategy<Value = Scenario> {
    let network = (
        any::<u64>(),
        0.0..0.2f64,
        0.0..0.3f64,
        0.0..0.2f64,
        8_000u64..200_000,
        1u64..20_000,
    );
    let host = (
        0..4usize,
        prop::sample::select(vec![
            Feedback::None,
            Feedback::Classic,
            Feedback::Dctcp,
            Feedback::Accurate,
        ]),
        prop::sample::select(vec![
            (Pattern::Plain, Reuse::None, Opening::Handshake),
            (Pattern::Plain, Reuse::None, Opening::Open),
            (Pattern::Fetch, Reuse::None, Opening::Handshake),
            (Pattern::Fetch, Reuse::LateBinding, Opening::Handshake),
        ]),
        prop::sample::select(vec![TcpProfile::LinuxWan, TcpProfile::Datacenter]),
        prop::sample::select(vec![Detection::Rack, Detection::DupAcks]),
    );
    let flows = prop::collection::vec((0u32..3, 1u32..3, 1u64..200_000, 0u64..400), 1..8);
    (network, host, flows).prop_map(|(network, host, flows)| Scenario {
        seed: network.0,
        loss: network.1,
        late: network.2,
        copies: network.3,
        buffer: network.4,
        delay_us: network.5,
        cc: host.0,
        feedback: host.1,
        plain: host.2,
        profile: host.3,
        detection: host.4,
        flows,
    })
}

fn check(scenario: &Scenario) -> Result<Vec<f64>, TestCaseError> {
    let mut dice = Stream::new(scenario.seed, 0, Purpose::Loss);
    let Scenario {
        loss, late, copies, ..
    } = *scenario;
    let delay = Duration::from_us(scenario.delay_us);
    let fate = move |_: Time, _: &Segment| {
        if dice.chance(loss) {
            Fate::Lost
        } else if dice.chance(late) {
            Fate::Late(Duration::from_ps(dice.below(delay.as_ps() * 2)))
        } else if dice.chance(copies) {
            Fate::Twice(Duration::from_ps(dice.below(delay.as_ps() * 4)))
        } else {
            Fate::Arrives
        }
    };
    let path = Path {
        delay,
        mark_above: scenario.buffer / 3,
        ..Path::wan(Duration::ZERO, scenario.buffer)
    };
    let config = TcpConfig {
        profile: scenario.profile,
        detection: Some(scenario.detection),
        tail_loss_probe: (scenario.detection == Detection::DupAcks).then_some(Switch::Off),
        ..TcpConfig::default()
    };
    let class = ClassConfig {
        cc: algorithm(scenario.cc),
        feedback: scenario.feedback,
        pattern: scenario.plain.0,
        reuse: scenario.plain.1,
        opening: scenario.plain.2,
        ..ClassConfig::default()
    };
    let mut network = Network::new(3, path, &config, class, fate);
    let mut flows = scenario.flows.clone();
    flows.sort_by_key(|flow| flow.3);
    for &(src, step, size, start) in &flows {
        network.flow(
            src,
            (src + step) % 3,
            size,
            Time::from_ns(start * 1_000_000),
            0,
        );
    }
    network.finish();
    let written: u64 = flows.iter().map(|flow| flow.2).sum();
    // Late copies must have arrived before the bytes of all hosts are compared.
    network.run_until(network.now + Duration::from_ms(200_000));
    let total = |count: fn(&fabricsim_core::plugin::EndpointCounters) -> u64| -> u64 {
        (0..3).map(|host| count(&network.counters(host))).sum()
    };
    let delivered = total(|counters| counters.delivered.get());
    let acknowledged = total(|counters| counters.acknowledged.get());
    let requests = match scenario.plain.0 {
        Pattern::Plain => 0,
        Pattern::Fetch => 200 * flows.len() as u64,
    };
    prop_assert_eq!(delivered, written + requests, "delivered once");
    prop_assert_eq!(acknowledged, written + requests, "acknowledged once");
    let sent = total(|counters| counters.sent.get());
    let again = total(|counters| counters.retransmitted.get());
    prop_assert_eq!(sent, written + requests + again, "sent once, or again");
    prop_assert_eq!(network.done.len(), flows.len());
    prop_assert!(network.unfinished().is_empty());
    Ok(network.fct_ms())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_flow_ends_and_bytes_are_delivered_once(scenario in scenario()) {
        let first = check(&scenario)?;
        prop_assert_eq!(first, check(&scenario)?, "the same again");
    }
}
