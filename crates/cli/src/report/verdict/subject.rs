//! The values about which a verdict is given: slowdowns of groups of flows, and times and
//! bandwidths of jobs.

use fabricsim_report::{Confidence, Estimate, GroupTails, Percentile, SizeClass};
use serde_json::Value;

use super::super::read::Results;
use super::super::runs::{Run, SHOWN};

/// A group of flows, or a job.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    /// Such as `poisson flows under 30 KB`, or `job train`.
    pub(super) words: String,
    /// `true` for a job.
    pub(super) is_job: bool,
    /// In increasing order of what they say: the last one with an interval decides.
    pub(super) metrics: Vec<Metric>,
}

/// A value of each run.
#[derive(Clone, Debug)]
pub(super) struct Metric {
    /// Such as `p99 slowdown`.
    pub(super) name: String,
    /// `true` if lower values are better.
    pub(super) lower: bool,
    /// By setting, in the order of its runs.
    pub(super) values: Vec<Vec<Estimate>>,
    /// For a percentile of flows.
    pub(super) flows: Option<FlowCounts>,
}

/// The flows behind a percentile.
#[derive(Clone, Debug)]
pub(super) struct FlowCounts {
    /// The fewest flows of a run that has any.
    pub(super) least: usize,
    /// The flows that the percentile needs.
    pub(super) needed: usize,
    /// The flows that its interval needs in a single run.
    pub(super) for_interval: usize,
    /// The percentile of the flows of all seeds together, by setting.
    pub(super) pooled: Vec<Option<f64>>,
}

/// Returns the subjects of the results: first flows by class and size, then jobs.
pub(super) fn subjects(results: &Results) -> Vec<Subject> {
    let groups = results.groups();
    let flows = groups
        .iter()
        .map(|(class, size)| of_flows(results, *class, *size));
    let mut jobs: Vec<String> = Vec::new();
    for job in results.runs.iter().flat_map(jobs_of) {
        let name = job["job"].as_str().unwrap_or_default().to_owned();
        if !jobs.contains(&name) {
            jobs.push(name);
        }
    }
    flows
        .chain(jobs.iter().map(|job| of_job(results, job)))
        .collect()
}

/// Returns the value of `estimate` for each run of each setting.
fn by_setting(results: &Results, estimate: impl Fn(&Run) -> Estimate) -> Vec<Vec<Estimate>> {
    let of_run = |run: &Option<usize>| {
        run.map_or_else(Estimate::default, |run| estimate(&results.runs[run]))
    };
    let settings = results.layout.settings.iter();
    settings
        .map(|setting| setting.runs.iter().map(of_run).collect())
        .collect()
}

fn of_flows(results: &Results, class: u16, size: SizeClass) -> Subject {
    let fits = |tail: &&GroupTails| (tail.class.0, tail.size) == (class, size);
    let metric = |level: Percentile| {
        let of = |tails: &[GroupTails]| {
            let own = tails.iter().find(fits)?;
            let mut levels = own.percentiles.iter();
            levels.find(|own| own.percentile == level).copied()
        };
        let counts = results
            .runs
            .iter()
            .filter_map(|run| run.tails.iter().find(fits));
        let pooled = results.pooled.iter();
        Metric {
            name: format!("{level} slowdown"),
            lower: true,
            values: by_setting(results, |run| {
                of(&run.tails).map(Estimate::from).unwrap_or_default()
            }),
            flows: Some(FlowCounts {
                least: counts.map(|tail| tail.flows).min().unwrap_or(0),
                needed: level.least_values(),
                for_interval: level.least_values_of_interval(Confidence::P95),
                pooled: pooled.map(|own| of(&own.tails)?.slowdown).collect(),
            }),
        }
    };
    let first = results
        .runs
        .iter()
        .find(|run| run.tails.iter().any(|tail| fits(&tail)));
    let class = first.map_or_else(String::new, |run| run.class_name(class));
    let size = match size {
        SizeClass::All => "",
        SizeClass::Below10K => " under 10 KB",
        SizeClass::Below30K => " under 30 KB",
        SizeClass::From30KTo1M => " of 30 KB to 1 MB",
        SizeClass::Above1M => " above 1 MB",
    };
    Subject {
        words: format!("{class}{size}"),
        is_job: false,
        metrics: SHOWN.map(metric).into(),
    }
}

fn jobs_of(run: &Run) -> impl Iterator<Item = &Value> {
    let jobs = run.summary.get("jobs").and_then(Value::as_array);
    jobs.into_iter().flatten()
}

fn of_job(results: &Results, job: &str) -> Subject {
    let metric = |(name, key, lower): (&str, &str, bool)| Metric {
        name: name.to_owned(),
        lower,
        values: by_setting(results, |run| Estimate {
            value: jobs_of(run)
                .find(|own| own["job"] == job)
                .and_then(|own| own.get(key)?.as_f64())
                .filter(|value| *value > 0.0),
            interval: None,
        }),
        flows: None,
    };
    let metrics = [
        ("completion time", "completion_ns", true),
        ("bus bandwidth", "busbw_gbps", false),
        ("mean iteration time", "iteration_mean_ns", true),
    ];
    let has_values = |metric: &Metric| {
        let mut values = metric.values.iter().flatten();
        values.any(|estimate| estimate.value.is_some())
    };
    Subject {
        words: format!("job {job}"),
        is_job: true,
        metrics: metrics.into_iter().map(metric).filter(has_values).collect(),
    }
}
