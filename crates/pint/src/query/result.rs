//! Query results.

use std::fmt;

use super::flow::FlowKey;
use super::route::RoutePart;

/// The path of a flow, or of that part of it in which the path was the same.
#[derive(Clone, Debug, PartialEq)]
pub struct PathResult {
    /// The place of the query.
    pub query: usize,
    /// The flow.
    pub flow: FlowKey,
    /// Information about the path.
    pub part: RoutePart,
}

/// A statistic of the values of one hop of a flow.
#[derive(Clone, Debug, PartialEq)]
pub struct HopResult {
    /// The place of the query.
    pub query: usize,
    /// The flow.
    pub flow: FlowKey,
    /// From 1, at the sender.
    pub hop: u8,
    /// Digests of the hop that have arrived.
    pub digests: u64,
    /// Statistic that is reported.
    pub statistic: Statistic,
    /// Estimate from the digests; absent if there are none.
    pub estimate: Option<Estimate>,
    /// The same of all packets that passed the hop, within 0.05%, where it is known; not where only
    /// the latest or most frequent digests are kept.
    pub truth: Option<f64>,
    /// Packets that passed the hop, where it is known.
    pub passed: Option<u64>,
}

/// A statistic of the numbers that packets bring along.
#[derive(Clone, Debug, PartialEq)]
pub struct PacketResult {
    /// The place of the query.
    pub query: usize,
    /// The flow.
    pub flow: FlowKey,
    /// Packets with a digest that have arrived.
    pub digests: u64,
    /// Statistic that is reported.
    pub statistic: Statistic,
    /// Estimate from the digests; absent if there are none.
    pub estimate: Option<Estimate>,
}

/// Estimate of a value from digests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// In the unit of the value.
    pub value: f64,
    /// Whether it is known exactly enough, or the largest code was reached and it may be more.
    pub reach: Reach,
}

/// Whether a value was within the reach of its code.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Reach {
    /// It was.
    Within,
    /// It has the largest code, which stands for all beyond.
    Largest,
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
