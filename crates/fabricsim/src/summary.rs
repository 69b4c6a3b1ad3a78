//! Contents of `summary.json` and their computation.

mod activity;
mod by_class;
mod downloads;
mod left;
mod queries;
mod skipped;
pub(crate) mod status;

use fabricsim_base::units::Time;
use fabricsim_core::network::Counters;
use fabricsim_pint::query::PlanSummary;
use fabricsim_report::{FctRecord, Percentile, SlowdownRow, SlowdownTable};
use serde::{Deserialize, Serialize};

pub use self::activity::CcSummary;
use self::activity::activity_of;
pub use self::by_class::ClassSlowdown;
use self::by_class::class_slowdowns;
pub use self::downloads::Download;
pub use self::left::{DeadlockedPort, UnfinishedFlow};
use self::left::{deadlocked, listed};
pub use self::queries::QuerySummary;
pub use self::skipped::SkippedSummary;
pub use self::status::Status;
use crate::buffers::{BufferSummary, summary_of};
use crate::capture::CaptureSummary;
use crate::observe::{QueueGroup, QueueGroupSummary, SeriesSummary, groups_of};
use crate::outcome::TakenCheckpoint;
use crate::outcome::jobs::JobSummary;
use crate::outcome::rpc::RpcSummary;
use crate::outcome::serving::ServingSummary;
use crate::oversubscription::{TierOversubscription, oversubscription};
pub use crate::ranks::RankUsage;
use crate::simulation::Simulation;
use crate::utilization::ExpectedUtilization;
use crate::warnings::warnings;
use fabricsim_scenario::scenario::Scenario;

/// Flows by their outcome.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct FlowCounts {
    /// Flows that started, finished or not.
    pub started: u64,
    /// Flows that ended.
    pub finished: u64,
    /// Flows that started and did not end.
    pub unfinished: u64,
    /// Flows that never started, because no route led to their destination when they were due.
    pub unreachable: u64,
}

/// Slowdowns of one class of sizes.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct SlowdownSummary {
    /// Name of the size class.
    pub class: String,
    /// Number of flows in the class.
    pub flows: usize,
    /// Median slowdown; this and the other percentiles are absent if the class has too few flows.
    pub p50: Option<f64>,
    /// 95th percentile of the slowdown.
    pub p95: Option<f64>,
    /// 99th percentile of the slowdown.
    pub p99: Option<f64>,
    /// Mean slowdown.
    pub mean: Option<f64>,
}

