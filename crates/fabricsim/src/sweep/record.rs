//! What a point leaves behind: `point.json`, written last, says whose results are in its folder.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Sweep;
use super::point::{Point, points_folder};
use crate::error::Error;
use crate::input_file::{FileKind, read_bytes};
use crate::outcome::write_whole;
use crate::summary::{FlowCounts, SlowdownSummary, Status};

const POINT_JSON: &str = "point.json";
const SUMMARY_JSON: &str = "summary.json";

/// How the names of files begin that are being written, and are left when the process is killed.
const UNFINISHED: &str = ".tmp";

/// What `point.json` holds.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct PointRecord {
    point: String,
    axes: Vec<AxisValue>,
    fabricsim_version: String,
    scenario_digest: String,
    /// Digest of the point's `fct.csv`; absent when the point failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    /// Why there are no results.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct AxisValue {
    axis: String,
    value: String,
}

/// What the table of points takes from a point's `summary.json`.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct PointResults {
    /// How the run ended.
    pub status: Status,
    /// Digest of the rows of `fct.csv`.
    pub digest: String,
    /// Flows by their fate.
    pub flows: FlowCounts,
    /// Slowdowns overall and by class of sizes.
    pub slowdown: Vec<SlowdownSummary>,
    /// Simulated time at the end, in nanoseconds.
    pub simulated_ns: f64,
    /// Packets that crossed a link.
    pub packet_hops: u64,
    /// Packets dropped for want of buffer.
    pub buffer_drops: u64,
    /// Packets dropped by queue disciplines.
    pub queue_drops: u64,
    /// Packets lost on links.
    pub link_losses: u64,
    /// Packets dropped or lost because a link was down.
    pub link_down_drops: u64,
    /// Packets dropped for want of a route.
    pub no_route_drops: u64,
    /// Pause frames sent.
    pub pfc_pauses: u64,
    /// Time that ports have been paused, in nanoseconds.
    pub pfc_paused_ns: f64,
    /// The longest queue of a switch port, in bytes.
    pub max_queue_bytes: u64,
    /// Payload bytes sent again.
    pub retransmitted_bytes: u64,
    /// Threads that ran it.
    pub threads: usize,
    /// Wall time of the simulation, in seconds.
    pub wall_s: f64,
    /// CPU time of the simulation, in seconds.
    pub cpu_s: f64,
    /// Packet-hops for each second of CPU time.
    pub packet_hops_per_cpu_s: f64,
    /// Largest memory of the process that ran it, in bytes.
    pub peak_memory_bytes: Option<u64>,
}

impl PointResults {
    /// Packets that were dropped or lost, for any reason.
    #[must_use]
    pub const fn drops(&self) -> u64 {
        self.buffer_drops
            + self.queue_drops
            + self.link_losses
            + self.link_down_drops
            + self.no_route_drops
    }

    /// Whether flows are left that can never finish.
    #[must_use]
    pub const fn is_stuck(&self) -> bool {
        match self.status {
            Status::Stalled | Status::Deadlocked | Status::BeyondHorizon | Status::Overloaded => {
                true
            }
            Status::Finished => self.flows.unreachable > 0,
            Status::TimeReached | Status::Interrupted => false,
        }
    }
}

/// What is in the folder of a point.
#[derive(Clone, Debug, PartialEq)]
pub enum PointState {
    /// Results of this very scenario.
    Done(Box<PointResults>),
    /// This scenario failed, with the message; it is tried again.
    Failed(String),
    /// Results of another scenario, or of another version of fabricsim.
    Outdated,
    /// Nothing that is complete.
    Missing,
}

impl PointState {
    /// Looks into the folder of `point` in `sweep`, the folder of the sweep.
    #[must_use]
    pub fn of(point: &Point, sweep: &Path) -> Self {
        let folder = point.folder(sweep);
        let Some(record) = read::<PointRecord>(&folder.join(POINT_JSON)) else {
            return Self::Missing;
        };
        if record.scenario_digest != point.scenario_digest() {
            return Self::Outdated;
        }
        if let Some(failure) = record.failure {
            return Self::Failed(failure);
        }
        match read::<PointResults>(&folder.join(SUMMARY_JSON)) {
            Some(results) if record.digest.as_ref() == Some(&results.digest) => {
                Self::Done(Box::new(results))
            }
            _ => Self::Missing,
        }
    }
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&read_bytes(FileKind::SUMMARY, path).ok()?).ok()
}

/// Writes that the folder of `point` holds its results, whose digest is `digest`, or why it holds none.
pub(super) fn write_record(
    sweep: &Sweep,
    point: &Point,
    folder: &Path,
    digest: Result<String, String>,
) -> Result<(), Error> {
    let (digest, failure) = match digest {
        Ok(digest) => (Some(digest), None),
        Err(failure) => (None, Some(failure)),
    };
    let axes = sweep.axes().iter().zip(point.values());
    let record = PointRecord {
        point: point.name().to_owned(),
        axes: axes
            .map(|(axis, value)| AxisValue {
                axis: axis.clone(),
                value: value.clone(),
            })
            .collect(),
        fabricsim_version: env!("CARGO_PKG_VERSION").to_owned(),
        scenario_digest: point.scenario_digest().to_owned(),
        digest,
        failure,
    };
    write_whole(&folder.join(POINT_JSON), |file| {
        let mut buffered = BufWriter::new(file);
        serde_json::to_writer_pretty(&mut buffered, &record)?;
        buffered.flush()
    })
}

/// Makes `folder` ready for a run: what an earlier one left can no longer be taken for its results.
pub(super) fn clear(folder: &Path) -> Result<(), Error> {
    let error = |path: &Path| {
        let path = path.to_owned();
        move |source| Error::Write { path, source }
    };
    fs::create_dir_all(folder).map_err(error(folder))?;
    for name in [POINT_JSON, SUMMARY_JSON, "fct.csv", "fct.partial.csv"] {
        let path = folder.join(name);
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(error(&path)(source));
            }
            _ => {}
        }
    }
    // Nobody else runs this point, so they are left over.
    for entry in fs::read_dir(folder).map_err(error(folder))?.flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            fs::remove_file(entry.path()).map_err(error(&entry.path()))?;
        }
    }
    Ok(())
}

/// Folders of points that the sweep has no longer, in the order of their names.
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
