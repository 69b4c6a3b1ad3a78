//! Queries that packets carry: decoded paths, and errors against the truth.

use fabricsim::summary::QuerySummary;
use fabricsim_plot::html::{Cell, Page};
use fabricsim_report::{ErrorFigures, PathFigures};
use serde_json::Value;

use super::runs::Run;
use crate::query_table::switches;

/// Rows of the tables of all queries.
#[derive(Default)]
struct Tables {
    paths: Vec<Vec<Cell>>,
    errors: Vec<Vec<Cell>>,
    /// Queries that are not compared, with the reasons.
    reasons: Vec<String>,
}

/// Adds the tables of the queries of all runs.
pub(super) fn queries(page: &mut Page, runs: &[Run]) {
    let mut tables = Tables::default();
    for run in runs {
        let own = run.summary.get("queries").and_then(Value::as_array);
        for query in own.into_iter().flatten() {
            // A summary of an older version may lack fields; its files still have everything.
            if let Ok(query) = serde_json::from_value(query.clone()) {
                tables.add(&run.name, &query);
            }
        }
    }
    tables.show(page);
}

impl Tables {
    fn add(&mut self, run: &str, query: &QuerySummary) {
        let begin = || vec![Cell::from(run), Cell::from(query.query.as_str())];
        if let Some(found) = &query.paths {
            let mut add = |length: String, figures: &PathFigures| {
                let mut row = begin();
                row.push(length.into());
                row.extend(path_cells(figures));
                self.paths.push(row);
            };
            add("all".to_owned(), &found.all);
            for own in &found.by_length {
                add(switches(own.switches), &own.figures);
            }
        }
        for statistic in query.errors.iter().filter(|own| own.all.hops > 0) {
            let mut add = |length: String, figures: &ErrorFigures| {
                let mut row = begin();
                row.push(Cell::from(statistic.statistic.as_str()));
                row.push(length.into());
                row.extend(error_cells(figures));
                self.errors.push(row);
            };
            add("all".to_owned(), &statistic.all);
            for own in &statistic.by_length {
                add(switches(own.switches), &own.figures);
            }
        }
        if let Some(reason) = &query.not_compared {
            self.reasons.push(format!(
                "{run}: query {} is not compared with the truth: {reason}.",
                query.query
            ));
        }
    }

    fn show(&self, page: &mut Page) {
        if self.paths.is_empty() && self.errors.is_empty() && self.reasons.is_empty() {
            return;
        }
        page.section("Queries of packets (PINT)");
        if !self.paths.is_empty() {
            page.paragraph(
                "Decoded paths by the number of their switches. A path lacks a hop if its flow had too \
                 few packets or if it changed before. A dash: too few decoded paths for the percentile \
                 (p99 needs 100).",
            );
            const HEADERS: [&str; 11] = [
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
            ];
            page.table(&HEADERS, &self.paths);
        }
        if !self.errors.is_empty() {
            page.paragraph(
                "Relative error of the estimate of each hop of each flow against the true value over all \
                 packets. Bias: the median with its sign, positive if estimates are too large. A dash: \
                 too few hops (p95 needs 20).",
            );
            const HEADERS: [&str; 10] = [
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
            ];
            page.table(&HEADERS, &self.errors);
        }
        for reason in &self.reasons {
            page.paragraph(reason);
        }
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
