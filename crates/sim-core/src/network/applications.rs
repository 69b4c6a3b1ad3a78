//! The applications of a host, with their timers and flows.

mod caller;
mod calls;
mod checkpoint;
mod port_requests;
mod shared;
mod state;
mod streams;

use std::sync::Arc;

use super::Overload;
use super::orders::{Hearing, Order};
use crate::plugin::{
    AppActions, AppContext, AppFlow, Application, PortFactor, Received, StartError,
};
use caller::Caller;
use calls::Calls;
pub(super) use calls::{Call, Cause, Made, Shift};
use fabricsim_base::checkpoint::Stored;
use fabricsim_base::flow::{Completion, Flow, FlowRequest};
use fabricsim_base::id::{ClassId, FlowId, NodeId, PortId};
use fabricsim_base::limits::MAX_TIMERS_AT_ONCE;
use fabricsim_base::rng::Stream;
use fabricsim_base::units::{Bytes, Time};
pub(super) use shared::AppNetwork;
use state::AppState;

/// A request of an application that is due later.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(plain)]
enum Due {
    /// Notify the application that the run starts.
    Start,
    /// A timer, with its token.
    Timer(u64),
    /// A flow, with its number and its source port.
    Flow(FlowId, AppFlow, u16),
    /// The network has changed, so retry the messages that wait for a route.
    Routes,
}

/// Activity of applications since the driver last checked.
#[derive(Debug, Default, Stored)]
#[checkpoint(plain)]
pub(super) struct AppNews {
    /// Flows that were due, including unreachable ones.
    pub(super) started: u64,
    /// Unreachable flows.
    pub(super) unreachable: Vec<FlowRequest>,
    /// Change in the number of pending timers and flows; negative if there are fewer.
    pub(super) pending: i64,
    /// Time of the last call to an application or of the last due flow.
    pub(super) last: Time,
    /// The reason why the run must end; `None` if it can continue.
    pub(super) overload: Option<Overload>,
}

/// Returns `true` if `flow` is the last one that `received` completes.
fn is_last(flow: &Flow, received: Received) -> bool {
    match (received, &flow.stream) {
        (Received::Stream { until, .. }, Some(place)) => until == place.end(flow.request.size),
        _ => true,
    }
}

/// The applications of one host. A host without applications in a network with some still has this
/// value, to report its flows to their receivers.
#[derive(Debug)]
pub(super) struct Applications {
    own: Vec<(Box<dyn Application>, Stream)>,
    state: AppState,
    /// Time of the host's own event for the next due entry.
    pub(super) armed: Time,
    /// The events that the steering program needs.
    pub(super) hearing: Hearing,
    calls: Calls,
}

impl Applications {
    /// Returns an empty set for `host`, which is number `rank` of the hosts of `network`.
    pub(super) fn new(network: Arc<AppNetwork>, host: NodeId, rank: u32) -> Self {
        Self {
            own: Vec::new(),
            state: AppState::new(network, host, rank),
            armed: Time::MAX,
            hearing: Hearing::default(),
            calls: Calls::default(),
        }
    }

    /// Lets applications slow the ports of the host.
    pub(super) const fn let_slow_ports(&mut self) {
        self.state.ports.allow();
    }

    /// Returns the factor of the ports' transmission times if it has changed since the last call.
    pub(super) fn take_factor(&mut self) -> Option<PortFactor> {
        self.state.ports.take_change()
    }

    /// Adds an application and calls it for the first time at `at`.
    pub(super) fn add(&mut self, at: Time, application: Box<dyn Application>, stream: Stream) {
        self.state.network.listen(self.state.host);
        self.own.push((application, stream));
        self.state.ask(at, self.own.len() - 1, Due::Start);
    }

    /// Executes the request `order` at `now` on behalf of application number `index`.
    pub(super) fn carry_out(
        &mut self,
        now: Time,
        index: usize,
        order: &Order,
    ) -> Result<Option<FlowId>, StartError> {
        let mut caller = Caller {
            now,
            application: index,
            state: &mut self.state,
        };
        match *order {
            Order::Flow { at, flow } => {
                let at = at.max(now);
                caller.state.check(at, &flow)?;
                let (id, port) = caller.state.number()?;
                caller.state.ask(at, index, Due::Flow(id, flow, port));
                return Ok(Some(id));
            }
            Order::Timer { at, token } => caller.set_timer(at, token),
            Order::CancelTimer { token } => {
                caller.cancel_timer(token);
            }
        }
        Ok(None)
    }

