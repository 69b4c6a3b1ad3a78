//! Jobs: iterations and collectives of runs.

use fabricsim_plot::html::{Cell, Page};
use fabricsim_report::Percentile;
use serde_json::Value;

use super::classes::time;
use super::over_axes;
use super::read::Results;

/// Adds a table of the jobs of all runs, and the operations for which unfinished ranks wait.
pub(super) fn jobs(page: &mut Page, results: &Results) {
    let runs = &results.runs;
    let mut rows = Vec::new();
    let mut waiting = Vec::new();
    for run in runs {
        let jobs = run.summary.get("jobs").and_then(Value::as_array);
        for job in jobs.into_iter().flatten() {
            let name = job["job"].as_str().unwrap_or("-");
            let number = |key: &str| {
                job.get(key)
                    .map_or_else(|| "-".to_owned(), Value::to_string)
            };
            let nanoseconds = |key: &str| time(job.get(key).and_then(Value::as_f64));
            let iterations = job["iterations"].as_u64().unwrap_or(0);
            let percentile = |level: Percentile, key: &str| {
                let count = usize::try_from(iterations).unwrap_or(usize::MAX);
                match level.is_known_of(count) {
                    true => nanoseconds(key),
                    false => Cell::from("-"),
                }
            };
            let gbps = |key: &str| {
                let value = job.get(key).and_then(Value::as_f64);
                Cell::from(value.map_or_else(|| "-".to_owned(), |value| format!("{value:.1} Gbps")))
            };
            let ended = match job.get("ranks_finished") == job.get("ranks") {
                true => Cell::from(number("iterations")),
                false => Cell::bad(number("iterations")),
            };
            rows.push(vec![
                Cell::from(run.name.as_str()),
                Cell::from(name),
                Cell::from(number("ranks")),
                ended,
                nanoseconds("completion_ns"),
                nanoseconds("iteration_mean_ns"),
                percentile(Percentile::P50, "iteration_p50_ns"),
                percentile(Percentile::P99, "iteration_p99_ns"),
                nanoseconds("iteration_max_ns"),
                gbps("algbw_gbps"),
                gbps("busbw_gbps"),
                gbps("busbw_slowest_gbps"),
            ]);
            let first = job["waiting"].get(0).and_then(Value::as_str);
            waiting.extend(first.map(|words| format!("{}: waits: {words}", run.name)));
        }
    }
    if rows.is_empty() {
        return;
    }
    page.section("Jobs");
    page.paragraph(
        "Time of an iteration: from the end of the one before, the first one from the beginning, to \
         the last receipt or computation of all ranks. Bandwidths are means over collectives, as \
         NCCL-tests define them, and over those of the slowest group. A dash: too few iterations for \
         the percentile (p99 needs 100).",
    );
    figures(page, results);
    page.table(
        &[
            "run",
            "job",
            "ranks",
            "iterations",
            "whole",
            "mean",
            "p50",
            "p99",
            "longest",
            "algorithm bandwidth",
            "bus bandwidth",
            "slowest group",
        ],
        &rows,
    );
    for words in waiting {
        page.paragraph(&words);
    }
}

/// Adds a figure for each job, in the order of first appearance.
fn figures(page: &mut Page, results: &Results) {
    let mut names: Vec<&str> = Vec::new();
    for run in &results.runs {
        let jobs = run.summary.get("jobs").and_then(Value::as_array);
        let own = jobs
            .into_iter()
            .flatten()
            .filter_map(|job| job["job"].as_str());
        for name in own {
            if !names.contains(&name) {
                names.push(name);
                over_axes::job(page, results, name);
            }
        }
    }
}
