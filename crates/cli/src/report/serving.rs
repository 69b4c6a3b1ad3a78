//! Requests to language models of runs.

use fabricsim_plot::html::{Cell, Page};
use serde_json::Value;

use super::classes::time;
use super::read::Results;

/// Adds a table of the requests of all runs.
pub(super) fn serving(page: &mut Page, results: &Results) {
    let mut rows = Vec::new();
    for run in &results.runs {
        let classes = run.summary.get("serving").and_then(Value::as_array);
        for class in classes.into_iter().flatten() {
            let number = |key: &str| {
                let value = class.get(key).and_then(Value::as_f64);
                Cell::from(value.map_or_else(|| "-".to_owned(), |value| format!("{value:.1}")))
            };
            let of = |times: &str, key: &str| time(class[times][key].as_f64());
            let completed = class["requests"].to_string();
            let completed = match class["unfinished"].as_u64() {
                Some(0) => Cell::from(completed),
                _ => Cell::bad(completed),
            };
            rows.push(vec![
                Cell::from(run.name.as_str()),
                Cell::from(class["class"].to_string()),
                completed,
                number("tokens_per_s"),
                number("goodput_per_s"),
                of("ttft", "p50_ns"),
                of("ttft", "p99_ns"),
                of("tpot", "p50_ns"),
                of("tpot", "p99_ns"),
                of("e2e", "p50_ns"),
                of("e2e", "p99_ns"),
                of("kv_transfer", "mean_ns"),
            ]);
        }
    }
    if rows.is_empty() {
        return;
    }
    page.section("Requests to language models");
    page.paragraph(
        "TTFT: time from the arrival of a request to its first token. TPOT: mean time of each token \
         after the first one. Goodput: requests per second within the limits of both. A dash: too few \
         requests for the percentile, no limits, or no transfer of a KV cache.",
    );
    page.table(
        &[
            "run",
            "class",
            "completed",
            "tokens per second",
            "goodput",
            "TTFT p50",
            "TTFT p99",
            "TPOT p50",
            "TPOT p99",
            "whole p50",
            "whole p99",
            "KV transfer",
        ],
        &rows,
    );
}
