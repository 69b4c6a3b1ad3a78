//! Files of a finished point. `point.json` is written last and identifies the results in the
//! folder.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Sweep;
use super::point::{Point, points_folder};
use fabricsim::buffers::BufferSummary;
use fabricsim::observe::QueueGroupSummary;
use fabricsim::outcome::{JobSummary, RpcSummary, ServingSummary};
use fabricsim::output::{
    Destination, Existing, RUN, Unclaimed, is_being_replaced, write_in_folder,
};
use fabricsim::summary::{
    CcSummary, ClassSlowdown, FlowCounts, QuerySummary, SlowdownSummary, Status,
};
use fabricsim_scenario::text::error::Error;
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_bytes;

pub(super) const POINT_JSON: &str = "point.json";
const SUMMARY_JSON: &str = "summary.json";

/// Contents of `point.json`.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct PointRecord {
    point: String,
    axes: Vec<AxisValue>,
    fabricsim_version: String,
    scenario_checksum: String,
    /// Checksum of the point's `fct.csv`; absent if the point failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    checksum: Option<String>,
    /// The reason why there are no results.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct AxisValue {
    axis: String,
    value: String,
}

/// Fields of a point's `summary.json` for the table of points.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct PointResults {
    /// Status at the end of the run.
    pub status: Status,
    /// Checksum of the rows of `fct.csv`.
    pub checksum: String,
    /// Flows by outcome.
    pub flows: FlowCounts,
    /// Slowdowns overall and by class of sizes.
    pub slowdown: Vec<SlowdownSummary>,
    /// Slowdowns by class of flows.
    #[serde(default)]
    pub class_slowdown: Vec<ClassSlowdown>,
    /// Warnings to consider before the results are used.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Remote procedure calls, by class.
    #[serde(default)]
    pub rpc: Vec<RpcSummary>,
    /// Requests to language models, by class.
    #[serde(default)]
    pub serving: Vec<ServingSummary>,
    /// Jobs: collectives and graphs, by class.
    #[serde(default)]
    pub jobs: Vec<JobSummary>,
    /// Results of queries against the truth.
    #[serde(default)]
    pub queries: Vec<QuerySummary>,
    /// Queue lengths of groups of switch ports.
    #[serde(default)]
    pub queue_groups: Vec<QueueGroupSummary>,
    /// Simulated time at the end, in nanoseconds.
    pub simulated_ns: f64,
    /// Packets that crossed a link.
    pub packet_hops: u64,
    /// Packets dropped because a switch's buffer had no room for them.
    pub buffer_drops: u64,
    /// Packets that switches trimmed, so that they lost their payload.
    #[serde(default)]
    pub trimmed_packets: u64,
    /// Trimmed packets that also lost their headers.
    #[serde(default)]
    pub trimmed_headers_lost: u64,
    /// Packets dropped by queue disciplines.
    pub queue_drops: u64,
    /// Packets lost on links.
    pub link_losses: u64,
    /// Packets dropped or lost because a link was down.
    pub link_down_drops: u64,
    /// Packets dropped because no route led to their destination.
    pub no_route_drops: u64,
    /// Packets that switches marked (CE).
    pub marked_packets: u64,
    /// Pause frames sent.
    pub pfc_pauses: u64,
    /// Time for which ports were paused, in nanoseconds.
    pub pfc_paused_ns: f64,
    /// The longest queue of a switch port, in bytes.
    pub max_queue_bytes: u64,
    /// The largest use of the switches' buffers.
    #[serde(default)]
    pub buffers: Option<BufferSummary>,
    /// The reactions of congestion control, by class.
    #[serde(default)]
    pub congestion_control: Vec<CcSummary>,
    /// Payload bytes retransmitted.
    pub retransmitted_bytes: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Threads of the run.
    pub threads: usize,
    /// Wall time of the simulation, in seconds.
    pub wall_s: f64,
    /// CPU time of the simulation, in seconds.
    pub cpu_s: f64,
    /// Packet-hops per second of CPU time.
    pub packet_hops_per_cpu_s: f64,
    /// Peak memory of the process, in bytes.
    pub peak_memory_bytes: Option<u64>,
}

impl PointResults {
    /// Returns the number of packets that were dropped or lost, for any reason.
    #[must_use]
    pub const fn drops(&self) -> u64 {
        self.buffer_drops
            + self.queue_drops
            + self.link_losses
            + self.link_down_drops
            + self.no_route_drops
    }

    /// Returns `true` if some flows can never finish.
    #[must_use]
    pub const fn is_stuck(&self) -> bool {
        self.status.leaves_flows(&self.flows)
    }

