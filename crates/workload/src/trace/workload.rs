//! Graphs of operations as a workload.

use std::sync::Arc;

use fabricsim_base::id::ClassId;
use fabricsim_base::input::{ConfigError, InputError};
use fabricsim_base::priority::Priority;

use super::GraphConfig;
use crate::application::HostApplications;
use crate::check;
use crate::compute::Profile;
use crate::context::{Expected, WorkloadContext};
use crate::graph::{self, GraphInfo, Manner, Operation, Overlap, Plan, Program, Programs, Step};
use crate::list::FlowTimes;
use crate::workload::{FileContent, FileState, NamedFile, Workload};

/// The programs of a file.
#[derive(Debug)]
struct Read(Vec<Arc<Program>>);

impl Programs for Read {
    fn program(&self, rank: u32) -> Arc<Program> {
        Arc::clone(&self.0[rank as usize])
    }

    fn operation(&self, _rank: u32, step: Step) -> Operation {
        match step {
            Step::Fixed(operation) => operation,
            Step::Send(_) | Step::Receive(_) => {
                unreachable!("the messages of a file are between two ranks each")
            }
        }
    }

    fn receipt(&self, _rank: u32, from: u32, tag: u64) -> Option<(u32, u64)> {
        Some((from, tag))
    }

    fn first_instance(&self, _rank: u32) -> u32 {
        0
    }
}

impl Workload for GraphConfig {
    fn applications(
        &self,
        context: &WorkloadContext,
        class: ClassId,
    ) -> Result<HostApplications, ConfigError> {
        let loaded = self.checked(context)?;
        let mut hosts = self.order().placed(context)?;
        hosts.truncate(loaded.programs.len());
        let job = self.table.job.clone();
        let info = GraphInfo {
            class,
            job: job
                .unwrap_or_else(|| format!("job{}", context.index))
                .into(),
            hosts: hosts.into(),
            instances: Arc::clone(&loaded.instances),
            iterations: self.table.iterations,
            warm_up: check::warm_up(self.table.warm_up, self.table.iterations)?,
        };
        let manner = Manner {
            priority: check::priority(self.table.priority)?,
            dst_port: self.table.dst_port,
            connections: self.table.connections,
            send_end: self.table.send_end,
            start: self.table.start,
            compute: fabricsim_base::units::Duration::ZERO,
            pace: self.pace(context, loaded)?,
            slowdown: self.slowdown(loaded)?,
        };
        let programs = Box::new(Read(loaded.programs.clone()));
        Ok(graph::applications(Plan::new(info, manner, programs)))
    }

    fn slows_ports(&self) -> bool {
        let overlap = self.table.overlap.as_ref();
        overlap.is_some_and(Overlap::slows_ports)
    }

    fn expected(&self, context: &WorkloadContext) -> Result<Expected, ConfigError> {
        let loaded = self.checked(context)?;
        check::warm_up(self.table.warm_up, self.table.iterations)?;
        self.pace(context, loaded)?;
        let expected = Expected {
            flows: loaded.messages * f64::from(self.table.iterations),
            bytes: loaded.bytes * f64::from(self.table.iterations),
        };
        check::amount("path", expected)
    }

    fn users(&self, own: ClassId) -> Vec<(Priority, ClassId)> {
        check::sole_user(self.table.priority, own)
    }

    fn set_priority(&mut self, priority: Priority) {
        self.table.priority = priority.get();
    }

    fn file(&self) -> Option<NamedFile<'_>> {
        Some(NamedFile {
            key: "path",
            path: &self.path,
            content: FileContent::Graph,
            state: match self.loaded {
                None => FileState::Missing,
                Some(_) => FileState::Loaded,
            },
        })
    }

    fn profile(&self) -> Option<NamedFile<'_>> {
        self.profile_path.as_deref().map(|path| NamedFile {
            key: "profile",
            path,
            content: FileContent::Profile,
            state: match self.profile {
                None => FileState::Missing,
                Some(_) => FileState::Loaded,
            },
        })
    }

    fn load_profile(&mut self, text: &str) -> Result<(), InputError> {
        self.profile = Some(Arc::new(Profile::parse(text)?));
        Ok(())
    }

    fn load(
        &mut self,
        text: &str,
        context: &WorkloadContext,
        _times: FlowTimes,
    ) -> Result<(), InputError> {
        if self.profile_path.is_some() && self.profile.is_none() {
            let message = "the profile of the graph has not been loaded";
            return Err(InputError::new(0..0, message, "load it first"));
        }
        // If hosts cannot be placed, a later check names the key.
        let hosts = self.order().placed(context);
        let hosts = hosts.map_or(context.hosts.len(), |hosts| hosts.len());
        self.loaded = Some(Arc::new(self.read(text, hosts)?));
        Ok(())
    }
}