    /// Returns the time of the next due entry; [`Time::MAX`] if there is none or if the run must
    /// end.
    pub(super) fn next_time(&self) -> Time {
        if self.state.news.overload.is_some() {
            return Time::MAX;
        }
        // An empty map has memory, too, and this does not read it.
        if self.state.due.is_empty() {
            return Time::MAX;
        }
        let first = self.state.due.first_key_value();
        first.map_or(Time::MAX, |(&(at, _), _)| at)
    }

    /// Announces a flow that the driver starts here to its receiver.
    pub(super) fn announce(&self, flow: &Flow) {
        self.state.network.announce(flow, 0);
    }

    /// Handles the end of the flows `done` of this host and the data `received` in a packet from an
    /// address. Returns `true` if the data completes a flow.
    pub(super) fn on_network(
        &mut self,
        now: Time,
        done: &[Completion],
        received: Option<(NodeId, Received)>,
    ) -> bool {
        for completion in done {
            self.on_finished(completion);
        }
        received.is_some_and(|(src, received)| self.on_received(now, src, received))
    }

    /// Handles the end of a flow of this host.
    fn on_finished(&mut self, completion: &Completion) {
        for index in 0..self.own.len() {
            self.call(completion.finish, index, |application, context| {
                application.on_flow_finished(context, completion);
            });
        }
    }

    /// Handles the data `received` in a packet from the address `src`. Returns `true` if it
    /// completes a flow.
    fn on_received(&mut self, now: Time, src: NodeId, received: Received) -> bool {
        if self.own.is_empty() {
            return false;
        }
        let ends = (self.state.host, src);
        let mut any = false;
        while let Some((flow, tag)) = self.state.network.take(ends, received) {
            any = true;
            for index in 0..self.own.len() {
                self.call(now, index, |application, context| {
                    application.on_flow_received(context, &flow, tag);
                });
            }
            if is_last(&flow, received) {
                break;
            }
        }
        any
    }

    /// Sets the host's own event to the next due entry. Returns its time, unless an earlier event is
    /// set.
    pub(super) fn arm(&mut self) -> Option<Time> {
        let next = self.next_time();
        let is_first = next < self.armed;
        is_first.then(|| {
            self.armed = next;
            next
        })
    }

    /// Handles all entries that are due at `now`.
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
                    let started = match self.state.network.routes() {
                        Ok(routes) => self.state.start(now, &routes, (id, port), &flow),
                        Err(_) => continue,
                    };
                    if started.is_err() {
                        self.call(now, index, |application, context| {
                            application.on_flow_unreachable(context, id, flow.tag);
                        });
                    }
                }
                Due::Routes => {
                    if let Ok(routes) = self.state.network.routes() {
                        self.state.send_held(&routes);
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

    /// Calls `start` for the flows that start now, in the order of their requests, after announcing
    /// them to their receivers. `alignment` returns the alignment of messages of a class in their
    /// stream. Returns `true` if there were any flows.
    pub(super) fn start_ready<T>(
        &mut self,
        transport: &mut T,
        alignment: impl Fn(&T, ClassId) -> Bytes,
        mut start: impl FnMut(&mut T, &Flow, PortId),
    ) -> bool {
        let mut ready = std::mem::take(&mut self.state.ready);
        let any = !ready.is_empty();
        for (mut flow, tag, nic) in ready.drain(..) {
            if let Some(place) = &mut flow.stream {
                let request = &flow.request;
                let alignment = alignment(transport, request.class);
                let streams = &mut self.state.streams;
                *place = streams.place(place.connection, request.size, alignment);
            }
            self.state.network.announce(&flow, tag);
            start(transport, &flow, nic);
        }
        self.state.ready = ready;
        any
    }

    /// Handles a change of the network at `now`. Returns `true` if messages may now have a route.
    pub(super) fn on_change(&mut self, now: Time) -> bool {
        let matters = self.held().next().is_some();
        if matters {
            self.state.ask(now, 0, Due::Routes);
        }
        matters
    }

    /// Returns the messages of connections that wait for a route.
    pub(super) fn held(&self) -> impl Iterator<Item = (FlowId, &FlowRequest)> {
        let held = self.state.streams.held();
        held.map(|message| (message.id, &message.request))
    }

    /// Returns `true` if there is activity that was not reported to the driver.
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

    /// Describes the event for which each application waits.
    pub(super) fn waits_for(&self) -> impl Iterator<Item = String> {
        self.own
            .iter()
            .filter_map(|(application, _)| application.waits_for())
    }

    /// Returns the applications, in the order they were added.
    pub(super) fn iter(&self) -> impl Iterator<Item = &dyn Application> {
        self.own.iter().map(|(application, _)| &**application)
    }

    /// Same as [`Self::iter`], to change them.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Box<dyn Application>> {
        self.own.iter_mut().map(|(application, _)| application)
    }
}