/// Contents of `summary.json`.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The version of fabricsim.
    pub fabricsim_version: &'static str,
    /// Reason why the run ended.
    pub status: Status,
    /// Checksum of the FCT file's rows: equal checksums mean equal results.
    pub checksum: String,
    /// Checksum of everything that determines the results.
    pub scenario_checksum: String,
    /// Flows by their outcome.
    pub flows: FlowCounts,
    /// Flows that never end; `flows` does not count them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub downloads: Vec<Download>,
    /// Warnings to consider before the results are used, each with a suggested fix.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Link utilization expected from the workloads.
    pub expected_utilization: ExpectedUtilization,
    /// The oversubscription of each tier of switches with upward links.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub oversubscription: Vec<TierOversubscription>,
    /// Slowdowns overall and by class of sizes.
    pub slowdown: Vec<SlowdownSummary>,
    /// Slowdowns by class of flows, of all sizes.
    pub class_slowdown: Vec<ClassSlowdown>,
    /// End of the run, in nanoseconds of simulated time: the time of the last event, or `stop_at`.
    pub simulated_ns: f64,
    /// Data packets sent.
    pub packets: u64,
    /// Packets that crossed a link, of any kind.
    pub packet_hops: u64,
    /// Events executed.
    pub events: u64,
    /// Number of epochs, into which the engine divides the time. Samples of `[observe]` end epochs,
    /// so they increase this number; no other result depends on it.
    pub epochs: u64,
    /// Packets dropped because a switch's buffer had no room for them.
    pub buffer_drops: u64,
    /// Packets with a payload that switches have cut off.
    #[serde(skip_serializing_if = "is_zero")]
    pub trimmed_packets: u64,
    /// The number of these packets with headers that were also dropped or lost; the drops and
    /// losses include them.
    #[serde(skip_serializing_if = "is_zero")]
    pub trimmed_headers_lost: u64,
    /// Packets dropped by queue disciplines.
    pub queue_drops: u64,
    /// Packets lost on links.
    pub link_losses: u64,
    /// Packets dropped or lost because a link was down.
    pub link_down_drops: u64,
    /// Packets dropped for lack of a route.
    pub no_route_drops: u64,
    /// Payload bytes in all packets that were dropped or lost, for any reason.
    pub lost_bytes: u64,
    /// Packets that switches have marked (CE).
    pub marked_packets: u64,
    /// Pause frames sent.
    pub pfc_pauses: u64,
    /// Resume frames sent.
    pub pfc_resumes: u64,
    /// Time that ports have been paused, over all ports and all ended pauses, in nanoseconds.
    pub pfc_paused_ns: f64,
    /// The ports of a PFC deadlock, each followed by the port that it waits for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deadlock: Vec<DeadlockedPort>,
    /// Description of the excess that ended the run, if the status is `overloaded`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overload: Option<String>,
    /// The longest queue of a switch port, in bytes.
    pub max_queue_bytes: u64,
    /// The largest use of the switches' buffers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffers: Option<BufferSummary>,
    /// The reactions of congestion control, by class.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub congestion_control: Vec<CcSummary>,
    /// The skipped parts of the run, if `[run] fast_forward` is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fast_forward: Option<SkippedSummary>,
    /// Payload bytes retransmitted.
    pub retransmitted_bytes: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Number of threads of the run, on each rank.
    pub threads: usize,
    /// Usage of each rank, if the run had several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<RankUsage>,
    /// Wall time of the simulation, in seconds.
    pub wall_s: f64,
    /// CPU time of the simulation, in seconds.
    pub cpu_s: f64,
    /// Packet-hops for each second of CPU time; if the run continued from a checkpoint, without the
    /// time before it.
    pub packet_hops_per_cpu_s: f64,
    /// Largest memory of the process, in bytes; absent if the system does not report it.
    pub peak_memory_bytes: Option<u64>,
    /// Checkpoints written during the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checkpoints: Vec<TakenCheckpoint>,
    /// Times of requested checkpoints that the run has not reached.
    #[serde(skip)]
    pub missed_checkpoints: Vec<Time>,
    /// The files of time series.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<SeriesSummary>,
    /// The capture of frames.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captured: Option<CaptureSummary>,
    /// Queue lengths of groups of switch ports, weighted by time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub queue_groups: Vec<QueueGroupSummary>,
    /// The result files of queries.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub query_files: Vec<String>,
    /// The results of queries against the truth.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<QuerySummary>,
    /// Remote procedure calls, by class.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rpc: Vec<RpcSummary>,
    /// Requests to language models, by class.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub serving: Vec<ServingSummary>,
    /// Jobs: collectives and graphs, by class.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobSummary>,
    /// Assignment of packets to queries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanSummary>,
    /// The files of the run, including this one.
    pub files: Vec<String>,
    /// The scenario with every default filled in.
    pub scenario: serde_json::Value,
    /// Unfinished flows, at most 1,000.
    pub unfinished: Vec<UnfinishedFlow>,
}

/// Information that is available at the end of a run.
pub(crate) struct Measured {
    /// Packet-hops before the checkpoint from which the run continued.
    pub(crate) hops_before: u64,
    pub(crate) status: Status,
    pub(crate) overload: Option<String>,
    pub(crate) checksum: String,
    pub(crate) threads: usize,
    pub(crate) ranks: Vec<RankUsage>,
    pub(crate) wall: f64,
    pub(crate) cpu: f64,
    pub(crate) utilization: ExpectedUtilization,
}

/// Returns `true` if a count is omitted.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks with a reference"
)]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Counts flows by their outcome, given the numbers of unfinished flows and of endless downloads.
fn flow_counts(simulation: &Simulation, left: usize, downloads: usize) -> FlowCounts {
    FlowCounts {
        started: simulation.flows_started() - downloads as u64,
        finished: simulation.flows_finished(),
        unfinished: left as u64,
        unreachable: simulation.unreachable().len() as u64,
    }
}

