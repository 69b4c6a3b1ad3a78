//! Slowdowns, incasts and queries of runs, by class.

use std::collections::BTreeSet;

use fabricsim_plot::figure::{
    CdfOf, Figure, Series, SlowdownCurve, Unit, cdf_figure, quantity, slowdown_figure,
};
use fabricsim_plot::html::{Cell, Page};
use fabricsim_report::{Confidence, GroupTails, Percentile, ReplicaMean, SizeClass};

use super::grouping::Group;
use super::read::Results;
use super::runs::{Run, SHOWN, thousands};
use crate::plot::capitalized;
use crate::queries::PERCENTILES;

/// Formats nanoseconds as in `1.2 ms`; a dash for `None`.
pub(super) fn time(ns: Option<f64>) -> Cell {
    Cell::from(ns.map_or_else(|| "-".to_owned(), |ns| quantity(ns, Unit::Nanoseconds)))
}

fn slowdown_cell(value: Option<f64>) -> Cell {
    Cell::from(value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}")))
}

fn count(count: usize) -> Cell {
    thousands(u64::try_from(count).unwrap_or(u64::MAX)).into()
}

/// Adds figures of the slowdown of each class over flow size, with the settings of a group in one.
pub(super) fn slowdowns(page: &mut Page, results: &Results, groups: &[Group]) {
    // Messages of jobs and downloads have no slowdowns.
    if results.runs.iter().all(|run| run.tails.is_empty()) {
        return;
    }
    page.section("Slowdown over size");
    let classes: BTreeSet<u16> = results
        .pooled
        .iter()
        .flat_map(|own| own.curves.iter().map(|(class, _)| *class))
        .collect();
    let mut explained = false;
    for class in &classes {
        for group in groups {
            let members = group.members(results).into_iter();
            let curves: Vec<SlowdownCurve> = members
                .filter_map(|member| {
                    let mut curves = member.pooled.curves.iter();
                    let (_, curve) = curves.find(|(own, _)| own == class)?;
                    Some(curve.clone().called(member.name, member.style))
                })
                .collect();
            let of = capitalized(&name_of(results, *class));
            let title = match group.name.as_str() {
                "" => of,
                name => format!("{of}: {name}"),
            };
            let figure = match one_size(results, *class) {
                true => distribution(&title, results, group, *class),
                false => slowdown_figure(&title, &curves, &SHOWN),
            };
            if figure.is_empty() {
                continue;
            }
            let caption = match std::mem::replace(&mut explained, true) {
                true => "",
                false => {
                    "Completion time over completion time on an idle network. Flows are cut by \
                     size into bins of equal count, as many as have enough flows for the \
                     percentile in each seed (20 at most); a point stands at the largest size of \
                     its bin."
                }
            };
            page.figure(&figure, caption);
        }
    }
}

/// Returns the name of the flows of `class`.
pub(super) fn name_of(results: &Results, class: u16) -> String {
    let first = results.runs.iter().find(|run| !run.summary.is_null());
    let first = first.or_else(|| results.runs.first());
    first.map_or_else(String::new, |run| run.class_name(class))
}

/// Returns `true` if all flows of `class` have one size. A figure over size would show a single
/// point.
fn one_size(results: &Results, class: u16) -> bool {
    let mut curves = results.pooled.iter().flat_map(|own| &own.curves);
    curves.all(|(own, curve)| *own != class || curve.has_one_size())
}

/// Returns a figure of the slowdown distribution of a class, of the flows of all seeds.
fn distribution(title: &str, results: &Results, group: &Group, class: u16) -> Figure {
    let members = group.members(results).into_iter();
    let curves = members.filter_map(|member| {
        let mut own = member.pooled.of_one_size.iter();
        let (_, points) = own.find(|(own, _)| *own == class)?;
        Some(Series::curve(member.name, member.style, points.clone()))
    });
    let mut figure = cdf_figure(title, vec![(CdfOf::Slowdown, curves.collect())]);
    figure
        .notes
        .push("all flows have one size: the distribution of their slowdowns".to_owned());
    figure
}

