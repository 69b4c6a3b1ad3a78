//! The completion time of a flow on the idle network.

mod train;

use std::sync::Arc;

use fabricsim_base::flow::{Completion, FlowRequest, PathInfo, ResolvedPath};
use fabricsim_base::units::{Bytes, Duration};
use fabricsim_core::plugin::quirks::{IdealPath, TimeUnit};
use fabricsim_report::{HEADER_BYTES, ideal_fct, ideal_fct_truncated};
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::scenario::transports::TcpFacts;
use fabricsim_scenario::schema::run::IdealRule;
use fabricsim_topology::Routes;
use fabricsim_transport::tcp::{ClassConfig, Opening, Pattern, Reuse};

use self::train::{Column, Rows, train};
use super::ideal_rpc::LEAST_ACK;
use super::idle_paths::{IdlePaths, Link};

/// The completion time of a flow that is alone in the network: slowdowns are relative to it. The
/// flow uses the best of its shortest paths, and its ACKs use the best reverse path, by the routes
/// at its start.
///
/// Packets leave at line rate, each with its headers but without telemetry, every switch stores and
/// forwards them, and receivers acknowledge each packet. A TCP flow also has its handshake, and the
/// ACK of its last segment leaves immediately; the model has no windows. Messages of connections
/// use the published formula, because they may wait for earlier messages. Flows that never end have
/// no ideal time.
///
/// Under `profile = "ns3-hpcc"`, the published formula ([`ideal_fct`]) of the first path applies.
#[derive(Clone, Debug)]
pub struct IdealFct {
    rule: IdealRule,
    path: IdealPath,
    times: TimeUnit,
    transmission: TimeUnit,
    mtu: Bytes,
    tcp: Option<Arc<TcpFacts>>,
}

