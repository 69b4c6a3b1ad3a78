//! Support for workloads with applications at hosts, which start flows in reaction to arrivals.

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::flow::{FlowRequest, FlowSource};
use fabricsim_base::id::NodeId;
use fabricsim_base::units::Time;
use fabricsim_core::plugin::Application;

/// Applications, each with its host.
pub type HostApplications = Vec<(NodeId, Box<dyn Application>)>;

/// The empty flow source of a workload, for workloads in which applications start all flows.
#[derive(Checkpointed)]
pub(crate) struct NoFlows;

impl FlowSource for NoFlows {
    fn next_start(&self) -> Option<Time> {
        None
    }

    fn next_flow(&mut self) -> Option<FlowRequest> {
        None
    }

    fabricsim_base::saves_state!();
}