    /// Returns the number of flows that can never finish; zero unless the point [is
    /// stuck](Self::is_stuck).
    #[must_use]
    pub const fn stuck_flows(&self) -> u64 {
        match self.status {
            // Flows that have started could continue after `stop_at`.
            Status::TimeReached => self.flows.unreachable,
            _ => self.flows.unfinished + self.flows.unreachable,
        }
    }
}

/// State of the folder of a point.
#[derive(Clone, Debug, PartialEq)]
pub enum PointState {
    /// Results of exactly this scenario.
    Done(Box<PointResults>),
    /// This scenario failed, with the message. A sweep runs it again.
    Failed(String),
    /// Results of another scenario, or of another version of fabricsim.
    Outdated,
    /// No complete results.
    Missing,
}

impl PointState {
    /// Reads the state of the folder of `point` in `sweep`, the folder of the sweep.
    #[must_use]
    pub fn of(point: &Point, sweep: &Path) -> Self {
        let folder = point.folder(sweep);
        if is_being_replaced(&folder) {
            return Self::Missing;
        }
        let Some(record) = read::<PointRecord>(&folder.join(POINT_JSON)) else {
            return Self::Missing;
        };
        if record.scenario_checksum != point.scenario_checksum() {
            return Self::Outdated;
        }
        if let Some(failure) = record.failure {
            return Self::Failed(failure);
        }
        match read::<PointResults>(&folder.join(SUMMARY_JSON)) {
            Some(results) if record.checksum.as_ref() == Some(&results.checksum) => {
                Self::Done(Box::new(results))
            }
            _ => Self::Missing,
        }
    }
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&read_bytes(FileKind::SUMMARY, path).ok()?).ok()
}

impl PointRecord {
    fn new(sweep: &Sweep, point: &Point) -> Self {
        let axes = sweep.axes().iter().zip(point.values());
        Self {
            point: point.name().to_owned(),
            axes: axes
                .map(|(axis, value)| AxisValue {
                    axis: axis.clone(),
                    value: value.clone(),
                })
                .collect(),
            fabricsim_version: env!("CARGO_PKG_VERSION").to_owned(),
            scenario_checksum: point.scenario_checksum().to_owned(),
            checksum: None,
            failure: None,
        }
    }

    fn write(&self, file: &mut File) -> io::Result<()> {
        let mut buffered = BufWriter::new(file);
        serde_json::to_writer_pretty(&mut buffered, self)?;
        buffered.flush()
    }
}

/// Writes the record of a finished `point` with `checksum` into `file`.
pub(super) fn write_done(
    sweep: &Sweep,
    point: &Point,
    checksum: &str,
    file: &mut File,
) -> io::Result<()> {
    let record = PointRecord {
        checksum: Some(checksum.to_owned()),
        ..PointRecord::new(sweep, point)
    };
    record.write(file)
}

/// Writes the reason of a failure into the folder of `point`. Complete results of other settings
/// stay there with their record.
pub(super) fn write_failure(
    sweep: &Sweep,
    point: &Point,
    dir: &Path,
    failure: &str,
) -> Result<(), Error> {
    if PointState::of(point, dir) == PointState::Outdated {
        return Ok(());
    }
    let record = PointRecord {
        failure: Some(failure.to_owned()),
        ..PointRecord::new(sweep, point)
    };
    write_in_folder(&point.folder(dir), POINT_JSON, |file| record.write(file))
}

/// Refuses a point if its folder has complete results of other settings, unless `existing` allows to
/// replace them.
pub(super) fn check_folder(point: &Point, dir: &Path, existing: Existing) -> Result<(), Error> {
    let folder = point.folder(dir);
    let destination = Destination::new(&folder, existing);
    // A record with these settings is enough: the point then has no results of other settings.
    let record = read::<PointRecord>(&folder.join(POINT_JSON));
    let is_ours = |record: PointRecord| {
        record.scenario_checksum == point.scenario_checksum() || record.failure.is_some()
    };
    if record.is_some_and(is_ours) {
        return Ok(());
    }
    point
        .origin()
        .check(destination, &RUN, &[], Unclaimed::Ours)
}

/// Returns the folders of points that the sweep no longer has, sorted by name.
pub(super) fn stale_folders(sweep: &Sweep, dir: &Path) -> Vec<String> {
    let known: std::collections::BTreeSet<&str> = sweep.points().iter().map(Point::name).collect();
    let Ok(entries) = fs::read_dir(points_folder(dir)) else {
        return Vec::new();
    };
    let mut stale: Vec<String> = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !known.contains(name.as_str()))
        .collect();
    stale.sort();
    stale
}
