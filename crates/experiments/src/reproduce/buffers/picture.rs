//! Results as figures.

use fabricsim_plot::figure::{Axis, Figure, Panel, Series, Style};

use super::run::SizeRow;
use super::{BufferSizing, FLOODING, SCHEMES, STORAGE};

/// Returns figures of slowdowns by size, and of the queues of both experiments.
pub(super) fn figures(results: &BufferSizing) -> Vec<(String, Figure)> {
    vec![
        ("slowdown".to_owned(), slowdowns(results)),
        ("queues".to_owned(), queues(results)),
    ]
}

fn styles() -> Vec<Style> {
    (0..SCHEMES.len()).map(Style::nth).collect()
}

fn slowdowns(results: &BufferSizing) -> Figure {
    let mut figure = Figure::new("Storage benchmark: slowdown of queries");
    for (title, value) in [
        ("median", (|row| row.p50) as fn(&SizeRow) -> f64),
        ("99th percentile", |row| row.p99),
    ] {
        let x = Axis::log("query size (bytes), up to");
        let mut panel = Panel::new(title, x, Axis::log("QCT slowdown"));
        for (scheme, style) in SCHEMES.iter().zip(styles()) {
            if let Some(run) = results.run(STORAGE, scheme) {
                let rows = run.sizes.iter();
                let points = rows.map(|row| (row.upto_bytes as f64, value(row)));
                let series = Series::curve(*scheme, style, points.collect());
                panel.series.push(series);
            }
        }
        figure.panels.push(panel);
    }
    figure
}

fn queues(results: &BufferSizing) -> Figure {
    let mut figure = Figure::new("Queue lengths");
    for (experiment, title) in [
        (FLOODING, "flood: port towards the server"),
        (STORAGE, "storage benchmark: all switch ports"),
    ] {
        let y = Axis::linear("time with at most this queue (%)");
        let x = Axis::log("queue (bytes)");
        let mut panel = Panel::new(title, x, y.from(0.0).upto(100.0));
        for (scheme, style) in SCHEMES.iter().zip(styles()) {
            if let Some(run) = results.run(experiment, scheme) {
                let points = run.queue.curve.iter().filter(|(bytes, _)| *bytes > 0.0);
                let points = points.copied().collect();
                panel.series.push(Series::curve(*scheme, style, points));
            }
        }
        figure.panels.push(panel);
    }
    figure
}
