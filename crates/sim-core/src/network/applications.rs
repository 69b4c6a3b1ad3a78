//! The applications of a host, their timers and the flows that they start.

mod shared;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Overload;
use crate::flow::{Completion, Flow, FlowRequest};
use crate::id::{FlowId, NodeId, PortId};
use crate::limits::{FIRST_APP_FLOW, MAX_SIZE, MAX_TIMERS_AT_ONCE};
use crate::plugin::{AppActions, AppContext, AppFlow, Application, PathResolver, StartError};
use crate::rng::Stream;
use crate::units::{Bytes, Time};
pub(super) use shared::AppNetwork;

/// The source ports that flows of applications get in turn: the first one, and how many there are.
const FIRST_PORT: u16 = 10_000;
const PORTS: u32 = 55_000;

/// Something that an application has asked for and whose time has not come.
#[derive(Clone, Copy, Debug)]
enum Due {
    /// The application is told that the run begins.
    Start,
    /// A timer, with its token.
    Timer(u64),
    /// A flow, with its number.
    Flow(FlowId, AppFlow, u16),
}

/// Activity of applications since the driver last asked.
#[derive(Debug, Default)]
pub(super) struct AppNews {
    /// Flows that were due, those without a route included.
    pub(super) started: u64,
    /// Those without a route.
    pub(super) unreachable: Vec<FlowRequest>,
    /// Change in the number of timers and flows that are due later; negative when there are fewer.
    pub(super) pending: i64,
    /// Time at which an application was last called, or a flow was last due.
    pub(super) last: Time,
    /// Why the run has to end, if it has.
    pub(super) overload: Option<Overload>,
}

/// Requests of the applications of one host, and their state.
#[derive(Debug)]
struct AppState {
    network: Arc<AppNetwork>,
    host: NodeId,
    /// The place of the host among all hosts.
    rank: u32,
    /// Number of flow numbers that have been assigned here.
    numbered: u32,
    /// By time and order of asking; with the place of the application.
    due: BTreeMap<(Time, u64), (usize, Due)>,
    /// Number of entries that have been added to `due`.
    asked: u64,
    /// Key of each timer's entry in `due`, by application and token.
    timers: BTreeMap<(usize, u64), (Time, u64)>,
    /// Flows that start now.
    ready: Vec<(Flow, PortId)>,
    /// There is something that the driver has not been told.
    changed: bool,
    news: AppNews,
}

impl AppState {
    fn ask(&mut self, at: Time, application: usize, due: Due) -> (Time, u64) {
        let key = (at.min(Time::HORIZON), self.asked);
        self.asked += 1;
        self.due.insert(key, (application, due));
        self.news.pending += 1;
        self.changed = true;
        key
    }

    /// The next number of a flow, and a source port.
    fn number(&mut self) -> Result<(FlowId, u16), StartError> {
        let number = u64::from(FIRST_APP_FLOW)
            + u64::from(self.numbered) * u64::from(self.network.hosts)
            + u64::from(self.rank);
        let Ok(number) = u32::try_from(number) else {
            self.changed = true;
            self.news.overload = Some(Overload::FlowNumbers(Some(self.host)));
            return Err(StartError::OutOfNumbers);
        };
        let port = u16::try_from(self.numbered % PORTS).unwrap_or(0);
        self.numbered += 1;
        Ok((FlowId(number), FIRST_PORT + port))
    }

    /// Checks a flow that is to start at `at`.
    fn check(&self, at: Time, flow: &AppFlow) -> Result<Arc<dyn PathResolver>, StartError> {
        let refuse = |why: String| Err(StartError::Refused(why));
        if flow.dst == self.host {
            return refuse(format!("host {} sends to itself", self.host));
        }
        if flow.size == Bytes::ZERO {
            return refuse("it has no bytes".to_owned());
        }
        if flow.size > MAX_SIZE {
            return refuse(format!("it has {}, and flows up to {MAX_SIZE}", flow.size));
        }
        if flow.priority.is_control() {
            return refuse(format!(
                "its priority is {}, and flows use 1 to 7",
                flow.priority
            ));
        }
        if at > Time::HORIZON {
            return refuse(format!(
                "it starts at {at}, beyond the end of simulated time, 53 days"
            ));
        }
        let resolver = self.network.resolver()?;
        let request = flow.request(self.host, at, FIRST_PORT);
        resolver.check(&request).map_err(StartError::Refused)?;
        Ok(resolver)
    }

