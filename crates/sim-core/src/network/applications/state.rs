//! The requests of the applications of one host, and their state.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::port_requests::PortRequests;
use super::shared::{AppNetwork, InForce};
use super::streams::{Message, Streams};
use super::{AppNews, Due};
use crate::network::Overload;
use crate::plugin::{AppFlow, StartError};
use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::flow::Flow;
use fabricsim_base::id::{FlowId, NodeId, PortId};
use fabricsim_base::limits::{FIRST_APP_FLOW, MAX_SIZE};
use fabricsim_base::units::{Bytes, Time};

/// The source ports that flows of applications get in rotation: the first one, and the number of
/// ports.
const FIRST_PORT: u16 = 10_000;
const PORTS: u32 = 55_000;

/// Requests of the applications of one host, and their state.
#[derive(Checkpointed, Debug)]
#[checkpoint(plain)]
pub(super) struct AppState {
    #[checkpoint(elsewhere)]
    pub(super) network: Arc<AppNetwork>,
    #[checkpoint(rebuilt)]
    pub(super) host: NodeId,
    /// The index of the host among all hosts.
    #[checkpoint(rebuilt)]
    pub(super) rank: u32,
    /// Number of flow numbers that this host has assigned.
    pub(super) numbered: u32,
    /// Pending requests by time and order of the request, with the index of the application.
    pub(super) due: BTreeMap<(Time, u64), (usize, Due)>,
    /// Number of entries added to `due` so far.
    pub(super) asked: u64,
    /// Key of each timer's entry in `due`, by application and token.
    pub(super) timers: BTreeMap<(usize, u64), (Time, u64)>,
    /// Number of single flows and connections started here.
    pub(super) turns: u64,
    /// The connections on which this host sends.
    pub(super) streams: Streams,
    /// Flows that start now, with their tags and NIC ports.
    pub(super) ready: Vec<(Flow, u64, PortId)>,
    pub(super) ports: PortRequests,
    /// `true` if there is activity that was not reported to the driver.
    pub(super) changed: bool,
    pub(super) news: AppNews,
}

impl AppState {
    pub(super) fn new(network: Arc<AppNetwork>, host: NodeId, rank: u32) -> Self {
        Self {
            network,
            host,
            rank,
            numbered: 0,
            due: BTreeMap::new(),
            asked: 0,
            timers: BTreeMap::new(),
            turns: 0,
            streams: Streams::default(),
            ready: Vec::new(),
            ports: PortRequests::default(),
            changed: false,
            news: AppNews::default(),
        }
    }

    pub(super) fn ask(&mut self, at: Time, application: usize, due: Due) -> (Time, u64) {
        let key = (at.min(Time::HORIZON), self.asked);
        self.asked += 1;
        self.due.insert(key, (application, due));
        self.news.pending += 1;
        self.changed = true;
        key
    }

    /// Returns the next flow number; `u32::MAX` if there is none.
    pub(super) fn next_number(&self) -> u32 {
        let number = u64::from(FIRST_APP_FLOW)
            + u64::from(self.numbered) * u64::from(self.network.hosts)
            + u64::from(self.rank);
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// Returns the next flow number and source port.
    pub(super) fn number(&mut self) -> Result<(FlowId, u16), StartError> {
        let number = self.next_number();
        if number == u32::MAX {
            self.changed = true;
            self.news.overload = Some(Overload::FlowNumbers(Some(self.host)));
            return Err(StartError::OutOfNumbers);
        }
        let port = u16::try_from(self.numbered % PORTS).unwrap_or(0);
        self.numbered += 1;
        Ok((FlowId(number), FIRST_PORT + port))
    }

    /// Returns the reason if `flow` cannot be a message of its connection.
    fn misfit(&self, flow: &AppFlow) -> Option<String> {
        let connection = flow.connection.as_ref()?;
        let begins = connection.host();
        if AppFlow::on(connection, flow.size).with_tag(flow.tag) != *flow {
            Some("it differs from its connection".to_owned())
        } else if begins != self.host {
            Some(format!("its connection begins at host {begins}"))
        } else if !self.streams.has_room(connection.id, flow.size) {
            Some(format!("its connection would carry more than {MAX_SIZE}"))
        } else {
            None
        }
    }

    /// Checks if a flow can start at `at`, and returns the current routes.
    pub(super) fn check(&self, at: Time, flow: &AppFlow) -> Result<InForce, StartError> {
        let refuse = |why: String| Err(StartError::Refused(why));
        if let Some(why) = self.misfit(flow) {
            return refuse(why);
        }
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
        let routes = self.network.routes()?;
        let request = flow.request(self.host, at, FIRST_PORT);
        let fits = routes.resolver.check(&request);
        fits.map_err(StartError::Refused)?;
        Ok(routes)
    }

    /// Starts a flow that has passed the check.
    pub(super) fn start(
        &mut self,
        now: Time,
        routes: &InForce,
        (id, port): (FlowId, u16),
        flow: &AppFlow,
    ) -> Result<FlowId, StartError> {
        self.changed = true;
        self.news.started += 1;
        self.news.last = self.news.last.max(now);
        if let Some(connection) = flow.connection {
            let message = Message {
                id,
                connection,
                request: flow.request(self.host, now, connection.key.src_port),
                tag: flow.tag,
            };
            if !self.send(routes, &message) {
                self.streams.hold(message);
            }
            return Ok(id);
        }
        let request = flow.request(self.host, now, port);
        self.turns += 1;
        let Some(found) = routes.resolver.resolve(self.turns - 1, &request) else {
            self.news.unreachable.push(request);
            return Err(StartError::NoRoute);
        };
        self.ready
            .push((found.flow(id, request), flow.tag, found.nic));
        Ok(id)
    }

    /// Starts a message of a connection. Returns `false` if there is no route for it.
    fn send(&mut self, routes: &InForce, message: &Message) -> bool {
        let (turns, resolver) = (&mut self.turns, &routes.resolver);
        let resolve = |ends| match ends {
            Some(ends) => resolver.resolve_between(&message.request, ends),
            None => {
                let found = resolver.resolve(*turns, &message.request);
                *turns += u64::from(found.is_some());
                found
            }
        };
        let found = (self.streams).path(&message.connection, routes.number, resolve);
        let Some(found) = found else {
            return false;
        };
        self.ready
            .push((message.flow(&found), message.tag, found.nic));
        true
    }

    /// Starts the waiting messages that have a route now.
    pub(super) fn send_held(&mut self, routes: &InForce) {
        for messages in self.streams.take_held().into_values() {
            for message in messages {
                if !self.send(routes, &message) {
                    self.streams.hold(message);
                }
            }
        }
    }

    /// Removes and returns the first entry that is due at `now`.
    pub(super) fn pop(&mut self, now: Time) -> Option<(usize, Due)> {
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
