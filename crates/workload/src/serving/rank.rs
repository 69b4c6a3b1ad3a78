//! The application of a rank: it computes steps, takes part in their collectives, and passes their
//! activations on. The first rank of an instance also schedules.

mod cache;
mod collectives;
mod leading;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::flow::{Connection, Flow};
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::plugin::{AppContext, AppFlow, Application};

use super::plan::{Phase, Place, Plan};
use super::requests::ServingRequest;
use super::tag::{Message, Step};
use leading::Leader;
pub use leading::{ServedFirst, ServedLast};

/// The timers: the computation of a step, and the next arrival.
const COMPUTE: u64 = 0;
const ARRIVAL: u64 = 1;

/// Sends messages on one connection for each peer.
#[derive(Debug, Default, fabricsim_base::checkpoint::Stored)]
#[checkpoint(plain)]
pub(super) struct Peers {
    connections: BTreeMap<NodeId, Connection>,
    /// Messages that could not be sent.
    lost: u64,
}

impl Peers {
    pub(super) fn send(
        &mut self,
        context: &mut AppContext<'_>,
        plan: &Plan,
        to: NodeId,
        (size, message): (Bytes, Message),
    ) {
        let known = self.connections.get(&to).copied();
        let connection = known.or_else(|| {
            let new = context.connect(to, plan.class, plan.priority, plan.dst_port);
            let new = new.ok()?;
            self.connections.insert(to, new);
            Some(new)
        });
        let flow = connection.map(|connection| AppFlow::on(&connection, size));
        let sent = flow.map(|flow| context.start_flow(&flow.with_tag(message.tag())));
        // Fails if no flow numbers are left, which ends the run.
        self.lost += u64::from(!matches!(sent, Some(Ok(_))));
    }

    pub(super) const fn lost(&self) -> u64 {
        self.lost
    }
}

/// One rank of an instance.
#[derive(Checkpointed, Debug)]
#[checkpoint(plain)]
pub struct ServingRank {
    #[checkpoint(rebuilt)]
    plan: Arc<Plan>,
    #[checkpoint(rebuilt)]
    place: Place,
    peers: Peers,
    /// Steps to execute, the current one first.
    steps: VecDeque<Step>,
    /// Phase of the current step, or `None` if there is no step.
    phase: Option<u64>,
    /// Blocks received in the current all-reduce.
    ring: u64,
    /// Blocks received that no all-reduce has used.
    blocks: u64,
    /// For each other member of the stage, the exchanges that it has sent and none has used.
    exchanged: BTreeMap<u32, u64>,
    /// Bytes of KV caches that were sent.
    cache_bytes: u64,
    /// Only at the first rank of an instance.
    leader: Option<Leader>,
}

impl ServingRank {
    pub(super) fn new(plan: Arc<Plan>, place: Place) -> Self {
        let leads = (place.stage, place.member) == (0, 0);
        Self {
            plan,
            place,
            peers: Peers::default(),
            steps: VecDeque::new(),
            phase: None,
            ring: 0,
            blocks: 0,
            exchanged: BTreeMap::new(),
            cache_bytes: 0,
            leader: leads.then(Leader::default),
        }
    }

    /// Returns the flow class of the workload.
    #[must_use]
    pub fn class(&self) -> ClassId {
        self.plan.class
    }

    /// Returns the requests of the workload, in the order of arrival.
    #[must_use]
    pub fn requests(&self) -> &[ServingRequest] {
        &self.plan.requests
    }

    /// Returns the time from which arrivals count.
    #[must_use]
    pub fn start(&self) -> Time {
        self.plan.start
    }

    /// Returns the number of the instance.
    #[must_use]
    pub const fn instance(&self) -> u32 {
        self.place.instance
    }

    /// Returns the limits of a good request: of the time to the first token and of the time for
    /// each further token.
    #[must_use]
    pub fn objectives(&self) -> (Option<Duration>, Option<Duration>) {
        self.plan.objectives
    }

    /// Returns the payload bytes of KV caches that this rank has sent.
    #[must_use]
    pub const fn cache_bytes(&self) -> u64 {
        self.cache_bytes
    }

    /// Returns the first tokens that were generated here, in the order of time.
    #[must_use]
    pub fn firsts(&self) -> &[ServedFirst] {
        self.leader.as_ref().map_or(&[], |leader| leader.firsts())
    }

