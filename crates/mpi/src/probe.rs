//! Measures the cost of messages between ranks.
//!
//! The results are parameters of LogGP (A. Alexandrov et al., "LogGP: Incorporating Long Messages
//! into the LogP Model", SPAA 1995): latency L, overhead o, gap per byte G. The time of a message
//! is not split into L and o, because a rank that waits for a message pays both. While two ranks
//! measure, all other ranks are idle.

#[cfg(feature = "mpi")]
mod measure;

use std::time::Duration;

use crate::MpiRanks;

/// Minimum size in bytes of the messages used to estimate the time per byte.
const LONG: usize = 256 << 10;

/// Options of the measurement.
#[derive(Clone, Debug)]
pub struct ProbeOptions {
    /// Duration of the measurement of one size and pair. Longer measurements vary less.
    pub time: Duration,
}

impl Default for ProbeOptions {
    fn default() -> Self {
        Self {
            time: Duration::from_millis(20),
        }
    }
}

/// Cost of messages of one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SizeCost {
    /// Size of a message, in bytes.
    pub bytes: usize,
    /// Half of a round trip, in microseconds: from the call that sends a message to its receipt.
    pub one_way_us: f64,
    /// Time per message in a stream of messages sent back to back, in microseconds.
    pub stream_us: f64,
}

/// Cost of messages between rank 0 and another rank.
#[derive(Clone, Debug, PartialEq)]
pub struct PairCost {
    /// The other rank.
    pub rank: usize,
    /// Name of the other rank's machine.
    pub machine: String,
    /// Costs by size, in ascending order.
    pub sizes: Vec<SizeCost>,
    /// Duration of a call that sends 8 bytes, in microseconds: LogGP's o.
    pub overhead_us: f64,
}

impl PairCost {
    /// Returns the time of an empty message, in microseconds: LogGP's L + 2 o.
    #[must_use]
    pub fn latency_us(&self) -> f64 {
        self.sizes.first().map_or(0.0, |size| size.one_way_us)
    }

    /// Returns the additional time per byte of a long message, in nanoseconds: LogGP's G. It is the
    /// slope of a least-squares line through the times of long messages.
    #[must_use]
    pub fn ns_per_byte(&self) -> f64 {
        let long = self.sizes.iter().filter(|size| size.bytes >= LONG);
        let points: Vec<(f64, f64)> = long
            .map(|size| (size.bytes as f64, size.one_way_us * 1e3))
            .collect();
        slope(&points)
    }
}

/// Cost of messages between all ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeReport {
    /// Number of ranks.
    pub ranks: usize,
    /// Number of machines.
    pub machines: usize,
    /// `true` if some machine has more ranks than cores, which makes all times longer.
    pub is_oversubscribed: bool,
    /// Costs between rank 0 and each other rank, by rank.
    pub pairs: Vec<PairCost>,
    /// Time of a gathering of 8 bytes from all ranks at all ranks, in microseconds.
    pub gather_us: f64,
    /// Time of an empty exchange among all ranks, in microseconds.
    pub exchange_us: f64,
}

impl ProbeReport {
    /// Returns the pair with the longest latency.
    ///
    /// # Panics
    /// Panics if there is only one rank. No measurement returns such a report.
    #[must_use]
    pub fn worst_pair(&self) -> &PairCost {
        let by_latency = |a: &&PairCost, b: &&PairCost| a.latency_us().total_cmp(&b.latency_us());
        let worst = self.pairs.iter().max_by(by_latency);
        worst.expect("there are two ranks or more")
    }

    /// Returns the longest latency of any pair, in microseconds.
    #[must_use]
    pub fn latency_us(&self) -> f64 {
        self.largest(PairCost::latency_us)
    }

    /// Returns the largest overhead of any pair, in microseconds.
    #[must_use]
    pub fn overhead_us(&self) -> f64 {
        self.largest(|pair| pair.overhead_us)
    }

    /// Returns the longest time per byte of any pair, in nanoseconds.
    #[must_use]
    pub fn ns_per_byte(&self) -> f64 {
        self.largest(PairCost::ns_per_byte)
    }

    fn largest(&self, of: impl Fn(&PairCost) -> f64) -> f64 {
        self.pairs.iter().map(of).fold(0.0, f64::max)
    }
}

/// Measures the cost of messages between `ranks`. All ranks must call this. Rank 0 gets the report,
/// all other ranks get `None`.
#[must_use]
pub fn probe(ranks: &MpiRanks, options: &ProbeOptions) -> Option<ProbeReport> {
    #[cfg(feature = "mpi")]
    return measure::probe(ranks, options);
    #[cfg(not(feature = "mpi"))]
    {
        let _ = options;
        match *ranks {}
    }
}

/// Returns the slope of the least-squares line through `points`, or 0 if there are fewer than two.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    if count < 2.0 {
        return 0.0;
    }
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (middle_x, middle_y) = (mean(|point| point.0), mean(|point| point.1));
    let across: f64 = points
        .iter()
        .map(|(x, y)| (x - middle_x) * (y - middle_y))
        .sum();
    let along: f64 = points.iter().map(|(x, _)| (x - middle_x).powi(2)).sum();
    across / along
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(rank: usize, latency_us: f64, ns_per_byte: f64) -> PairCost {
        let size = |bytes: usize| SizeCost {
            bytes,
            one_way_us: latency_us + bytes as f64 * ns_per_byte / 1e3,
            stream_us: 0.0,
        };
        PairCost {
            rank,
            machine: "node".to_owned(),
            sizes: [0, 64, LONG, 1 << 20, 4 << 20].map(size).to_vec(),
            overhead_us: latency_us / 4.0,
        }
    }

    #[test]
    fn parameters_are_those_that_the_times_were_made_of() {
        let pair = pair(1, 1.5, 0.25);
        assert!((pair.latency_us() - 1.5).abs() < 1e-9);
        assert!((pair.ns_per_byte() - 0.25).abs() < 1e-9);
    }

    #[test]
    fn the_report_is_of_the_worst() {
        let report = ProbeReport {
            ranks: 4,
            machines: 2,
            is_oversubscribed: false,
            pairs: vec![pair(1, 1.0, 0.1), pair(2, 3.0, 0.2), pair(3, 2.0, 0.4)],
            gather_us: 1.0,
            exchange_us: 1.0,
        };
        assert_eq!(report.worst_pair().rank, 2);
        assert!((report.latency_us() - 3.0).abs() < 1e-9);
        assert!((report.overhead_us() - 0.75).abs() < 1e-9);
        assert!((report.ns_per_byte() - 0.4).abs() < 1e-9);
    }
}
