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

/// Tokens of the timers that belong to no slot: the beginning, and the next arrival of an open
/// loop.
const BEGIN: u64 = u64::MAX;
const ARRIVAL: u64 = u64::MAX - 1;

/// A query with a delivered response.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
pub struct RpcQuery {
    /// The number of its message, which counts as a flow.
    pub query: FlowId,
    /// The flow class of its workload.
    pub class: ClassId,
    /// The number of its connection, or of the query itself if it is a separate flow.
    pub connection: FlowId,
    /// The server.
    pub server: NodeId,
    /// Addresses and ports of its packets. Addresses identify NICs if the connection is bound to
    /// them.
    pub key: FlowKey,
    /// Payload bytes of the query.
    pub size: Bytes,
    /// Payload bytes of the response.
    pub response: Bytes,
    /// Time at which the query was sent.
    pub issue: Time,
    /// Time at which the last byte of the response was delivered.
    pub completion: Time,
    /// Service time at the server.
    pub service: Duration,
}

/// A query that waits for its response.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(plain)]
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
#[checkpoint(plain)]
pub struct RpcClient {
    #[checkpoint(rebuilt)]
    plan: Arc<Plan>,
    #[checkpoint(rebuilt)]
    host: NodeId,
    /// Mean time between two arrivals of an open loop, in seconds.
    #[checkpoint(rebuilt)]
    mean_gap_secs: f64,
    /// Random stream for sizes and arrivals.
    arrivals: Stream,
    pool: Pool,
    /// For each batch, the number of waiting queries.
    batches: Vec<u32>,
    sent: u64,
    /// Waiting queries by number, counted from zero in the order of sending.
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

    /// Returns the flow class of its queries.
    #[must_use]
    pub fn class(&self) -> ClassId {
        self.plan.class
    }

    /// Returns the queries with delivered responses, in the order of delivery.
    #[must_use]
    pub fn done(&self) -> &[RpcQuery] {
        &self.done
    }

    /// Returns the number of queries that wait for their responses.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Returns the time at which the first query was sent.
    #[must_use]
    pub const fn first_issue(&self) -> Option<Time> {
        self.first_issue
    }

    /// Returns the span in which queries are sent, or `None` if their number is limited and all
    /// have been sent.
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

    /// Sends the next query. Returns `false` if there is none.
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
        // Fails in two cases. If no flow numbers are left, the run ends. If a query is a separate
        // flow without a route to its server, it is counted as unreachable.
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

    /// Continues after the response to a query of `slot`.
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
