//! The remains of a run: flows that have not finished, and ports that wait for one another.

use fabricsim_base::flow::FlowRequest;
use fabricsim_base::priority::Priority;
use fabricsim_core::plugin::Unfinished;
use serde::Serialize;

use super::Status;
use crate::simulation::Simulation;

/// Number of unfinished flows that `summary.json` lists; the remaining ones are only counted.
const LISTED_FLOWS: usize = 1_000;

/// A flow that has not ended.
#[derive(Clone, Debug, Serialize)]
pub struct UnfinishedFlow {
    /// Number of the flow; `None` if it never started because there was no route.
    pub flow: Option<u32>,
    /// The sending host.
    pub src: u32,
    /// The name of the sending host.
    pub src_name: String,
    /// The receiving host.
    pub dst: u32,
    /// The name of the receiving host.
    pub dst_name: String,
    /// Payload bytes of the flow; `None` for a flow that never ends.
    pub size_bytes: Option<u64>,
    /// Acknowledged payload bytes.
    pub acknowledged_bytes: u64,
    /// The reason why the flow has not ended.
    pub reason: String,
}

/// A switch port of a PFC deadlock.
#[derive(Clone, Debug, Serialize)]
pub struct DeadlockedPort {
    /// The switch.
    pub switch: u32,
    /// Name of the switch.
    pub switch_name: String,
    /// Egress port of the switch, in the order of the topology's links.
    pub port: u16,
    /// The switch at the far end, which has paused the port.
    pub paused_by: u32,
    /// Name of the switch at the far end.
    pub paused_by_name: String,
    /// The paused priority.
    pub priority: Priority,
    /// Bytes that wait at the port.
    pub queued_bytes: u64,
}

/// Returns the first unfinished flows: active flows, then flows without a route.
pub(super) fn listed(simulation: &Simulation, left: &[Unfinished]) -> Vec<UnfinishedFlow> {
    let name = |node| simulation.routes().topology().name(node).to_owned();
    let under_way = left.iter().map(|unfinished| UnfinishedFlow {
        flow: Some(unfinished.id.0),
        src: unfinished.request.src.0,
        src_name: name(unfinished.request.src),
        dst: unfinished.request.dst.0,
        dst_name: name(unfinished.request.dst),
        size_bytes: size(&unfinished.request),
        acknowledged_bytes: unfinished.acknowledged.get(),
        reason: unfinished.reason.clone(),
    });
    let unreachable = simulation.unreachable().iter().enumerate();
    let unreachable = unreachable.map(|(index, request)| UnfinishedFlow {
        flow: None,
        src: request.src.0,
        src_name: name(request.src),
        dst: request.dst.0,
        dst_name: name(request.dst),
        size_bytes: size(request),
        acknowledged_bytes: 0,
        reason: simulation.unreachable_reason(index).to_owned(),
    });
    under_way.chain(unreachable).take(LISTED_FLOWS).collect()
}

/// Returns the payload bytes of a flow that ends, or `None` for an endless one.
fn size(request: &FlowRequest) -> Option<u64> {
    (!request.is_endless()).then(|| request.size.get())
}

/// Returns the ports of the deadlock that ended a run.
pub(super) fn deadlocked(simulation: &Simulation, status: Status) -> Vec<DeadlockedPort> {
    if status != Status::Deadlocked {
        return Vec::new();
    }
    let name = |node| simulation.routes().topology().name(node).to_owned();
    let ports = simulation.deadlock();
    ports
        .iter()
        .map(|blocked| DeadlockedPort {
            switch: blocked.node.0,
            switch_name: name(blocked.node),
            port: blocked.port.0,
            paused_by: blocked.peer.0,
            paused_by_name: name(blocked.peer),
            priority: blocked.priority,
            queued_bytes: blocked.queued.get(),
        })
        .collect()
}
