//! The application of a host that sends queries.

use std::collections::BTreeMap;
use std::sync::Arc;

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::flow::{Flow, FlowKey};
use fabricsim_base::id::{ClassId, FlowId, NodeId};
use fabricsim_base::rng::Stream;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::plugin::{AppContext, Application};

use super::plan::{Plan, RESPONSE};
use super::pool::{Pool, Target};
use super::{RpcMode, RpcTargets};
use crate::arrivals::exponential_gap;

/// Tokens of the timers that are of no slot: the beginning, and the next arrival of an open loop.
const BEGIN: u64 = u64::MAX;
const ARRIVAL: u64 = u64::MAX - 1;

/// A query whose response has been delivered.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
pub struct RpcQuery {
    /// The number of its message, as of a flow.
    pub query: FlowId,
    /// The flow class of its workload.
    pub class: ClassId,
    /// The number of its connection, or its own for a flow of its own.
    pub connection: FlowId,
    /// The server.
    pub server: NodeId,
    /// Addresses and ports of its packets; addresses are those of NICs where it is bound to them.
    pub key: FlowKey,
    /// Payload bytes of the query.
    pub size: Bytes,
    /// Payload bytes of the response.
    pub response: Bytes,
    /// Time at which it was sent.
    pub issue: Time,
    /// Time at which the last byte of the response was delivered.
    pub completion: Time,
    /// Time that the server took.
    pub service: Duration,
}

/// A query that waits for its response.
#[derive(Clone, Copy, Debug, Stored)]
struct Waiting {
    query: FlowId,
    target: Target,
    /// The slot or batch that sent it.
    slot: u64,
    size: Bytes,
    issue: Time,
}

/// Sends the queries of one host.
#[derive(Checkpointed, Debug)]
pub struct RpcClient {
    #[checkpoint(rebuilt)]
    plan: Arc<Plan>,
    #[checkpoint(rebuilt)]
    host: NodeId,
    /// Time from one arrival to the next of an open loop, on average, in seconds.
    #[checkpoint(rebuilt)]
    mean_gap_secs: f64,
    /// Draws of sizes and arrivals.
    arrivals: Stream,
    pool: Pool,
    /// Queries of each batch that wait.
    batches: Vec<u32>,
    sent: u64,
    /// By number, from zero in the order in which they were sent.
    waiting: BTreeMap<u64, Waiting>,
    done: Vec<RpcQuery>,
    /// Time at which the first query was sent.
    first_issue: Option<Time>,
}

impl RpcClient {
    pub(super) fn new(
        plan: Arc<Plan>,
        host: NodeId,
        mean_gap_secs: f64,
        arrivals: Stream,
        destinations: Stream,
    ) -> Self {
        let servers = plan.servers.iter().copied();
        let servers = servers.filter(|&server| server != host).collect();
        Self {
            plan,
            host,
            mean_gap_secs,
            arrivals,
            pool: Pool::new(servers, destinations),
            batches: Vec::new(),
            sent: 0,
            waiting: BTreeMap::new(),
            done: Vec::new(),
            first_issue: None,
        }
    }

    /// The flow class of its queries.
    #[must_use]
    pub fn class(&self) -> ClassId {
        self.plan.class
    }

    /// The queries whose responses have been delivered, in the order in which they were.
    #[must_use]
    pub fn done(&self) -> &[RpcQuery] {
        &self.done
    }

    /// Queries that wait for their responses.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Time at which the first query was sent.
    #[must_use]
    pub const fn first_issue(&self) -> Option<Time> {
        self.first_issue
    }

    /// The span in which queries are sent, unless they are counted and have all been sent.
    #[must_use]
    pub fn span(&self) -> Option<(Time, Time)> {
        let timed = self.plan.end < Time::MAX && self.sent < self.plan.limit;
        timed.then_some((self.plan.start, self.plan.end))
    }

    fn begin(&mut self, context: &mut AppContext<'_>) {
        let plan = Arc::clone(&self.plan);
        if self.pool.open(context, &plan).is_none() {
            return;
        }
        let windows = match plan.targets {
            RpcTargets::AllPairs => self.pool.len() as u64,
            RpcTargets::Random => 1,
        };
        match plan.mode {
            RpcMode::Window => {
                for slot in 0..windows * u64::from(plan.outstanding) {
                    self.send(context, slot);
                }
            }
            RpcMode::Batch => {
                for place in 0..windows {
                    self.batches.push(0);
                    self.send_batch(context, place);
                }
            }
            RpcMode::Poisson => self.await_arrival(context),
        }
    }

