//! The table of slowdowns that a run prints.

use std::fmt::Write;

use fabricsim::outcome::Summary;
use fabricsim::summary::SlowdownSummary;
use fabricsim_report::Percentile;

use crate::text::line;

/// Adds the table of slowdowns by class of flows, without percentiles of which there are too few.
pub(crate) fn describe_slowdowns(text: &mut String, summary: &Summary) {
    line!(
        text,
        "slowdown     {:>14} {:>9} {:>9} {:>9} {:>9}",
        "flows",
        "p50",
        "p95",
        "p99",
        "mean"
    );
    let cell = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| format!("{v:.3}"));
    for row in &summary.slowdown {
        let [p50, p95, p99] = [
            (Percentile::P50, row.p50),
            (Percentile::P95, row.p95),
            (Percentile::P99, row.p99),
        ]
        .map(|(percentile, value)| value.filter(|_| percentile.is_known_of(row.flows)));
        line!(
            text,
            "  {:<10} {:>14} {:>9} {:>9} {:>9} {:>9}",
            row.class,
            row.flows,
            cell(p50),
            cell(p95),
            cell(p99),
            cell(row.mean)
        );
    }
    let too_few = |row: &SlowdownSummary| row.flows > 0 && !Percentile::P99.is_known_of(row.flows);
    if summary.slowdown.iter().any(too_few) {
        let [p95, p99] = [Percentile::P95, Percentile::P99].map(Percentile::least_values);
        line!(
            text,
            "  a dash: too few flows for the percentile (p95 needs {p95}, p99 {p99})"
        );
    }
}
