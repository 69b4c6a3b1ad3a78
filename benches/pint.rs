//! Cost of PINT for a switch per packet, and for a sink per packet that arrives.
//!
//! * `pint/switch`: a packet-hop on paths of five switches. It covers path tracing with one and two
//!   instances of 8 bits, and with the two xor layers for paths of 25 switches. It also covers the
//!   sample of a latency in 8 bits, and the utilization of HPCC-PINT, exactly and by tables.
//! * `pint/sink`: a packet. It covers adding the code of a latency to the statistics of its hop,
//!   and path tracing from the first packet to the whole path, for 5 and 59 switches.
//!
//! `cargo bench -p fabricsim --bench pint`

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fabricsim_base::flow::FlowKey;
use fabricsim_base::id::{FlowId, NodeId, PortId};
use fabricsim_base::priority::Priority;
use fabricsim_base::rng::{Purpose, Stream};
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::packet::{Packet, PacketKind};
use fabricsim_core::plugin::{CcContext, Hop, Telemetry};
use fabricsim_pint::dynamic::{HopSampler, HopValues, Latencies, Storage};
use fabricsim_pint::numeric::{Multiplicative, StepRounding};
use fabricsim_pint::tracing::{
    Layers, PathDecoder, Progress, Scheme, SchemeConfig, TraceDigest, Universe,
};
use fabricsim_pint::{
    Arithmetic, Digest, HasDigest, PintConfig, PintSettings, PintTelemetry, PortLink,
};

const RATE: Rate = Rate::from_gbps(100);
/// Number of switches on a path.
const HOPS: u8 = 5;
/// Number of latencies, which are drawn in advance and measured repeatedly.
const LATENCIES: usize = 1_024;

/// Position in a sequence of packets, each of which visits all hops of its path.
#[derive(Default)]
struct Position {
    packet: u64,
    hop: u8,
}

impl Position {
    /// Moves to the next hop of this packet, or to the first hop of the next packet.
    #[inline]
    fn advance(&mut self) {
        self.hop += 1;
        if self.hop > HOPS {
            self.hop = 1;
            self.packet += 1;
        }
    }
}

fn scheme(layers: Layers, instances: u32) -> Scheme {
    let config = SchemeConfig {
        instances,
        ..SchemeConfig::new(layers)
    };
    Scheme::new(config).expect("a valid scheme")
}

fn sampler() -> HopSampler {
    let code = Multiplicative::for_range(65_536.0, 8, StepRounding::Nearest);
    HopSampler::new(code.expect("a valid code"), 1)
}

fn latencies() -> Vec<f64> {
    let mut stream = Stream::new(1, 0, Purpose::Sampling);
    let distribution = Latencies::Exponential { mean: 10_000.0 };
    (0..LATENCIES)
        .map(|_| distribution.draw(&mut stream))
        .collect()
}

/// Returns the index into the prepared values for packet `number`.
fn place(number: u64) -> usize {
    usize::try_from(number).expect("a 64-bit machine") % LATENCIES
}

fn switch(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pint/switch");
    group.throughput(Throughput::Elements(1));
    let two_layers = Layers::multilayer(25).expect("a path of 25");
    // Path tracing encodes one hop per iteration; more instances and layers cost more hashes.
    for (name, scheme) in [
        ("path 1x8", scheme(Layers::mininet(), 1)),
        ("path 2x8", scheme(Layers::mininet(), 2)),
        ("path 2x8, two layers", scheme(two_layers, 2)),
    ] {
        let (mut at, mut digest) = (Position::default(), TraceDigest::default());
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                at.advance();
                digest = scheme.encode(digest, at.packet, at.hop, 40 + u64::from(at.hop));
                digest
            });
        });
    }

    let (sampler, latencies) = (sampler(), latencies());
    let (mut at, mut digest) = (Position::default(), 0);
    group.bench_function("latency, 8 bits", |bencher| {
        bencher.iter(|| {
            at.advance();
            let latency = latencies[place(at.packet + u64::from(at.hop))];
            digest = sampler.encode(digest, at.packet, at.hop, latency);
            digest
        });
    });

    // HPCC-PINT is measured twice because tables replace its logarithms.
    for arithmetic in [Arithmetic::Exact, Arithmetic::Tables] {
        let mut telemetry = telemetry(arithmetic);
        let key = FlowKey {
            src: NodeId(0),
            dst: NodeId(1),
            src_port: 10_000,
            dst_port: 100,
        };
        let mut packet = Packet::<Digest>::new(PacketKind::Data, Priority::new(3), key, FlowId(0));
        packet.wire = 1_049;
        let mut number = 0u64;
        let name = format!("HPCC-PINT, {arithmetic:?}");
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                number += 1;
                // Reset the digest, as at the first hop: most digests can then still increase.
                packet.telemetry = Digest::default();
                packet.telemetry.carry_digest();
                let hop = Hop {
                    now: Time::ZERO + Duration::from_ns(90) * number,
                    arrived: Time::ZERO + Duration::from_ns(90) * number,
                    ingress: PortId(1),
                    port: PortId(0),
                    rate: RATE,
                    queue: Bytes::new(number % 16 * 1_049),
                    sent: Bytes::ZERO,
                };
                telemetry.on_dequeue(&mut packet, black_box(&hop));
                packet.telemetry.digest()
            });
        });
    }
    group.finish();
}

