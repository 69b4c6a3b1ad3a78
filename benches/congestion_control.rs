//! Cost of an acknowledgement. HPCC and PowerTCP run over one hop and over five. Every algorithm of
//! the registry runs on acknowledgements without a stack of telemetry, or on acknowledgements of
//! segments.
//!
//! `cargo bench -p fabricsim --bench congestion_control`

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use fabricsim_base::checkpoint::Stored;
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::packet::Header;
use fabricsim_core::plugin::{
    Ack, CREDIT_BEGINS, CcContext, CongestionControl, ControllerFactory, CreditDemand, FlowStart,
    Hop, Quirks, RateSample, TelemetryView,
};
use fabricsim_hpcc::{
    ExactStack, HasInt, HpccConfig, IntHeader, IntScale, PortLabel, PowerTcpConfig, PublishedStack,
};
use fabricsim_pint::{Digest, HasDigest};
use fabricsim_scenario::cc::registry::{
    AnyCcConfig, AnyController, CONGESTION_CONTROLS, ClassFactories, Transport,
};

const NIC: Rate = Rate::from_gbps(100);
const MTU: u64 = 1_000;
/// Number of acknowledgements that are prepared and then repeated.
const ACKS: usize = 1_024;
const SPACING: Duration = Duration::from_ns(90);

fn network(quirks: Quirks) -> CcContext {
    CcContext {
        base_rtt: Duration::from_us(12),
        longest_path: 5,
        seed: 1,
        quirks,
        ..CcContext::of_nics(NIC)
    }
}

fn start(network: &CcContext) -> FlowStart<'_> {
    FlowStart::new(NIC, network.base_rtt, Bytes::new(MTU), network)
}

/// Returns the telemetry of consecutive packets over `hops` links with varying loads and queues.
fn telemetry<S: IntHeader>(hops: u16, scale: &IntScale) -> Vec<S> {
    let mut sent = 0;
    let mut stacks = Vec::with_capacity(ACKS);
    for packet in 0..ACKS as u64 {
        sent += MTU + (packet % 7) * 20;
        let mut stack = S::default();
        for hop in 0..hops {
            let hop = Hop {
                now: Time::ZERO + SPACING * packet + Duration::from_us(u64::from(hop)),
                arrived: Time::ZERO + SPACING * packet,
                ingress: PortId(0),
                port: PortId(hop),
                rate: NIC,
                queue: Bytes::new((packet + u64::from(hop)) % 16 * 1_000),
                sent: Bytes::new(sent),
            };
            let label = PortLabel::new(NodeId(4), hop.port, 0);
            stack.push(&hop, label, scale);
        }
        stacks.push(stack);
    }
    stacks
}

/// Measures the controllers of `config` on telemetry of one hop and of five.
fn bench<S, C>(criterion: &mut Criterion, [group, name]: [&str; 2], config: &C, quirks: Quirks)
where
    S: IntHeader + HasInt<Int = S>,
    C: ControllerFactory<S>,
{
    let network = network(quirks);
    let scale = IntScale::new(&network);
    let mut group = criterion.benchmark_group(format!("{group}/on_ack"));
    for hops in [1u16, 5] {
        let stacks: Vec<S> = telemetry(hops, &scale);
        let mut cc = config.build(&start(&network));
        let mut count = 0u64;
        group.bench_function(BenchmarkId::new(name, hops), |bencher| {
            bencher.iter(|| {
                count += 1;
                let place = usize::try_from(count).expect("a 64-bit machine") % ACKS;
                cc.on_ack(black_box(&Ack::new(
                    Time::ZERO + SPACING * count,
                    count * MTU,
                    count * MTU + 150_000,
                    Duration::from_us(13),
                    &stacks[place],
                )));
                (cc.window(), cc.pacing_rate())
            });
        });
    }
    group.finish();
}

fn factory(criterion: &mut Criterion) {
    let hpcc = HpccConfig::default();
    bench::<ExactStack<5>, _>(criterion, ["hpcc", "exact"], &hpcc, Quirks::EXACT);
    bench::<PublishedStack, _>(criterion, ["hpcc", "published"], &hpcc, Quirks::PUBLISHED);
    let power = PowerTcpConfig::default();
    bench::<ExactStack<5>, _>(criterion, ["powertcp", "exact"], &power, Quirks::EXACT);
}

/// A header with a digest and no room for INT.
#[derive(Clone, Copy, Debug, Default, Stored)]
struct Carried(Digest, ());

impl Header for Carried {}

impl HasInt for Carried {
    type Int = ();

    fn int(&self) -> &() {
        &self.1
    }

    fn int_mut(&mut self) -> &mut () {
        &mut self.1
    }
}

