//! Completes the workloads of a scenario with the files that they name.

use std::path::Path;
use std::sync::Arc;

use fabricsim_core::plugin::quirks::TimeUnit;
use fabricsim_topology::Topology;
use fabricsim_workload::{BoxedWorkload, WorkloadContext};

use crate::read::workload::load_workload;
use crate::scenario::counts::{FlowCount, check_count};
use crate::scenario::hosts;
use crate::schema::part::{Part, Refused};

/// Context with which workloads are completed.
#[derive(Debug)]
pub(crate) struct Traffic<'a> {
    pub(crate) topology: &'a Topology,
    /// Folder that relative paths start from.
    pub(crate) folder: &'a Path,
    pub(crate) seed: u64,
    /// The unit in which flows start.
    pub(crate) times: TimeUnit,
}

impl Traffic<'_> {
    /// Reads the files of `workloads`.
    ///
    /// # Errors
    /// The first one that cannot be sent, or one too many of them.
    pub(crate) fn load<'w>(
        &self,
        workloads: impl ExactSizeIterator<Item = &'w mut BoxedWorkload>,
    ) -> Result<(), Refused> {
        check_count(workloads.len())
            .map_err(|(first, message, help)| Part::Workload(first).refused_whole(message, help))?;
        let hosts = hosts(self.topology);
        let mut flows = FlowCount::default();
        for (index, workload) in workloads.enumerate() {
            let context = WorkloadContext {
                hosts: Arc::clone(&hosts),
                seed: self.seed,
                index: index as u64,
            };
            let part = Part::Workload(index);
            let expected = load_workload(&mut **workload, self.folder, &context, self.times)
                .map_err(|reason| part.refused(reason))?;
            flows
                .add(index, expected)
                .map_err(|(message, help)| part.refused_whole(message, help))?;
        }
        Ok(())
    }
}
