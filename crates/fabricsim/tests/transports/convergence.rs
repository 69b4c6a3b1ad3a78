//! The states in which algorithms settle, compared with the derivations of their papers: long flows
//! of one to 64 hosts into one port of 100 Gbps.

mod bbr;
mod csig;
mod nscc;
mod powertcp;
mod published;
mod rccc;
mod swift;

use crate::support;
use fabricsim::Simulation;
use fabricsim_base::flow::FlowRequest;
use fabricsim_base::id::{ClassId, NodeId, PortId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_scenario::cc::registry::Transport;

/// Numbers of flows that share the port.
pub(crate) const FLOWS: [usize; 3] = [1, 8, 64];
/// Bytes that the port sends in a microsecond.
pub(crate) const PER_US: f64 = 12_500.0;
/// Bytes of a full packet on the wire, without telemetry.
pub(crate) const WIRE: f64 = 1_048.0;
/// T of a star with links of 3 us, in microseconds: a round trip crosses four links, and two of
/// them transmit a full payload.
pub(crate) const BASE_RTT: f64 = 12.16;

/// Measurements at the port.
#[derive(Clone, Debug)]
pub(crate) struct Settled {
    /// Mean, smallest and largest queue in bytes.
    pub(crate) queue: [f64; 3],
    /// Share of the port's rate, headers and all.
    pub(crate) utilization: f64,
    /// Jain's index of the bytes sent by flows.
    pub(crate) fairness: f64,
}

impl Settled {
    /// Measures the port from `from` to `to` us.
    fn watch(simulation: &mut Simulation, port: (NodeId, PortId), [from, to]: [u64; 2]) -> Self {
        let at = |us: u64| Time::from_ns(us * 1_000);
        let acknowledged = |simulation: &Simulation| -> Vec<f64> {
            let flows = simulation.live_flows();
            flows
                .iter()
                .map(|flow| flow.acknowledged.as_f64())
                .collect()
        };
        simulation.run_until(at(from));
        let before = acknowledged(simulation);
        let sent = simulation.port(port.0, port.1).unwrap().sent.as_f64();
        let (mut sum, mut least, mut most) = (0.0, f64::MAX, 0.0_f64);
        for us in from + 1..=to {
            simulation.run_until(at(us));
            let queue = simulation.port(port.0, port.1).unwrap().queue.as_f64();
            sum += queue;
            least = least.min(queue);
            most = most.max(queue);
        }
        let span = (to - from) as f64;
        let sent = simulation.port(port.0, port.1).unwrap().sent.as_f64() - sent;
        let after = acknowledged(simulation);
        let shares: Vec<f64> = after.iter().zip(&before).map(|(b, a)| b - a).collect();
        let total: f64 = shares.iter().sum();
        let squares: f64 = shares.iter().map(|share| share * share).sum();
        Self {
            queue: [sum / span, least, most],
            utilization: sent / (span * PER_US),
            fairness: total * total / (shares.len() as f64 * squares),
        }
    }
}

/// Returns a simulation of endless flows from `flows` hosts, and the port to their receiver. Flow
/// `i` starts after `start(i)` microseconds.
pub(crate) fn star(
    flows: usize,
    cc: &str,
    start: impl Fn(usize) -> u64,
) -> (Simulation, (NodeId, PortId)) {
    let text = format!(
        r#"
            [topology]
            kind = "star"
            hosts = {}
            delay = "3us"
            [[workload]]
            kind = "incast"
            fan_in = 1
            receiver = {flows}
            size = "1B"
            at = "1s"
            [cc]
            {cc}
        "#,
        flows + 1
    );
    let scenario = support::scenario(&text);
    let priority = Priority::new(match scenario.cc().transport() {
        Transport::Rdma => 3,
        Transport::Tcp => 1,
    });
    let mut simulation = Simulation::new(&scenario, 1).unwrap();
    for flow in 0..flows {
        let request = FlowRequest {
            src: NodeId::from_index(flow),
            dst: NodeId::from_index(flows),
            size: Bytes::new(10_000_000_000),
            start: Time::from_ns(start(flow) * 1_000),
            class: ClassId(0),
            priority,
            src_port: None,
            dst_port: 100,
        };
        simulation.inject(request).unwrap();
    }
    let port = (NodeId::from_index(flows + 1), PortId::from_index(flows));
    (simulation, port)
}

/// Measures `flows` flows that start within 200 us of each other.
pub(crate) fn settled(flows: usize, cc: &str, span: [u64; 2]) -> Settled {
    let (mut simulation, port) = star(flows, cc, |flow| (flow * 200 / flows) as u64);
    let settled = Settled::watch(&mut simulation, port, span);
    assert!(simulation.pause_events().is_empty(), "{cc}: pauses");
    let [mean, least, most] = settled.queue.map(|bytes| bytes / 1_000.0);
    println!(
        "{} | {flows} flows | queue {mean:.1} ({least:.1} to {most:.1}) KB | {:.2}% | Jain {:.4}",
        cc.replace('\n', " "),
        settled.utilization * 100.0,
        settled.fairness
    );
    settled
}