/// Adds the table of tails by class and size, one setting below the other: means over seeds.
pub(super) fn tails(page: &mut Page, results: &Results) {
    let mut groups: Vec<(u16, SizeClass)> = Vec::new();
    for tail in results.runs.iter().flat_map(|run| &run.tails) {
        let group = (tail.class.0, tail.size);
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    if groups.is_empty() {
        return;
    }
    let order = |size: SizeClass| SizeClass::ALL.iter().position(|own| *own == size);
    groups.sort_by_key(|(class, size)| (*class, order(*size)));
    let mut rows = Vec::new();
    for (class, size) in groups {
        for setting in &results.layout.settings {
            let runs = setting.runs.iter().flatten();
            let tails: Vec<&GroupTails> = runs
                .filter_map(|&run| {
                    let mut tails = results.runs[run].tails.iter();
                    tails.find(|tail| (tail.class.0, tail.size) == (class, size))
                })
                .collect();
            if tails.is_empty() {
                continue;
            }
            let mut row = vec![
                Cell::from(name_of(results, class)),
                Cell::from(size.to_string()),
                setting.name.as_str().into(),
                count(tails.iter().map(|tail| tail.flows).sum()),
            ];
            row.extend((0..SHOWN.len()).map(|level| {
                let known = tails
                    .iter()
                    .filter_map(|tail| tail.percentiles[level].slowdown);
                mean_cell(&known.collect::<Vec<f64>>())
            }));
            rows.push(row);
        }
    }
    page.section("Slowdown by class");
    let headers = ["flows of", "size", "setting", "flows", "p50", "p95", "p99"];
    page.table(&headers, &rows);
    let seeds = match results.layout.most_runs() {
        0 | 1 => "",
        _ => "Means over seeds that have enough flows, with 95% confidence intervals. ",
    };
    page.paragraph(&format!(
        "{seeds}A dash: too few flows for the percentile in a run (p95 needs 20, p99 100)."
    ));
}

/// Returns the mean of values of seeds with its interval, or a dash.
fn mean_cell(values: &[f64]) -> Cell {
    let Some(mean) = ReplicaMean::new(values, Confidence::P95) else {
        return Cell::from("-");
    };
    match mean.at_least(1.0).interval {
        Some(interval) => format!(
            "{:.3} ({:.3} to {:.3})",
            mean.mean, interval.low, interval.high
        )
        .into(),
        None => slowdown_cell(Some(mean.mean)),
    }
}

/// Adds the table of all flows by size range.
pub(super) fn by_size(page: &mut Page, runs: &[Run]) {
    // Messages of jobs and downloads have no slowdowns.
    if runs.iter().all(|run| run.tails.is_empty()) {
        return;
    }
    let classes = runs.first().map_or(0, |run| run.slowdowns.rows.len());
    let mut rows = Vec::new();
    for class in 0..classes {
        for run in runs {
            let row = &run.slowdowns.rows[class];
            let known = |percentile: Percentile, value: f64| {
                slowdown_cell(Some(value).filter(|_| percentile.is_known_of(row.count)))
            };
            rows.push(vec![
                Cell::from(row.class.to_string()),
                run.name.as_str().into(),
                count(row.count),
                known(Percentile::P50, row.p50),
                known(Percentile::P95, row.p95),
                known(Percentile::P99, row.p99),
                slowdown_cell(Some(row.mean).filter(|mean| !mean.is_nan())),
            ]);
        }
    }
    page.section("Slowdown by size, all flows").table(
        &["size", "run", "flows", "p50", "p95", "p99", "mean"],
        &rows,
    );
}

/// Adds the completion times of incasts.
pub(super) fn incasts(page: &mut Page, runs: &[Run]) {
    let mut rows = Vec::new();
    for run in runs {
        for (class, times) in &run.incasts {
            let at = |percentile: Percentile| {
                let value = fabricsim_report::percentile(times, percentile.fraction());
                time(value.filter(|_| percentile.is_known_of(times.len())))
            };
            rows.push(vec![
                Cell::from(run.name.as_str()),
                run.class_name(*class).into(),
                count(times.len()),
                time(Some(times.iter().sum::<f64>() / times.len() as f64)),
                at(Percentile::P50),
                at(Percentile::P99),
                time(times.last().copied()),
            ]);
        }
    }
    if rows.is_empty() {
        return;
    }
    page.section("Incast completion times");
    page.paragraph("From the start of a round to the end of the last of its flows.");
    page.table(
        &["run", "flows of", "rounds", "mean", "p50", "p99", "longest"],
        &rows,
    );
}

/// Adds the query completion times.
pub(super) fn queries(page: &mut Page, runs: &[Run]) {
    let mut rows = Vec::new();
    for run in runs {
        for queries in &run.queries {
            let mut row = vec![
                Cell::from(run.name.as_str()),
                Cell::from(queries.class.to_string()),
                count(queries.count),
                time(Some(queries.mean())),
            ];
            row.extend(queries.percentiles().map(time));
            rows.push(row);
        }
    }
    if rows.is_empty() {
        return;
    }
    page.section("Query completion times");
    let percentiles = PERCENTILES.map(|percentile| percentile.to_string());
    let headers: Vec<&str> = ["run", "class", "queries", "mean"]
        .into_iter()
        .chain(percentiles.iter().map(String::as_str))
        .collect();
    page.table(&headers, &rows);
}

/// Adds the pauses, marks and losses of whole runs, by cause.
pub(super) fn losses(page: &mut Page, runs: &[Run]) {
    let known: Vec<&Run> = runs.iter().filter(|run| !run.summary.is_null()).collect();
    if known.is_empty() {
        return;
    }
    let rows: Vec<Vec<Cell>> = known
        .into_iter()
        .map(|run| {
            let bad = |pointer: &str| match run.count(pointer) {
                0 => Cell::from("0"),
                count => Cell::bad(thousands(count)),
            };
            let number = |pointer: &str| Cell::from(thousands(run.count(pointer)));
            let paused = run.summary.pointer("/pfc_paused_ns");
            let bytes = |pointer: &str| quantity(run.count(pointer) as f64, Unit::Bytes);
            vec![
                Cell::from(run.name.as_str()),
                number("/pfc_pauses"),
                time(paused.and_then(serde_json::Value::as_f64)),
                bad("/buffer_drops"),
                number("/queue_drops"),
                number("/trimmed_packets"),
                bad("/trimmed_headers_lost"),
                number("/link_losses"),
                number("/link_down_drops"),
                number("/no_route_drops"),
                number("/marked_packets"),
                bytes("/retransmitted_bytes").into(),
                bad("/timeouts"),
                bytes("/max_queue_bytes").into(),
            ]
        })
        .collect();
    let headers = [
        "run",
        "pause frames",
        "ports paused",
        "buffer drops",
        "queue drops",
        "trimmed",
        "headers lost, too",
        "link losses",
        "lost on failed links",
        "without a route",
        "marked",
        "retransmitted",
        "timeouts",
        "longest queue",
    ];
    // Columns without a count would take the room of others.
    let is_zero = |column: usize| {
        let mut cells = rows.iter().map(|row| row[column].text.as_str());
        column > 0 && cells.all(|text| matches!(text, "0" | "0 B" | "0 ns"))
    };
    let (zero, shown): (Vec<usize>, Vec<usize>) = (0..headers.len()).partition(|&i| is_zero(i));
    let names: Vec<&str> = shown.iter().map(|&column| headers[column]).collect();
    let pick = |row: &Vec<Cell>| shown.iter().map(|&column| row[column].clone()).collect();
    let rows: Vec<Vec<Cell>> = rows.iter().map(pick).collect();
    page.section("Pauses and losses").table(&names, &rows);
    if !zero.is_empty() {
        let names: Vec<&str> = zero.iter().map(|&column| headers[column]).collect();
        page.paragraph(&format!("Zero in all runs: {}.", names.join(", ")));
    }
}
