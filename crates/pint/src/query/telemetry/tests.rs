//! Tests of packets that pass through a row of switches.

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::flow::FlowKey;
use fabricsim_base::id::FlowId;
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::packet::Header;
use fabricsim_core::plugin::NoTelemetry;

use super::super::config::QueryConfig;
use super::super::network::QueryNetwork;
use super::super::probe::Probe;
use super::super::sink::{QueryResults, Sink};
use super::super::truth::Truth;
use super::super::value::{Aggregation, Value};
use super::super::{Statistic, TraceScheme};
use super::*;

const RATE: Rate = Rate::from_gbps(100);

/// A header with only a probe.
#[derive(Clone, Copy, Debug, Default, Stored)]
#[checkpoint(absolute)]
struct Probed(Probe);

impl Header for Probed {}

impl HasDigest for Probed {}

impl HasProbe for Probed {
    const PROBED: bool = true;

    fn probe(&self) -> Option<&Probe> {
        Some(&self.0)
    }

    fn probe_mut(&mut self) -> Option<&mut Probe> {
        Some(&mut self.0)
    }
}

/// Eight switches in a row, numbered from 10.
fn network() -> QueryNetwork {
    let switches: Vec<NodeId> = (10..18).map(NodeId).collect();
    QueryNetwork {
        longest_path: 5,
        base_rtt: Duration::from_us(10),
        links: switches.windows(2).map(|pair| (pair[0], pair[1])).collect(),
        most_ports: 4,
        switches,
    }
}

fn queries(configs: &[QueryConfig], budget: u32) -> Arc<Queries> {
    Arc::new(Queries::new(configs, budget, 7, None, &network()).expect("the queries fit"))
}

fn per_packet(value: Value, aggregation: Aggregation) -> QueryConfig {
    QueryConfig {
        aggregation: Some(aggregation),
        bits: 16,
        quantiles: Some(vec![0.5]),
        ..QueryConfig::new(value)
    }
}

/// Sends `count` packets along `path` with queueing times `waits_ns`. Returns the results of the
/// sink, with the truth.
fn send(
    queries: &Arc<Queries>,
    count: u64,
    path: &[u32],
    waits_ns: impl Fn(u64, usize) -> u64,
) -> QueryResults {
    let mut switches: Vec<_> = path
        .iter()
        .map(|&switch| {
            let telemetry =
                QueryTelemetry::new(Arc::clone(queries), NodeId(switch), &[RATE], NoTelemetry);
            (telemetry, Truth::new(queries, &[RATE]))
        })
        .collect();
    let mut sink = Sink::new(queries);
    let key = FlowKey {
        src: NodeId(0),
        dst: NodeId(1),
        src_port: 7,
        dst_port: 8,
    };
    for number in 0..count {
        let mut packet = Packet::<Probed>::new(PacketKind::Data, Priority::new(3), key, FlowId(5));
        packet.sent_at = Time::from_ns(number * 100_000);
        packet.wire = 1_050;
        let mut now = packet.sent_at;
        for (place, (telemetry, truth)) in switches.iter_mut().enumerate() {
            let arrived = now + Duration::from_us(1);
            now = arrived + Duration::from_ns(waits_ns(number, place));
            let hop = Hop {
                now,
                arrived,
                ingress: PortId(1),
                port: PortId(0),
                rate: RATE,
                queue: Bytes::new(500),
                sent: Bytes::ZERO,
            };
            telemetry.on_dequeue(&mut packet, &hop);
            if let Some(truth) = truth {
                truth.on_dequeue(&hop, &packet);
            }
        }
        sink.on_arrival(now, &packet);
    }
    let truths = switches.iter().filter_map(|(_, truth)| truth.as_ref());
    QueryResults::collect([&sink].into_iter(), truths)
}

