//! Captures of frames at ports, for Wireshark and similar tools: the `[capture]` table.
//!
//! Each node that sends over a captured link has a tap. The arrivals at a port are the frames that
//! the other end of its link has sent, at the times at which they arrive, so no frame is recorded
//! twice. A run without captures pays nothing. Taps spill their frames into one temporary file,
//! from which the capture is merged at the end.

mod pcapng;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::{Bytes, Time};
use fabricsim_scenario::Scenario;
use fabricsim_scenario::schema::capture::{CaptureSettings, captured_ports};
use fabricsim_scenario::schema::part::Part;
use fabricsim_scenario::text::error::Error;
use fabricsim_topology::Topology;
use serde::Serialize;

use crate::output::{Ending, ResultFolder, cannot_write, write_whole};
use crate::simulation::Simulation;
use fabricsim_network::capture::{FrameWriter, Spill, TapLimits, TapPort, TapRules, merge};
pub(crate) use fabricsim_network::capture::{Tap, TraceRoom};
use pcapng::{CaptureWriter, Interface};

/// The file of a capture.
pub(crate) const CAPTURE: &str = "capture.pcapng";

/// A capture in progress.
#[derive(Debug)]
pub(crate) struct Capture {
    rules: Arc<TapRules>,
    interfaces: Vec<Interface>,
    /// The largest number of bytes stored of a frame.
    snap_length: Bytes,
}

/// The contents of a capture, in `summary.json`.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct CaptureSummary {
    /// Name of the capture file.
    pub file: String,
    /// Number of captured ports.
    pub interfaces: u64,
    /// Number of frames in the file.
    pub frames: u64,
    /// The bytes of these frames on the wire.
    pub bytes: Bytes,
    /// Frames missing because of `max_frames`, which are the last ones; absent if there are none.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Capture {
    /// Begins the capture of the scenario of `simulation`, with a temporary file in `dir`. Returns
    /// `None` if the scenario has no capture.
    ///
    /// # Errors
    /// Fails if the file cannot be created.
    pub(crate) fn begin(simulation: &mut Simulation, dir: &Path) -> Result<Option<Self>, Error> {
        let scenario = simulation.shared_scenario();
        let Some(settings) = scenario.capture() else {
            return Ok(None);
        };
        let topology = scenario.topology();
        let spill = Spill::new(dir).map_err(cannot_write(dir))?;
        let telemetry = simulation.trace_room().filter(|_| settings.telemetry);
        let frames = FrameWriter::new(scenario.transport().mtu, telemetry);
        let capture = Self {
            rules: Arc::new(TapRules::new(limits(settings), frames, spill)),
            interfaces: interfaces(settings, topology),
            snap_length: settings.snap_length,
        };
        let mut ports = tapped_ports(settings, topology);
        simulation.tap(&mut |node| {
            let ports = ports.remove(&node)?;
            Some(Box::new(Tap::new(node, &capture.rules, ports)))
        });
        Ok(Some(capture))
    }

    /// Writes the captured frames into `folder`.
    ///
    /// # Errors
    /// Fails if a file cannot be written or read again.
    pub(crate) fn finish(
        self,
        simulation: &mut Simulation,
        folder: &mut ResultFolder,
        ending: Ending,
    ) -> Result<CaptureSummary, Error> {
        let name = ending.name(CAPTURE);
        let (ended, taps) = (simulation.ended(), simulation.take_taps());
        let mut summary = self.summary(name.clone());
        folder.write(name, |file| self.write(taps, ended, file, &mut summary))?;
        Ok(summary)
    }

    /// Writes the frames of `simulation` up to `ended` to the file at `path`.
    ///
    /// # Errors
    /// Fails if a file cannot be written or read again.
    pub(crate) fn finish_file(
        self,
        simulation: &mut Simulation,
        path: &Path,
        ended: Time,
    ) -> Result<CaptureSummary, Error> {
        let taps = simulation.take_taps();
        let mut summary = self.summary(path.display().to_string());
        write_whole(path, |file| self.write(taps, ended, file, &mut summary))?;
        Ok(summary)
    }

    /// Returns the summary of a file without frames.
    const fn summary(&self, file: String) -> CaptureSummary {
        CaptureSummary {
            file,
            interfaces: self.interfaces.len() as u64,
            frames: 0,
            bytes: Bytes::ZERO,
            left_out: 0,
        }
    }

    /// Writes the frames of `taps` up to `ended` to `file` and counts them in `summary`.
    fn write(
        &self,
        taps: Vec<Tap>,
        ended: Time,
        file: &mut File,
        summary: &mut CaptureSummary,
    ) -> io::Result<()> {
        let mut seen = 0;
        let mut streams = Vec::with_capacity(taps.len());
        for tap in taps {
            let (stream, frames) = tap.into_stream(ended);
            seen += frames;
            streams.push(stream);
        }
        let mut spill = self.rules.spill();
        let out = BufWriter::new(file);
        let mut out = CaptureWriter::new(out, &self.interfaces, self.snap_length)?;
        merge(streams, &mut spill, |record| {
            if record.at > ended {
                // The frame is from a node that has been run ahead of the other nodes.
                seen -= 1;
            } else if summary.frames < self.rules.max_frames() {
                summary.frames += 1;
                summary.bytes += Bytes::new(u64::from(record.wire));
                out.frame(record)?;
            }
            Ok::<(), io::Error>(())
        })?;
        summary.left_out = seen - summary.frames;
        out.into_inner().flush()
    }
}

