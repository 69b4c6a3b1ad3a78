//! Expected traffic of workloads per second, by pairs of hosts.

use fabricsim_base::units::{Bytes, Duration, Time};

use crate::cdf::SizeCdf;
use crate::context::WorkloadContext;

/// Bytes that a flow sends along its path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlowCost {
    /// Bytes from the sender to the receiver.
    pub forth: f64,
    /// Bytes from the receiver to the sender.
    pub back: f64,
}

/// Traffic between hosts, per second.
#[derive(Clone, Debug, PartialEq)]
pub enum Traffic {
    /// Traffic from each host to each other host. The flows per second are the product of the
    /// sender's and the receiver's factor. Factors are indexed by the positions of the hosts.
    Product {
        /// A factor for each host as a sender.
        sent: Vec<f64>,
        /// A factor for each host as a receiver.
        taken: Vec<f64>,
        /// The mean cost of a flow.
        cost: FlowCost,
    },
    /// Traffic between pairs of hosts: sender, receiver, and cost of all flows per second. Hosts
    /// are given by their positions.
    Pairs(Vec<(usize, usize, FlowCost)>),
}

/// Traffic that a workload sends while it lasts.
#[derive(Clone, Debug, PartialEq)]
pub struct Offered {
    /// Time at which the traffic begins.
    pub from: Time,
    /// Time at which the traffic ends.
    pub until: Time,
    /// The pairs of hosts and their traffic.
    pub traffic: Traffic,
    /// Flows that are not in `traffic`, because they last longer than the traffic even at full
    /// rate.
    pub longer: u64,
}

/// Function that returns the cost of a flow of a given size.
pub type CostOf<'a> = &'a dyn Fn(Bytes) -> FlowCost;

/// Number of points of a flow-size distribution at which the cost of a flow is sampled.
const POINTS: u32 = 4_096;

/// Returns the mean cost of flows with sizes distributed like `sizes`.
pub(crate) fn mean_cost(sizes: &SizeCdf, cost: CostOf<'_>) -> FlowCost {
    let mut mean = FlowCost::default();
    for point in 0..POINTS {
        let at = (f64::from(point) + 0.5) / f64::from(POINTS);
        let one = cost(sizes.sample(at));
        mean.forth += one.forth / f64::from(POINTS);
        mean.back += one.back / f64::from(POINTS);
    }
    mean
}

/// Rounds in which every host sends to every other host. All rounds together have one flow of each
/// pair, in expectation.
pub(crate) struct Rounds {
    pub(crate) start: Time,
    pub(crate) count: u64,
    pub(crate) gap: Duration,
}

impl Rounds {
    /// Returns the traffic of the rounds if each flow costs `cost`, or `None` if they all start at
    /// the same time.
    pub(crate) fn offered(&self, context: &WorkloadContext, cost: FlowCost) -> Option<Offered> {
        let span = self.gap.saturating_mul(self.count);
        if self.count < 2 || self.gap == Duration::ZERO {
            return None;
        }
        let each = 1.0 / self.gap.as_secs_f64() / (context.hosts.len() as f64 - 1.0);
        Some(Offered {
            from: self.start,
            until: self.start.saturating_add(span),
            traffic: Traffic::Product {
                sent: vec![each; context.hosts.len()],
                taken: vec![1.0; context.hosts.len()],
                cost,
            },
            longer: 0,
        })
    }
}

#[cfg(test)]
mod tests;
