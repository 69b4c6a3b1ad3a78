//! Collectives as a workload.

use std::sync::Arc;

use fabricsim_base::id::ClassId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::priority::Priority;

use super::groups::Groups;
use super::{CollectiveConfig, Numbered, Shape};
use crate::application::HostApplications;
use crate::check;
use crate::context::{Expected, WorkloadContext};
use crate::graph::{
    self, GraphInfo, Instance, Manner, Plan, Program, ProgramBuilder, Programs, SendEnd,
};
use crate::workload::Workload;

/// The programs of the ranks of one job.
#[derive(Debug)]
struct Members {
    shape: Shape,
    groups: Groups,
}

impl Programs for Members {
    fn program(&self, rank: u32) -> Arc<Program> {
        let (group, member) = self.groups.place(rank);
        let mut builder = ProgramBuilder::default();
        let rank_of = |member| self.groups.rank(group, member);
        let this = Numbered {
            number: group,
            first_tag: u64::from(group) * self.shape.blocks(),
        };
        self.shape.append(&mut builder, this, member, &rank_of);
        let program = builder.finish();
        Arc::new(program.expect("messages of a collective follow the receipts before them"))
    }
}

impl Workload for CollectiveConfig {
    fn applications(
        &self,
        context: &WorkloadContext,
        class: ClassId,
    ) -> Result<HostApplications, ConfigError> {
        let groups = self.checked(context)?;
        let shape = self.shape(groups.size)?;
        let instance = |group| Instance {
            group,
            operation: shape.operation,
            algorithm: shape.algorithm,
            ranks: shape.ranks,
            size: shape.size,
            bus_factor: shape.bus_factor(),
        };
        let job = self.job.clone();
        let info = GraphInfo {
            class,
            job: job
                .unwrap_or_else(|| format!("job{}", context.index))
                .into(),
            hosts: groups.hosts.clone().into(),
            instances: (0..groups.count()).map(instance).collect(),
            iterations: self.iterations,
        };
        let manner = Manner {
            priority: check::priority(self.priority)?,
            dst_port: self.dst_port,
            connections: self.connections,
            send_end: SendEnd::Acknowledged,
            start: self.start,
            compute: self.compute,
        };
        let programs = Members { shape, groups };
        Ok(graph::applications(Plan::new(
            info,
            manner,
            Box::new(programs),
        )))
    }

    fn expected(&self, context: &WorkloadContext) -> Result<Expected, ConfigError> {
        let groups = self.checked(context)?;
        let (messages, bytes) = self.shape(groups.size)?.traffic();
        let times = f64::from(groups.count()) * f64::from(self.iterations);
        let expected = Expected {
            flows: messages * times,
            bytes: bytes * times,
        };
        check::amount("iterations", expected)
    }

    fn users(&self, own: ClassId) -> Vec<(Priority, ClassId)> {
        check::sole_user(self.priority, own)
    }

    fn set_priority(&mut self, priority: Priority) {
        self.priority = priority.get();
    }
}
