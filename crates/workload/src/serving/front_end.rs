//! The application of the front end: it sends requests to instances and receives their tokens.

use std::collections::BTreeMap;
use std::sync::Arc;

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::flow::Flow;
use fabricsim_base::id::ClassId;
use fabricsim_base::units::Time;
use fabricsim_core::plugin::{AppContext, Application};

use super::plan::{Plan, ServingRouting};
use super::rank::Peers;
use super::tag::Message;

/// The host that all requests pass.
#[derive(Checkpointed, Debug)]
#[checkpoint(plain)]
pub struct ServingFrontEnd {
    #[checkpoint(rebuilt)]
    plan: Arc<Plan>,
    peers: Peers,
    next: u32,
    /// Open requests of each instance.
    open: Vec<u32>,
    /// The instances of each open request: the one that takes it, until it has sent the first
    /// token, and the one that decodes it.
    routes: BTreeMap<u32, (Option<u32>, u32)>,
    firsts: Vec<(u32, Time)>,
    lasts: Vec<(u32, Time)>,
}

impl ServingFrontEnd {
    pub(super) fn new(plan: Arc<Plan>) -> Self {
        let instances = plan.layout.instances as usize;
        Self {
            plan,
            peers: Peers::default(),
            next: 0,
            open: vec![0; instances],
            routes: BTreeMap::new(),
            firsts: Vec::new(),
            lasts: Vec::new(),
        }
    }

    /// Returns the flow class of the workload.
    #[must_use]
    pub fn class(&self) -> ClassId {
        self.plan.class
    }

    /// Returns the requests whose first tokens have been delivered, with the times.
    #[must_use]
    pub fn firsts(&self) -> &[(u32, Time)] {
        &self.firsts
    }

    /// Returns the requests whose last tokens have been delivered, with the times.
    #[must_use]
    pub fn lasts(&self) -> &[(u32, Time)] {
        &self.lasts
    }

    fn await_arrival(&self, context: &mut AppContext<'_>) {
        if (self.next as usize) < self.plan.requests.len() {
            let at = self.plan.arrival(self.next);
            context.set_timer(at.since(context.now()), 0);
        }
    }

    /// Returns the instance that takes `request`, and the one that decodes it.
    fn route(&self, request: u32) -> (u32, u32) {
        if self.plan.routing != ServingRouting::LeastOutstanding {
            return self.plan.fixed_route(request);
        }
        let layout = &self.plan.layout;
        let least = |mut instances: std::ops::Range<u32>| {
            let first = instances.next().expect("there are instances");
            instances.fold(first, |best, other| {
                let is_better = self.open[other as usize] < self.open[best as usize];
                if is_better { other } else { best }
            })
        };
        let taker = least(0..layout.takers());
        let decoder = if layout.is_split() {
            least(layout.prefill..layout.instances)
        } else {
            taker
        };
        (taker, decoder)
    }

    fn dispatch(&mut self, context: &mut AppContext<'_>, request: u32) {
        let (taker, decoder) = self.route(request);
        self.open[decoder as usize] += 1;
        let split = self.plan.layout.is_split();
        if split {
            self.open[taker as usize] += 1;
        }
        self.routes
            .insert(request, (split.then_some(taker), decoder));
        let size = self.plan.text(self.plan.requests[request as usize].input);
        let message = Message::Request { request, decoder };
        let leader = self.plan.layout.leader(taker);
        self.peers
            .send(context, &self.plan, leader, (size, message));
    }

    /// The instance that took `request` has generated its first token.
    fn leave_taker(&mut self, request: u32) {
        if let Some((taker, _)) = self.routes.get_mut(&request)
            && let Some(taker) = taker.take()
        {
            self.open[taker as usize] -= 1;
        }
    }
}

impl Application for ServingFrontEnd {
    fn on_start(&mut self, context: &mut AppContext<'_>) {
        self.await_arrival(context);
    }

    fn on_flow_received(&mut self, context: &mut AppContext<'_>, flow: &Flow, tag: u64) {
        if flow.request.class != self.plan.class {
            return;
        }
        let now = context.now();
        match Message::of(tag) {
            Some(Message::First { request }) => {
                self.firsts.push((request, now));
                self.leave_taker(request);
            }
            Some(Message::Last { request }) => {
                if self.plan.requests[request as usize].output == 1 {
                    self.firsts.push((request, now));
                }
                self.leave_taker(request);
                self.lasts.push((request, now));
                if let Some((_, decoder)) = self.routes.remove(&request) {
                    self.open[decoder as usize] -= 1;
                }
            }
            _ => {}
        }
    }

    fn on_timer(&mut self, context: &mut AppContext<'_>, _token: u64) {
        self.dispatch(context, self.next);
        self.next += 1;
        self.await_arrival(context);
    }

    fn waits_for(&self) -> Option<String> {
        let count = self.routes.len();
        (count > 0).then(|| format!("the tokens of {count} requests"))
    }

    fabricsim_base::saves_state!();
}
