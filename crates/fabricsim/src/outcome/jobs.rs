//! Results of jobs: `collectives.csv` and the totals in `summary.json`.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};

use fabricsim_base::id::{ClassId, FlowId, NodeId};
use fabricsim_base::units::{Duration, Time};
use fabricsim_core::plugin::Application;
use fabricsim_report::{Checksum, CollectiveRecord, RpcStatistics, percentile, write_collectives};
use fabricsim_scenario::text::error::Error;
use fabricsim_workload::{Instance, RankApplication, SpanRecord};
use serde::{Deserialize, Serialize};

use super::ending_of;
use super::stragglers::RankTimes;
use super::summed::Summed;
use crate::output::ResultFolder;
use crate::simulation::Simulation;
use crate::summary::status::Status;

pub(super) const COLLECTIVES: &str = "collectives.csv";

/// A job: the ranks of one workload.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct JobSummary {
    /// The flow class of the workload.
    pub class: u16,
    /// The name of the job.
    pub job: String,
    /// Number of ranks.
    pub ranks: u32,
    /// Number of ranks that have finished.
    pub ranks_finished: u32,
    /// Operations of all ranks in one iteration.
    pub operations: u64,
    /// Iterations that have ended at all ranks.
    pub iterations: u64,
    /// Iterations at the beginning that the times of iterations and ranks leave out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub warm_up: u64,
    /// Time from the beginning of the first iteration to the end of the last one; absent unless all
    /// ranks have finished.
    pub completion_ns: Option<f64>,
    /// Mean time of an iteration after the warm-up. An iteration lasts from the end of the previous one (the first
    /// from the beginning of the job) to the last receipt or computation of any rank, so the
    /// slowest group determines it. All times of iterations are absent if no iteration has ended.
    pub iteration_mean_ns: Option<f64>,
    /// Median time of an iteration.
    pub iteration_p50_ns: Option<f64>,
    /// 99th percentile of the time of an iteration.
    pub iteration_p99_ns: Option<f64>,
    /// Longest time of an iteration.
    pub iteration_max_ns: Option<f64>,
    /// Collectives that have ended.
    pub collectives: u64,
    /// Collectives that have begun at some rank but not ended at all ranks.
    pub collectives_unfinished: u64,
    /// Mean algorithm bandwidth of collectives; absent without any.
    pub algbw_gbps: Option<f64>,
    /// Mean bus bandwidth of collectives; absent without any.
    pub busbw_gbps: Option<f64>,
    /// Mean bus bandwidth of the group with the lowest mean.
    pub busbw_slowest_gbps: Option<f64>,
    /// Ranks that compute longer or end later than the others.
    #[serde(default, flatten)]
    pub rank_times: RankTimes,
    /// The reasons why ranks have not finished, for at most ten of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<String>,
}

/// Number of unfinished ranks with a stated reason.
const WAITING: usize = 10;

/// The ranks of one job.
struct Job<'s> {
    ranks: Vec<(NodeId, &'s RankApplication)>,
}

/// The records of one collective in one iteration, combined over its ranks.
#[derive(Clone, Copy)]
struct Gathered {
    ranks: u32,
    start: Time,
    end: Time,
    slowest: (u32, NodeId),
    last: Option<(FlowId, u32)>,
}

impl Gathered {
    fn add(&mut self, rank: (u32, NodeId), record: &SpanRecord) {
        self.ranks += 1;
        self.start = self.start.min(record.start);
        // The end is the last delivery; a rank that receives no message contributes only its
        // beginning.
        let later = record.last.is_some() && (self.last.is_none() || record.end > self.end);
        if later || (self.last.is_none() && self.ranks == 1) {
            self.end = record.end;
            self.slowest = rank;
            self.last = record.last;
        }
    }
}

