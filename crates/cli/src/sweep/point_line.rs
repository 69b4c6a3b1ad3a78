//! The line of a point on the screen.

use fabricsim::outcome::{JobSummary, ServingSummary};
use fabricsim_experiments::sweep::{Ended, PointOutcome, PointResults};
use fabricsim_plot::figure::{Unit, quantity};

/// Returns a line about a point and its end.
pub(super) fn point_line(outcome: &PointOutcome) -> String {
    let name = &outcome.name;
    match &outcome.ended {
        Ended::Kept(results) | Ended::Ran(results) => {
            let slowdown = |value: Option<f64>| match value {
                Some(value) => format!("{value:.3}"),
                None => "-".to_owned(),
            };
            let all = results.slowdown.first();
            let slowdowns = match all.and_then(|row| row.p50) {
                // Messages of jobs and of language models have no slowdowns.
                None if !(results.jobs.is_empty() && results.serving.is_empty()) => String::new(),
                p50 => format!(
                    ", slowdown p50 {} p95 {} p99 {}",
                    slowdown(p50),
                    slowdown(all.and_then(|row| row.p95)),
                    slowdown(all.and_then(|row| row.p99)),
                ),
            };
            format!(
                "{name}: {}, {} of {} flows{slowdowns}{}{}{}",
                results.status.name(),
                results.flows.finished,
                results.flows.started + results.flows.unreachable,
                jobs(results),
                requests(results),
                losses(results),
            )
        }
        Ended::Failed(message) => format!("{name}: failed: {message}"),
        Ended::Stopped => format!("{name}: stopped"),
        Ended::Elsewhere => format!("{name}: not run yet"),
    }
}

/// Returns the mean iteration time and bus bandwidth of each job for the line of a point; empty if
/// there are no jobs.
fn jobs(results: &PointResults) -> String {
    let job = |job: &JobSummary| {
        let name = match results.jobs.len() {
            1 => String::new(),
            _ => format!(" of {}", job.job),
        };
        let time = job.iteration_mean_ns.or(job.completion_ns);
        let time = time.map_or_else(|| "-".to_owned(), |ns| quantity(ns, Unit::Nanoseconds));
        let bus = job
            .busbw_gbps
            .map(|gbps| format!(", bus bandwidth {gbps:.1} Gbps"));
        format!(", iteration{name} {time}{}", bus.unwrap_or_default())
    };
    results.jobs.iter().map(job).collect()
}

/// Returns the time to the first token and the time of each further token of each flow class with
/// requests to a language model; empty if there are none.
fn requests(results: &PointResults) -> String {
    let time =
        |ns: Option<f64>| ns.map_or_else(|| "-".to_owned(), |ns| quantity(ns, Unit::Nanoseconds));
    let class = |class: &ServingSummary| {
        let name = match results.serving.len() {
            1 => String::new(),
            _ => format!(" of class {}", class.class),
        };
        let (ttft, tpot) = (class.ttft, class.tpot);
        format!(
            ", TTFT{name} p50 {} p99 {}, TPOT{name} p50 {} p99 {}",
            time(ttft.and_then(|times| times.p50_ns)),
            time(ttft.and_then(|times| times.p99_ns)),
            time(tpot.and_then(|times| times.p50_ns)),
            time(tpot.and_then(|times| times.p99_ns)),
        )
    };
    results.serving.iter().map(class).collect()
}

/// Returns the losses of a point for the end of its line; empty if there are none.
fn losses(results: &PointResults) -> String {
    let counts = [
        (results.buffer_drops, "buffer drops"),
        (results.queue_drops, "queue drops"),
        (results.trimmed_packets, "trimmed"),
        (results.link_losses, "link losses"),
        (results.link_down_drops, "lost on failed links"),
        (results.no_route_drops, "without a route"),
        (results.timeouts, "timeouts"),
    ];
    let there = counts.iter().filter(|(count, _)| *count > 0);
    there
        .map(|(count, what)| format!(", {count} {what}"))
        .collect()
}
