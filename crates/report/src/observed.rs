//! Observations of a run other than its flows: the network, queues, buffers, links, rates and
//! pauses, read from result files and summarized.

mod buffers;
mod critical_path;
mod delays;
mod fabric;
mod fairness;
mod hop_delays;
mod iteration_path;
mod links;
mod names;
mod operations;
mod pauses;
mod queue_samples;
mod queues;

pub use buffers::{SwitchBuffer, read_buffers, write_buffers};
pub use critical_path::PathMessage;
pub use delays::{DelayPart, DelayedFlow, Delays};
pub use fabric::{FabricPort, read_fabric};
pub use fairness::{FairnessPoint, FlowSample, fairness_over_time, jain_index, read_flow_samples};
pub use hop_delays::{FlowHop, read_flow_hops};
pub use iteration_path::{PathStep, iteration_path};
pub use links::{LinkSample, LinkUse, link_uses, read_links};
pub use names::read_port_names;
pub use operations::{OperationRow, read_operations};
pub use pauses::{PauseRow, PausedPort, paused_ports, read_pauses};
pub use queue_samples::{QueueSample, read_queues};
pub use queues::{PortQueueTime, QueueDistribution, read_queue_distribution};

use fabricsim_base::units::Duration;

/// Adds two spans, saturating, because values from a file may be arbitrarily large.
fn plus(a: Duration, b: Duration) -> Duration {
    Duration::from_ps(a.as_ps().saturating_add(b.as_ps()))
}
