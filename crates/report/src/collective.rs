//! Collectives: one row for each that has ended.

use std::io::{self, Write};

use fabricsim_base::id::{ClassId, FlowId, NodeId};
use fabricsim_base::input::InputError;
use fabricsim_base::units::{Bytes, Duration, Time};

use crate::table::Table;
use crate::write::{push_integer, push_nanoseconds};

/// The header of a file of collectives.
pub const COLLECTIVE_HEADER: &str = "class,job,collective,group,operation,algorithm,iteration,\
                                     ranks,size_bytes,start_ns,end_ns,duration_ns,algbw_gbps,\
                                     busbw_gbps,slowest_rank,slowest_host,last_flow,last_sender,\
                                     iteration_ns";

/// A collective that has ended at all ranks of its group.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectiveRecord {
    /// The flow class of the collective's workload.
    pub class: ClassId,
    /// Name of the job.
    pub job: String,
    /// Index of the collective in its job.
    pub collective: u32,
    /// Index of its group in the job.
    pub group: u32,
    /// The operation, such as `all-reduce`.
    pub operation: String,
    /// The algorithm, such as `ring`.
    pub algorithm: String,
    /// The iteration, from zero.
    pub iteration: u32,
    /// Number of ranks in the group.
    pub ranks: u32,
    /// Size of the buffer.
    pub size: Bytes,
    /// Start of the first rank.
    pub start: Time,
    /// Delivery of the last message.
    pub end: Time,
    /// Bus bandwidth over algorithm bandwidth.
    pub bus_factor: f64,
    /// The rank that received the last message, and its host.
    pub slowest: (u32, NodeId),
    /// The last message and the rank that sent it.
    pub last: Option<(FlowId, u32)>,
    /// End of the same collective in the previous iteration.
    pub before: Option<Time>,
}

impl CollectiveRecord {
    /// Returns the time from the first rank's start to the last delivery.
    #[must_use]
    pub fn duration(&self) -> Duration {
        self.end.since(self.start)
    }

    /// Returns the time from the end of the same collective in the previous iteration to the last
    /// delivery. The first iteration counts from the first rank's start.
    #[must_use]
    pub fn iteration(&self) -> Duration {
        self.end.since(self.before.unwrap_or(self.start))
    }

    /// Returns the algorithm bandwidth, size over duration; `None` if no time passes, as with one
    /// rank.
    #[must_use]
    pub fn algorithm_gbps(&self) -> Option<f64> {
        let ps = self.duration().as_ps();
        (ps > 0).then(|| self.size.as_f64() * 8e3 / ps as f64)
    }

    /// Returns the bus bandwidth: the traffic in one direction of each rank's link under the best
    /// algorithm. `None` if no time passes.
    #[must_use]
    pub fn bus_gbps(&self) -> Option<f64> {
        Some(self.algorithm_gbps()? * self.bus_factor)
    }
}

/// Writes `records` as CSV, in the given order; times as in the file of flows, bandwidths with six
/// decimals.
///
/// # Errors
/// Fails if `out` fails.
pub fn write_collectives(mut out: impl Write, records: &[CollectiveRecord]) -> io::Result<()> {
    writeln!(out, "{COLLECTIVE_HEADER}")?;
    let mut row = Vec::new();
    for record in records {
        row.clear();
        write!(
            row,
            "{},{},{},{},{},{},{},{},",
            record.class.0,
            record.job,
            record.collective,
            record.group,
            record.operation,
            record.algorithm,
            record.iteration,
            record.ranks,
        )?;
        push_integer(&mut row, record.size.get());
        row.push(b',');
        for ps in [
            record.start.as_ps(),
            record.end.as_ps(),
            record.duration().as_ps(),
        ] {
            push_nanoseconds(&mut row, ps);
            row.push(b',');
        }
        let (rank, host) = record.slowest;
        for gbps in [record.algorithm_gbps(), record.bus_gbps()] {
            if let Some(gbps) = gbps {
                write!(row, "{gbps:.6}")?;
            }
            row.push(b',');
        }
        write!(row, "{rank},{},", host.0)?;
        match record.last {
            Some((flow, sender)) => write!(row, "{},{sender},", flow.0)?,
            None => row.extend_from_slice(b",,"),
        }
        push_nanoseconds(&mut row, record.iteration().as_ps());
        row.push(b'\n');
        out.write_all(&row)?;
    }
    Ok(())
}

