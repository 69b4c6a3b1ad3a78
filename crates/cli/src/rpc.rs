//! The table of remote procedure calls on the terminal.

use std::fmt::Write as _;

use fabricsim::outcome::RpcSummary;

/// Adds the table of queries by flow class to `text` if there are any.
pub(crate) fn describe(text: &mut String, classes: &[RpcSummary]) {
    if classes.is_empty() {
        return;
    }
    let mut line = |cells: [String; 8]| {
        let [class, queries, rate, times @ ..] = cells;
        write!(text, "{class:<12} {queries:>14} {rate:>11}").expect("a string takes everything");
        for time in times {
            write!(text, " {time:>9}").expect("a string takes everything");
        }
        text.push('\n');
    };
    line(
        [
            "rpc, QCT us",
            "queries",
            "per second",
            "p50",
            "p95",
            "p99",
            "p99.9",
            "mean",
        ]
        .map(str::to_owned),
    );
    let micros =
        |ns: Option<f64>| ns.map_or_else(|| "-".to_owned(), |ns| format!("{:.3}", ns / 1e3));
    for class in classes {
        line([
            format!("  class {}", class.class),
            class.queries.to_string(),
            class
                .qps
                .map_or_else(|| "-".to_owned(), |qps| format!("{qps:.0}")),
            micros(class.qct_p50_ns),
            micros(class.qct_p95_ns),
            micros(class.qct_p99_ns),
            micros(class.qct_p999_ns),
            micros(class.qct_mean_ns),
        ]);
    }
}
