//! From a scenario to a folder of results.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use cpu_time::ProcessTime;
use fabricsim_core::flow::Completion;
use fabricsim_core::network::{Counters, Progress, Stop, Watch};
use fabricsim_core::plugin::EndpointCounters;
use fabricsim_core::units::{Duration, Time};
use fabricsim_report::{FctRecord, FctWriter, SlowdownTable};
use serde::Serialize;
use tempfile::NamedTempFile;

use crate::error::Error;
use crate::scenario::Scenario;
use crate::simulation::{Expectation, IdealFct, Simulation};

/// Unfinished flows that `summary.json` lists; the others are only counted.
const LISTED_FLOWS: usize = 1_000;

/// How a run ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// All flows have ended.
    Finished,
    /// The scenario's `stop_at` came before all flows had ended.
    TimeReached,
    /// Flows are left and nothing moves.
    Stalled,
    /// Somebody stopped it; the results are partial.
    Interrupted,
}

/// Watches a run from outside, every few hundred windows.
pub trait Monitor: Send {
    /// How far the run is; `false` stops it.
    fn progress(&mut self, progress: &Progress, expected: Expectation) -> bool;
}

/// Nobody watches.
impl Monitor for () {
    fn progress(&mut self, _progress: &Progress, _expected: Expectation) -> bool {
        true
    }
}

/// A flow that has not ended.
#[derive(Clone, Debug, Serialize)]
pub struct UnfinishedFlow {
    /// Its number, or `None` when it never started for want of a route.
    pub flow: Option<u32>,
    /// The sending host.
    pub src: u32,
    /// The receiving host.
    pub dst: u32,
    /// Its payload bytes.
    pub size_bytes: u64,
    /// Bytes of it that have been acknowledged.
    pub acknowledged_bytes: u64,
    /// Why it has not ended.
    pub reason: String,
}

/// Flows by their fate.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FlowCounts {
    /// Flows that started.
    pub started: u64,
    /// Flows that ended.
    pub finished: u64,
    /// Flows that started and did not end.
    pub unfinished: u64,
    /// Flows between hosts without a route.
    pub unreachable: u64,
}

/// Slowdowns of one class of sizes.
#[derive(Clone, Debug, Serialize)]
pub struct SlowdownSummary {
    /// The class.
    pub class: String,
    /// Flows in it.
    pub flows: usize,
    /// Median slowdown; absent without flows.
    pub p50: Option<f64>,
    /// 95th percentile.
    pub p95: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
    /// Mean.
    pub mean: Option<f64>,
}

/// What `summary.json` holds.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The version of fabricsim.
    pub fabricsim_version: &'static str,
    /// How the run ended.
    pub status: Status,
    /// Digest of the rows of the FCT file: equal digests are equal results.
    pub digest: String,
    /// Flows by their fate.
    pub flows: FlowCounts,
    /// Slowdowns overall and by class of sizes.
    pub slowdown: Vec<SlowdownSummary>,
    /// Simulated time at the end, in nanoseconds.
    pub simulated_ns: f64,
    /// Data packets sent.
    pub packets: u64,
    /// Packets that crossed a link, of any kind.
    pub packet_hops: u64,
    /// Events executed.
    pub events: u64,
    /// Windows run.
    pub windows: u64,
    /// Packets dropped for want of buffer.
    pub buffer_drops: u64,
    /// Packets dropped by queue disciplines.
    pub queue_drops: u64,
    /// Packets lost on links.
    pub link_losses: u64,
    /// Pause frames sent.
    pub pfc_pauses: u64,
    /// Resume frames sent.
    pub pfc_resumes: u64,
    /// The longest queue of a switch port, in bytes.
    pub max_queue_bytes: u64,
    /// Payload bytes sent again.
    pub retransmitted_bytes: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Threads that ran it.
    pub threads: usize,
    /// Wall time of the simulation, in seconds.
    pub wall_s: f64,
    /// CPU time of the simulation, in seconds.
    pub cpu_s: f64,
    /// Packet-hops for each second of CPU time.
    pub packet_hops_per_cpu_s: f64,
    /// Largest memory of the process, in bytes; absent where the system does not say.
    pub peak_memory_bytes: Option<u64>,
    /// The scenario with every default filled in.
    pub scenario: serde_json::Value,
    /// Flows that have not ended, at most 1,000.
    pub unfinished: Vec<UnfinishedFlow>,
}

