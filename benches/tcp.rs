//! Cost of a packet-hop of TCP compared with RDMA without telemetry, on the same traffic: flows
//! through one switch, with segments and packets of one size.
//!
//! If acknowledgements were delayed, there would be fewer packets, so every segment is
//! acknowledged, as in RDMA. The throughput is packet-hops per second. The network is built outside
//! the measurement.
//!
//! `cargo bench -p fabricsim --bench tcp`

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fabricsim::{Scenario, Simulation};
use fabricsim_base::units::Time;
use fabricsim_core::network::Stop;

const NETWORK: &str = "
    [topology]
    kind = \"star\"
    hosts = 64
    [rdma]
    mtu = \"1448B\"
    [tcp]
    ack_every = 1
    [[workload]]
    kind = \"permutation\"
    size = \"400KB\"";

/// Runs to the end and returns the number of packet-hops.
fn run(simulation: &mut Simulation) -> u64 {
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    simulation.counters().packet_hops
}

fn hops(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tcp");
    group.sample_size(20);
    for cc in ["none", "dctcp", "newreno", "cubic", "tcp-dctcp"] {
        let text = format!("{NETWORK}\n[cc]\nkind = \"{cc}\"");
        let scenario = Scenario::from_toml(&text).expect("a valid scenario");
        let simulation = || Simulation::new(&scenario, 1).expect("a network");
        group.throughput(Throughput::Elements(run(&mut simulation())));
        group.bench_function(BenchmarkId::new("64 flows", cc), |bencher| {
            bencher.iter_batched_ref(simulation, run, BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group!(benches, hops);
criterion_main!(benches);
