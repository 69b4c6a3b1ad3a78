//! Collectives as a workload.

use std::sync::{Arc, Mutex, PoisonError};

use fabricsim_base::id::ClassId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::priority::Priority;
use rustc_hash::FxHashMap;

use super::form::Transfer;
use super::groups::Groups;
use super::{CollectiveConfig, Form, Member, Shape};
use crate::application::HostApplications;
use crate::check;
use crate::context::{Expected, WorkloadContext};
use crate::graph::{
    self, GraphInfo, Instance, Manner, Operation, Plan, Program, ProgramBuilder, Programs, SendEnd,
    Step,
};
use crate::workload::Workload;

/// The programs of the ranks of one job: one for all members with the same part.
#[derive(Debug)]
struct Members {
    shape: Shape,
    groups: Groups,
    shared: Mutex<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    programs: FxHashMap<Form, Arc<Program>>,
    /// Memory for the form of the next rank. A form may be as large as its program.
    room: Vec<Transfer>,
}

impl Members {
    fn new(shape: Shape, groups: Groups) -> Self {
        Self {
            shape,
            groups,
            shared: Mutex::default(),
        }
    }

    /// Calls `with` for `rank`, with the group of the rank.
    fn with<T>(&self, rank: u32, with: impl FnOnce(u32, Member<'_>) -> T) -> T {
        let (group, member) = self.groups.place(rank);
        let member = Member {
            shape: &self.shape,
            member,
            first_tag: u64::from(group) * self.shape.blocks(),
            rank_of: &|member| self.groups.rank(group, member),
        };
        with(group, member)
    }
}

impl Programs for Members {
    fn program(&self, rank: u32) -> Arc<Program> {
        let (_, member) = self.groups.place(rank);
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let Shared { programs, room } = &mut *shared;
        let form = self.shape.form(member, std::mem::take(room));
        if let Some(program) = programs.get(&form) {
            if let Form::Exchange(steps) = form {
                *room = steps;
            }
            return Arc::clone(program);
        }
        let mut builder = ProgramBuilder::default();
        self.shape.append(&mut builder, 0, &form, &|step| step);
        let program = builder.finish(0);
        let program = program.expect("messages of a collective follow the receipts before them");
        let program = Arc::new(program);
        programs.insert(form, Arc::clone(&program));
        program
    }

    fn operation(&self, rank: u32, step: Step) -> Operation {
        self.with(rank, |_, member| member.operation(step))
    }

    fn receipt(&self, rank: u32, from: u32, tag: u64) -> Option<(u32, u64)> {
        let (group, peer) = self.groups.place(from);
        let begun = |own, member: Member<'_>| (own == group).then(|| member.begun(peer, tag));
        let blocks = self.with(rank, begun)??;
        Some((blocks.peer, blocks.tag()))
    }

    fn first_instance(&self, rank: u32) -> u32 {
        self.groups.place(rank).0
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
            warm_up: check::warm_up(self.warm_up, self.iterations)?,
        };
        let manner = Manner {
            priority: check::priority(self.priority)?,
            dst_port: self.dst_port,
            connections: self.connections,
            send_end: SendEnd::Acknowledged,
            start: self.start,
            compute: self.compute,
            pace: self.pace(context, groups.ranks())?,
        };
        let programs = Members::new(shape, groups);
        Ok(graph::applications(Plan::new(
            info,
            manner,
            Box::new(programs),
        )))
    }

    fn expected(&self, context: &WorkloadContext) -> Result<Expected, ConfigError> {
        let groups = self.checked(context)?;
        check::warm_up(self.warm_up, self.iterations)?;
        self.pace(context, groups.ranks())?;
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fabricsim_base::units::Bytes;

    use super::*;
    use crate::collective::{CollectiveAlgorithm as Algorithm, CollectiveOperation};
    use crate::context::testing::context;

    /// Returns the number of programs in memory of 128 ranks in two groups.
    fn programs(operation: CollectiveOperation, algorithm: Algorithm, root: u32) -> usize {
        let mut config = CollectiveConfig::new(operation, Bytes::new(1_000_003));
        config.algorithm = Some(algorithm);
        (config.group_size, config.group_stride) = (Some(64), 2);
        (config.root, config.channels, config.chunks) = (root, 1, 2);
        let context = context(128, 1);
        let groups = config.checked(&context).unwrap();
        let members = Members::new(config.shape(64).unwrap(), groups);
        let programs: Vec<_> = (0..128).map(|rank| members.program(rank)).collect();
        let places: BTreeSet<_> = programs.iter().map(Arc::as_ptr).collect();
        places.len()
    }

    #[test]
    fn members_with_the_same_part_share_one_program() {
        use CollectiveOperation as O;
        for (operation, algorithm, expected) in [
            (O::AllReduce, Algorithm::Ring, 1),
            (O::AllReduce, Algorithm::BidirectionalRing, 1),
            (O::AllReduce, Algorithm::HalvingDoubling, 1),
            (O::AllReduce, Algorithm::Hierarchical, 1),
            // Inner members differ in their height in the tree, and in the side of their parent.
            (O::AllReduce, Algorithm::DoubleBinaryTree, 20),
            (O::AllGather, Algorithm::Ring, 1),
            (O::AllGather, Algorithm::BidirectionalRing, 1),
            (O::AllGather, Algorithm::HalvingDoubling, 1),
            (O::ReduceScatter, Algorithm::Ring, 1),
            (O::ReduceScatter, Algorithm::BidirectionalRing, 1),
            (O::ReduceScatter, Algorithm::HalvingDoubling, 1),
            (O::AllToAll, Algorithm::Direct, 1),
            (O::AllToAll, Algorithm::Pairwise, 1),
            (O::AllToAllV, Algorithm::Direct, 1),
            (O::AllToAllV, Algorithm::Pairwise, 1),
            (O::SendReceive, Algorithm::Ring, 1),
            // The first member, the last one, and all between.
            (O::Broadcast, Algorithm::Chain, 3),
            // The root, and one for each distance to the member with the data.
            (O::Broadcast, Algorithm::Binomial, 7),
            // Stages differ in the passes before the first one backward.
            (O::Pipeline, Algorithm::Gpipe, 3),
            (O::Pipeline, Algorithm::OneForwardOneBackward, 4),
        ] {
            let root = if operation == O::Broadcast { 5 } else { 0 };
            let found = programs(operation, algorithm, root);
            assert_eq!(found, expected, "{operation:?} {algorithm:?}");
        }
    }
}
