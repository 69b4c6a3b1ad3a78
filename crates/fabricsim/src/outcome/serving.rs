//! Results of serving: `requests.csv` and the totals in `summary.json`.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};

use fabricsim_base::id::ClassId;
use fabricsim_base::units::{Duration, Time};
use fabricsim_report::{Checksum, Percentile, RpcStatistics, ServingRecord, write_serving};
use fabricsim_scenario::text::error::Error;
use fabricsim_workload::{ServedFirst, ServedLast, ServingFrontEnd, ServingRank};
use serde::{Deserialize, Serialize};

use super::ending_of;
use super::summed::Summed;
use crate::output::ResultFolder;
use crate::simulation::Simulation;
use crate::summary::status::Status;

pub(super) const REQUESTS: &str = "requests.csv";

/// Statistics of a time over requests. A percentile is absent if there are too few requests for it.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct ServingTimes {
    /// Mean.
    pub mean_ns: f64,
    /// Median.
    pub p50_ns: Option<f64>,
    /// 95th percentile.
    pub p95_ns: Option<f64>,
    /// 99th percentile.
    pub p99_ns: Option<f64>,
    /// 99.9th percentile.
    pub p999_ns: Option<f64>,
}

impl ServingTimes {
    fn of(times: impl Iterator<Item = Duration>) -> Option<Self> {
        let values: Vec<f64> = times.map(|time| time.as_ps() as f64 / 1e3).collect();
        let count = values.len();
        let all = RpcStatistics::of(values)?;
        let enough = |level: Percentile, value| level.is_known_of(count).then_some(value);
        Some(Self {
            mean_ns: all.mean,
            p50_ns: enough(Percentile::P50, all.p50),
            p95_ns: enough(Percentile::P95, all.p95),
            p99_ns: enough(Percentile::P99, all.p99),
            p999_ns: enough(Percentile::P999, all.p999),
        })
    }
}

/// The requests of one workload.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct ServingSummary {
    /// The flow class of the workload.
    pub class: u16,
    /// Requests that have been completed.
    pub requests: u64,
    /// Requests without all of their tokens.
    pub unfinished: u64,
    /// Prompt tokens of completed requests.
    pub input_tokens: u64,
    /// Generated tokens of completed requests.
    pub output_tokens: u64,
    /// Generated tokens per second, from the first arrival to the last token.
    pub tokens_per_s: Option<f64>,
    /// Answered requests per second in this time.
    pub requests_per_s: Option<f64>,
    /// Answered requests within `ttft_limit` and `tpot_limit`; absent without these keys.
    pub good_requests: Option<u64>,
    /// Answered requests within the limits per second.
    pub goodput_per_s: Option<f64>,
    /// Time to the first token, the transfer of its KV cache included. Times are absent if no
    /// request has been completed.
    pub ttft: Option<ServingTimes>,
    /// Time of each token after the first one; without requests of one token.
    pub tpot: Option<ServingTimes>,
    /// Time from arrival to the last token.
    pub e2e: Option<ServingTimes>,
    /// Time from arrival to the first step.
    pub queueing: Option<ServingTimes>,
    /// Time of the transfer of a KV cache; absent without transfers.
    pub kv_transfer: Option<ServingTimes>,
    /// Payload bytes of KV caches that were sent.
    pub kv_bytes: u64,
}

/// The progress of one request.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    first: Option<(u32, ServedFirst)>,
    last: Option<(u32, ServedLast)>,
    delivered: (Option<Time>, Option<Time>),
}

/// The applications of one workload.
struct Served<'s> {
    ranks: Vec<&'s ServingRank>,
    front_end: Option<&'s ServingFrontEnd>,
}