    fn await_arrival(&mut self, context: &mut AppContext<'_>) {
        let gap = exponential_gap(&mut self.arrivals, self.mean_gap_secs);
        if context.now().saturating_add(gap) < self.plan.end {
            context.set_timer(gap, ARRIVAL);
        }
    }

    fn send_batch(&mut self, context: &mut AppContext<'_>, place: u64) {
        for _ in 0..self.plan.outstanding {
            if self.send(context, place)
                && let Some(batch) = self.batch(place)
            {
                *batch += 1;
            }
        }
    }

    fn batch(&mut self, place: u64) -> Option<&mut u32> {
        self.batches.get_mut(usize::try_from(place).ok()?)
    }

    /// Sends the next query; whether there was one.
    fn send(&mut self, context: &mut AppContext<'_>, slot: u64) -> bool {
        let now = context.now();
        if now >= self.plan.end || self.sent == self.plan.limit {
            return false;
        }
        let Some(target) = self.pool.choose(context, &self.plan, slot) else {
            return false;
        };
        let size = self.plan.sizes.sample(self.arrivals.uniform());
        let number = self.sent;
        let message = self.pool.message(&self.plan, target, size);
        self.sent += 1;
        self.first_issue.get_or_insert(now);
        // Fails where numbers have run out, and the run ends; and where no route leads to the server
        // of a query that is a flow of its own, which is among the flows without a route then.
        let Ok(query) = context.start_flow(&message.with_tag(number)) else {
            return false;
        };
        self.waiting.insert(
            number,
            Waiting {
                query,
                target,
                slot,
                size,
                issue: now,
            },
        );
        true
    }

    /// The response to a query of `slot` has come.
    fn go_on(&mut self, context: &mut AppContext<'_>, slot: u64) {
        match self.plan.mode {
            RpcMode::Poisson => {}
            RpcMode::Window => self.think(context, slot),
            RpcMode::Batch => {
                let Some(batch) = self.batch(slot) else {
                    return;
                };
                *batch -= 1;
                if *batch == 0 {
                    self.think(context, slot);
                }
            }
        }
    }

    fn think(&mut self, context: &mut AppContext<'_>, slot: u64) {
        match self.plan.think {
            Duration::ZERO => self.on_timer(context, slot),
            think => context.set_timer(think, slot),
        }
    }
}

impl Application for RpcClient {
    fn on_start(&mut self, context: &mut AppContext<'_>) {
        if self.plan.start > context.now() {
            context.set_timer(self.plan.start.since(context.now()), BEGIN);
        } else {
            self.begin(context);
        }
    }

    fn on_flow_received(&mut self, context: &mut AppContext<'_>, flow: &Flow, tag: u64) {
        if flow.request.class != self.plan.class || tag & RESPONSE == 0 {
            return;
        }
        let number = tag & !RESPONSE;
        let Some(waiting) = self.waiting.remove(&number) else {
            return;
        };
        let connection = self.pool.connection(waiting.target);
        self.done.push(RpcQuery {
            query: waiting.query,
            class: self.plan.class,
            connection: connection.map_or(waiting.query, |connection| connection.id),
            server: flow.request.src,
            key: flow.key().reversed(),
            size: waiting.size,
            response: self.plan.response,
            issue: waiting.issue,
            completion: context.now(),
            service: self.plan.service_time(self.host, number),
        });
        self.pool.put_back(&self.plan, waiting.target);
        self.go_on(context, waiting.slot);
    }

    fn on_timer(&mut self, context: &mut AppContext<'_>, token: u64) {
        match (token, self.plan.mode) {
            (BEGIN, _) => self.begin(context),
            (ARRIVAL, _) => {
                self.send(context, 0);
                if self.sent < self.plan.limit {
                    self.await_arrival(context);
                }
            }
            (slot, RpcMode::Batch) => self.send_batch(context, slot),
            (slot, _) => {
                self.send(context, slot);
            }
        }
    }

    fn waits_for(&self) -> Option<String> {
        let (_, first) = self.waiting.first_key_value()?;
        let server = first.target.server;
        let count = self.waiting.len();
        let responses = if count == 1 {
            "one response".to_owned()
        } else {
            format!("{count} responses, the first of them")
        };
        Some(format!(
            "{responses} of host {server} to query {}, sent at {}",
            first.query, first.issue
        ))
    }

    fabricsim_base::saves_state!();
}