pub(crate) fn summarize(
    scenario: &Scenario,
    simulation: &Simulation,
    records: &[FctRecord],
    end: &Measured,
) -> Summary {
    let Counters {
        packet_hops,
        events,
        buffer_drops,
        trimmed,
        headers_lost,
        queue_drops,
        link_losses,
        link_down_drops,
        no_route,
        lost_payload,
        marked,
        pauses,
        resumes,
        paused,
        max_queue,
        ..
    } = simulation.counters();
    let sent = simulation.endpoint_counters();
    // The caller fills in the fields that are empty here, which depend on files.
    let left = simulation.unfinished();
    let downloads = downloads::received(simulation);
    Summary {
        fabricsim_version: env!("CARGO_PKG_VERSION"),
        status: end.status,
        checksum: end.checksum.clone(),
        scenario_checksum: String::new(),
        flows: flow_counts(simulation, left.len(), downloads.len()),
        downloads,
        warnings: warnings(scenario, simulation, &end.utilization),
        expected_utilization: end.utilization.clone(),
        oversubscription: oversubscription(scenario.topology()),
        slowdown: slowdowns(records),
        class_slowdown: class_slowdowns(records),
        simulated_ns: simulation.ended().as_ps() as f64 / 1_000.0,
        packets: sent.packets,
        packet_hops,
        events,
        epochs: simulation.epochs(),
        buffer_drops,
        trimmed_packets: trimmed,
        trimmed_headers_lost: headers_lost,
        queue_drops,
        link_losses,
        link_down_drops,
        no_route_drops: no_route,
        lost_bytes: lost_payload.get(),
        marked_packets: marked,
        pfc_pauses: pauses,
        pfc_resumes: resumes,
        pfc_paused_ns: paused.as_ps() as f64 / 1_000.0,
        deadlock: deadlocked(simulation, end.status),
        overload: end.overload.clone(),
        max_queue_bytes: max_queue.get(),
        buffers: summary_of(scenario, simulation),
        congestion_control: activity_of(scenario, simulation),
        fast_forward: (simulation.skipped())
            .map(|skipped| SkippedSummary::new(skipped, simulation.ended(), packet_hops)),
        retransmitted_bytes: sent.retransmitted.get(),
        timeouts: sent.timeouts,
        threads: end.threads,
        ranks: end.ranks.clone(),
        wall_s: end.wall,
        cpu_s: end.cpu,
        packet_hops_per_cpu_s: per_second(packet_hops - end.hops_before, end.cpu),
        peak_memory_bytes: peak_memory(),
        checkpoints: Vec::new(),
        missed_checkpoints: Vec::new(),
        observed: Vec::new(),
        captured: None,
        queue_groups: queue_summaries(scenario, simulation),
        query_files: Vec::new(),
        queries: Vec::new(),
        rpc: Vec::new(),
        serving: Vec::new(),
        jobs: Vec::new(),
        plan: None,
        files: Vec::new(),
        scenario: scenario.resolved(),
        unfinished: listed(simulation, &left),
    }
}

/// Returns `count` divided by `seconds`, or 0 if no time has passed.
fn per_second(count: u64, seconds: f64) -> f64 {
    if seconds > 0.0 {
        count as f64 / seconds
    } else {
        0.0
    }
}

/// Returns the summaries of the groups of ports that were observed.
fn queue_summaries(scenario: &Scenario, simulation: &Simulation) -> Vec<QueueGroupSummary> {
    let groups = groups_of(scenario, simulation);
    let observed = groups.iter().filter(|group| group.was_observed());
    observed.map(QueueGroup::summary).collect()
}

fn slowdowns(records: &[FctRecord]) -> Vec<SlowdownSummary> {
    let known = |value: f64| value.is_finite().then_some(value);
    let of_enough = |row: &SlowdownRow, percentile: Percentile, value: f64| {
        known(value).filter(|_| percentile.is_known_of(row.count))
    };
    SlowdownTable::new(records)
        .rows
        .iter()
        .map(|row| SlowdownSummary {
            class: row.class.to_string(),
            flows: row.count,
            p50: of_enough(row, Percentile::P50, row.p50),
            p95: of_enough(row, Percentile::P95, row.p95),
            p99: of_enough(row, Percentile::P99, row.p99),
            mean: known(row.mean),
        })
        .collect()
}

/// Returns the largest memory of this process so far, if Linux reports it.
pub(crate) fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}
