//! What a packet-hop costs: whole scenarios, from their construction to the last flow.
//!
//! The throughput is packet-hops per second: one packet that crosses one link is one.
//!
//! `cargo bench -p fabricsim --bench hop`

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fabricsim::{Scenario, Simulation};
use fabricsim_core::network::Stop;
use fabricsim_core::units::Time;

/// WebSearch at half load for 200 us on 64 hosts.
fn scenario(law: &str) -> Scenario {
    let text = format!(
        "[topology]
        kind = \"leaf-spine\"
        leaves = 8
        hosts_per_leaf = 8
        spines = 4
        [[workload]]
        kind = \"poisson\"
        sizes = \"websearch\"
        load = 0.5
        duration = \"200us\"
        [cc]
        kind = \"{law}\""
    );
    Scenario::from_toml(&text).expect("a valid scenario")
}

/// Runs `scenario` to its end; the packet-hops.
fn run(scenario: &Scenario, threads: usize) -> u64 {
    let mut simulation = Simulation::new(scenario, threads).expect("a network");
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    simulation.counters().packet_hops
}

fn hops(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("hops");
    group.sample_size(10);
    for law in ["hpcc", "line-rate"] {
        let scenario = scenario(law);
        group.throughput(Throughput::Elements(run(&scenario, 1)));
        for threads in [1, 2] {
            let name = format!("{threads} threads");
            group.bench_function(BenchmarkId::new(law, name), |bencher| {
                bencher.iter(|| run(&scenario, threads));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, hops);
criterion_main!(benches);