#[test]
fn a_sink_learns_the_path_and_notices_another_one() {
    let path = QueryConfig {
        scheme: Some(TraceScheme::Mininet),
        ..QueryConfig::new(Value::SwitchId)
    };
    let queries = queries(&[path], 8);
    let results = send(&queries, 80, &[11, 12, 13, 14], |_, _| 0);
    let [result] = &results.paths[..] else {
        panic!("one flow")
    };
    assert_eq!(result.part.path, [11, 12, 13, 14]);
    assert_eq!((result.part.correct, result.part.packets), (Some(true), 80));
    assert_eq!((result.part.unnoticed, &result.part.ended_by), (0, &None));
    assert!(
        result
            .part
            .decoded_after
            .is_some_and(|packets| packets < 60)
    );
}

#[test]
fn extremes_and_sums_are_those_of_the_hops() {
    let value = Value::HopLatency;
    let folds = [Aggregation::Max, Aggregation::Min, Aggregation::Sum];
    let queries = queries(&folds.map(|fold| per_packet(value, fold)), 48);
    let waits = [700, 90, 2_500, 400, 1_100];
    let results = send(&queries, 400, &[10, 11, 12, 13, 14], |_, hop| waits[hop]);
    let found: Vec<f64> = results
        .packets
        .iter()
        .filter_map(|result| Some(result.estimate?.value))
        .collect();
    let [most, least, sum] = found[..] else {
        panic!("three results: {results:?}")
    };
    for (found, expected, error) in [
        (most, 2_500.0, 0.001),
        (least, 90.0, 0.001),
        (sum, 4_790.0, 0.05),
    ] {
        assert!(
            (found / expected - 1.0f64).abs() < error,
            "{found}, not {expected}"
        );
    }
}

#[test]
fn quantiles_of_each_hop_stand_beside_the_truth() {
    let latency = QueryConfig {
        quantiles: Some(vec![0.5, 0.9]),
        ..QueryConfig::new(Value::HopLatency)
    };
    let queries = queries(&[latency], 8);
    // Packets never wait at the first hop, 1 to 1,000 ns at the second, and always 5,000 ns at the
    // third.
    let results = send(&queries, 6_000, &[10, 11, 12], |packet, hop| match hop {
        0 => 0,
        1 => packet * 7 % 1_000 + 1,
        _ => 5_000,
    });
    let of = |hop: u8, share: f64| {
        let wanted = results
            .hops
            .iter()
            .find(|result| result.hop == hop && result.statistic == Statistic::Quantile(share));
        let result = wanted.expect("every hop has digests");
        assert_eq!(result.passed, Some(6_000));
        assert!(result.digests.abs_diff(2_000) < 150, "{result:?}");
        (
            result.estimate.expect("digests").value,
            result.truth.expect("noted"),
        )
    };
    // The lowest code represents one unit.
    assert_eq!(of(1, 0.5), (1.0, 0.0));
    for (hop, share, expected) in [(2, 0.5, 500.0), (2, 0.9, 900.0), (3, 0.5, 5_000.0)] {
        let (estimate, truth) = of(hop, share);
        assert!((truth / expected - 1.0f64).abs() < 0.001, "{truth}");
        assert!((estimate / truth - 1.0).abs() < 0.08, "{estimate} {truth}");
    }
}

#[test]
fn switches_and_sink_agree_on_what_a_packet_serves() {
    let names = [Value::SwitchId, Value::IngressPort, Value::EgressPort];
    let configs = names.map(|value| QueryConfig {
        frequency: 0.6,
        ..QueryConfig::new(value)
    });
    let queries = queries(&configs, 16);
    let count = 30_000;
    let results = send(&queries, count, &[10, 11, 12], |_, _| 0);
    assert_eq!(results.paths.len(), 3);
    for (index, result) in results.paths.iter().enumerate() {
        // If a switch had used other bits, no path would explain the digests.
        assert_eq!(result.part.ended_by, None);
        let expected = queries.plan().frequency(index) * count as f64;
        let deviation = (expected * 0.4).sqrt();
        let found = result.part.packets as f64;
        assert!(
            (found - expected).abs() < 4.0 * deviation,
            "{found}, not {expected}"
        );
    }
    assert_eq!(results.paths[1].part.path, [1, 1, 1]);
}
