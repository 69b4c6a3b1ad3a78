//! The settings of the runs, and the differences between them.

use super::runs::{Run, thousands};
use fabricsim_plot::html::{Cell, Page};
use serde_json::Value;

pub(super) fn overview(page: &mut Page, runs: &[Run]) {
    // The share of the packet-hops that was skipped, if a run has skipped any.
    let skipped = |run: &Run| {
        let share = run
            .summary
            .pointer("/fast_forward/skipped_packet_hops_share");
        share.and_then(Value::as_f64)
    };
    let skips = runs.iter().any(|run| skipped(run).is_some());
    let row = |run: &Run| {
        let status = match run.text("/status") {
            status if status == "finished" => Cell::good(status),
            status if status == "-" || status == "time-reached" => Cell::from(status),
            status => Cell::bad(status),
        };
        let started = match run
            .summary
            .pointer("/flows/started")
            .and_then(Value::as_u64)
        {
            Some(started) => thousands(started),
            None => "-".to_owned(),
        };
        let version = run.text("/fabricsim_version");
        let mut row = vec![
            Cell::from(run.name.as_str()),
            run.text("/scenario/name").into(),
            run.text("/scenario/cc/kind").into(),
            run.loads().into(),
            run.text("/scenario/seed").into(),
            status,
            started.into(),
            thousands(u64::try_from(run.flows).unwrap_or(u64::MAX)).into(),
            run.seconds("/wall_s").into(),
            run.seconds("/cpu_s").into(),
            run.text("/checksum").into(),
            version.into(),
        ];
        if skips {
            let share = skipped(run).map(|share| format!("{:.1}%", 100.0 * share));
            row.push(share.unwrap_or_else(|| "-".to_owned()).into());
        }
        row
    };
    let rows: Vec<Vec<Cell>> = runs.iter().map(row).collect();
    let mut headers = vec![
        "run",
        "scenario",
        "algorithm",
        "load",
        "seed",
        "status",
        "flows started",
        "finished",
        "wall s",
        "CPU s",
        "checksum",
        "version",
    ];
    if skips {
        headers.push("packet-hops skipped");
    }
    page.section("Runs").table(&headers, &rows);
    if runs.iter().any(|run| run.summary.is_null()) {
        page.paragraph(
            "A run without summary.json, such as one of another simulator, has dashes: only its flows \
             are known.",
        );
    }
}

pub(super) fn scenarios(page: &mut Page, runs: &[Run]) {
    let known = runs
        .iter()
        .filter_map(|run| Some((run, run.summary.get("scenario")?)));
    let known: Vec<(&Run, &Value)> = known.collect();
    if known.is_empty() {
        return;
    }
    page.section("Scenarios")
        .paragraph("Every setting, defaults filled in.");
    for (run, scenario) in known {
        page.details(&run.name, &format!("{scenario:#}"));
    }
}
