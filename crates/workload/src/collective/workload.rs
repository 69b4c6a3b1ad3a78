//! Collectives as a workload.

use std::sync::{Arc, Mutex, PoisonError};

use fabricsim_base::id::ClassId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::priority::Priority;
use rustc_hash::FxHashMap;

use super::aggregator::{Aggregator, Job};
use super::form::Transfer;
use super::groups::Groups;
use super::tree::Trees;
use super::{CollectiveConfig, Form, Member, Shape};
use crate::application::HostApplications;
use crate::check;
use crate::context::{Expected, WorkloadContext};
use crate::graph::{
    self, GraphInfo, Instance, Manner, Operation, Overlap, Plan, Program, ProgramBuilder, Programs,
    SendEnd, Step,
};
use crate::reducers::Reducers;
use crate::workload::Workload;

/// The programs of the ranks of one job: one for all members with the same part.
#[derive(Debug)]
struct Members {
    shapes: Shapes,
    groups: Groups,
    /// The position of the switch of each rank, if switches reduce for its group.
    switches: Vec<Option<u32>>,
    shared: Mutex<Shared>,
}

/// The collective of each group.
#[derive(Clone, Debug)]
struct Shapes {
    all: Shape,
    /// The collective of groups without a tree, if switches reduce for other groups.
    fallback: Shape,
    /// The groups without a tree, ascending.
    without: Vec<u32>,
}

impl Shapes {
    /// Returns the collectives of groups with `trees`, `shape` if possible.
    fn new(shape: Shape, trees: &Trees) -> Result<Self, ConfigError> {
        let fallback = if shape.algorithm.is_in_network() {
            let algorithm = shape.operation.usual_algorithm();
            let usual = Shape {
                algorithm,
                chunks: 1,
                ..shape.clone()
            };
            usual.checked()?
        } else {
            shape.clone()
        };
        let lacks = shape.ranks > 1;
        let trees = (0..).zip(&trees.0);
        let without = trees.filter(|(_, tree)| lacks && tree.is_none());
        Ok(Self {
            all: shape,
            fallback,
            without: without.map(|(group, _)| group).collect(),
        })
    }

    /// Returns the collective of `group`.
    fn of(&self, group: u32) -> &Shape {
        match self.without.binary_search(&group) {
            Ok(_) => &self.fallback,
            Err(_) => &self.all,
        }
    }

    /// Returns the number of tags of each group.
    fn tags(&self) -> u64 {
        self.all.blocks().max(self.fallback.blocks())
    }
}

#[derive(Debug, Default)]
struct Shared {
    /// By part; groups with and without trees share none.
    programs: FxHashMap<(bool, Form), Arc<Program>>,
    /// Memory for the form of the next rank. A form may be as large as its program.
    room: Vec<Transfer>,
}

impl Members {
    fn new(shapes: Shapes, groups: Groups, trees: &Trees) -> Self {
        let switch = |rank| {
            let (group, member) = groups.place(rank);
            let tree = trees.0.get(group as usize)?.as_ref()?;
            Some(tree.leaves[member as usize])
        };
        Self {
            shapes,
            switches: (0..groups.ranks()).map(switch).collect(),
            groups,
            shared: Mutex::default(),
        }
    }

    /// Calls `with` for `rank`, with the group of the rank.
    fn with<T>(&self, rank: u32, with: impl FnOnce(u32, Member<'_>) -> T) -> T {
        let (group, member) = self.groups.place(rank);
        let switch = self.switches[rank as usize];
        let member = Member {
            shape: self.shapes.of(group),
            member,
            first_tag: u64::from(group) * self.shapes.tags(),
            rank_of: &|member| match switch {
                // The only peer of a member is the aggregator of its switch.
                Some(switch) => self.groups.ranks() + switch,
                None => self.groups.rank(group, member),
            },
        };
        with(group, member)
    }
}

impl Programs for Members {
    fn program(&self, rank: u32) -> Arc<Program> {
        let (group, member) = self.groups.place(rank);
        let shape = self.shapes.of(group);
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let Shared { programs, room } = &mut *shared;
        let is_in_network = shape.algorithm.is_in_network();
        let form = (is_in_network, shape.form(member, std::mem::take(room)));
        if let Some(program) = programs.get(&form) {
            if let (_, Form::Exchange(steps)) = form {
                *room = steps;
            }
            return Arc::clone(program);
        }
        let mut builder = ProgramBuilder::default();
        shape.append(&mut builder, 0, &form.1, &|step| step);
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
        // Messages of an aggregator are the ones that the member exchanges with itself.
        let of = if from < self.groups.ranks() {
            from
        } else {
            rank
        };
        let (group, peer) = self.groups.place(of);
        let begun = |own, member: Member<'_>| (own == group).then(|| member.begun(peer, tag));
        let blocks = self.with(rank, begun)??;
        Some((blocks.peer, blocks.tag()))
    }

