//! The runs of a preset.

use serde::Serialize;

use crate::sweep::PointResults;

/// Outcome of a point, with counts of its flows and packets.
#[derive(Clone, Debug, Serialize)]
pub struct PointFacts {
    /// The point's name.
    pub point: String,
    /// Status at the end of its run; `None` if it has not run or has failed.
    pub status: Option<String>,
    /// Checksum of its flows.
    pub checksum: Option<String>,
    /// Flows that finished.
    pub finished: u64,
    /// Flows that did not finish.
    pub unfinished: u64,
    /// Flows that count: of the judged workload, within the cut.
    pub counted: usize,
    /// Packets that crossed a link.
    pub packet_hops: u64,
    /// Pause frames that switches sent.
    pub pfc_pauses: u64,
    /// Time for which ports were paused, in nanoseconds.
    pub pfc_paused_ns: f64,
    /// Packets that switches dropped because their buffers were full.
    pub buffer_drops: u64,
    /// CPU seconds of the run.
    pub cpu_s: f64,
}

impl PointFacts {
    pub(super) fn new(point: &str) -> Self {
        Self {
            point: point.to_owned(),
            status: None,
            checksum: None,
            finished: 0,
            unfinished: 0,
            counted: 0,
            packet_hops: 0,
            pfc_pauses: 0,
            pfc_paused_ns: 0.0,
            buffer_drops: 0,
            cpu_s: 0.0,
        }
    }

    pub(super) fn fill(&mut self, results: &PointResults, counted: usize) {
        self.status = Some(results.status.name().to_owned());
        self.checksum = Some(results.checksum.clone());
        self.finished = results.flows.finished;
        self.unfinished = results.flows.unfinished + results.flows.unreachable;
        self.counted = counted;
        self.packet_hops = results.packet_hops;
        self.pfc_pauses = results.pfc_pauses;
        self.pfc_paused_ns = results.pfc_paused_ns;
        self.buffer_drops = results.buffer_drops;
        self.cpu_s = results.cpu_s;
    }
}
