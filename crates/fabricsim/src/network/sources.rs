//! Sources of flows: the workloads, and the program that embeds the simulation.

use std::collections::BTreeMap;

use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Stored, Writer};
use fabricsim_base::flow::{FlowRequest, FlowSource};
use fabricsim_base::units::Time;
use fabricsim_workload::Merge;

/// The flows of the workloads and the injected ones, merged by start. At equal starts, flows of
/// workloads precede injected ones, and injected ones are in the order of injection.
pub(crate) struct Sources {
    workloads: Merge,
    /// Injected flows by start and order of injection.
    injected: BTreeMap<(Time, u64), FlowRequest>,
    count: u64,
}

impl Sources {
    pub(crate) const fn new(workloads: Merge) -> Self {
        Self {
            workloads,
            injected: BTreeMap::new(),
            count: 0,
        }
    }

    pub(crate) fn inject(&mut self, request: FlowRequest) {
        self.injected.insert((request.start, self.count), request);
        self.count += 1;
    }

    fn next_injected(&self) -> Option<Time> {
        self.injected
            .first_key_value()
            .map(|(&(start, _), _)| start)
    }
}

impl Checkpointed for Sources {
    fn save(&self, out: &mut Writer) {
        let Self {
            workloads,
            injected,
            count,
        } = self;
        injected.store(out);
        count.store(out);
        workloads.save_state(out);
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let Self {
            workloads,
            injected,
            count,
        } = self;
        injected.load(input)?;
        count.load(input)?;
        workloads.load_state(input)
    }
}

impl FlowSource for Sources {
    fn next_start(&self) -> Option<Time> {
        match (self.workloads.next_start(), self.next_injected()) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    fn next_flow(&mut self) -> Option<FlowRequest> {
        let injected = self.next_injected().unwrap_or(Time::MAX);
        match self.workloads.next_start() {
            Some(start) if start <= injected => self.workloads.next_flow(),
            _ => self.injected.pop_first().map(|(_, request)| request),
        }
    }
}
