//! The table of jobs on the terminal.

use std::fmt::Write as _;

use fabricsim::outcome::JobSummary;

/// Adds how much of its time a job computes, and the ranks that compute longer or end later.
fn describe_ranks(text: &mut String, job: &JobSummary) {
    let mut line = |line: String| {
        writeln!(text, "  {}: {line}", job.job).expect("a string takes everything");
    };
    let times = &job.rank_times;
    if let Some(share) = times.computing_share {
        let longest = times
            .computing_longest_rank
            .zip(times.computing_longest_ratio);
        let longest = longest.map_or_else(String::new, |(rank, ratio)| {
            format!("; rank {rank} computes {ratio:.3} times as long as the median rank")
        });
        line(format!(
            "ranks compute in {:.1}% of the time{longest}",
            share * 100.0
        ));
    }
    if let (Some(rank), Some(count), Some(behind)) = (
        times.last_rank,
        times.last_rank_iterations,
        times.last_behind_median_ns,
    ) {
        let iterations = job.iterations - job.warm_up;
        let behind = behind / 1e3;
        line(format!(
            "rank {rank} ends {count} of {iterations} iterations last; the last rank ends {behind:.3} us \
             after the median one"
        ));
    }
}

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
    for job in jobs {
        describe_ranks(text, job);
    }
    for waiting in jobs.iter().filter_map(|job| job.waiting.first()) {
        writeln!(text, "  waits: {waiting}").expect("a string takes everything");
    }
}
