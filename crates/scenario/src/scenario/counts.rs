//! Limits on the number of workloads and flows in a scenario.

use fabricsim_workload::Expected;

/// Maximum number of workloads, because their numbers are the classes of their flows.
const MOST_WORKLOADS: usize = 1 << 16;

/// Maximum number of flows of a run, because flow numbers have 32 bits.
const MOST_FLOWS: f64 = fabricsim_base::limits::MAX_FLOWS as f64;

/// Rejects more workloads than can be numbered.
///
/// # Errors
/// Returns the index of the first workload beyond the limit, a message and help.
pub(crate) fn check_count(workloads: usize) -> Result<(), (usize, String, String)> {
    if workloads <= MOST_WORKLOADS {
        return Ok(());
    }
    Err((
        MOST_WORKLOADS,
        format!(
            "this is one of {workloads} workloads, and a scenario has at most {MOST_WORKLOADS}"
        ),
        "leave some out, or put their flows into one list: `kind = \"list\"`".to_owned(),
    ))
}

/// Number of flows expected from the workloads so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FlowCount(f64);

impl FlowCount {
    /// Adds the flows `expected` from workload `index`; rejects more than can be numbered.
    ///
    /// # Errors
    /// Returns a message and help.
    pub(crate) fn add(&mut self, index: usize, expected: Expected) -> Result<(), (String, String)> {
        self.0 += expected.flows;
        if self.0 < MOST_FLOWS {
            return Ok(());
        }
        Err((
            format!(
                "[[workload]] {}: about {:.0} flows, {:.0} with the workloads before it, and a run can \
                 have {MOST_FLOWS:.0}",
                index, expected.flows, self.0
            ),
            "give a shorter duration, a lower load or larger flows".to_owned(),
        ))
    }
}
