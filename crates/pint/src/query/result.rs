//! Query results.

use std::fmt;

use super::flow::FlowKey;
use super::route::RoutePart;

/// The path of a flow, or of a part of it with a constant path.
#[derive(Clone, Debug, PartialEq)]
pub struct PathResult {
    /// Index of the query.
    pub query: usize,
    /// The flow.
    pub flow: FlowKey,
    /// Information about the path.
    pub part: RoutePart,
}

/// A statistic of the values of one hop of a flow.
#[derive(Clone, Debug, PartialEq)]
pub struct HopResult {
    /// Index of the query.
    pub query: usize,
    /// The flow.
    pub flow: FlowKey,
    /// Number of the hop, from 1 at the sender's side.
    pub hop: u8,
    /// Number of received digests of the hop.
    pub digests: u64,
    /// The reported statistic.
    pub statistic: Statistic,
    /// Estimate from the digests, if there are any.
    pub estimate: Option<Estimate>,
    /// The same statistic over all packets that passed the hop, accurate to 0.05%, if known. It is
    /// unknown if only the latest or most frequent digests are stored.
    pub truth: Option<f64>,
    /// Number of packets that passed the hop, if known.
    pub passed: Option<u64>,
}

/// A statistic of the numbers in packets.
#[derive(Clone, Debug, PartialEq)]
pub struct PacketResult {
    /// Index of the query.
    pub query: usize,
    /// The flow.
    pub flow: FlowKey,
    /// Number of received packets with a digest.
    pub digests: u64,
    /// The reported statistic.
    pub statistic: Statistic,
    /// Estimate from the digests, if there are any.
    pub estimate: Option<Estimate>,
}

/// Estimate of a value from digests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate, in the unit of the value.
    pub value: f64,
    /// [`Reach::Largest`] if the value may be larger than the largest code can express.
    pub reach: Reach,
}

/// Position of a value relative to the range of its code.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Reach {
    /// The code represents the value.
    Within,
    /// The value has the largest code, which also represents all larger values.
    Largest,
}

/// A statistic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    /// The smallest value that is not exceeded by this share of the values.
    Quantile(f64),
    /// A value with about this share of all values.
    Frequent(f64),
}

/// `p50`, `p99.9`; `frequent`.
impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Rounded, because 0.55 times 100 is slightly above 55.
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