    /// Starts a flow that has been checked.
    fn start(
        &mut self,
        now: Time,
        resolver: &dyn PathResolver,
        (id, port): (FlowId, u16),
        flow: &AppFlow,
    ) -> Result<FlowId, StartError> {
        let request = flow.request(self.host, now, port);
        self.changed = true;
        self.news.started += 1;
        self.news.last = self.news.last.max(now);
        let Some(found) = resolver.resolve(id, &request) else {
            self.news.unreachable.push(request);
            return Err(StartError::NoRoute);
        };
        let started = found.flow(id, request);
        self.network.announce(&started, flow.tag);
        self.ready.push((started, found.nic));
        Ok(id)
    }

    /// Takes the first entry that is due at `now`.
    fn pop(&mut self, now: Time) -> Option<(usize, Due)> {
        let (&(at, _), _) = self.due.first_key_value()?;
        if at > now {
            return None;
        }
        let (_, (application, due)) = self.due.pop_first()?;
        if let Due::Timer(token) = due {
            self.timers.remove(&(application, token));
        }
        self.news.pending -= 1;
        self.news.last = self.news.last.max(now);
        self.changed = true;
        Some((application, due))
    }
}

/// An application while it is called.
struct Caller<'a> {
    now: Time,
    application: usize,
    state: &'a mut AppState,
}

impl AppActions for Caller<'_> {
    fn start_flow(&mut self, at: Time, flow: &AppFlow) -> Result<FlowId, StartError> {
        let resolver = self.state.check(at, flow)?;
        let number = self.state.number()?;
        if at <= self.now {
            return self.state.start(self.now, &*resolver, number, flow);
        }
        let (id, port) = number;
        let due = Due::Flow(id, *flow, port);
        self.state.ask(at, self.application, due);
        Ok(id)
    }

    fn set_timer(&mut self, at: Time, token: u64) {
        self.cancel_timer(token);
        let at = at.max(self.now);
        let key = self.state.ask(at, self.application, Due::Timer(token));
        self.state.timers.insert((self.application, token), key);
    }

    fn cancel_timer(&mut self, token: u64) -> bool {
        let timer = (self.application, token);
        let Some(key) = self.state.timers.remove(&timer) else {
            return false;
        };
        self.state.due.remove(&key);
        self.state.news.pending -= 1;
        self.state.changed = true;
        true
    }
}

/// The applications of one host; a host without any, in a network that has some, only tells the
/// others of its flows.
#[derive(Debug)]
pub(super) struct Applications {
    own: Vec<(Box<dyn Application>, Stream)>,
    state: AppState,
    /// Time for which the host's own event for the next due entry is set.
    pub(super) armed: Time,
}

impl Applications {
    /// Those of `host`, which is number `rank` of the hosts of `network`: none.
    pub(super) const fn new(network: Arc<AppNetwork>, host: NodeId, rank: u32) -> Self {
        Self {
            own: Vec::new(),
            state: AppState {
                network,
                host,
                rank,
                numbered: 0,
                due: BTreeMap::new(),
                asked: 0,
                timers: BTreeMap::new(),
                ready: Vec::new(),
                changed: false,
                news: AppNews {
                    started: 0,
                    unreachable: Vec::new(),
                    pending: 0,
                    last: Time::ZERO,
                    overload: None,
                },
            },
            armed: Time::MAX,
        }
    }

