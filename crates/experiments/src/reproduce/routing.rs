//! Slowdowns of a permutation under routing policies.

use std::fmt;
use std::io;

use fabricsim_plot::html::{Cell, Page};
use serde::Serialize;

use super::claim::Claim;
use super::measured::Measured;

/// Upper bound of the median slowdown on an evenly loaded fabric. The rest above 1 are
/// acknowledgements of the opposite direction, about 10% of the packets' bytes.
const EVEN: f64 = 1.15;

/// Policies that send each packet of a flow on its own path, regardless of queues.
const SPRAYING: [&str; 2] = ["round robin", "random"];

/// A permutation under one policy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RoutingRow {
    /// The congestion control.
    pub control: String,
    /// The policy.
    pub policy: String,
    /// Flows that finished.
    pub flows: u64,
    /// Median slowdown.
    pub p50: f64,
    /// 95th percentile of slowdowns.
    pub p95: f64,
    /// 99th percentile of slowdowns.
    pub p99: f64,
    /// Payload bytes that were retransmitted.
    pub retransmitted_bytes: u64,
    /// Packets that were dropped or lost.
    pub drops: u64,
    /// The longest queue of a switch port, in bytes.
    pub max_queue_bytes: u64,
}

impl fmt::Display for RoutingRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:<8} {:<15} slowdown p50 {:>6.3}  p95 {:>6.3}  p99 {:>6.3}  longest queue {:>8} bytes  {:>6} \
             bytes retransmitted",
            self.control,
            self.policy,
            self.p50,
            self.p95,
            self.p99,
            self.max_queue_bytes,
            self.retransmitted_bytes
        )
    }
}

/// Returns the slowdowns of each point, and tests the claims about them.
pub(super) fn judge(measured: &mut Measured<'_>) -> (Vec<RoutingRow>, Vec<Claim>) {
    let mut rows = Vec::new();
    for point in measured.points() {
        let Some(results) = measured.results(point) else {
            continue;
        };
        let Some(all) = results.slowdown.first() else {
            continue;
        };
        let (Some(p50), Some(p95), Some(p99)) = (all.p50, all.p95, all.p99) else {
            continue;
        };
        let value = |axis| measured.value(point, axis).unwrap_or_default().to_owned();
        rows.push(RoutingRow {
            control: value("control"),
            policy: value("policy"),
            flows: results.flows.finished,
            p50,
            p95,
            p99,
            retransmitted_bytes: results.retransmitted_bytes,
            drops: results.drops(),
            max_queue_bytes: results.max_queue_bytes,
        });
    }
    let claims = claims(&rows);
    (rows, claims)
}

fn claims(rows: &[RoutingRow]) -> Vec<Claim> {
    let mut claims = Vec::new();
    for control in ["window", "HPCC"] {
        let row = |policy: &str| {
            let mut all = rows.iter();
            all.find(|row| row.control == control && row.policy == policy)
        };
        // HPCC leaves 5% of links free and pays for telemetry.
        for policy in SPRAYING.into_iter().filter(|_| control == "window") {
            claims.push(Claim::tested(
                format!("{control}, {policy}: the median slowdown is below {EVEN}"),
                row(policy).map(|row| (row.p50 < EVEN, format!("{:.3}", row.p50))),
            ));
        }
        let flowlets = row("ECMP").zip(row("flowlets")).zip(row("random"));
        claims.push(Claim::tested(
            format!("{control}: the median with flowlets is between ECMP and random spraying"),
            flowlets.map(|((ecmp, flowlets), random)| {
                let holds = flowlets.p50 < ecmp.p50 && flowlets.p50 > random.p50;
                let evidence = [ecmp.p50, flowlets.p50, random.p50].map(|p50| format!("{p50:.3}"));
                (holds, evidence.join(", "))
            }),
        ));
        claims.push(Claim::tested(
            format!("{control}: DRILL's median is not above random spraying"),
            row("DRILL").zip(row("random")).map(|(drill, random)| {
                let evidence = format!("{:.3} against {:.3}", drill.p50, random.p50);
                (drill.p50 <= random.p50, evidence)
            }),
        ));
        let again: Vec<&RoutingRow> = rows.iter().filter(|row| row.control == control).collect();
        let found = again.iter().map(|row| row.retransmitted_bytes).max();
        claims.push(Claim::tested(
            format!("{control}: no reordered packet is treated as lost"),
            found.map(|most| (most == 0, format!("{most} bytes retransmitted at most"))),
        ));
    }
    claims
}

/// Writes `rows` as CSV.
pub(super) fn write(rows: &[RoutingRow], out: &mut impl io::Write) -> io::Result<()> {
    writeln!(
        out,
        "control,policy,flows,slowdown_p50,slowdown_p95,slowdown_p99,retransmitted_bytes,drops,\
         max_queue_bytes"
    )?;
    for row in rows {
        writeln!(
            out,
            "{},{},{},{:.6},{:.6},{:.6},{},{},{}",
            row.control,
            row.policy,
            row.flows,
            row.p50,
            row.p95,
            row.p99,
            row.retransmitted_bytes,
            row.drops,
            row.max_queue_bytes
        )?;
    }
    Ok(())
}

/// Adds `rows` to `page` if there are any.
pub(super) fn show(rows: &[RoutingRow], page: &mut Page) {
    if rows.is_empty() {
        return;
    }
    page.section("Slowdowns");
    let cells = |row: &RoutingRow| {
        let figure = |value: f64| Cell::from(format!("{value:.3}"));
        vec![
            Cell::from(row.control.as_str()),
            Cell::from(row.policy.as_str()),
            figure(row.p50),
            figure(row.p95),
            figure(row.p99),
            Cell::from(row.max_queue_bytes.to_string()),
            Cell::from(row.retransmitted_bytes.to_string()),
        ]
    };
    let cells: Vec<Vec<Cell>> = rows.iter().map(cells).collect();
    page.table(
        &[
            "congestion control",
            "policy",
            "p50",
            "p95",
            "p99",
            "longest queue (bytes)",
            "retransmitted (bytes)",
        ],
        &cells,
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::Outcome;

    fn row(policy: &str, p50: f64) -> RoutingRow {
        RoutingRow {
            control: "window".to_owned(),
            policy: policy.to_owned(),
            flows: 1,
            p50,
            p95: 2.0,
            p99: 3.0,
            retransmitted_bytes: 0,
            drops: 0,
            max_queue_bytes: 1,
        }
    }

    #[test]
    fn policies_are_ordered_by_their_medians() {
        let mut rows = vec![
            row("ECMP", 2.6),
            row("flowlets", 2.0),
            row("DRILL", 1.1),
            row("random", 1.2),
        ];
        let outcomes = |rows: &[RoutingRow]| -> Vec<Outcome> {
            (claims(rows).iter().map(|claim| claim.outcome))
                .take(5)
                .collect()
        };
        use Outcome::{Fails, Holds, Untested};
        assert_eq!(outcomes(&rows), [Untested, Fails, Holds, Holds, Holds]);
        rows[3].p50 = 1.05;
        rows[1].retransmitted_bytes = 1_000;
        assert_eq!(outcomes(&rows), [Untested, Holds, Holds, Fails, Fails]);
    }

    #[test]
    fn rows_are_a_table() {
        let mut out = Vec::new();
        write(&[row("DRILL", 1.5)], &mut out).expect("a vector takes everything");
        let text = String::from_utf8(out).expect("text");
        let columns: Vec<usize> = text.lines().map(|line| line.split(',').count()).collect();
        assert_eq!(columns, [9, 9], "{text}");
    }
}
