//! The table of requests to language models on the terminal.

use std::fmt::Write as _;

use fabricsim::outcome::{ServingSummary, ServingTimes};

/// Adds the table of requests by flow class to `text` if there are any.
pub(crate) fn describe(text: &mut String, classes: &[ServingSummary]) {
    if classes.is_empty() {
        return;
    }
    let mut line = |cells: [String; 6]| {
        let [name, times @ ..] = cells;
        write!(text, "{name:<24}").expect("a string takes everything");
        for time in times {
            write!(text, " {time:>10}").expect("a string takes everything");
        }
        text.push('\n');
    };
    line(["serving, times ms", "p50", "p95", "p99", "p99.9", "mean"].map(str::to_owned));
    let millis =
        |ns: Option<f64>| ns.map_or_else(|| "-".to_owned(), |ns| format!("{:.3}", ns / 1e6));
    for class in classes {
        for (name, times) in [
            ("first token", class.ttft),
            ("each further", class.tpot),
            ("whole request", class.e2e),
            ("KV transfer", class.kv_transfer),
        ] {
            let Some(times) = times else {
                continue;
            };
            let ServingTimes {
                mean_ns,
                p50_ns,
                p95_ns,
                p99_ns,
                p999_ns,
            } = times;
            line([
                format!("  class {}, {name}", class.class),
                millis(p50_ns),
                millis(p95_ns),
                millis(p99_ns),
                millis(p999_ns),
                millis(Some(mean_ns)),
            ]);
        }
    }
    for class in classes {
        let rate = |value: Option<f64>| {
            value.map_or_else(|| "-".to_owned(), |value| format!("{value:.1}"))
        };
        write!(
            text,
            "  class {}: {} requests, {} unfinished, {} tokens per second",
            class.class,
            class.requests,
            class.unfinished,
            rate(class.tokens_per_s),
        )
        .expect("a string takes everything");
        if let Some(good) = class.good_requests {
            write!(
                text,
                "; {good} within the limits, {} per second",
                rate(class.goodput_per_s)
            )
            .expect("a string takes everything");
        }
        text.push('\n');
    }
}