/// A row of a file of collectives, with the columns that figures use.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectiveRow {
    /// The flow class of the collective's workload.
    pub class: ClassId,
    /// Name of the job.
    pub job: String,
    /// The operation, such as `all-reduce`.
    pub operation: String,
    /// The algorithm, such as `ring`.
    pub algorithm: String,
    /// The iteration, from zero.
    pub iteration: u32,
    /// Start of the first rank.
    pub start: Time,
    /// Delivery of the last message.
    pub end: Time,
    /// Bus bandwidth; `None` if no time passes.
    pub bus_gbps: Option<f64>,
    /// The last message, the rank that received it, and its host; `None` without messages, or if
    /// the file does not say.
    pub last: Option<(FlowId, u32, NodeId)>,
}

/// Reads a `collectives.csv`, in the order of its rows. The header names the columns, in any order.
///
/// # Errors
/// Fails at the offending word.
pub fn read_collectives(text: &str) -> Result<Vec<CollectiveRow>, InputError> {
    let table = Table::new(text, "a file of collectives")?;
    let [class, job, operation, algorithm, iteration, start, end, bus] = table.positions([
        "class",
        "job",
        "operation",
        "algorithm",
        "iteration",
        "start_ns",
        "end_ns",
        "busbw_gbps",
    ])?;
    let receipt = ["last_flow", "slowest_rank", "slowest_host"].map(|name| table.position(name));
    table.read(|_, _, fields| {
        let last = match receipt {
            [Some(flow), Some(rank), Some(host)] if !fields[flow].text.is_empty() => Some((
                FlowId(fields[flow].integer("last_flow")?),
                fields[rank].integer("slowest_rank")?,
                NodeId(fields[host].integer("slowest_host")?),
            )),
            _ => None,
        };
        Ok(CollectiveRow {
            last,
            class: ClassId(fields[class].integer("class")?),
            job: fields[job].text.to_owned(),
            operation: fields[operation].text.to_owned(),
            algorithm: fields[algorithm].text.to_owned(),
            iteration: fields[iteration].integer("iteration")?,
            start: Time::from_ps(fields[start].nanoseconds("start_ns")?),
            end: Time::from_ps(fields[end].nanoseconds("end_ns")?),
            bus_gbps: match fields[bus].text {
                "" => None,
                text => Some(
                    text.parse()
                        .ok()
                        .filter(|value: &f64| value.is_finite())
                        .ok_or_else(|| {
                            fields[bus].error(
                                format!("`{text}` is not a bandwidth"),
                                "give a collectives.csv as a run has written it",
                            )
                        })?,
                ),
            },
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_the_columns_of_the_header_and_are_read_back() {
        let record = CollectiveRecord {
            class: ClassId(2),
            job: "train".to_owned(),
            collective: 3,
            group: 1,
            operation: "all-reduce".to_owned(),
            algorithm: "ring".to_owned(),
            iteration: 4,
            ranks: 4,
            size: Bytes::new(1_000_000),
            start: Time::from_ps(1_000_500),
            end: Time::from_ps(101_000_500),
            bus_factor: 1.5,
            slowest: (2, NodeId(7)),
            last: Some((FlowId(9), 1)),
            before: Some(Time::from_ps(500)),
        };
        let without = CollectiveRecord {
            last: None,
            before: None,
            ..record.clone()
        };
        let at_once = CollectiveRecord {
            end: record.start,
            ..without.clone()
        };
        let mut text = Vec::new();
        write_collectives(&mut text, &[record, without, at_once]).unwrap();
        let text = String::from_utf8(text).unwrap();
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(
            rows[1],
            "2,train,3,1,all-reduce,ring,4,4,1000000,1000.5,101000.5,100000,80.000000,120.000000,\
             2,7,9,1,101000"
        );
        assert_eq!(rows[0].split(',').count(), rows[1].split(',').count());
        assert_eq!(rows[0].split(',').count(), rows[2].split(',').count());
        assert!(rows[3].ends_with(",0,,,2,7,,,0"), "{}", rows[3]);
        let read = read_collectives(&text).unwrap();
        assert_eq!(read.len(), 3);
        assert_eq!((read[0].class, read[0].iteration), (ClassId(2), 4));
        assert_eq!(read[0].end.as_ps(), 101_000_500);
        assert_eq!(
            (&*read[1].operation, &*read[1].algorithm),
            ("all-reduce", "ring")
        );
        assert_eq!(read[1].bus_gbps, Some(120.0));
        assert_eq!(read[2].bus_gbps, None);
        let damaged = text.replace("120.000000", "fast");
        assert!(
            read_collectives(&damaged)
                .unwrap_err()
                .message
                .contains("`fast`")
        );
    }
}
