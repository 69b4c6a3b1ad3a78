//! The application that executes the program of one rank.

mod checkpoint;
mod computing;
mod records;
mod sending;
mod waiting;

use std::collections::VecDeque;
use std::sync::Arc;

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::flow::Connection;
use fabricsim_base::flow::{Completion, Flow};
use fabricsim_base::id::{FlowId, NodeId};
use fabricsim_base::units::{Duration, Time};
use fabricsim_core::plugin::{AppContext, Application};
use rustc_hash::FxHashMap;

use super::plan::{GraphInfo, Plan};
use super::program::{OF_A_GRAPH, Operation, Program};
use super::progress::Progress;
use super::rank_state::RankState;
use super::recording::{OperationKind, Recording};
use super::streams::Streams;
use crate::application::HostApplications;

/// Tokens of the timers that belong to no operation: the beginning, and the next iteration.
const BEGIN: u64 = u64::MAX;
const NEXT: u64 = u64::MAX - 1;

/// Bits of a message's tag for the operation. The bits above count iterations, except the highest
/// bit.
const TAG_BITS: u32 = 47;

/// A collective that has ended at one rank.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(plain)]
pub struct SpanRecord {
    /// The number of the collective in the graph.
    pub instance: u32,
    /// The iteration, from zero.
    pub iteration: u32,
    /// Time at which the collective began at the rank.
    pub start: Time,
    /// Time at which the last message was delivered to the rank. If the rank receives none, the
    /// time at which its last message was acknowledged.
    pub end: Time,
    /// The last delivered message and the rank that sent it.
    pub last: Option<(FlowId, u32)>,
}

/// An iteration that has ended at one rank.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(plain)]
pub struct IterationRecord {
    /// Its beginning.
    pub start: Time,
    /// The end of its last receipt or computation; its beginning if it has neither.
    pub end: Time,
    /// Time in which the rank computed, on any stream, since the end of the previous iteration.
    pub computed: Duration,
}

/// Executes the program of one rank.
#[derive(Debug)]
pub struct RankApplication {
    plan: Arc<Plan>,
    rank: u32,
    /// Set from the beginning of the run, except while `go_through` borrows it.
    program: Option<Arc<Program>>,
    state: RankState,
    iteration: u32,
    streams: Streams,
    /// The progress of computations, if messages slow them down or the other way round.
    progress: Option<Box<Progress>>,
    connections: FxHashMap<(u32, u16), Connection>,
    /// Unacknowledged messages, in the order of their numbers, with the operations that sent them.
    unacknowledged: VecDeque<(FlowId, u32)>,
    /// Operations with messages that could not be started.
    lost: Vec<u32>,
    done: Vec<SpanRecord>,
    iterations: Vec<IterationRecord>,
    /// The beginning of the current iteration, and the end of its last receipt or computation.
    begun: Time,
    last: Option<Time>,
    /// The operations, if they are recorded.
    recording: Option<Box<Recording>>,
}

impl RankApplication {
    pub(super) fn new(plan: Arc<Plan>, rank: u32) -> Self {
        Self {
            rank,
            program: None,
            state: RankState::default(),
            iteration: 0,
            streams: Streams::default(),
            progress: plan
                .slowdown
                .map(|slowdown| Box::new(Progress::new(slowdown))),
            plan,
            connections: FxHashMap::default(),
            unacknowledged: VecDeque::new(),
            lost: Vec::new(),
            done: Vec::new(),
            iterations: Vec::new(),
            begun: Time::ZERO,
            last: None,
            recording: None,
        }
    }

    /// Returns the properties of the graph.
    #[must_use]
    pub fn info(&self) -> &GraphInfo {
        &self.plan.info
    }

    /// Returns the number of the rank.
    #[must_use]
    pub const fn rank(&self) -> u32 {
        self.rank
    }

    /// Returns the collectives that have ended here, in the order of their ends.
    #[must_use]
    pub fn done(&self) -> &[SpanRecord] {
        &self.done
    }

