//! The host of the application that is being called.

use fabricsim_base::id::{FlowId, NodeId};
use fabricsim_core::plugin::{AppContext, AppFlow, StartError};

/// Starts flows at the host whose application is being called.
pub(crate) trait LocalStart {
    fn start(&mut self, flow: &AppFlow) -> Result<FlowId, StartError>;
}

impl LocalStart for AppContext<'_> {
    fn start(&mut self, flow: &AppFlow) -> Result<FlowId, StartError> {
        self.start_flow(flow)
    }
}

/// The host of the application that is being called.
pub(crate) struct LocalHost<'a> {
    pub(super) id: NodeId,
    pub(super) flows: &'a mut (dyn LocalStart + 'a),
}

impl LocalHost<'_> {
    /// Reborrows the same host for a shorter time.
    pub(super) fn again(&mut self) -> LocalHost<'_> {
        LocalHost {
            id: self.id,
            flows: &mut *self.flows,
        }
    }
}
