//! Cost of a packet-hop if little else happens: flows through one switch.
//!
//! * `one flow`: packets and acknowledgements one after the other, without a queue.
//! * `64 flows`: each host sends to one other host, so that every window has arrivals on all ports.
//!
//! The throughput is packet-hops per second: one packet that crosses one link is one. The network
//! is built outside the measurement. Whole scenarios are in `scenario.rs`.
//!
//! `cargo bench -p fabricsim --bench hop`

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fabricsim::{Scenario, Simulation};
use fabricsim_base::units::Time;
use fabricsim_core::network::Stop;

/// One flow between two hosts.
const ONE_FLOW: &str = "
    [topology]
    kind = \"star\"
    hosts = 2
    [[workload]]
    kind = \"incast\"
    fan_in = 1
    size = \"10MB\"
    at = \"0s\"";

/// Every host sends to one host and receives from one host.
const MANY_FLOWS: &str = "
    [topology]
    kind = \"star\"
    hosts = 64
    [[workload]]
    kind = \"permutation\"
    size = \"200KB\"";

/// Runs to the end and returns the number of packet-hops.
fn run(simulation: &mut Simulation) -> u64 {
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    simulation.counters().packet_hops
}

fn hops(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("hop");
    group.sample_size(20);
    for (name, network) in [("one flow", ONE_FLOW), ("64 flows", MANY_FLOWS)] {
        for cc in ["none", "hpcc"] {
            let text = format!("{network}\n[cc]\nkind = \"{cc}\"");
            let scenario = Scenario::from_toml(&text).expect("a valid scenario");
            let simulation = || Simulation::new(&scenario, 1).expect("a network");
            group.throughput(Throughput::Elements(run(&mut simulation())));
            group.bench_function(BenchmarkId::new(name, cc), |bencher| {
                bencher.iter_batched_ref(simulation, run, BatchSize::PerIteration);
            });
        }
    }
    group.finish();
}

criterion_group!(benches, hops);
criterion_main!(benches);
