//! Results of queries that packets carry, against the truth: a table on the terminal.

use std::fmt::Write as _;

use fabricsim::summary::QuerySummary;
use fabricsim_report::{ErrorFigures, PathFigures, Percentile, QueryErrors, QueryPaths};

use crate::text::line;

/// Adds the results of each query to `text`.
pub(crate) fn describe(text: &mut String, queries: &[QuerySummary]) {
    for query in queries {
        write!(text, "query {:<6} {}", query.query, query.value)
            .expect("a string takes everything");
        match (&query.paths, query.flows) {
            (Some(paths), _) => line!(text, ": {}", outcomes(&paths.all)),
            (None, Some(flows)) => line!(text, ": {flows} flows"),
            (None, None) => line!(text, ": error of each hop's estimate"),
        }
        if let Some(reason) = &query.not_compared {
            line!(text, "  not compared with the truth: {reason}");
        }
        if let Some(paths) = &query.paths {
            describe_paths(text, paths);
        }
        // A table of dashes says less than the reason above.
        if query.not_compared.is_none() {
            describe_errors(text, &query.errors);
        }
    }
}

/// Describes the numbers of paths by their outcome.
fn outcomes(figures: &PathFigures) -> String {
    let mut words = format!(
        "{} of {} paths decoded, {} wrong",
        figures.decoded, figures.paths, figures.wrong
    );
    for (count, reason) in [
        (figures.too_few_packets, "flows had too few packets"),
        (figures.changed, "changed before"),
    ] {
        if count > 0 {
            write!(words, "; {count} {reason}").expect("a string takes everything");
        }
    }
    words
}

fn describe_paths(text: &mut String, paths: &QueryPaths) {
    if paths.all.decoded == 0 {
        return;
    }
    line!(
        text,
        "  {:<22} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "packets to decode",
        "paths",
        "decoded",
        "mean",
        "p50",
        "p99"
    );
    let mut row = |name: &str, own: &PathFigures| {
        line!(
            text,
            "  {name:<22} {:>9} {:>9} {:>9} {:>9} {:>9}",
            own.paths,
            own.decoded,
            number(own.packets_mean, 1.0, 2),
            number(own.packets_p50, 1.0, 0),
            number(own.packets_p99, 1.0, 0)
        );
    };
    row("all paths", &paths.all);
    for own in &paths.by_length {
        row(&switches(own.switches), &own.figures);
    }
    if paths.all.packets_p99.is_none() {
        let least = Percentile::P99.least_values();
        line!(text, "  -: p99 needs {least} decoded paths");
    }
}

fn describe_errors(text: &mut String, errors: &[QueryErrors]) {
    if errors.is_empty() {
        return;
    }
    line!(
        text,
        "  {:<22} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "|error|, %",
        "hops",
        "digests",
        "p50",
        "p95",
        "mean",
        "bias"
    );
    let mut left_out = String::new();
    for statistic in errors {
        let name = &statistic.statistic;
        row_of_errors(text, &format!("{name}, all paths"), &statistic.all);
        for own in &statistic.by_length {
            let name = format!("{name}, {}", switches(own.switches));
            row_of_errors(text, &name, &own.figures);
        }
        let all = &statistic.all;
        for (count, reason) in [
            (all.without_digest, "without a digest"),
            (all.zero_truth, "with a true value of zero"),
            (all.without_truth, "without a true value"),
        ] {
            if count > 0 {
                let separator = if left_out.is_empty() { "" } else { ", " };
                write!(left_out, "{separator}{count} {reason} ({name})")
                    .expect("a string takes everything");
            }
        }
    }
    line!(
        text,
        "  digests: median of a hop; bias: median with the sign"
    );
    if !left_out.is_empty() {
        line!(text, "  no error of hops {left_out}");
    }
}

fn row_of_errors(text: &mut String, name: &str, own: &ErrorFigures) {
    line!(
        text,
        "  {name:<22} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        own.hops,
        number(own.digests_p50, 1.0, 0),
        number(own.error_p50, 100.0, 2),
        number(own.error_p95, 100.0, 2),
        number(own.error_mean, 100.0, 2),
        number(own.signed_p50, 100.0, 2)
    );
}

/// Describes the length of a path.
pub(crate) fn switches(count: u8) -> String {
    match count {
        1 => "1 switch".to_owned(),
        count => format!("{count} switches"),
    }
}

/// Formats a value times `factor`, or a dash.
fn number(value: Option<f64>, factor: f64, decimals: usize) -> String {
    value.map_or_else(
        || "-".to_owned(),
        |value| format!("{:.decimals$}", value * factor),
    )
}