/// Streams completions into a file and keeps what the summary needs.
struct Recorder<'a> {
    writer: FctWriter<File>,
    ideal: IdealFct,
    records: Vec<FctRecord>,
    failure: Option<io::Error>,
    monitor: &'a mut dyn Monitor,
    expected: Expectation,
}

impl Watch for Recorder<'_> {
    fn proceed(&mut self, progress: &Progress) -> bool {
        self.failure.is_none() && self.monitor.progress(progress, self.expected)
    }

    fn completed(&mut self, completions: &mut Vec<Completion>) {
        for completion in completions.drain(..) {
            let record = FctRecord::new(&completion, self.ideal.of(&completion));
            if self.failure.is_none()
                && let Err(error) = self.writer.write(&record)
            {
                self.failure = Some(error);
            }
            self.records.push(record);
        }
    }
}

/// Runs `scenario` on `threads` threads and writes `fct.csv` and `summary.json` into `dir`, which is
/// made when the first result is there to be written. A run that was interrupted leaves
/// `fct.partial.csv` instead of `fct.csv`.
///
/// # Errors
/// When the scenario asks for what cannot be simulated, or a file cannot be written.
pub fn run_to_folder(
    scenario: &Scenario,
    dir: &Path,
    threads: usize,
    monitor: &mut dyn Monitor,
) -> Result<Summary, Error> {
    let mut simulation = Simulation::new(scenario, threads)?;
    let write_error = |path: &Path| {
        let path = path.to_owned();
        move |source| Error::Write { path, source }
    };
    std::fs::create_dir_all(dir).map_err(write_error(dir))?;
    let fct_path = dir.join("fct.csv");
    let partial_path = dir.join("fct.partial.csv");
    let file = NamedTempFile::new_in(dir).map_err(write_error(dir))?;
    let (file, temporary) = file.into_parts();
    let mut recorder = Recorder {
        writer: FctWriter::new(file).map_err(write_error(&fct_path))?,
        ideal: simulation.ideal(),
        records: Vec::new(),
        failure: None,
        monitor,
        expected: simulation.expected(),
    };
    let (wall, cpu) = (Instant::now(), ProcessTime::now());
    let until = scenario
        .run
        .stop_at
        .map_or(Time::MAX, |after| Time::ZERO + after);
    let stop = simulation.run_watched(until, &mut recorder);
    let (wall, cpu) = (wall.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
    if let Some(source) = recorder.failure {
        return Err(Error::Write {
            path: fct_path,
            source,
        });
    }
    let (_, digest) = recorder.writer.finish().map_err(write_error(&fct_path))?;
    let status = match stop {
        Stop::Finished => Status::Finished,
        Stop::TimeReached => Status::TimeReached,
        Stop::Stalled => Status::Stalled,
        Stop::Interrupted => Status::Interrupted,
    };
    let (kept, stale) = match status {
        Status::Interrupted => (&partial_path, &fct_path),
        _ => (&fct_path, &partial_path),
    };
    let end = Measured {
        status,
        digest: digest.to_string(),
        threads,
        wall,
        cpu,
    };
    let summary = summarise(scenario, &simulation, &recorder.records, &end);
    remove_stale(stale)?;
    temporary.persist(kept).map_err(|error| Error::Write {
        path: kept.clone(),
        source: error.error,
    })?;
    write_whole(&dir.join("summary.json"), &summary)?;
    Ok(summary)
}

/// What is known when a run has ended.
struct Measured {
    status: Status,
    digest: String,
    threads: usize,
    wall: f64,
    cpu: f64,
}

fn summarise(
    scenario: &Scenario,
    simulation: &Simulation,
    records: &[FctRecord],
    end: &Measured,
) -> Summary {
    let Counters {
        packet_hops,
        events,
        buffer_drops,
        queue_drops,
        link_losses,
        pauses,
        resumes,
        max_queue,
        ..
    } = simulation.counters();
    let EndpointCounters {
        packets,
        retransmitted,
        timeouts,
        ..
    } = simulation.endpoint_counters();
    let left = simulation.unfinished();
    let unreachable = simulation.unreachable();
    let listed = left
        .iter()
        .map(|unfinished| UnfinishedFlow {
            flow: Some(unfinished.flow.id.0),
            src: unfinished.flow.request.src.0,
            dst: unfinished.flow.request.dst.0,
            size_bytes: unfinished.flow.request.size.get(),
            acknowledged_bytes: unfinished.acknowledged.get(),
            reason: unfinished.reason.clone(),
        })
        .chain(unreachable.iter().map(|request| UnfinishedFlow {
            flow: None,
            src: request.src.0,
            dst: request.dst.0,
            size_bytes: request.size.get(),
            acknowledged_bytes: 0,
            reason: "no route leads to its destination".to_owned(),
        }))
        .take(LISTED_FLOWS)
        .collect();
    Summary {
        fabricsim_version: env!("CARGO_PKG_VERSION"),
        status: end.status,
        digest: end.digest.clone(),
        flows: FlowCounts {
            started: simulation.flows_started(),
            finished: simulation.flows_finished(),
            unfinished: left.len() as u64,
            unreachable: unreachable.len() as u64,
        },
        slowdown: slowdowns(records),
        simulated_ns: simulation.now().since(Time::ZERO).as_secs_f64() * 1e9,
        packets,
        packet_hops,
        events,
        windows: simulation.windows(),
        buffer_drops,
        queue_drops,
        link_losses,
        pfc_pauses: pauses,
        pfc_resumes: resumes,
        max_queue_bytes: max_queue,
        retransmitted_bytes: retransmitted.get(),
        timeouts,
        threads: end.threads,
        wall_s: end.wall,
        cpu_s: end.cpu,
        packet_hops_per_cpu_s: if end.cpu > 0.0 {
            packet_hops as f64 / end.cpu
        } else {
            0.0
        },
        peak_memory_bytes: peak_memory(),
        scenario: scenario.resolved(),
        unfinished: listed,
    }
}

fn slowdowns(records: &[FctRecord]) -> Vec<SlowdownSummary> {
    let known = |value: f64| value.is_finite().then_some(value);
    SlowdownTable::new(records)
        .rows
        .iter()
        .map(|row| SlowdownSummary {
            class: row.class.to_string(),
            flows: row.count,
            p50: known(row.p50),
            p95: known(row.p95),
            p99: known(row.p99),
            mean: known(row.mean),
        })
        .collect()
}

fn remove_stale(path: &PathBuf) -> Result<(), Error> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(Error::Write {
            path: path.clone(),
            source,
        }),
        _ => Ok(()),
    }
}

/// Writes `summary` beside `path` and renames it.
fn write_whole(path: &Path, summary: &Summary) -> Result<(), Error> {
    let error = |source| Error::Write {
        path: path.to_owned(),
        source,
    };
    let mut file =
        NamedTempFile::new_in(path.parent().unwrap_or_else(|| Path::new("."))).map_err(error)?;
    serde_json::to_writer_pretty(&mut file, summary).map_err(|e| error(e.into()))?;
    file.persist(path).map_err(|e| error(e.error))?;
    Ok(())
}

/// The largest memory of this process so far, where Linux tells it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

/// The expected share of a run that is done, by acknowledged bytes, from 0 to 1.
#[must_use]
pub fn share_done(progress: &Progress, expected: Expectation) -> f64 {
    if expected.bytes > 0.0 {
        (progress.acknowledged.as_f64() / expected.bytes).min(1.0)
    } else {
        0.0
    }
}

/// Simulated time as people read it.
#[must_use]
pub fn readable(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}
