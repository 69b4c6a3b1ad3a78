//! Reproductions of published results, with the same networks, rates, delays and flows as in a
//! figure of the paper or in the public simulator of its authors. `published.csv` has their
//! figures, and how close ours must be; docs/congestion-control.md explains the differences.

mod credit;
mod fair_shares;
mod incasts;
mod near_far;
mod targets;
mod wide_area;

use crate::support;
use fabricsim::Simulation;
use fabricsim_base::flow::FlowRequest;
use fabricsim_base::id::{ClassId, NodeId, PortId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_scenario::cc::registry::Transport;

const PUBLISHED: &str = include_str!("published.csv");

/// Compares `ours` with the published value `what` of `control`.
fn compare(control: &str, what: &str, ours: f64) {
    let prefix = format!("{control},");
    let row = PUBLISHED
        .lines()
        .find(|line| line.starts_with(&prefix) && line.contains(&format!(",{what},")))
        .unwrap_or_else(|| panic!("{control}: no row of {what}"));
    let fields: Vec<&str> = row.split(',').collect();
    let [published, within] = [4, 5].map(|field| fields[field].parse::<f64>().unwrap());
    let ratio = ours / published;
    println!("{control} | {what} | {published} | {ours:.2} | {ratio:.3}");
    assert!((ratio - 1.0).abs() <= within, "{row}: {ours}");
}

/// A network, and a port with a queue of interest.
struct Watched {
    simulation: Simulation,
    port: (NodeId, PortId),
}

impl Watched {
    /// Returns the network of `text` with endless flows `(source, destination, start)`, which start
    /// in microseconds, and the given port.
    fn new(text: &str, flows: &[(usize, usize, u64)], port: (usize, usize)) -> Self {
        Self::of_flows(text, flows, Bytes::new(10_000_000_000), port)
    }

    /// Like [`new`](Self::new), with flows of `size`.
    fn of_flows(
        text: &str,
        flows: &[(usize, usize, u64)],
        size: Bytes,
        (node, port): (usize, usize),
    ) -> Self {
        let text = format!(
            r#"
                {text}
                [[workload]]
                kind = "incast"
                fan_in = 1
                receiver = 1
                size = "1B"
                at = "10000s"
            "#
        );
        let scenario = support::scenario(&text);
        let priority = Priority::new(match scenario.cc().transport() {
            Transport::Rdma => 3,
            Transport::Tcp => 1,
        });
        let mut simulation = Simulation::new(&scenario, 1).unwrap();
        for &(src, dst, start) in flows {
            let request = FlowRequest {
                src: NodeId::from_index(src),
                dst: NodeId::from_index(dst),
                size,
                start: Time::from_ns(start * 1_000),
                class: ClassId(0),
                priority,
                src_port: None,
                dst_port: 100,
            };
            simulation.inject(request).unwrap();
        }
        let port = (NodeId::from_index(node), PortId::from_index(port));
        Self { simulation, port }
    }

    /// Runs until `us`.
    fn run(&mut self, us: u64) {
        self.simulation.run_until(Time::from_ns(us * 1_000));
    }

    /// Returns the queue, in bytes.
    fn queue(&mut self) -> f64 {
        let (node, port) = self.port;
        self.simulation.port(node, port).unwrap().queue.as_f64()
    }

    /// Returns the queue at each `step` between two times, in microseconds and kilobytes.
    fn queues(&mut self, from: u64, to: u64, step: usize) -> Vec<(u64, f64)> {
        (from..to)
            .step_by(step)
            .map(|us| {
                self.run(us);
                (us, self.queue() / 1_000.0)
            })
            .collect()
    }

    /// Returns the acknowledged bytes of each flow.
    fn acknowledged(&self) -> Vec<f64> {
        let flows = self.simulation.live_flows();
        flows
            .iter()
            .map(|flow| flow.acknowledged.as_f64())
            .collect()
    }

    /// Returns each flow's share of the bytes acknowledged between two times.
    fn shares(&mut self, from: u64, to: u64) -> Vec<f64> {
        self.run(from);
        let before = self.acknowledged();
        self.run(to);
        let after = self.acknowledged();
        after.iter().zip(&before).map(|(b, a)| b - a).collect()
    }
}

fn mean(samples: &[(u64, f64)]) -> f64 {
    samples.iter().map(|sample| sample.1).sum::<f64>() / samples.len() as f64
}

fn largest(samples: &[(u64, f64)]) -> (u64, f64) {
    let most = samples.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    *most.unwrap()
}

/// Jain's index.
fn fairness(shares: &[f64]) -> f64 {
    let total: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|share| share * share).sum();
    total * total / (shares.len() as f64 * squares)
}