impl Job<'_> {
    fn first(&self) -> &RankApplication {
        self.ranks[0].1
    }

    /// Returns the collectives that have ended at all of their ranks, and the number of other
    /// collectives that have begun at some rank.
    fn collectives(&self) -> (Vec<CollectiveRecord>, u64) {
        let info = self.first().info();
        let mut gathered: BTreeMap<(u32, u32), Gathered> = BTreeMap::new();
        for &(host, rank) in &self.ranks {
            let none = Gathered {
                ranks: 0,
                start: Time::MAX,
                end: Time::ZERO,
                slowest: (rank.rank(), host),
                last: None,
            };
            for record in rank.done() {
                let key = (record.iteration, record.instance);
                let all = gathered.entry(key).or_insert(none);
                all.add((rank.rank(), host), record);
            }
            for key in rank.under_way() {
                gathered.entry(key).or_insert(none);
            }
        }
        let mut unfinished = 0;
        let mut records = Vec::new();
        // By collective, its last end.
        let mut ends: BTreeMap<u32, Time> = BTreeMap::new();
        for ((iteration, number), all) in gathered {
            let instance: &Instance = &info.instances[number as usize];
            if all.ranks < instance.ranks {
                unfinished += 1;
                continue;
            }
            records.push(CollectiveRecord {
                class: info.class,
                job: info.job.to_string(),
                collective: number,
                group: instance.group,
                operation: instance.operation.name().to_owned(),
                algorithm: instance.algorithm.to_string(),
                iteration,
                ranks: instance.ranks,
                size: instance.size,
                start: all.start,
                end: all.end,
                bus_factor: instance.bus_factor,
                slowest: all.slowest,
                last: all.last,
                before: ends.insert(number, all.end),
            });
        }
        (records, unfinished)
    }

    /// Returns the iterations that have ended at all ranks: each from the end of the previous one,
    /// the first one from the beginning. Because groups drift apart, the time from the first rank's
    /// beginning of an iteration to the last rank's end would exceed the job's time for it.
    fn iterations(&self) -> Vec<(Time, Time)> {
        let of_ranks = || self.ranks.iter().map(|(_, rank)| rank.iterations());
        let count = of_ranks().map(<[_]>::len).min().unwrap_or(0);
        let starts = of_ranks().filter_map(|all| all.first().map(|one| one.start));
        let mut from = starts.min().unwrap_or(Time::ZERO);
        let mut spans = Vec::new();
        for at in 0..count {
            let end = of_ranks().map(|all| all[at].end).max().unwrap_or(from);
            spans.push((from, end));
            from = end;
        }
        spans
    }

    /// Adds the times of all iterations of all ranks to `checksum`, because messages of kept
    /// connections and computations are in no file.
    fn add_to(&self, checksum: &mut Checksum) {
        for (_, rank) in &self.ranks {
            let (class, number) = (rank.info().class.0, rank.rank());
            for one in rank.iterations() {
                let (start, end) = (one.start.as_ps(), one.end.as_ps());
                checksum.update(format!("{class},{number},{start},{end}\n").as_bytes());
            }
        }
    }

    fn summary(&self, records: &[CollectiveRecord], unfinished: u64) -> JobSummary {
        let info = self.first().info();
        let ns = |span: Duration| span.as_ps() as f64 / 1e3;
        let spans = self.iterations();
        let first = spans.len().min(info.warm_up as usize);
        let counted = spans[first..].iter();
        let mut times: Vec<f64> = counted.map(|(from, to)| ns(to.since(*from))).collect();
        times.sort_unstable_by(f64::total_cmp);
        let mean = |values: Vec<f64>| RpcStatistics::of(values).map(|all| all.mean);
        let iterations: Vec<_> = self
            .ranks
            .iter()
            .map(|(_, rank)| rank.iterations())
            .collect();
        let finished = self.ranks.iter().filter(|(_, rank)| rank.is_finished());
        let finished = finished.count();
        let whole = spans.first().zip(spans.last());
        let rates = |of: fn(&CollectiveRecord) -> Option<f64>| {
            mean(records.iter().filter_map(of).collect())
        };
        JobSummary {
            class: info.class.0,
            job: info.job.to_string(),
            ranks: u32::try_from(self.ranks.len()).unwrap_or(u32::MAX),
            ranks_finished: u32::try_from(finished).unwrap_or(u32::MAX),
            operations: (self.ranks.iter())
                .map(|(_, rank)| rank.operations() as u64)
                .sum(),
            iterations: spans.len() as u64,
            warm_up: first as u64,
            completion_ns: whole
                .filter(|_| finished == self.ranks.len())
                .map(|(first, last)| ns(last.1.since(first.0))),
            iteration_mean_ns: mean(times.clone()),
            iteration_p50_ns: percentile(&times, 0.5),
            iteration_p99_ns: percentile(&times, 0.99),
            iteration_max_ns: times.last().copied(),
            collectives: records.len() as u64,
            collectives_unfinished: unfinished,
            algbw_gbps: rates(CollectiveRecord::algorithm_gbps),
            busbw_gbps: rates(CollectiveRecord::bus_gbps),
            busbw_slowest_gbps: slowest_busbw(records),
            rank_times: RankTimes::of(&iterations, &spans, first),
            waiting: (self.ranks.iter())
                .filter_map(|(_, rank)| rank.waits_for())
                .take(WAITING)
                .collect(),
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Returns the mean bus bandwidth of the group with the lowest mean.
fn slowest_busbw(records: &[CollectiveRecord]) -> Option<f64> {
    let mut groups: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for record in records {
        if let Some(gbps) = record.bus_gbps() {
            let (sum, count) = groups.entry(record.group).or_default();
            (*sum, *count) = (*sum + gbps, *count + 1.0);
        }
    }
    let means = groups.into_values().map(|(sum, count)| sum / count);
    means.min_by(f64::total_cmp)
}

/// Writes the collectives of all jobs, if there are jobs, and returns the totals.
pub(super) fn write_job_results(
    simulation: &Simulation,
    checksum: &mut Checksum,
    (folder, status): (&mut ResultFolder, Status),
) -> Result<Vec<JobSummary>, Error> {
    let mut jobs: BTreeMap<ClassId, Job<'_>> = BTreeMap::new();
    for (host, rank) in simulation.applications::<RankApplication>() {
        let job = jobs.entry(rank.info().class);
        let job = job.or_insert(Job { ranks: Vec::new() });
        job.ranks.push((host, rank));
    }
    if jobs.is_empty() {
        return Ok(Vec::new());
    }
    let mut summaries = Vec::new();
    let mut all = Vec::new();
    for job in jobs.values_mut() {
        job.ranks.sort_unstable_by_key(|(_, rank)| rank.rank());
        let (records, unfinished) = job.collectives();
        summaries.push(job.summary(&records, unfinished));
        all.extend(records);
        job.add_to(checksum);
    }
    all.sort_by_key(|record| {
        (
            record.end,
            record.class,
            record.iteration,
            record.collective,
        )
    });
    folder.write(ending_of(status).name(COLLECTIVES), |file| {
        let mut summed = Summed {
            out: BufWriter::new(file),
            checksum,
        };
        write_collectives(&mut summed, &all)?;
        summed.flush()
    })?;
    Ok(summaries)
}