impl HasDigest for Carried {
    fn digest(&self) -> Option<u16> {
        self.0.digest()
    }
}

/// Measures every algorithm of the registry, on acknowledgements with a digest, a varying
/// round-trip time, and a mark on each sixteenth. A timer fires first if it is due.
fn registry(criterion: &mut Criterion) {
    let network = network(Quirks::EXACT);
    let mut group = criterion.benchmark_group("registry/on_ack");
    for entry in CONGESTION_CONTROLS
        .iter()
        .filter(|cc| cc.transport == Transport::Rdma)
    {
        let config = AnyCcConfig::by_name(entry.name).expect("the registry knows its names");
        let mut cc: AnyController<Carried> =
            ClassFactories::new(config.rdma_factory(), [], &network).build(&start(&network));
        let mut digest = Carried::default();
        digest.0.carry_digest();
        let mut count = 0u64;
        group.bench_function(entry.name, |bencher| {
            bencher.iter(|| {
                count += 1;
                let now = Time::ZERO + SPACING * count;
                if cc.deadline() <= now {
                    cc.on_timer(now);
                }
                cc.on_ack(black_box(&Ack {
                    newly_acked: Bytes::new(MTU),
                    marked: u32::from(count.is_multiple_of(16)),
                    ..Ack::new(
                        now,
                        count * MTU,
                        count * MTU + 150_000,
                        Duration::from_ns(13_000 + count % 1_024 * 50),
                        &digest,
                    )
                }));
                black_box(cc.pacing_rate())
            });
        });
    }
    group.finish();
}

/// Measures every algorithm that uses credit. Each packet that leaves requests more credit, and
/// every fourth time a grant for four arrives.
fn credit(criterion: &mut Criterion) {
    let network = network(Quirks::EXACT);
    let mut group = criterion.benchmark_group("registry/credit");
    for entry in CONGESTION_CONTROLS {
        let config = AnyCcConfig::by_name(entry.name).expect("the registry knows its names");
        if config.credit(Bytes::new(MTU), &network).is_none() {
            continue;
        }
        let mut cc: AnyController<()> =
            ClassFactories::new(config.rdma_factory(), [], &network).build(&start(&network));
        let packet = Bytes::new(MTU + 48);
        let demand = CreditDemand {
            unsent: Bytes::new(1_000_000),
            lost: Bytes::ZERO,
            packet,
            ready: 3,
        };
        let mut count = 0u64;
        group.bench_function(entry.name, |bencher| {
            bencher.iter(|| {
                count += 1;
                cc.on_sent(packet);
                if count.is_multiple_of(4) {
                    let granted = CREDIT_BEGINS + count * packet.get();
                    cc.on_credit(Time::ZERO + SPACING * count, black_box(granted));
                }
                black_box((cc.has_credit(), cc.ask_for_credit(black_box(&demand))))
            });
        });
    }
    group.finish();
}

/// Measures every algorithm of TCP, on acknowledgements of one segment with a sample of the
/// delivery rate and a varying round-trip time; a hundred segments are in flight.
fn connections(criterion: &mut Criterion) {
    let network = network(Quirks::EXACT);
    let mut group = criterion.benchmark_group("registry/on_ack of a segment");
    for entry in CONGESTION_CONTROLS
        .iter()
        .filter(|cc| cc.transport == Transport::Tcp)
    {
        let config = AnyCcConfig::by_name(entry.name).expect("the registry knows its names");
        let factory = config.dyn_factory().expect("TCP's are behind pointers");
        let mut cc = factory.build_dyn(&start(&network));
        let telemetry = TelemetryView::EMPTY;
        let mut count = 0u64;
        group.bench_function(entry.name, |bencher| {
            bencher.iter(|| {
                count += 1;
                let rtt = Duration::from_ns(13_000 + count % 1_024 * 50);
                let sample = RateSample {
                    rate: Some(Rate::from_gbps(50 + count % 32)),
                    interval: rtt,
                    delivered: count,
                    prior_delivered: Some(count.saturating_sub(100)),
                    prior_in_flight: 101,
                    lost: 0,
                    application_limited: false,
                };
                cc.on_ack(black_box(&Ack {
                    newly_acked: Bytes::new(MTU),
                    in_flight: Bytes::new(100 * MTU),
                    least_rtt: Duration::from_ns(13_000),
                    smoothed_rtt: rtt,
                    sample: Some(&sample),
                    ..Ack::new(
                        Time::ZERO + SPACING * count,
                        count * MTU,
                        (count + 100) * MTU,
                        rtt,
                        &telemetry,
                    )
                }));
                black_box(cc.window())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, factory, registry, credit, connections);
criterion_main!(benches);
