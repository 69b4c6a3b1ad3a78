//! What an acknowledgement costs: HPCC over one hop and over five, and every algorithm of the registry on
//! what a packet without a stack of telemetry brings back.
//!
//! `cargo bench -p fabricsim --bench algorithm`

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use fabricsim_core::flow::{Flow, FlowRequest, PathInfo};
use fabricsim_core::id::{ClassId, FlowId, NodeId, PortId};
use fabricsim_core::plugin::{
    Ack, CcConfig, CcContext, CongestionControl, ControllerFactory, Fidelity, FlowStart, Hop,
};
use fabricsim_core::units::{Bytes, Duration, Rate, Time};
use fabricsim_hpcc::{
    ExactStack, Hpcc, HpccConfig, IntHeader, IntScale, PortLabel, PublishedStack,
};
use fabricsim_pint::{PintDigest, PintHeader};
use fabricsim_scenario::cc::registry::{
    AnyCcConfig, AnyController, CONGESTION_CONTROLS, ClassFactories, Transport,
};

const NIC: Rate = Rate::from_gbps(100);
const MTU: u64 = 1_000;
/// Acknowledgements that are prepared and then given again and again.
const ACKS: usize = 1_024;
const SPACING: Duration = Duration::from_ns(90);

fn start() -> FlowStart {
    let base_rtt = Duration::from_us(12);
    let path = PathInfo {
        base_rtt,
        bottleneck: NIC,
        switches: 5,
    };
    let request = FlowRequest {
        src: NodeId(0),
        dst: NodeId(1),
        size: Bytes::new(u64::MAX / 2),
        start: Time::ZERO,
        class: ClassId(0),
        priority: 3,
        src_port: Some(10_000),
        dst_port: 100,
    };
    FlowStart {
        flow: Flow {
            id: FlowId(0),
            request,
            path,
        },
        now: Time::ZERO,
        line_rate: NIC,
        base_rtt,
        bdp: path.bdp(),
        mtu: Bytes::new(MTU),
    }
}

/// The telemetry of consecutive packets over `hops` links whose load and queues go up and down.
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

fn bench<S: IntHeader>(criterion: &mut Criterion, name: &str, fidelity: Fidelity) {
    let context = CcContext {
        nic_rate: NIC,
        link_rates: &[NIC],
        base_rtt: Duration::from_us(12),
        longest_path: 5,
        seed: 1,
        fidelity,
    };
    let factory = HpccConfig::default().factory(&context);
    let scale = IntScale::new(&context);
    let mut group = criterion.benchmark_group("hpcc/on_ack");
    for hops in [1u16, 5] {
        let stacks: Vec<S> = telemetry(hops, &scale);
        let mut cc: Hpcc<S> = factory.build(&start());
        let mut count = 0u64;
        group.bench_function(BenchmarkId::new(name, hops), |bencher| {
            bencher.iter(|| {
                count += 1;
                let place = usize::try_from(count).expect("a 64-bit machine") % ACKS;
                cc.on_ack(black_box(&Ack {
                    now: Time::ZERO + SPACING * count,
                    cumulative: count * MTU,
                    newly_acked: Bytes::new(MTU),
                    next_seq: count * MTU + 150_000,
                    rtt: Duration::from_us(13),
                    congestion: false,
                    telemetry: &stacks[place],
                }));
                (cc.window(), cc.pacing_rate())
            });
        });
    }
    group.finish();
}

fn factory(criterion: &mut Criterion) {
    bench::<ExactStack<5>>(criterion, "exact", Fidelity::Exact);
    bench::<PublishedStack>(criterion, "published", Fidelity::Published);
}

/// Every algorithm of the registry, on acknowledgements with a digest, a round-trip time that goes up and
/// down, and a mark on each sixteenth; timers that are due come first.
fn registry(criterion: &mut Criterion) {
    let context = CcContext {
        nic_rate: NIC,
        link_rates: &[NIC],
        base_rtt: Duration::from_us(12),
        longest_path: 5,
        seed: 1,
        fidelity: Fidelity::Exact,
    };
    let mut group = criterion.benchmark_group("registry/on_ack");
    for entry in CONGESTION_CONTROLS
        .iter()
        .filter(|cc| cc.transport == Transport::Rdma)
    {
        let config = AnyCcConfig::by_name(entry.name).expect("the registry knows its names");
        let mut cc: AnyController<PintDigest> =
            ClassFactories::new(&config, [], &context).build(&start());
        let mut digest = PintDigest::default();
        digest.carry();
        let mut count = 0u64;
        group.bench_function(entry.name, |bencher| {
            bencher.iter(|| {
                count += 1;
                let now = Time::ZERO + SPACING * count;
                if cc.deadline() <= now {
                    cc.on_timer(now);
                }
                cc.on_ack(black_box(&Ack {
                    now,
                    cumulative: count * MTU,
                    newly_acked: Bytes::new(MTU),
                    next_seq: count * MTU + 150_000,
                    rtt: Duration::from_ns(13_000 + count % 1_024 * 50),
                    congestion: count.is_multiple_of(16),
                    telemetry: &digest,
                }));
                black_box(cc.pacing_rate())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, factory, registry);
criterion_main!(benches);
