//! Support for workloads whose flows are started by applications at hosts, in reaction to arrivals
//! there.

use fabricsim_core::checkpoint::Checkpointed;
use fabricsim_core::flow::{FlowRequest, FlowSource};
use fabricsim_core::id::NodeId;
use fabricsim_core::plugin::Application;
use fabricsim_core::units::Time;

/// Applications, each with its host.
pub type HostApplications = Vec<(NodeId, Box<dyn Application>)>;

/// The source of a workload whose applications start all flows.
#[derive(Checkpointed)]
pub(crate) struct NoFlows;

impl FlowSource for NoFlows {
    fn next_start(&self) -> Option<Time> {
        None
    }

    fn next_flow(&mut self) -> Option<FlowRequest> {
        None
    }

    fabricsim_core::saves_state!();
}