fn telemetry(arithmetic: Arithmetic) -> PintTelemetry {
    let config = PintConfig {
        arithmetic: Some(arithmetic),
        ..PintConfig::default()
    };
    let context = CcContext {
        base_rtt: Duration::from_us(12),
        longest_path: 5,
        seed: 1,
        ..CcContext::of_nics(RATE)
    };
    let link = PortLink {
        rate: RATE,
        delay: Duration::from_us(1),
    };
    PintTelemetry::new(&PintSettings::new(&config, &context), &[link], 1, NodeId(9))
}

fn sink(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pint/sink");
    let (sampler, latencies) = (sampler(), latencies());
    let codes: Vec<u16> = latencies
        .iter()
        .map(|&latency| sampler.code().encode(latency, 0.0))
        .collect();
    group.throughput(Throughput::Elements(1));
    // The kinds of storage differ in their cost per recorded value.
    for (name, storage) in [
        ("sketch of 100", Storage::Sketch { items: 100 }),
        ("window of 100", Storage::Window { values: 100 }),
        ("20 counters", Storage::Frequent { counters: 20 }),
    ] {
        let mut hops: Vec<HopValues> = (0..u64::from(HOPS))
            .map(|hop| HopValues::new(storage, Stream::new(1, hop, Purpose::Sampling)))
            .collect();
        let mut packet = 0;
        group.bench_function(BenchmarkId::new("latency", name), |bencher| {
            bencher.iter(|| {
                packet += 1;
                let hop = sampler.hop(packet, HOPS).expect("a path of five");
                hops[usize::from(hop) - 1].record(black_box(codes[place(packet)]));
            });
        });
    }

    for (hops, switches) in [(5u8, 80u64), (59, 754)] {
        let layers = Layers::multilayer(hops).expect("a path");
        let scheme = Arc::new(scheme(layers, 2));
        let universe = Universe::new((0..switches).collect());
        let universe = Arc::new(universe.expect("distinct switches"));
        let decoder = || {
            PathDecoder::new(Arc::clone(&scheme), Arc::clone(&universe), hops)
                .expect("a path of its network")
        };
        // Prepare exactly as many digests of each flow as decoding its path needs.
        let flows: Vec<Vec<(u64, TraceDigest)>> = (0..20)
            .map(|flow| {
                let (mut decoder, mut digests) = (decoder(), Vec::new());
                for packet in (flow << 32).. {
                    let mut digest = TraceDigest::default();
                    for hop in 1..=hops {
                        let switch = (u64::from(hop) * 11 + flow) % switches;
                        digest = scheme.encode(digest, packet, hop, switch);
                    }
                    digests.push((packet, digest));
                    if decoder.record(packet, hops, digest) == Progress::Decoded {
                        break;
                    }
                }
                digests
            })
            .collect();
        // Each iteration decodes all flows from the beginning, so the throughput is per packet.
        let packets = flows.iter().map(Vec::len).sum::<usize>() as u64;
        group.throughput(Throughput::Elements(packets));
        group.bench_function(BenchmarkId::new("path 2x8", hops), |bencher| {
            bencher.iter(|| {
                for digests in &flows {
                    let mut decoder = decoder();
                    for &(packet, digest) in digests {
                        black_box(decoder.record(packet, hops, digest));
                    }
                    assert!(
                        decoder.path().is_some(),
                        "as many digests as it took before"
                    );
                }
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(std::time::Duration::from_millis(500))
        .measurement_time(std::time::Duration::from_secs(2));
    targets = switch, sink
}
criterion_main!(benches);