    /// Adds an application, which is called first at `at`.
    pub(super) fn add(&mut self, at: Time, application: Box<dyn Application>, stream: Stream) {
        self.state.network.listen(self.state.host);
        self.own.push((application, stream));
        self.state.ask(at, self.own.len() - 1, Due::Start);
    }

    /// Returns when something is due next; [`Time::MAX`] for never, and when the run has to end.
    pub(super) fn next_time(&self) -> Time {
        if self.state.news.overload.is_some() {
            return Time::MAX;
        }
        let first = self.state.due.first_key_value();
        first.map_or(Time::MAX, |(&(at, _), _)| at)
    }

    /// Remembers a flow that the driver starts here, for its receiver.
    pub(super) fn announce(&self, flow: &Flow) {
        self.state.network.announce(flow, 0);
    }

    /// A flow of this host has ended.
    pub(super) fn on_finished(&mut self, completion: &Completion) {
        for index in 0..self.own.len() {
            self.call(completion.finish, index, |application, context| {
                application.on_flow_finished(context, completion);
            });
        }
    }

    /// The last byte of flow `id` from the address `src` has been delivered.
    pub(super) fn on_received(&mut self, now: Time, src: NodeId, id: FlowId) {
        if self.own.is_empty() {
            return;
        }
        let Some((flow, tag)) = self.state.network.take(src, id) else {
            return;
        };
        for index in 0..self.own.len() {
            self.call(now, index, |application, context| {
                application.on_flow_received(context, &flow, tag);
            });
        }
    }

    /// Does all that is due at `now`.
    pub(super) fn on_due(&mut self, now: Time) {
        if self.state.news.overload.is_some() {
            return;
        }
        let mut done = 0u32;
        while let Some((index, due)) = self.state.pop(now) {
            match due {
                Due::Start => self.call(now, index, |application, context| {
                    application.on_start(context);
                }),
                Due::Timer(token) => self.call(now, index, |application, context| {
                    application.on_timer(context, token);
                }),
                Due::Flow(id, flow, port) => {
                    // A flow that has no route now stands in the list of those.
                    if let Ok(resolver) = self.state.network.resolver() {
                        let _ = self.state.start(now, &*resolver, (id, port), &flow);
                    }
                }
            }
            done += 1;
            if done == MAX_TIMERS_AT_ONCE {
                self.state.news.overload = Some(Overload::EndlessTimers(self.state.host));
                return;
            }
        }
    }

    fn call(
        &mut self,
        now: Time,
        index: usize,
        callback: impl FnOnce(&mut dyn Application, &mut AppContext<'_>),
    ) {
        self.state.news.last = self.state.news.last.max(now);
        self.state.changed = true;
        let (application, stream) = &mut self.own[index];
        let host = self.state.host;
        let mut caller = Caller {
            now,
            application: index,
            state: &mut self.state,
        };
        let mut context = AppContext::new(now, host, stream, &mut caller);
        callback(&mut **application, &mut context);
    }

    /// Flows that start now, in the order in which they were asked for.
    pub(super) fn take_ready(&mut self) -> Vec<(Flow, PortId)> {
        std::mem::take(&mut self.state.ready)
    }

    /// Returns whether there is something that the driver has not been told.
    pub(super) const fn has_news(&self) -> bool {
        self.state.changed
    }

    /// Returns the activity since the last call.
    pub(super) fn take_news(&mut self) -> AppNews {
        self.state.changed = false;
        let overload = self.state.news.overload;
        let news = std::mem::take(&mut self.state.news);
        self.state.news.overload = overload;
        news
    }

    /// Returns a description of what each application waits for.
    pub(super) fn waits_for(&self) -> impl Iterator<Item = String> {
        self.own
            .iter()
            .filter_map(|(application, _)| application.waits_for())
    }

    /// The applications, in the order in which they were added.
    pub(super) fn iter(&self) -> impl Iterator<Item = &dyn Application> {
        self.own.iter().map(|(application, _)| &**application)
    }
}
