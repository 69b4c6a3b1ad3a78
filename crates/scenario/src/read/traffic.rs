//! Completes the workloads of a scenario with the files that they name.

use std::path::Path;

use fabricsim_core::plugin::quirks::TimeUnit;
use fabricsim_topology::Topology;
use fabricsim_workload::{BoxedWorkload, WorkloadContext};

use crate::read::workload::load_workload;
use crate::scenario::counts::{FlowCount, check_count};
use crate::scenario::{after, hosts, names, reducers};
use crate::schema::part::{Part, Refused};

/// Context for completing workloads.
#[derive(Debug)]
pub(crate) struct Traffic<'a> {
    pub(crate) topology: &'a Topology,
    /// Base folder of relative paths.
    pub(crate) folder: &'a Path,
    pub(crate) seed: u64,
    /// The unit to which starts of flows are rounded.
    pub(crate) times: TimeUnit,
}

impl Traffic<'_> {
    /// Reads the files of `workloads`.
    ///
    /// # Errors
    /// Fails at the first workload that cannot be sent, or if there are too many.
    pub(crate) fn load<'w>(
        &self,
        workloads: impl ExactSizeIterator<Item = &'w mut BoxedWorkload>,
    ) -> Result<(), Refused> {
        let refused = self.load_each(workloads).into_iter().next();
        refused.map_or(Ok(()), Err)
    }

    /// Reads the files of `workloads`, and returns the errors of workloads that cannot be sent.
    pub(crate) fn load_each<'w>(
        &self,
        workloads: impl ExactSizeIterator<Item = &'w mut BoxedWorkload>,
    ) -> Vec<Refused> {
        if let Err((first, message, help)) = check_count(workloads.len()) {
            return vec![Part::Workload(first).refused_whole(message, help)];
        }
        let mut context = WorkloadContext {
            hosts: hosts(self.topology),
            seed: self.seed,
            index: 0,
            names: names(self.topology),
            reducers: reducers(self.topology),
        };
        let mut found = Vec::new();
        let mut flows = FlowCount::default();
        for (index, workload) in workloads.enumerate() {
            let part = Part::Workload(index);
            let loaded = load_workload(&mut **workload, self.folder, &context, self.times);
            context = after(&**workload, context);
            match loaded {
                Err(reason) => found.push(part.refused(reason)),
                Ok(expected) => {
                    if let Err((message, help)) = flows.add(index, expected) {
                        found.push(part.refused_whole(message, help));
                        // All following workloads would also be too many.
                        break;
                    }
                }
            }
        }
        found
    }
}
