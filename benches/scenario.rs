//! Cost of whole scenarios, from building their network to the last flow.
//!
//! The throughput is packet-hops per second: one packet that crosses one link is one.
//! `examples/speed.rs` measures longer ones, with their memory.
//!
//! `cargo bench -p fabricsim --bench scenario`

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fabricsim::{Scenario, Simulation};
use fabricsim_base::units::Time;
use fabricsim_core::network::Stop;

/// The fabric of the HPCC and PINT papers: 320 hosts, WebSearch at half load.
const FAT320: &str = "
    [topology]
    kind = \"fat-tree\"
    preset = \"hpcc-fat320\"
    [[workload]]
    kind = \"poisson\"
    sizes = \"websearch\"
    load = 0.5
    duration = \"300us\"";

/// 199 of 200 hosts send to the remaining one.
const INCAST: &str = "
    [topology]
    kind = \"star\"
    hosts = 200
    [[workload]]
    kind = \"incast\"
    fan_in = 199
    size = \"100KB\"
    at = \"0s\"";

/// The hosts at the two ends of a row of 40 switches.
const CHAIN: &str = "
    [topology]
    kind = \"chain\"
    switches = 40
    hosts_per_switch = 1
    [[workload]]
    kind = \"poisson\"
    sizes = \"100KB\"
    load = 0.8
    duration = \"500us\"
    sources = [\"0\"]
    destinations = [\"39\"]";

fn scenario(network: &str, cc: &str) -> Scenario {
    let text = format!("{network}\n[cc]\nkind = \"{cc}\"");
    Scenario::from_toml(&text).expect("a valid scenario")
}

/// Runs `scenario` to its end and returns the number of packet-hops.
fn run(scenario: &Scenario, threads: usize) -> u64 {
    let mut simulation = Simulation::new(scenario, threads).expect("a network");
    assert_eq!(simulation.run_until(Time::MAX), Stop::Finished);
    simulation.counters().packet_hops
}

fn scenarios(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("scenario");
    group.sample_size(10);
    for cc in ["hpcc", "dctcp"] {
        let mut bench = |name: &str, network: &str, threads: &[usize]| {
            let scenario = scenario(network, cc);
            group.throughput(Throughput::Elements(run(&scenario, 1)));
            for &threads in threads {
                let parameter = format!("{cc}/{threads} threads");
                group.bench_function(BenchmarkId::new(name, parameter), |bencher| {
                    bencher.iter(|| run(&scenario, threads));
                });
            }
        };
        bench("fat320", FAT320, &[1, 2]);
        bench("incast 199 to 1", INCAST, &[1]);
        bench("chain of 40", CHAIN, &[1]);
    }
    group.finish();
}

criterion_group!(benches, scenarios);
criterion_main!(benches);
