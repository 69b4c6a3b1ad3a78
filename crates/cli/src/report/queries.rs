//! Queries that packets carry: decoded paths, and errors against the truth.

use fabricsim::summary::QuerySummary;
use fabricsim_plot::html::{Cell, Page};
use fabricsim_report::{ErrorFigures, PathFigures};
use serde_json::Value;

use super::runs::Run;
use crate::query_table::switches;

/// Adds the tables of the queries of all runs.
pub(super) fn queries(page: &mut Page, runs: &[Run]) {
    let (mut paths, mut errors, mut reasons) = (Vec::new(), Vec::new(), Vec::new());
    for run in runs {
        let own = run.summary.get("queries").and_then(Value::as_array);
        let own = own.into_iter().flatten().filter_map(|query| {
            // A summary of an older version may lack fields; its files still have everything.
            serde_json::from_value::<QuerySummary>(query.clone()).ok()
        });
        for query in own {
            let begin = || {
                vec![
                    Cell::from(run.name.as_str()),
                    Cell::from(query.query.as_str()),
                ]
            };
            if let Some(found) = &query.paths {
                let row = |length: String, figures: &PathFigures| {
                    let mut row = begin();
                    row.push(length.into());
                    row.extend(path_cells(figures));
                    row
                };
                paths.push(row("all".to_owned(), &found.all));
                let lengths = found.by_length.iter();
                paths.extend(lengths.map(|own| row(switches(own.switches), &own.figures)));
            }
            for statistic in query.errors.iter().filter(|own| own.all.hops > 0) {
                let row = |length: String, figures: &ErrorFigures| {
                    let mut row = begin();
                    row.push(Cell::from(statistic.statistic.as_str()));
                    row.push(length.into());
                    row.extend(error_cells(figures));
                    row
                };
                errors.push(row("all".to_owned(), &statistic.all));
                let lengths = statistic.by_length.iter();
                errors.extend(lengths.map(|own| row(switches(own.switches), &own.figures)));
            }
            if let Some(reason) = &query.not_compared {
                reasons.push(format!(
                    "{}: query {} is not compared with the truth: {reason}.",
                    run.name, query.query
                ));
            }
        }
    }
    if paths.is_empty() && errors.is_empty() && reasons.is_empty() {
        return;
    }
    page.section("Queries of packets (PINT)");
    if !paths.is_empty() {
        page.paragraph(
            "Decoded paths by the number of their switches. A path lacks a hop if its flow had too \
             few packets or if it changed before. A dash: too few decoded paths for the percentile \
             (p99 needs 100).",
        );
        page.table(
            &[
                "run",
                "query",
                "path length",
                "paths",
                "decoded",
                "wrong",
                "too few packets",
                "changed",
                "packets to decode, mean",
                "p50",
                "p99",
            ],
            &paths,
        );
    }
    if !errors.is_empty() {
        page.paragraph(
            "Relative error of the estimate of each hop of each flow against the true value over all \
             packets. Bias: the median with its sign, positive if estimates are too large.",
        );
        page.table(
            &[
                "run",
                "query",
                "statistic",
                "path length",
                "hops",
                "digests of a hop, p50",
                "|error|, p50",
                "p95",
                "mean",
                "bias",
            ],
            &errors,
        );
    }
    for reason in reasons {
        page.paragraph(&reason);
    }
}

fn number(value: Option<f64>, decimals: usize) -> Cell {
    Cell::from(value.map_or_else(|| "-".to_owned(), |value| format!("{value:.decimals$}")))
}

fn percent(value: Option<f64>) -> Cell {
    Cell::from(value.map_or_else(|| "-".to_owned(), |value| format!("{:.2}%", value * 100.0)))
}

fn path_cells(figures: &PathFigures) -> [Cell; 8] {
    let wrong = match figures.wrong {
        0 => Cell::from("0"),
        count => Cell::bad(count.to_string()),
    };
    [
        figures.paths.to_string().into(),
        figures.decoded.to_string().into(),
        wrong,
        figures.too_few_packets.to_string().into(),
        figures.changed.to_string().into(),
        number(figures.packets_mean, 2),
        number(figures.packets_p50, 0),
        number(figures.packets_p99, 0),
    ]
}

fn error_cells(figures: &ErrorFigures) -> [Cell; 6] {
    [
        figures.hops.to_string().into(),
        number(figures.digests_p50, 0),
        percent(figures.error_p50),
        percent(figures.error_p95),
        percent(figures.error_mean),
        percent(figures.signed_p50),
    ]
}
