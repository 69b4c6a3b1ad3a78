//! Flows that never end, in `summary.json`.

use serde::Serialize;

use crate::simulation::Simulation;

/// A flow that never ends.
#[derive(Clone, Debug, Serialize)]
pub struct Download {
    /// Number of the flow.
    pub flow: u32,
    /// The host that requested the data.
    pub src: u32,
    /// The host that sends the data.
    pub dst: u32,
    /// Class of the flow.
    pub class: u16,
    /// Payload bytes that have arrived.
    pub received_bytes: u64,
    /// Payload bits per second, from the start of the flow to the end of the run.
    pub goodput_bps: f64,
}

/// Returns the flows that never end, with their delivered bytes.
pub(super) fn received(simulation: &Simulation) -> Vec<Download> {
    let ended = simulation.ended();
    let flows = simulation.downloads().into_iter();
    let flows = flows.map(|download| {
        let request = &download.request;
        let seconds = ended.since(request.start).as_secs_f64();
        Download {
            flow: download.id.0,
            src: request.src.0,
            dst: request.dst.0,
            class: request.class.0,
            received_bytes: download.acknowledged.get(),
            goodput_bps: download.acknowledged.as_f64() * 8.0 / seconds.max(f64::MIN_POSITIVE),
        }
    });
    flows.collect()
}
