//! The application at the aggregator of a switch, for one group of a collective.

use std::collections::BTreeMap;
use std::sync::Arc;

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::flow::{Connection, Flow};
use fabricsim_base::id::NodeId;
use fabricsim_base::units::Bytes;
use fabricsim_core::plugin::{AppContext, AppFlow, Application};

use super::aggregation::Part;
use super::groups::Groups;
use super::shape::Shape;
use super::tree::{Child, End, Tree, TreeNode};
use crate::graph::{Connections, GraphInfo, Manner, place_of_tag};

/// The settings that all aggregators of a job share.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) shape: Shape,
    pub(super) groups: Groups,
    pub(super) info: GraphInfo,
    pub(super) manner: Manner,
    /// The aggregators, by the positions of their switches.
    pub(super) nodes: Vec<NodeId>,
    /// The number of tags of each group.
    pub(super) tags: u64,
}

/// Progress of the parts of a group in one switch.
#[derive(Debug, Default, Stored)]
#[checkpoint(plain)]
struct Progress {
    /// By tag, the number of contributions to each part that lacks some.
    counts: BTreeMap<u64, u32>,
    connections: BTreeMap<(NodeId, u16), Connection>,
    /// Messages that could not be started.
    lost: u64,
}

/// Reduces and multicasts the messages of one group in one switch.
#[derive(Checkpointed, Debug)]
pub(super) struct Aggregator {
    #[checkpoint(rebuilt)]
    job: Arc<Job>,
    #[checkpoint(rebuilt)]
    group: u32,
    #[checkpoint(rebuilt)]
    tree: Arc<Tree>,
    /// The number of this node in the tree.
    #[checkpoint(rebuilt)]
    node: u32,
    progress: Progress,
}

impl Aggregator {
    pub(super) fn new(job: Arc<Job>, group: u32, tree: Arc<Tree>, node: u32) -> Self {
        Self {
            job,
            group,
            tree,
            node,
            progress: Progress::default(),
        }
    }

    fn tree_node(&self) -> &TreeNode {
        &self.tree.nodes[self.node as usize]
    }

    /// Returns the aggregator of the tree's node `number`.
    fn address(&self, number: u32) -> NodeId {
        let switch = self.tree.nodes[number as usize].switch;
        self.job.nodes[switch as usize]
    }

    /// Returns the node at the lower end of the edge `child`.
    fn end_of(&self, child: &Child) -> NodeId {
        match child.end {
            End::Node(number) => self.address(number),
            End::Member(member) => {
                let rank = self.job.groups.rank(self.group, member);
                self.job.info.hosts[rank as usize]
            }
        }
    }

    /// Returns the unit and the block of a message with `tag`, if it is one of this group.
    fn place(&self, tag: u64) -> Option<(u32, u32)> {
        let first = u64::from(self.group) * self.job.tags;
        let place = place_of_tag(tag)?.checked_sub(first)?;
        if place >= self.job.shape.blocks() {
            return None;
        }
        let blocks = u64::from(self.job.shape.unit_blocks());
        let number = |value: u64| u32::try_from(value).ok();
        Some((number(place / blocks)?, number(place % blocks)?))
    }

    /// Counts a contribution to the part with `tag`. Returns `true` if it is the last one.
    fn is_complete(&mut self, tag: u64, part: &Part) -> bool {
        let expected = part.contributions(self.tree_node().children.len());
        let count = self.progress.counts.entry(tag).or_default();
        *count += 1;
        if (*count as usize) < expected {
            return false;
        }
        self.progress.counts.remove(&tag);
        true
    }

    /// Sends the result `part` to the children that get it.
    fn send_down(
        &mut self,
        context: &mut AppContext<'_>,
        part: &Part,
        (channel, size, tag): (u16, Bytes, u64),
    ) {
        let tree = Arc::clone(&self.tree);
        let children = tree.nodes[self.node as usize].children.iter();
        for child in children.filter(|child| part.goes_down(&child.members)) {
            self.send(context, self.end_of(child), (channel, size, tag));
        }
    }

    fn send(
        &mut self,
        context: &mut AppContext<'_>,
        to: NodeId,
        (channel, size, tag): (u16, Bytes, u64),
    ) {
        let (class, manner) = (self.job.info.class, &self.job.manner);
        let message = match manner.connections {
            Connections::PerMessage => Some(AppFlow {
                priority: manner.priority,
                dst_port: manner.dst_port,
                ..AppFlow::new(to, size, class)
            }),
            Connections::Kept => {
                let known = self.progress.connections.get(&(to, channel)).copied();
                let connection = known.or_else(|| {
                    let made = context.connect(to, class, manner.priority, manner.dst_port);
                    made.ok().inspect(|made| {
                        self.progress.connections.insert((to, channel), *made);
                    })
                });
                connection.map(|connection| AppFlow::on(&connection, size))
            }
        };
        let started = message.map(|message| context.start_flow(&message.with_tag(tag)));
        if !matches!(started, Some(Ok(_))) {
            self.progress.lost += 1;
        }
    }
}

impl Application for Aggregator {
    fn on_flow_received(&mut self, context: &mut AppContext<'_>, flow: &Flow, tag: u64) {
        if flow.request.class != self.job.info.class {
            return;
        }
        let Some((unit, block)) = self.place(tag) else {
            return;
        };
        let job = Arc::clone(&self.job);
        let (shape, size) = (&job.shape, flow.request.size);
        let parent = self.tree_node().parent.map(|parent| self.address(parent));
        if parent == Some(flow.request.src) {
            // Only the root of a tree of one node gives a result another number.
            let message = (shape.channel(unit, block), size, tag);
            return self.send_down(context, &shape.part(block), message);
        }
        let part = shape.part(block);
        if !self.is_complete(tag, &part) {
            return;
        }
        if let Some(parent) = parent {
            self.send(context, parent, (shape.channel(unit, block), size, tag));
        } else {
            let tag = tag - u64::from(block) + u64::from(part.result);
            let channel = shape.channel(unit, part.result);
            self.send_down(context, &part, (channel, size, tag));
        }
    }

    fn waits_for(&self) -> Option<String> {
        let parts = self.progress.counts.len();
        let (job, group) = (&self.job.info.job, self.group);
        let node = self.address(self.node);
        if let Some(count) = self.progress.counts.values().next() {
            let children = self.tree_node().children.len();
            return Some(format!(
                "aggregator {node} of job `{job}`, group {group}: {parts} parts of the buffer, the \
                 first of them with {count} contributions from {children} children"
            ));
        }
        (self.progress.lost > 0).then(|| {
            let lost = self.progress.lost;
            format!(
                "aggregator {node} of job `{job}`, group {group}: {lost} messages without a route"
            )
        })
    }

    fabricsim_base::saves_state!();
}