    fn first_instance(&self, rank: u32) -> u32 {
        self.groups.place(rank).0
    }
}

/// Returns the applications at the aggregators of all `trees`.
fn aggregators(job: Job, trees: Trees) -> HostApplications {
    let job = Arc::new(job);
    let mut applications = HostApplications::new();
    for (group, tree) in (0..).zip(trees.0) {
        let Some(tree) = tree.map(Arc::new) else {
            continue;
        };
        for (number, node) in (0..).zip(&tree.nodes) {
            let address = job.nodes[node.switch as usize];
            let own = Aggregator::new(Arc::clone(&job), group, Arc::clone(&tree), number);
            applications.push((address, Box::new(own)));
        }
    }
    applications
}

impl Workload for CollectiveConfig {
    fn applications(
        &self,
        context: &WorkloadContext,
        class: ClassId,
    ) -> Result<HostApplications, ConfigError> {
        let groups = self.checked(context)?;
        let shape = self.shape(groups.size, groups.rate)?;
        let (trees, _) = Trees::of(&shape, &groups, context)?;
        let shapes = Shapes::new(shape, &trees)?;
        let instance = |group| {
            let shape = shapes.of(group);
            Instance {
                group,
                operation: shape.operation,
                algorithm: shape.algorithm_label(),
                ranks: shape.ranks,
                size: shape.size,
                bus_factor: shape.bus_factor(),
            }
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
            slowdown: self.slowdown()?,
        };
        let reducers = context.reducers.iter().flat_map(|own| own.switches.iter());
        let job = Job {
            shape: shapes.all.clone(),
            groups: groups.clone(),
            info: info.clone(),
            manner: manner.clone(),
            nodes: reducers.map(|switch| switch.node).collect(),
            tags: shapes.tags(),
        };
        let programs = Members::new(shapes, groups, &trees);
        let plan = Plan::new(info, manner, Box::new(programs));
        let plan = plan.with_aggregators(job.nodes.clone());
        let mut applications = graph::applications(plan);
        applications.extend(aggregators(job, trees));
        Ok(applications)
    }

    fn slows_ports(&self) -> bool {
        self.overlap.as_ref().is_some_and(Overlap::slows_ports)
    }

    fn expected(&self, context: &WorkloadContext) -> Result<Expected, ConfigError> {
        let groups = self.checked(context)?;
        check::warm_up(self.warm_up, self.iterations)?;
        self.pace(context, groups.ranks())?;
        self.slowdown()?;
        let shape = self.shape(groups.size, groups.rate)?;
        let (trees, _) = Trees::of(&shape, &groups, context)?;
        let shapes = Shapes::new(shape, &trees)?;
        let mut expected = Expected::default();
        for group in 0..groups.count() {
            let tree = trees.0.get(group as usize).and_then(Option::as_ref);
            let (messages, bytes) = match tree {
                Some(tree) => tree.traffic(&shapes.all),
                None => shapes.of(group).traffic(),
            };
            expected.flows += messages * f64::from(self.iterations);
            expected.bytes += bytes * f64::from(self.iterations);
        }
        check::amount("iterations", expected)
    }

    fn reserved(&self, context: &WorkloadContext) -> Result<Option<Reducers>, ConfigError> {
        let groups = self.checked(context)?;
        Ok(Trees::of(&self.shape(groups.size, groups.rate)?, &groups, context)?.1)
    }

    fn warnings(&self, context: &WorkloadContext) -> Vec<String> {
        let shapes = || {
            let groups = self.checked(context)?;
            let shape = self.shape(groups.size, groups.rate)?;
            let (trees, _) = Trees::of(&shape, &groups, context)?;
            Ok::<_, ConfigError>((Shapes::new(shape, &trees)?, groups.count()))
        };
        let found = shapes()
            .ok()
            .filter(|(shapes, _)| !shapes.without.is_empty());
        let warning = found.map(|(shapes, count)| {
            format!(
                "{} of {count} groups find no room in the switches for a tree of \"{}\", and use \
                 \"{}\"; give [switch] a larger `reduction_trees`",
                shapes.without.len(),
                shapes.all.algorithm.name(),
                shapes.fallback.algorithm.name()
            )
        });
        warning.into_iter().collect()
    }

    fn nccl_choice(&self, context: &WorkloadContext) -> Option<String> {
        let groups = self.checked(context).ok()?;
        let shape = self.shape(groups.size, groups.rate).ok()?;
        shape.division.is_some().then(|| shape.in_words())
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
        (config.root, config.chunks) = (root, 2);
        let context = context(128, 1);
        let groups = config.checked(&context).unwrap();
        let none = Trees(Vec::new());
        let shapes = Shapes::new(config.shape(64, groups.rate).unwrap(), &none).unwrap();
        let members = Members::new(shapes, groups, &none);
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
            // Each place in a node.
            (O::AllToAll, Algorithm::Pxn, 8),
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
