//! The table of jobs on the terminal.

use std::fmt::Write as _;

use fabricsim::outcome::JobSummary;

/// Adds the table of jobs to `text` if there are any.
pub(crate) fn describe(text: &mut String, jobs: &[JobSummary]) {
    if jobs.is_empty() {
        return;
    }
    let mut line = |cells: [String; 10]| {
        let [
            name,
            ranks,
            ended,
            p50,
            p99,
            max,
            mean,
            algorithm,
            bus,
            least,
        ] = cells;
        writeln!(
            text,
            "{name:<15} {ranks:>5} {ended:>5} {p50:>9} {p99:>9} {max:>9} {mean:>9} \
             {algorithm:>10} {bus:>10} {least:>10}"
        )
        .expect("a string takes everything");
    };
    line(
        [
            "jobs, times us",
            "ranks",
            "iters",
            "p50",
            "p99",
            "max",
            "mean",
            "algbw Gbps",
            "busbw Gbps",
            "of slowest",
        ]
        .map(str::to_owned),
    );
    let number =
        |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |one| format!("{one:.3}"));
    let micros = |ns: Option<f64>| number(ns.map(|ns| ns / 1e3));
    for job in jobs {
        line([
            format!("  {}", job.job),
            job.ranks.to_string(),
            job.iterations.to_string(),
            micros(job.iteration_p50_ns),
            micros(job.iteration_p99_ns),
            micros(job.iteration_max_ns),
            micros(job.iteration_mean_ns),
            number(job.algbw_gbps),
            number(job.busbw_gbps),
            number(job.busbw_slowest_gbps),
        ]);
    }
    for waiting in jobs.iter().filter_map(|job| job.waiting.first()) {
        writeln!(text, "  waits: {waiting}").expect("a string takes everything");
    }
}
