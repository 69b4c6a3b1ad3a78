//! How many workloads and flows a scenario may have.

use std::ops::Range;

use fabricsim_workload::Expected;

use crate::document::{Document, Section};
use crate::error::Error;

/// Workloads, whose numbers are the classes of their flows.
const MOST_WORKLOADS: usize = 1 << 16;

/// Flows of a run, which are numbered in 32 bits.
const MOST_FLOWS: f64 = fabricsim_core::limits::MAX_FLOWS as f64;

/// Refuses the first workload that has no number left.
pub(super) fn check_count(document: &Document<'_>, workloads: &[Section<'_>]) -> Result<(), Error> {
    let Some(first) = workloads.get(MOST_WORKLOADS) else {
        return Ok(());
    };
    Err(document.diagnostic(
        first.span.clone(),
        format!(
            "this is one of {} workloads, and a scenario has at most {MOST_WORKLOADS}",
            workloads.len()
        ),
        "leave some out, or put their flows into one list: `kind = \"list\"`",
    ))
}

/// Flows that are expected of the workloads so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FlowCount(f64);

impl FlowCount {
    /// Adds those that are `expected` of workload `index`, which stands at `place`; refuses more than
    /// can be numbered.
    pub(super) fn add(
        &mut self,
        document: &Document<'_>,
        place: Range<usize>,
        index: usize,
        expected: Expected,
    ) -> Result<(), Error> {
        self.0 += expected.flows;
        if self.0 < MOST_FLOWS {
            return Ok(());
        }
        Err(document.diagnostic(
            place,
            format!(
                "[[workload]] {}: about {:.0} flows, {:.0} with those before, and a run numbers up \
                 to {MOST_FLOWS:.0}",
                index + 1,
                expected.flows,
                self.0
            ),
            "give a shorter duration, a lower load or larger flows",
        ))
    }
}
