//! Flows that never end, in `summary.json`.

use fabricsim_core::plugin::Unfinished;
use serde::Serialize;

use crate::simulation::Simulation;

/// A flow that never ends.
#[derive(Clone, Debug, Serialize)]
pub struct Download {
    /// Its number.
    pub flow: u32,
    /// The host that asked for it.
    pub src: u32,
    /// The host that sends it.
    pub dst: u32,
    /// The class.
    pub class: u16,
    /// Payload bytes that have arrived.
    pub received_bytes: u64,
    /// Payload bits per second from its start to the end of the run.
    pub goodput_bps: f64,
}

/// Returns what has arrived of flows that never end.
pub(super) fn received(simulation: &Simulation) -> Vec<Download> {
    let ended = simulation.ended();
    let flows = simulation.downloads().into_iter();
    let flows = flows.map(
        |Unfinished {
             flow, acknowledged, ..
         }| {
            let seconds = ended.since(flow.request.start).as_secs_f64();
            Download {
                flow: flow.id.0,
                src: flow.request.src.0,
                dst: flow.request.dst.0,
                class: flow.request.class.0,
                received_bytes: acknowledged.get(),
                goodput_bps: acknowledged.as_f64() * 8.0 / seconds.max(f64::MIN_POSITIVE),
            }
        },
    );
    flows.collect()
}
