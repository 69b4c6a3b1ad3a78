//! The requests of a fetch workload in the order of their starts.

use std::fmt;

use fabricsim_core::flow::{FlowRequest, FlowSource};
use fabricsim_core::units::Time;

use super::requests::WorkloadFlow;

/// Source of requests.
pub(super) struct Fetches {
    /// The request that all others are like, but for start and size.
    like: FlowRequest,
    next: Option<WorkloadFlow>,
    rest: Box<dyn Iterator<Item = WorkloadFlow> + Send>,
}

impl Fetches {
    /// Requests like `like`, which starts when they begin.
    pub(super) fn new(
        like: FlowRequest,
        mut rest: Box<dyn Iterator<Item = WorkloadFlow> + Send>,
    ) -> Self {
        Self {
            like,
            next: rest.next(),
            rest,
        }
    }
}

impl FlowSource for Fetches {
    fn next_start(&self) -> Option<Time> {
        let next = self.next?;
        Some(self.like.start.saturating_add(next.start))
    }

    fn next_flow(&mut self) -> Option<FlowRequest> {
        let start = self.next_start()?;
        let next = std::mem::replace(&mut self.next, self.rest.next())?;
        Some(FlowRequest {
            start,
            size: next.size,
            ..self.like
        })
    }
}

impl fmt::Debug for Fetches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetches")
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}
