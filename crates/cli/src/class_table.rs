//! The table of slowdowns on the terminal.

use std::fmt::Write;

use fabricsim::outcome::Summary;
use fabricsim::summary::SlowdownSummary;
use fabricsim_report::Percentile;

use crate::text::line;

/// Adds the table of slowdowns by size class if any flow has finished.
///
/// A percentile of too few flows is a dash.
pub(crate) fn describe_slowdowns(text: &mut String, summary: &Summary) {
    if summary.slowdown.iter().all(|row| row.flows == 0) {
        return;
    }
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
        line!(
            text,
            "  {:<10} {:>14} {:>9} {:>9} {:>9} {:>9}",
            row.class,
            row.flows,
            cell(row.p50),
            cell(row.p95),
            cell(row.p99),
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
