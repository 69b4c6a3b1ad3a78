//! Lines beside the tables.

use std::path::Path;

use fabricsim_report::{Goodput, Percentile};
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;
use serde_json::Value;

use crate::results::{fct_file, summary_beside};

/// Explains the dashes of `percentiles` in a table.
pub(super) fn few_flows(percentiles: &[Percentile]) -> String {
    if percentiles.is_empty() {
        return String::new();
    }
    let needs = percentiles
        .iter()
        .map(|percentile| format!("{percentile} needs {}", percentile.least_values()));
    let needs: Vec<String> = needs.collect();
    format!(
        "-: too few flows for the percentile ({})\n",
        needs.join(", ")
    )
}

/// Returns the goodput of long flows in one line.
pub(super) fn describe_goodput(goodput: &Goodput) -> String {
    let gbps = |bps: f64| bps / 1e9;
    format!(
        "goodput of {} flows above 10 MB: mean {:.3} Gbps, median {:.3} Gbps, bytes over time {:.3} Gbps",
        goodput.flows,
        gbps(goodput.mean_bps),
        gbps(goodput.median_bps),
        gbps(goodput.aggregate_bps)
    )
}

/// Returns the number of unfinished flows from the summary beside the result; `None` if it has no
/// such number or the number is zero.
pub(super) fn unfinished(path: &Path) -> Option<u64> {
    let summary = summary_beside(&fct_file(path));
    let text = read_text(FileKind::SUMMARY, &summary).ok()?;
    let summary: Value = serde_json::from_str(&text).ok()?;
    let count = |key: &str| summary["flows"][key].as_u64().unwrap_or(0);
    Some(count("unfinished") + count("unreachable")).filter(|flows| *flows > 0)
}
