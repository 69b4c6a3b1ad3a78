//! Utilization of links.

use std::collections::BTreeMap;

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::input::InputError;
use fabricsim_base::units::{Bytes, Duration, Time};
use serde::Serialize;

use crate::quantile::Percentile;
use crate::slowdown::percentile;
use crate::table::read_columns;

/// Traffic over one direction of a link in an interval: a row of `links.csv`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkSample {
    /// Time at which the interval ended.
    pub at: Time,
    /// The sending node.
    pub node: NodeId,
    /// Egress port of the sending node.
    pub port: PortId,
    /// Bytes that the node sent.
    pub sent: Bytes,
    /// The share of the link's rate that the node used, from 0 to 1.
    pub utilization: f64,
    /// Number of packets that the port marked.
    pub marked_packets: u64,
    /// Number of packets that the port dropped.
    pub dropped_packets: u64,
    /// Time for which the port was paused.
    pub paused: Duration,
}

/// Use of one direction of a link over a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LinkUse {
    /// The sending node.
    pub node: u32,
    /// Egress port of the sending node.
    pub port: u16,
    /// Number of intervals.
    pub samples: usize,
    /// Mean utilization over time.
    pub mean: f64,
    /// Median utilization over intervals.
    pub p50: f64,
    /// 95th percentile of the utilization over intervals.
    pub p95: f64,
    /// 99th percentile of the utilization over intervals.
    pub p99: f64,
    /// Maximum utilization of any interval.
    pub greatest: f64,
    /// Bytes that the node sent.
    pub sent_bytes: u64,
    /// Number of packets that the port marked.
    pub marked_packets: u64,
    /// Number of packets that the port dropped.
    pub dropped_packets: u64,
    /// Time for which the port was paused, in picoseconds.
    pub paused_ps: u64,
}

/// Reads `links.csv`, in the order of its rows.
///
/// # Errors
/// Fails at the offending word.
pub fn read_links(text: &str) -> Result<Vec<LinkSample>, InputError> {
    let columns = [
        "time_ns",
        "node",
        "port",
        "sent_bytes",
        "utilization",
        "marked_packets",
        "dropped_packets",
        "paused_ns",
    ];
    read_columns(
        text,
        "links.csv",
        columns,
        |[at, node, port, sent, utilization, marked, dropped, paused]| {
            Ok(LinkSample {
                at: Time::from_ps(at.nanoseconds("time_ns")?),
                node: NodeId(node.integer("node")?),
                port: PortId(port.integer("port")?),
                sent: Bytes::new(sent.integer("sent_bytes")?),
                utilization: utilization.number("utilization")?,
                marked_packets: marked.integer("marked_packets")?,
                dropped_packets: dropped.integer("dropped_packets")?,
                paused: Duration::from_ps(paused.nanoseconds("paused_ns")?),
            })
        },
    )
}

/// Computes the use of each direction of the links, in the order of (node, port). `samples` must be
/// in time order. An interval begins at the end of the previous one, the first at time zero. The
/// mean weighs intervals by their length; percentiles are over intervals and not interpolated.
#[must_use]
pub fn link_uses(samples: &[LinkSample]) -> Vec<LinkUse> {
    let mut links: BTreeMap<(NodeId, PortId), Vec<&LinkSample>> = BTreeMap::new();
    for sample in samples {
        let link = links.entry((sample.node, sample.port)).or_default();
        link.push(sample);
    }
    links
        .into_iter()
        .map(|((node, port), samples)| {
            let mut begun = Time::ZERO;
            let (mut busy, mut total) = (0.0, 0.0);
            for sample in &samples {
                let seconds = sample.at.since(begun).as_secs_f64();
                busy += seconds * sample.utilization;
                total += seconds;
                begun = sample.at;
            }
            let mut sorted: Vec<f64> = samples.iter().map(|s| s.utilization).collect();
            sorted.sort_unstable_by(f64::total_cmp);
            let at = |level: Percentile| percentile(&sorted, level.fraction()).unwrap_or(0.0);
            // Saturating, because values from a file may be arbitrarily large.
            let sum = |of: fn(&LinkSample) -> u64| {
                let values = samples.iter().map(|sample| of(sample));
                values.fold(0, u64::saturating_add)
            };
            LinkUse {
                node: node.0,
                port: port.0,
                samples: samples.len(),
                mean: if total > 0.0 { busy / total } else { 0.0 },
                p50: at(Percentile::P50),
                p95: at(Percentile::P95),
                p99: at(Percentile::P99),
                greatest: sorted.last().copied().unwrap_or(0.0),
                sent_bytes: sum(|s| s.sent.get()),
                marked_packets: sum(|s| s.marked_packets),
                dropped_packets: sum(|s| s.dropped_packets),
                paused_ps: sum(|s| s.paused.as_ps()),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str =
        "time_ns,node,port,sent_bytes,utilization,marked_packets,dropped_packets,paused_ns";

    #[test]
    fn each_direction_is_summed_up() {
        let text = format!(
            "{HEADER}\n\
             1000,7,1,12500,1,3,0,0\n\
             1000,2,0,0,0.0,0,0,0\n\
             2000,7,1,6250,0.5,1,2,250.5\n\
             2000,2,0,0,0,0,0,0\n\
             2500,7,1,0,0,0,0,500\n"
        );
        let uses = link_uses(&read_links(&text).expect("five rows"));
        assert_eq!(uses.len(), 2);
        assert_eq!((uses[0].node, uses[0].samples), (2, 2));
        let busy = uses[1];
        assert_eq!((busy.node, busy.port, busy.samples), (7, 1, 3));
        // 1 us at 1, 1 us at 0.5, half a microsecond at 0.
        assert!((busy.mean - 0.6).abs() < 1e-12);
        assert_eq!((busy.p50, busy.p99, busy.greatest), (0.5, 1.0, 1.0));
        assert_eq!(
            (busy.sent_bytes, busy.marked_packets, busy.dropped_packets),
            (18_750, 4, 2)
        );
        assert_eq!(busy.paused_ps, 750_500);
    }

    #[test]
    fn errors_are_placed() {
        let text = format!("{HEADER}\n1000,7,1,12500,full,3,0,0\n");
        let error = read_links(&text).expect_err("refused");
        assert_eq!(&text[error.span], "full");
    }
}