    /// Returns the requests whose last tokens were generated here, in the order of time.
    #[must_use]
    pub fn lasts(&self) -> &[ServedLast] {
        self.leader.as_ref().map_or(&[], |leader| leader.lasts())
    }

    fn send(&mut self, context: &mut AppContext<'_>, to: NodeId, message: (Bytes, Message)) {
        self.peers.send(context, &self.plan, to, message);
    }

    /// Sends a small message without data.
    fn control(&mut self, context: &mut AppContext<'_>, to: NodeId, message: Message) {
        self.send(context, to, (self.plan.control, message));
    }

    /// Adds a step to the ones that wait.
    fn take_step(&mut self, context: &mut AppContext<'_>, step: Step) {
        self.steps.push_back(step);
        if self.phase.is_none() {
            self.enter(context, 0);
        }
    }

    /// Begins phase `number` of the current step, or ends the step if it has no more phases.
    fn enter(&mut self, context: &mut AppContext<'_>, number: u64) {
        let Some(&step) = self.steps.front() else {
            return;
        };
        let index = usize::try_from(number).expect("phases are few");
        let Some(&phase) = self.plan.phases.get(index) else {
            return self.end_step(context, step);
        };
        self.phase = Some(number);
        match phase {
            Phase::Compute { number, of } => {
                let at = |number: u64| {
                    let part = u128::from(step.time.as_ps()) * u128::from(number) / u128::from(of);
                    u64::try_from(part).expect("a part of a time")
                };
                let span = Duration::from_ps(at(number + 1) - at(number));
                context.set_timer(span, COMPUTE);
            }
            Phase::AllReduce { times } => self.begin_all_reduce(context, step, times),
            Phase::AllToAll { times } => self.begin_exchange(context, step, times),
        }
    }

    fn end_step(&mut self, context: &mut AppContext<'_>, step: Step) {
        self.steps.pop_front();
        self.phase = None;
        let place = self.place;
        if place.stage + 1 < self.plan.layout.stages {
            let next = self.plan.layout.host(Place {
                stage: place.stage + 1,
                ..place
            });
            let size = Bytes::new(self.plan.activations(step.tokens).max(1));
            self.send(context, next, (size, Message::Step(step)));
        } else if place.stage == 0 {
            self.batch_ended(context);
        } else if place.member == 0 {
            let leader = self.plan.layout.leader(place.instance);
            self.control(context, leader, Message::Sampled);
        }
        if self.phase.is_none() {
            self.enter(context, 0);
        }
    }
}

impl Application for ServingRank {
    fn on_start(&mut self, context: &mut AppContext<'_>) {
        self.await_arrival(context);
    }

    fn on_flow_received(&mut self, context: &mut AppContext<'_>, flow: &Flow, tag: u64) {
        if flow.request.class != self.plan.class {
            return;
        }
        match Message::of(tag) {
            Some(Message::Request { request, decoder }) => self.arrives(context, request, decoder),
            Some(Message::Step(step)) => self.take_step(context, step),
            Some(Message::Block) => {
                self.blocks += 1;
                self.advance(context);
            }
            Some(Message::Tokens) => {
                self.take_tokens(flow.request.src);
                self.advance(context);
            }
            Some(Message::Sampled) => self.batch_ended(context),
            Some(Message::SendCache { request, decoder }) => {
                self.send_cache(context, request, decoder);
            }
            Some(Message::Cache { request }) => self.receive_cache(context, request),
            Some(Message::Cached { request }) => self.cached(context, request),
            Some(Message::First { .. } | Message::Last { .. }) | None => {}
        }
    }

    fn on_timer(&mut self, context: &mut AppContext<'_>, token: u64) {
        match (token, self.phase) {
            (COMPUTE, Some(phase)) => self.enter(context, phase + 1),
            (ARRIVAL, _) => self.arrivals(context),
            _ => {}
        }
    }

    fn waits_for(&self) -> Option<String> {
        let Place {
            instance,
            stage,
            member,
        } = self.place;
        let live = self.leader.as_ref().map_or(0, Leader::live);
        if live > 0 {
            return Some(format!("{live} requests at instance {instance}"));
        }
        let waits = !self.steps.is_empty() || self.peers.lost() > 0;
        waits.then(|| format!("a step at rank {member} of stage {stage} of instance {instance}"))
    }

    fabricsim_base::saves_state!();
}
