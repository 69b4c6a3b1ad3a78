//! The requests of a fetch workload in the order of their starts.

use std::fmt;

use fabricsim_base::checkpoint::{LoadError, Reader, Stored, Writer};
use fabricsim_base::flow::{FlowRequest, FlowSource};
use fabricsim_base::units::Time;

use super::requests::WorkloadFlow;

/// Source of the requests.
pub(super) struct Fetches {
    /// Template of all requests; only start and size differ.
    like: FlowRequest,
    next: Option<WorkloadFlow>,
    rest: Box<dyn Iterator<Item = WorkloadFlow> + Send>,
    /// Number of requests made so far.
    taken: u64,
}

impl Fetches {
    /// Returns a source of requests like `like`. The start of `like` is the beginning of the
    /// workload.
    pub(super) fn new(
        like: FlowRequest,
        mut rest: Box<dyn Iterator<Item = WorkloadFlow> + Send>,
    ) -> Self {
        Self {
            like,
            next: rest.next(),
            rest,
            taken: 0,
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
        self.taken += 1;
        Some(FlowRequest {
            start,
            size: next.size,
            ..self.like
        })
    }

    fn save_state(&self, out: &mut Writer) {
        let Self {
            like: _,
            next: _,
            rest: _,
            taken,
        } = self;
        taken.store(out);
    }

    /// Repeats the requests made so far, because the random streams are not saved.
    fn load_state(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        for _ in 0..u64::fetch(input)? {
            if self.next_flow().is_none() {
                return Err(LoadError::new("it has made more requests than there are"));
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Fetches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetches")
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}