/// Rejects a capture in a run that continues elsewhere or that several ranks share.
///
/// # Errors
/// Fails if `scenario` has a capture.
pub(crate) fn refuse_capture(scenario: &Scenario, message: &str, help: &str) -> Result<(), Error> {
    match scenario.capture() {
        Some(_) => Err(scenario.refuse(Part::Capture, message.to_owned(), help)),
        None => Ok(()),
    }
}

/// Returns the limits of a capture: which frames it records.
fn limits(settings: &CaptureSettings) -> TapLimits {
    TapLimits {
        time: settings.from..settings.until.unwrap_or(Time::MAX),
        flow_ids: settings.flow_ids.clone(),
        priorities: settings.priorities.clone(),
        max_frames: settings.max_frames,
    }
}

/// Returns the captured ports for the file.
fn interfaces(settings: &CaptureSettings, topology: &Topology) -> Vec<Interface> {
    let ports = captured_ports(settings, topology).map(|(node, port)| {
        let link = &topology.ports(node)[port.index()];
        Interface {
            name: format!("{} port {port}", topology.name(node)),
            description: format!("to {} port {}", topology.name(link.peer), link.peer_port),
            rate: link.rate,
        }
    });
    ports.collect()
}

/// Returns the nodes that send over captured links, each with its ports.
fn tapped_ports(settings: &CaptureSettings, topology: &Topology) -> BTreeMap<NodeId, Vec<TapPort>> {
    let mut tapped: BTreeMap<NodeId, Vec<TapPort>> = BTreeMap::new();
    let mut port_of = |node: NodeId, port: PortId, enter: &dyn Fn(&mut TapPort)| {
        let ports = tapped.entry(node).or_insert_with(|| {
            let ports = topology.ports(node).iter();
            ports.map(|link| TapPort::new(link.peer)).collect()
        });
        enter(&mut ports[port.index()]);
    };
    for (number, (node, port)) in (0..).zip(captured_ports(settings, topology)) {
        if settings.takes_sent() {
            port_of(node, port, &|own| own.sent = Some(number));
        }
        if settings.takes_arrived() {
            let link = &topology.ports(node)[port.index()];
            port_of(link.peer, link.peer_port, &|peer| {
                peer.arrived = Some(number);
            });
        }
    }
    tapped
}
