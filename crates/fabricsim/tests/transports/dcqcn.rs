//! DCQCN in its paper's form, compared with an independent simulation of the paper's algorithm.

mod oracle;

use crate::support;
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::Time;
use fabricsim_core::network::Stop;
use oracle::{Queue, Setup};

const SEEDS: u64 = 12;
/// The bytes of the paper's counter.
const PAPERS: Option<u64> = Some(10_000_000);

fn simulated(setup: Setup, keys: &str) -> (Queue, usize) {
    let Setup { flows, seed, .. } = setup;
    let text = format!(
        r#"seed = {seed}
            [topology]
            kind = "star"
            hosts = {hosts}
            rate = "40Gbps"
            [[workload]]
            kind = "incast"
            fan_in = {flows}
            receiver = {flows}
            size = "1GB"
            at = "0s"
            [cc]
            kind = "dcqcn"
            parameters = "paper"
            {keys}"#,
        hosts = flows + 1
    );
    let mut simulation = support::simulation(&text, 1);
    let switch = NodeId::from_index(flows + 1);
    let port = PortId::from_index(flows);
    let mut samples = Vec::new();
    for us in setup.samples() {
        let stop = simulation.run_until(Time::from_ns(us * 1_000));
        assert_ne!(stop, Stop::Finished);
        samples.push(simulation.port(switch, port).unwrap().queue.get());
    }
    (Queue::of(&samples), simulation.pause_events().len())
}

/// Returns the mean over seeds and the standard deviation from seed to seed.
fn spread(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0)).sqrt())
}

/// Compares the mean and largest queue of simulation and oracle over seeds. Returns the means of
/// the oracle.
fn compare(flows: usize, window: (u64, u64), byte_counter: Option<u64>, keys: &str) -> [f64; 2] {
    let mut pauses = 0;
    let mut theirs = Vec::new();
    let mut ours = Vec::new();
    for seed in 1..=SEEDS {
        let setup = Setup {
            flows,
            byte_counter,
            window,
            seed,
        };
        let (queue, paused) = simulated(setup, keys);
        pauses += paused;
        ours.push(queue);
        theirs.push(oracle::queue(setup));
    }
    assert_eq!(pauses, 0);
    let mut means = [0.0; 2];
    for (index, of) in [|queue: &Queue| queue.mean, |queue: &Queue| queue.max]
        .into_iter()
        .enumerate()
    {
        let (ours, _) = spread(&ours.iter().map(of).collect::<Vec<_>>());
        let (mean, deviation) = spread(&theirs.iter().map(of).collect::<Vec<_>>());
        // Two means of so many draws each differ by this once in 16,000 times.
        let tolerance = 4.0 * deviation * (2.0 / SEEDS as f64).sqrt();
        println!("{flows} flows: {ours:.0} against {mean:.0} +- {tolerance:.0} ({deviation:.0})");
        assert!(
            (ours - mean).abs() < tolerance,
            "{flows} flows: {ours:.0} against {mean:.0} +- {tolerance:.0} bytes"
        );
        means[index] = mean;
    }
    means
}

/// Eight flows while they recover from their start, and two that have reached their shares.
#[test]
fn queues_are_those_of_the_papers_algorithm() {
    let [mean, max] = compare(8, (2, 10), PAPERS, "");
    assert!((18e3..30e3).contains(&mean) && (100e3..165e3).contains(&max));
    compare(2, (20, 20), PAPERS, "");
}

#[test]
fn bytes_count_as_in_the_papers_algorithm() {
    let [none, _] = compare(2, (20, 20), None, r#"byte_counter = "0B""#);
    // 150 KB is the counter of QCN.
    let [few, _] = compare(2, (20, 20), Some(150_000), r#"byte_counter = "150KB""#);
    assert!(few > 3.0 * none, "{few} {none}");
}