    /// Returns the collectives that have begun here but not ended: iteration and number.
    pub fn under_way(&self) -> impl Iterator<Item = (u32, u32)> {
        let first = self.plan.programs.first_instance(self.rank);
        let program = self.program.iter();
        let begun = program.flat_map(|program| self.state.begun(program));
        begun.map(move |instance| (self.iteration, first + instance))
    }

    /// Returns the iterations that have ended here.
    #[must_use]
    pub fn iterations(&self) -> &[IterationRecord] {
        &self.iterations
    }

    /// Returns `true` if all iterations have ended here.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.iteration == self.plan.info.iterations
    }

    /// Returns the number of operations of one iteration; zero before the run begins.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.program.as_ref().map_or(0, |program| program.len())
    }

    /// Returns the number of operations that have not ended in the current iteration.
    #[must_use]
    pub fn left(&self) -> usize {
        (self.program.as_ref()).map_or(0, |program| self.state.left(program))
    }

    fn wire_tag(&self, tag: u64) -> u64 {
        // There are at most 2^16 iterations, so the number does not reach the highest bit.
        OF_A_GRAPH | u64::from(self.iteration) << TAG_BITS | tag
    }

    fn begin(&mut self, context: &mut AppContext<'_>) {
        let programs = &self.plan.programs;
        (self.program).get_or_insert_with(|| programs.program(self.rank));
        if let Some(progress) = &mut self.progress {
            progress.is_between(false);
        }
        self.go_through(context, |own, context, program| {
            own.state.reset(program);
            (own.begun, own.last) = (context.now(), None);
            own.go_on(context, program);
        });
    }

    /// Calls `step` with the program, if there is one. The program is moved out during the call,
    /// which is cheaper than counting another reference.
    fn go_through(
        &mut self,
        context: &mut AppContext<'_>,
        step: impl FnOnce(&mut Self, &mut AppContext<'_>, &Program),
    ) {
        if let Some(program) = self.program.take() {
            step(self, context, &program);
            self.program = Some(program);
            self.follow_messages(context);
            self.slow_ports(context);
        }
    }

    /// Starts all operations that can start, including operations that become ready in the process.
    fn go_on(&mut self, context: &mut AppContext<'_>, program: &Program) {
        while let Some(operation) = self.state.next() {
            self.start(context, program, operation);
        }
        if !self.state.is_done(program) || self.is_finished() {
            return;
        }
        self.iterations.push(IterationRecord {
            start: self.begun,
            end: self.last.unwrap_or(self.begun),
            computed: self.streams.take_computed(),
        });
        self.iteration += 1;
        if !self.is_finished() {
            self.compute_between(context);
        }
    }

    /// Returns the operation with `number`.
    fn operation(&self, program: &Program, number: u32) -> Operation {
        let step = program.records[number as usize].step;
        self.plan.programs.operation(self.rank, step)
    }

    fn start(&mut self, context: &mut AppContext<'_>, program: &Program, operation: u32) {
        match self.operation(program, operation) {
            Operation::Join => {
                self.state.started(program, operation);
                self.end(context, program, operation);
            }
            Operation::Compute { stream, span } => {
                let now = context.now();
                self.record(|own| own.ready(operation, OperationKind::Compute, now));
                if self.streams.enter(stream, operation, now) {
                    self.compute(context, program, operation, span);
                }
            }
            Operation::Receive { from, tag } => {
                self.state.started(program, operation);
                let tag = self.wire_tag(tag);
                let mailbox = &mut self.state.mailbox;
                let message = if program.records[operation as usize].is_foreseen() {
                    mailbox.take(from, tag)
                } else {
                    mailbox.receive(from, tag, operation)
                };
                if let Some(message) = message {
                    self.received(context, program, operation, (from, message));
                }
            }
            Operation::Send {
                channel,
                to,
                size,
                tag,
            } => {
                self.state.started(program, operation);
                let now = context.now();
                self.record(|own| own.ready(operation, OperationKind::Send, now));
                let message = (channel, to, size, tag);
                self.send(context, program, operation, message);
            }
        }
    }

    fn received(
        &mut self,
        context: &mut AppContext<'_>,
        program: &Program,
        operation: u32,
        (from, message): (u32, FlowId),
    ) {
        let now = context.now();
        self.last = Some(now);
        let iteration = self.iteration;
        self.record(|own| own.received((operation, iteration), message, now));
        self.state
            .received(program, operation, (now, from, message));
        self.end(context, program, operation);
    }

    fn end(&mut self, context: &mut AppContext<'_>, program: &Program, operation: u32) {
        let (at, now) = ((operation, self.iteration), context.now());
        self.record(|own| own.ended(at, now));
        if let Some(span) = self.state.ended(program, operation, now) {
            let instance = program.spans[span.at].instance;
            let record = SpanRecord {
                instance: self.plan.programs.first_instance(self.rank) + instance,
                iteration: self.iteration,
                start: span.start,
                end: span.last.map_or(now, |(time, ..)| time),
                last: span.last.map(|(_, from, message)| (message, from)),
            };
            self.record(|own| own.collective(at, record.start, record.end));
            self.done.push(record);
        }
    }

    /// Returns the operation that receives `message`; if there is none, the message waits. `tag` is
    /// the tag of the message on the wire.
    fn deliver(&mut self, from: u32, tag: u64, message: FlowId) -> Option<u32> {
        let of_operation = tag & ((1 << TAG_BITS) - 1);
        if let Some(program) = &self.program
            && self.wire_tag(of_operation) == tag
            && let Some(key) = (self.plan.programs).receipt(self.rank, from, of_operation)
            && let Some(operation) = self.state.awaiting(program, key)
        {
            return Some(operation);
        }
        self.state.mailbox.deliver(from, tag, message)
    }
}