impl IdealFct {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let quirks = scenario.quirks();
        Self {
            rule: scenario.ideal_rule(),
            path: quirks.ideal_path,
            times: quirks.ideal_times,
            transmission: quirks.transmission,
            mtu: scenario.transport().mtu,
            tcp: scenario.tcp_facts(),
        }
    }

    /// Returns the paths by `routes` for ideal times.
    pub(crate) fn paths(&self, routes: &Arc<Routes>) -> IdlePaths {
        IdlePaths::new(Arc::clone(routes), self.path)
    }

    /// Returns the ideal completion time of a flow.
    #[must_use]
    pub fn of(&self, completion: &Completion) -> Duration {
        match completion.flow.stream {
            None => completion.flow.ideal,
            Some(_) => self.published_of(completion),
        }
    }

    /// Returns the ideal completion time of a flow by the published formula, along its own path.
    #[must_use]
    pub fn published_of(&self, completion: &Completion) -> Duration {
        match self.rule {
            IdealRule::Published if completion.flow.stream.is_none() => completion.flow.ideal,
            _ => self.published(&completion.flow.path, &completion.flow.request),
        }
    }

    /// Returns the ideal completion time of a flow that starts on the path `own` of `idle`.
    pub(crate) fn at_start(
        &self,
        idle: &IdlePaths,
        request: &FlowRequest,
        own: &ResolvedPath,
    ) -> Duration {
        if request.is_endless() {
            return Duration::MAX;
        }
        if self.rule == IdealRule::Published && self.path == IdealPath::First {
            return self.published(&own.path, request);
        }
        let [forth, back] = idle.of_flow(request, own);
        let pairs = forth
            .iter()
            .flat_map(|forth| back.iter().map(move |back| (forth, back)));
        let times = pairs.map(|(forth, back)| match self.rule {
            IdealRule::Exact => self.exact(request, forth, back),
            IdealRule::Published => self.published(&self.path_info(request, forth, back), request),
        });
        let best = times.min();
        best.unwrap_or_else(|| self.published(&own.path, request))
    }

    /// Returns the time from the start of a flow until its sender, or the host that requests the
    /// bytes, has received the last packet that it waits for. Data travel `forth` and ACKs travel
    /// `back`.
    fn exact(&self, request: &FlowRequest, forth: &[Link], back: &[Link]) -> Duration {
        let delays = delays(forth).saturating_add(delays(back));
        let tcp = self.tcp();
        let class = tcp.and_then(|tcp| tcp.class(request.class));
        let (Some(tcp), Some(class)) = (tcp, class) else {
            let rows = Rows::of(request.size, self.mtu);
            let data = self.data(forth, &rows, HEADER_BYTES, Bytes::ZERO);
            let acks = columns(back, |link| {
                let ack = self.time(link, LEAST_ACK).as_ps();
                Column {
                    first: 0,
                    full: ack,
                    last: ack,
                }
            });
            return train(&rows, data.chain(acks)).saturating_add(delays);
        };
        let handshake = match opens(class) {
            true => self
                .alone(forth, tcp.syn)
                .saturating_add(self.alone(back, tcp.syn))
                .saturating_add(delays),
            false => Duration::ZERO,
        };
        // The ACK of the handshake precedes the data.
        let rows = |size: Bytes| Rows {
            ahead: opens(class),
            ..Rows::of(size, tcp.mss)
        };
        let transfer = match class.pattern {
            Pattern::Plain => {
                let rows = rows(request.size);
                let data = train(&rows, self.data(forth, &rows, tcp.headers, tcp.headers));
                data.saturating_add(self.alone(back, tcp.headers))
            }
            Pattern::Fetch => {
                let (request, response) = (rows(tcp.request), Rows::of(request.size, tcp.mss));
                let asked = train(
                    &request,
                    self.data(forth, &request, tcp.headers, tcp.headers),
                );
                let none = Bytes::ZERO;
                asked.saturating_add(train(
                    &response,
                    self.data(back, &response, tcp.headers, none),
                ))
            }
        };
        handshake.saturating_add(transfer).saturating_add(delays)
    }

    /// Returns the times of packets of `rows` at each link of `way`; the packet ahead of them has
    /// `ahead` bytes.
    fn data<'l>(
        &'l self,
        way: &'l [Link],
        rows: &'l Rows,
        headers: Bytes,
        ahead: Bytes,
    ) -> impl Iterator<Item = Column> + 'l {
        columns(way, move |link| Column {
            first: self.time(link, ahead).as_ps(),
            full: self.time(link, rows.payload + headers).as_ps(),
            last: self.time(link, rows.rest + headers).as_ps(),
        })
    }

    /// Returns the time of a packet of `wire` bytes at all links of `way`, without their delays.
    fn alone(&self, way: &[Link], wire: Bytes) -> Duration {
        let times = way.iter().map(|link| self.time(link, wire));
        times.fold(Duration::ZERO, Duration::saturating_add)
    }

    fn time(&self, link: &Link, wire: Bytes) -> Duration {
        match self.transmission {
            TimeUnit::Picosecond => link.rate.transmission(wire),
            TimeUnit::Nanosecond => link.rate.transmission_truncated_ns(wire),
        }
    }

    /// Returns the ideal completion time of a flow on `path` by the published formula.
    fn published(&self, path: &PathInfo, request: &FlowRequest) -> Duration {
        if request.is_endless() {
            return Duration::MAX;
        }
        if let Some(tcp) = &self.tcp
            && let Some(class) = tcp.class(request.class)
        {
            let ideal = ideal_fct(path, request.size, tcp.mss, tcp.headers);
            return match opens(class) {
                true => ideal.saturating_add(path.base_rtt),
                false => ideal,
            };
        }
        match self.times {
            TimeUnit::Picosecond => ideal_fct(path, request.size, self.mtu, HEADER_BYTES),
            TimeUnit::Nanosecond => ideal_fct_truncated(path, request.size, self.mtu, HEADER_BYTES),
        }
    }

    /// Returns the properties of a path that the published formula uses.
    fn path_info(&self, request: &FlowRequest, forth: &[Link], back: &[Link]) -> PathInfo {
        let payload = self.payload(request);
        let hops = forth.iter().map(|link| link.rate.transmission(payload));
        let both = delays(forth).saturating_add(delays(back));
        PathInfo {
            base_rtt: hops.fold(both, Duration::saturating_add),
            bottleneck: (forth.iter().map(|link| link.rate).min()).expect("a path has a link"),
            switches: 0,
        }
    }

    /// Returns the payload of a full RDMA packet.
    pub(crate) const fn mtu(&self) -> Bytes {
        self.mtu
    }

    /// Returns the facts about TCP if some flows use it.
    pub(crate) fn tcp(&self) -> Option<&TcpFacts> {
        self.tcp.as_deref()
    }

    /// Returns the payload of a full packet of `request`'s transport.
    pub(crate) fn payload(&self, request: &FlowRequest) -> Bytes {
        let tcp = self.tcp();
        tcp.filter(|tcp| tcp.class(request.class).is_some())
            .map_or(self.mtu, |tcp| tcp.mss)
    }
}

/// Returns the times at each link of `way`. `column` is called once for consecutive links of the
/// same rate.
fn columns<'l>(
    way: &'l [Link],
    column: impl Fn(&Link) -> Column + 'l,
) -> impl Iterator<Item = Column> + 'l {
    let mut before = None;
    way.iter().map(move |link| match before {
        Some((rate, column)) if rate == link.rate => column,
        _ => {
            let column = column(link);
            before = Some((link.rate, column));
            column
        }
    })
}

/// Returns `true` if each flow of `class` opens its connection by a handshake.
const fn opens(class: &ClassConfig) -> bool {
    match class.pattern {
        Pattern::Fetch => matches!(class.reuse, Reuse::None),
        Pattern::Plain => matches!(class.opening, Opening::Handshake),
    }
}

/// Returns the sum of the delays of all links of `way`.
fn delays(way: &[Link]) -> Duration {
    let delays = way.iter().map(|link| link.delay);
    delays.fold(Duration::ZERO, Duration::saturating_add)
}