impl Served<'_> {
    fn records(&self, class: ClassId) -> Vec<ServingRecord> {
        let any = self.ranks[0];
        let mut progress = vec![Progress::default(); any.requests().len()];
        for rank in &self.ranks {
            for first in rank.firsts() {
                progress[first.request as usize].first = Some((rank.instance(), *first));
            }
            for last in rank.lasts() {
                progress[last.request as usize].last = Some((rank.instance(), *last));
            }
        }
        if let Some(front_end) = self.front_end {
            for &(request, at) in front_end.firsts() {
                progress[request as usize].delivered.0 = Some(at);
            }
            for &(request, at) in front_end.lasts() {
                progress[request as usize].delivered.1 = Some(at);
            }
        }
        let all = progress.iter().zip(any.requests()).zip(0..);
        let mut records: Vec<ServingRecord> = all
            .filter_map(|((progress, request), number)| {
                let ((instance, first), (decoder, last)) = progress.first.zip(progress.last)?;
                let (token, completion) = match self.front_end {
                    None => (last.cached.unwrap_or(first.first), last.last),
                    Some(_) => progress.delivered.0.zip(progress.delivered.1)?,
                };
                let arrival = any.start().saturating_add(request.arrival);
                Some(ServingRecord {
                    request: number,
                    class,
                    instance,
                    decoder,
                    input: request.input,
                    output: request.output,
                    arrival,
                    completion,
                    queueing: first.begun.since(arrival),
                    prefill: first.first.since(first.begun),
                    ttft: token.since(arrival),
                    kv_transfer: last
                        .cached
                        .map_or(Duration::ZERO, |at| at.since(first.first)),
                })
            })
            .collect();
        records.sort_unstable_by_key(|record| (record.completion, record.request));
        records
    }

    fn summary(&self, class: ClassId, records: &[ServingRecord]) -> ServingSummary {
        let any = self.ranks[0];
        let count = records.len() as u64;
        let first = any.requests().first().map(|first| first.arrival);
        let from = any.start().saturating_add(first.unwrap_or_default());
        let last = records.iter().map(|record| record.completion).max();
        let span = last.map(|last| last.since(from).as_secs_f64());
        let span = span.filter(|span| *span > 0.0);
        let per_second = |count: u64| span.map(|span| count as f64 / span);
        let (ttft, tpot) = any.objectives();
        let is_good = |record: &&ServingRecord| {
            ttft.is_none_or(|limit| record.ttft <= limit)
                && tpot.is_none_or(|limit| record.tpot().unwrap_or_default() <= limit)
        };
        let has_limit = ttft.is_some() || tpot.is_some();
        let good = has_limit.then(|| records.iter().filter(is_good).count() as u64);
        let transfers = records.iter().map(|record| record.kv_transfer);
        let times = |of: fn(&ServingRecord) -> Duration| ServingTimes::of(records.iter().map(of));
        let sum = |of: fn(&ServingRecord) -> u32| -> u64 {
            records.iter().map(|record| u64::from(of(record))).sum()
        };
        let output_tokens = sum(|record| record.output);
        ServingSummary {
            class: class.0,
            requests: count,
            unfinished: any.requests().len() as u64 - count,
            input_tokens: sum(|record| record.input),
            output_tokens,
            tokens_per_s: per_second(output_tokens),
            requests_per_s: per_second(count),
            good_requests: good,
            goodput_per_s: good.and_then(per_second),
            ttft: times(|record| record.ttft),
            tpot: ServingTimes::of(records.iter().filter_map(ServingRecord::tpot)),
            e2e: times(ServingRecord::e2e),
            queueing: times(|record| record.queueing),
            kv_transfer: ServingTimes::of(transfers.filter(|time| *time > Duration::ZERO)),
            kv_bytes: self.ranks.iter().map(|rank| rank.cache_bytes()).sum(),
        }
    }
}

/// Writes `requests.csv` if a workload serves requests. Returns the totals, by class. Adds the rows
/// to `checksum`.
pub(super) fn write_serving_results(
    simulation: &Simulation,
    checksum: &mut Checksum,
    (folder, status): (&mut ResultFolder, Status),
) -> Result<Vec<ServingSummary>, Error> {
    let mut classes: BTreeMap<ClassId, Served<'_>> = BTreeMap::new();
    for (_, rank) in simulation.applications::<ServingRank>() {
        let served = classes.entry(rank.class()).or_insert_with(|| Served {
            ranks: Vec::new(),
            front_end: None,
        });
        served.ranks.push(rank);
    }
    for (_, front_end) in simulation.applications::<ServingFrontEnd>() {
        if let Some(served) = classes.get_mut(&front_end.class()) {
            served.front_end = Some(front_end);
        }
    }
    if classes.is_empty() {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    let mut summaries = Vec::new();
    for (class, served) in &classes {
        let records = served.records(*class);
        summaries.push(served.summary(*class, &records));
        all.extend(records);
    }
    folder.write(ending_of(status).name(REQUESTS), |file| {
        let mut summed = Summed {
            out: BufWriter::new(file),
            checksum,
        };
        write_serving(&mut summed, &all)?;
        summed.flush()
    })?;
    Ok(summaries)
}
