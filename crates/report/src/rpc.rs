//! Remote procedure calls: one row per query, and summaries.

use std::io::{self, Write};

use fabricsim_base::id::{ClassId, FlowId, NodeId};
use fabricsim_base::units::{Bytes, Duration, Time};

use crate::slowdown::percentile;
use crate::write::{push_integer, push_nanoseconds, push_ratio};

/// The header of a file of queries.
pub const RPC_HEADER: &str = "query,class,client,server,connection,query_bytes,response_bytes,\
                              issue_ns,completion_ns,qct_ns,ideal_qct_ns,slowdown";

/// A query with a delivered response.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RpcRecord {
    /// Number of the query's message, from the same sequence as flow numbers.
    pub query: FlowId,
    /// The flow class of the query's workload.
    pub class: ClassId,
    /// The host that sent the query.
    pub client: NodeId,
    /// The host that responded.
    pub server: NodeId,
    /// Number of the query's connection.
    pub connection: FlowId,
    /// Payload bytes of the query.
    pub size: Bytes,
    /// Payload bytes of the response.
    pub response: Bytes,
    /// Time at which the client sent the query.
    pub issue: Time,
    /// Time at which the last byte of the response is delivered.
    pub completion: Time,
    /// The query completion time on an idle network.
    pub ideal: Duration,
}

impl RpcRecord {
    /// Returns the query completion time: from the query to the last byte of its response.
    #[must_use]
    pub fn qct(&self) -> Duration {
        self.completion.since(self.issue)
    }

    /// Returns the query completion time divided by its value on an idle network, at least 1.
    #[must_use]
    pub fn slowdown(&self) -> f64 {
        let ideal = self.ideal.as_ps().max(1) as f64;
        (self.qct().as_ps() as f64 / ideal).max(1.0)
    }
}

/// Writes `records` as CSV, in the given order; times and slowdowns as in the file of flows.
///
/// # Errors
/// Fails if `out` fails.
pub fn write_rpc(mut out: impl Write, records: &[RpcRecord]) -> io::Result<()> {
    writeln!(out, "{RPC_HEADER}")?;
    let mut row = Vec::new();
    for record in records {
        row.clear();
        for value in [
            u64::from(record.query.0),
            u64::from(record.class.0),
            u64::from(record.client.0),
            u64::from(record.server.0),
            u64::from(record.connection.0),
            record.size.get(),
            record.response.get(),
        ] {
            push_integer(&mut row, value);
            row.push(b',');
        }
        for ps in [
            record.issue.as_ps(),
            record.completion.as_ps(),
            record.qct().as_ps(),
            record.ideal.as_ps(),
        ] {
            push_nanoseconds(&mut row, ps);
            row.push(b',');
        }
        push_ratio(&mut row, record.qct(), record.ideal);
        row.push(b'\n');
        out.write_all(&row)?;
    }
    Ok(())
}

/// Statistics of a quantity over queries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RpcStatistics {
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p999: f64,
    /// Mean.
    pub mean: f64,
}

impl RpcStatistics {
    /// Computes the statistics of `values`, in any order; `None` if there are none.
    #[must_use]
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_unstable_by(f64::total_cmp);
        let at = |p| percentile(&values, p);
        Some(Self {
            p50: at(0.5)?,
            p95: at(0.95)?,
            p99: at(0.99)?,
            p999: at(0.999)?,
            mean: values.iter().sum::<f64>() / values.len() as f64,
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn query() -> RpcRecord {
        RpcRecord {
            query: FlowId(7),
            class: ClassId(1),
            client: NodeId(2),
            server: NodeId(3),
            connection: FlowId(5),
            size: Bytes::new(4_000),
            response: Bytes::new(64),
            issue: Time::from_ps(1_000_500),
            completion: Time::from_ps(4_000_500),
            ideal: Duration::from_ps(2_000_000),
        }
    }

    #[test]
    fn rows_are_exact_and_have_units_in_their_names() {
        let record = query();
        let mut text = Vec::new();
        write_rpc(&mut text, &[record]).unwrap();
        let text = String::from_utf8(text).unwrap();
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(
            rows[1],
            "7,1,2,3,5,4000,64,1000.5,4000.5,3000,2000,1.500000"
        );
        assert_eq!(rows[0].split(',').count(), rows[1].split(',').count());
        assert!((record.slowdown() - 1.5).abs() < 1e-12);
    }

    #[test]
    fn statistics_of_nothing_are_none() {
        assert_eq!(RpcStatistics::of(Vec::new()), None);
        let thousand = RpcStatistics::of((0..1_000).rev().map(f64::from).collect()).unwrap();
        assert_eq!(
            [
                thousand.p50,
                thousand.p95,
                thousand.p99,
                thousand.p999,
                thousand.mean
            ]
            .map(|value| value.to_string()),
            ["500", "950", "990", "999", "499.5"]
        );
    }
}
