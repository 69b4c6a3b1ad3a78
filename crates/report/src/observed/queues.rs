//! Queue lengths over time.

use std::collections::BTreeMap;

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::input::InputError;
use fabricsim_base::units::{Bytes, Duration};

use crate::observed::plus;
use crate::quantile::Percentile;
use crate::table::read_columns;

/// Time for which the queue of a port had a length: a row of `queue_distribution.csv`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PortQueueTime {
    /// The switch.
    pub node: NodeId,
    /// Egress port of the switch.
    pub port: PortId,
    /// The queue was at least this long.
    pub from: Bytes,
    /// The queue was shorter than this.
    pub upto: Bytes,
    /// Time for which the queue was this long.
    pub time: Duration,
}

/// Distribution of queue lengths over time: of one port, or of several ports together.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct QueueDistribution {
    bins: BTreeMap<(Bytes, Bytes), Duration>,
}

/// Reads `queue_distribution.csv`, in the order of its rows.
///
/// # Errors
/// Fails at the offending word, also at a bin that ends before it begins.
pub fn read_queue_distribution(text: &str) -> Result<Vec<PortQueueTime>, InputError> {
    let columns = ["node", "port", "from_bytes", "upto_bytes", "time_ns"];
    read_columns(
        text,
        "queue_distribution.csv",
        columns,
        |[node, port, from, upto, time]| {
            let row = PortQueueTime {
                node: NodeId(node.integer("node")?),
                port: PortId(port.integer("port")?),
                from: Bytes::new(from.integer("from_bytes")?),
                upto: Bytes::new(upto.integer("upto_bytes")?),
                time: Duration::from_ps(time.nanoseconds("time_ns")?),
            };
            if row.upto <= row.from {
                return Err(upto.error(
                    "the bin ends before it begins",
                    "`upto_bytes` is above `from_bytes`",
                ));
            }
            Ok(row)
        },
    )
}

impl QueueDistribution {
    /// Adds up the distributions of all ports in `rows`; filter the rows to select ports.
    pub fn new<'r>(rows: impl IntoIterator<Item = &'r PortQueueTime>) -> Self {
        let mut bins: BTreeMap<(Bytes, Bytes), Duration> = BTreeMap::new();
        for row in rows {
            let time = bins.entry((row.from, row.upto)).or_default();
            *time = plus(*time, row.time);
        }
        Self { bins }
    }

    /// Returns the observed time, summed over all ports.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.bins
            .values()
            .fold(Duration::ZERO, |sum, time| plus(sum, *time))
    }

    /// Returns the bin with the percentile over time: the queue is `upto` or longer for at most the
    /// rest of the time. `None` if the observed time is zero.
    #[must_use]
    pub fn percentile(&self, wanted: Percentile) -> Option<(Bytes, Bytes)> {
        let limit = self.total().as_secs_f64() * wanted.fraction();
        let mut below = Duration::ZERO;
        self.bins
            .iter()
            .filter(|(_, time)| **time > Duration::ZERO)
            .find(|(_, time)| {
                below = plus(below, **time);
                below.as_secs_f64() >= limit
            })
            .map(|(bin, _)| *bin)
    }

    /// Returns the mean over time, in bytes, counting each bin at its middle (of whole bytes);
    /// `None` if the observed time is zero.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        let total = self.total().as_secs_f64();
        let weighted = self.bins.iter().map(|((from, upto), time)| {
            let last = upto.as_f64() - 1.0;
            f64::midpoint(from.as_f64(), last) * time.as_secs_f64()
        });
        (total > 0.0).then(|| weighted.sum::<f64>() / total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
node,port,from_bytes,upto_bytes,time_ns
20,0,0,1,900
20,0,1,1000,60
20,0,1000,2000,40
21,3,0,1,1000
";

    fn bin(from: u64, upto: u64) -> Option<(Bytes, Bytes)> {
        Some((Bytes::new(from), Bytes::new(upto)))
    }

    #[test]
    fn percentiles_are_over_time() {
        let rows = read_queue_distribution(TEXT).expect("four rows");
        let one = QueueDistribution::new(rows.iter().filter(|row| row.node == NodeId(20)));
        assert_eq!(one.total(), Duration::from_ns(1_000));
        assert_eq!(one.percentile(Percentile::P50), bin(0, 1));
        assert_eq!(one.percentile(Percentile::P95), bin(1, 1_000));
        assert_eq!(one.percentile(Percentile::P99), bin(1_000, 2_000));
        let mean = one.mean().expect("time");
        assert!(
            (mean - (0.06 * 500.0 + 0.04 * 1_499.5)).abs() < 1e-9,
            "{mean}"
        );

        let both = QueueDistribution::new(&rows);
        assert_eq!(both.percentile(Percentile::P95), bin(0, 1));
        assert_eq!(both.percentile(Percentile::P99), bin(1_000, 2_000));
        assert_eq!(
            QueueDistribution::default().percentile(Percentile::P50),
            None
        );
        assert_eq!(QueueDistribution::default().mean(), None);
    }

    #[test]
    fn bins_begin_before_they_end() {
        let text = TEXT.replace("1000,2000,40", "1000,1000,40");
        let error = read_queue_distribution(&text).expect_err("refused");
        assert_eq!(&text[error.span], "1000");
    }
}