impl Application for RankApplication {
    fn on_start(&mut self, context: &mut AppContext<'_>) {
        if self.plan.start > context.now() {
            context.set_timer(self.plan.start.since(context.now()), BEGIN);
        } else {
            self.begin(context);
        }
    }

    fn on_flow_finished(&mut self, context: &mut AppContext<'_>, completion: &Completion) {
        self.acknowledged(context, completion.flow.id);
        let messages = &mut self.unacknowledged;
        let Ok(place) = messages.binary_search_by_key(&completion.flow.id, |&(id, _)| id) else {
            return;
        };
        let Some((_, operation)) = messages.remove(place) else {
            return;
        };
        self.go_through(context, |own, context, program| {
            own.end(context, program, operation);
            own.go_on(context, program);
        });
    }

    fn on_flow_received(&mut self, context: &mut AppContext<'_>, flow: &Flow, tag: u64) {
        if flow.request.class != self.plan.info.class || tag & OF_A_GRAPH == 0 {
            return;
        }
        let Some(from) = self.plan.rank_of(flow.request.src) else {
            return;
        };
        self.record(|own| own.arrives(flow.id, flow.request.start, flow.request.size));
        let Some(operation) = self.deliver(from, tag, flow.id) else {
            return;
        };
        self.go_through(context, |own, context, program| {
            own.received(context, program, operation, (from, flow.id));
            own.go_on(context, program);
        });
    }

    fn on_timer(&mut self, context: &mut AppContext<'_>, token: u64) {
        if matches!(token, BEGIN | NEXT) {
            return self.begin(context);
        }
        let operation = u32::try_from(token).expect("other tokens are numbers of operations");
        self.go_through(context, |own, context, program| {
            own.computed(context, program, operation);
        });
    }

    fn waits_for(&self) -> Option<String> {
        self.reason_to_wait()
    }

    fabricsim_base::saves_state!();
}

/// Returns the applications of all ranks of `plan`.
pub(crate) fn applications(plan: Plan) -> HostApplications {
    let plan = Arc::new(plan);
    let hosts = Arc::clone(&plan.info.hosts);
    let rank = |(host, rank): (&NodeId, u32)| {
        let application = RankApplication::new(Arc::clone(&plan), rank);
        let application: Box<dyn Application> = Box::new(application);
        (*host, application)
    };
    hosts.iter().zip(0..).map(rank).collect()
}
