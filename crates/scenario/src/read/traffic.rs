//! Reads the traffic of a scenario: all workloads, and the algorithms of those that have their own.

use std::path::Path;
use std::sync::Arc;

use fabricsim_core::id::ClassId;
use fabricsim_core::plugin::quirks::TimeUnit;
use fabricsim_topology::Topology;
use fabricsim_transport::Transport;
use fabricsim_workload::{BoxedWorkload, WorkloadContext};
use toml::de::DeTable;

use crate::cc::registry::AnyCcConfig;
use crate::kinds::Registry;
use crate::read::classes::{ClassCc, read_cc};
use crate::read::workload::read_workload;
use crate::scenario::counts::{FlowCount, check_count};
use crate::scenario::hosts;
use crate::scenario::transports::TCP_PRIORITY;
use crate::text::document::Document;
use crate::text::error::Error;

/// Reads workloads one by one.
pub(crate) struct TrafficReader<'d, 'a> {
    pub(crate) document: &'d Document<'a>,
    pub(crate) base: &'d Path,
    pub(crate) registry: &'d Registry,
    pub(crate) seed: u64,
    pub(crate) times: TimeUnit,
    /// The algorithms of classes that have their own.
    pub(crate) class_cc: ClassCc,
    /// The workloads that name no priority.
    pub(crate) without_priority: Vec<usize>,
}

impl<'a> TrafficReader<'_, 'a> {
    /// Reads the `[[workload]]` tables, of which there is at least one.
    pub(crate) fn read_workloads(
        &mut self,
        root: &mut DeTable<'a>,
        topology: &Topology,
    ) -> Result<Vec<BoxedWorkload>, Error> {
        let document = self.document;
        let sections = document.sections(root, "workload")?;
        if sections.is_empty() {
            return Err(document.diagnostic(
                document.text.len()..document.text.len(),
                "the scenario has no [[workload]] table, so nothing would be sent",
                "add `[[workload]]` with `kind = \"poisson\"`; `fabricsim list` shows all workloads",
            ));
        }
        check_count(sections.len()).map_err(|(first, message, help)| {
            document.diagnostic(sections[first].span.clone(), message, help)
        })?;
        let hosts = hosts(topology);
        let mut flows = FlowCount::default();
        let mut workloads = Vec::with_capacity(sections.len());
        for (index, mut section) in sections.into_iter().enumerate() {
            if !section.table.contains_key("priority") {
                self.without_priority.push(index);
            }
            if let Some(cc) = read_cc(document, &mut section, &self.registry.congestion_controls)? {
                self.class_cc.insert(class_of(index), cc);
            }
            let context = WorkloadContext {
                hosts: Arc::clone(&hosts),
                seed: self.seed,
                index: index as u64,
            };
            let place = section.span.clone();
            let (workload, expected) = read_workload(
                document,
                section,
                self.base,
                &context,
                self.times,
                self.registry,
            )?;
            flows
                .add(index, expected)
                .map_err(|(message, help)| document.diagnostic(place, message, help))?;
            workloads.push(workload);
        }
        Ok(workloads)
    }

    /// Gives workloads of TCP that name no priority that of TCP; `cc` is the algorithm of classes
    /// that have none of their own.
    pub(crate) fn with_priorities(
        &self,
        mut workloads: Vec<BoxedWorkload>,
        cc: &AnyCcConfig,
    ) -> Vec<BoxedWorkload> {
        for &index in &self.without_priority {
            let cc = self.class_cc.get(&class_of(index)).unwrap_or(cc);
            if cc.transport() == Transport::Tcp {
                workloads[index].set_priority(TCP_PRIORITY);
            }
        }
        workloads
    }
}

/// Returns the class of the flows of workload `index`.
fn class_of(index: usize) -> ClassId {
    ClassId(u16::try_from(index).unwrap_or(u16::MAX))
}
