//! What queries answer.

use std::fmt;

use super::flow::FlowKey;
use super::route::RoutePart;

/// The path of a flow, or of that part of it in which the path was the same.
#[derive(Clone, Debug, PartialEq)]
pub struct PathAnswer {
    /// The place of the query.
    pub query: usize,
    /// The flow.
    pub flow: FlowKey,
    /// What is known.
    pub part: RoutePart,
}

/// A statistic of the values of one hop of a flow.
#[derive(Clone, Debug, PartialEq)]
pub struct HopAnswer {
    /// The place of the query.
    pub query: usize,
    /// The flow.
    pub flow: FlowKey,
    /// From 1, at the sender.
    pub hop: u8,
    /// Digests of the hop that have arrived.
    pub digests: u64,
    /// Which statistic.
    pub statistic: Statistic,
    /// What the digests tell, in the unit of the value; absent without digests.
    pub estimate: Option<f64>,
    /// The same of all packets that passed the hop, within 0.05%, where it is known.
    pub truth: Option<f64>,
    /// Packets that passed the hop, where it is known.
    pub passed: Option<u64>,
}

/// A statistic of the numbers that packets bring along.
#[derive(Clone, Debug, PartialEq)]
pub struct PacketAnswer {
    /// The place of the query.
    pub query: usize,
    /// The flow.
    pub flow: FlowKey,
    /// Packets with a digest that have arrived.
    pub digests: u64,
    /// Which statistic.
    pub statistic: Statistic,
    /// What they tell, in the unit of the value.
    pub estimate: Option<f64>,
}

/// A statistic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    /// The value that this share of the values does not exceed.
    Quantile(f64),
    /// A value that makes up about this share of the values.
    Frequent(f64),
}

/// `p50`, `p99.9`; `frequent`.
impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Rounded, as 0.55 times 100 is a little more than 55.
            Self::Quantile(share) => write!(f, "p{}", (share * 1e8).round() / 1e6),
            Self::Frequent(_) => f.write_str("frequent"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_named_by_percent() {
        for (share, name) in [(0.5, "p50"), (0.55, "p55"), (0.999, "p99.9"), (1.0, "p100")] {
            assert_eq!(Statistic::Quantile(share).to_string(), name);
        }
    }
}
