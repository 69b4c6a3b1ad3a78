//! The kinds of network that a scenario can need, and their construction.

mod logs;
mod marking;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::Arc;

use fabricsim_core::engine::Threads;
use fabricsim_core::id::{NodeId, PortId};
use fabricsim_core::network::{
    HostConfig, LineTable, LineTiming, LinkConfig, Network, NodeConfig, RemoteConfig, SwitchConfig,
};
use fabricsim_core::packet::PrioritySet;
use fabricsim_core::plugin::quirks::TimeUnit;
use fabricsim_core::plugin::{
    ByNode, ControllerFactory, EventOrder, Model, Telemetry, TelemetryReader,
};
use fabricsim_core::ranks::Shares;
use fabricsim_core::rng::{Purpose, Stream};
use fabricsim_core::units::{Bytes, Rate};
use fabricsim_pint::query::Queries;
use fabricsim_qdisc::{ClassQueues, MixedBuffer, PortBuffer, PriorityQueues, SharedBuffer};
use fabricsim_topology::{Port, Routes, SwitchRoutes, Topology};
use fabricsim_transport::rdma::{Rdma, RdmaSettings};
use fabricsim_transport::tcp::HasTcp;
use fabricsim_transport::{DualStackHost, HostSettings};

use self::logs::node_log;
use self::marking::Marking;
use crate::network::headers::Observed;
use crate::network::node_log::NodeLog;
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::schema::far_end::FarEnd;
use fabricsim_scenario::schema::observe::queue_ports;

/// RDMA over switches with shared buffers; `H` is the header of packets, `O` the order of events,
/// `T` writes telemetry, `F` makes the algorithms.
#[derive(Debug)]
pub(crate) struct Fabric<H, O, T, F> {
    order: PhantomData<fn() -> O>,
    header: PhantomData<fn() -> H>,
    telemetry: PhantomData<fn() -> T>,
    factory: PhantomData<fn() -> F>,
}

impl<H, O, T, F> Model for Fabric<H, O, T, F>
where
    H: Observed,
    O: EventOrder<H>,
    T: Telemetry<H> + Sync + 'static,
    F: ControllerFactory<H> + 'static,
    F::Controller: 'static,
{
    type Header = H;
    type Order = O;
    type Telemetry = T;
    type Queue = PriorityQueues<H>;
    type Buffer = SharedBuffer;
    type Routing = SwitchRoutes;
    type Endpoint = Rdma<H, F>;
    type Observer = NodeLog;
}

/// RDMA and TCP over switches whose buffer and queues know lossless and lossy priorities; the
/// parameters are those of [`Fabric`].
#[derive(Debug)]
pub(crate) struct MixedFabric<H, T, F> {
    header: PhantomData<fn() -> H>,
    telemetry: PhantomData<fn() -> T>,
    factory: PhantomData<fn() -> F>,
}

impl<H, T, F> Model for MixedFabric<H, T, F>
where
    H: Observed + HasTcp,
    T: Telemetry<H> + Sync + 'static,
    F: ControllerFactory<H> + 'static,
    F::Controller: 'static,
{
    type Header = H;
    type Order = ByNode;
    type Telemetry = T;
    type Queue = ClassQueues<H>;
    type Buffer = MixedBuffer;
    type Routing = SwitchRoutes;
    type Endpoint = DualStackHost<H, F>;
    type Observer = NodeLog;
}

/// Headers of trimmed packets that leave a port in a row while data waits: ten to one, so that
/// headers alone do not fill a link (Handley et al., NDP, SIGCOMM 2017, section 3.1).
const HEADERS_PER_PACKET: u32 = 10;

/// The most bytes of control at a port where packets are trimmed, in lengths of the queue above which
/// they are (`CompositeQueue::receivePacket` of uet-htsim).
const CONTROL_LIMIT: u64 = 2;

/// The widest packet that a table of published times covers.
const TABLE_BYTES: u16 = 10_000;

/// Transmission times of links, shared between links of one rate.
#[derive(Debug)]
pub(crate) struct Timings {
    unit: TimeUnit,
    tables: BTreeMap<Rate, LineTiming>,
}

impl Timings {
    pub(crate) const fn new(unit: TimeUnit) -> Self {
        Self {
            unit,
            tables: BTreeMap::new(),
        }
    }

    pub(crate) fn of(&mut self, rate: Rate) -> LineTiming {
        let unit = self.unit;
        self.tables
            .entry(rate)
            .or_insert_with(|| match unit {
                TimeUnit::Picosecond => LineTiming::new(rate),
                TimeUnit::Nanosecond => {
                    let time = |wire| {
                        rate.transmission_truncated_ns(Bytes::new(u64::from(wire)))
                            .as_ps()
                    };
                    LineTiming::Table(Arc::new(LineTable {
                        times: (0..TABLE_BYTES).map(time).collect(),
                        rate,
                    }))
                }
            })
            .clone()
    }
}

/// Components of a network other than links, routes and observers.
pub(crate) struct ModelParts<E, Q, B, T> {
    /// The transport of a host with these ports.
    endpoint: E,
    /// The queues of a port, which has this number among all.
    queue: Q,
    /// The buffer of a switch.
    buffer: B,
    /// Telemetry that a switch writes into packets.
    telemetry: T,
}

/// Inputs that all networks of a scenario are built from.
#[derive(Clone, Copy)]
pub(crate) struct BuildContext<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) routes: &'a Routes,
    pub(crate) queries: Option<&'a Arc<Queries>>,
    pub(crate) threads: &'a Threads,
    pub(crate) shares: Option<&'a Shares>,
}

/// Builds a network of RDMA alone.
pub(crate) fn build<H, O, T, F>(
    site: BuildContext<'_>,
    settings: RdmaSettings<F>,
    telemetry: impl Fn(NodeId, &[Port]) -> T,
) -> Network<Fabric<H, O, T, F>>
where
    H: Observed,
    O: EventOrder<H>,
    T: Telemetry<H> + Sync + 'static,
    F: ControllerFactory<H> + 'static,
    F::Controller: 'static,
{
    let scenario = site.scenario;
    let nic_rate = scenario.nic_rate();
    let switch = scenario.switch().resolved(nic_rate, scenario.quirks());
    let buffer = scenario.buffer_config();
    let settings = Arc::new(settings);
    let marking = Marking::new(scenario, &switch, PrioritySet::EMPTY);
    site.assemble(ModelParts {
        endpoint: |rates| Rdma::new(Arc::clone(&settings), rates),
        queue: |port: &Port, number| PriorityQueues::new(marking.at(port, number)),
        buffer: |shares: &[PortBuffer]| {
            let buffer = scenario
                .switch()
                .buffer_of(&buffer, shares, scenario.quirks());
            SharedBuffer::new(&buffer, nic_rate, shares)
        },
        telemetry,
    })
}

/// Builds a network of TCP, beside RDMA or alone. `reader` decodes the telemetry of TCP's probes.
pub(crate) fn build_mixed<H, T, F>(
    site: BuildContext<'_>,
    settings: RdmaSettings<F>,
    reader: Option<Arc<dyn TelemetryReader<H>>>,
    telemetry: impl Fn(NodeId, &[Port]) -> T,
) -> Network<MixedFabric<H, T, F>>
where
    H: Observed + HasTcp,
    T: Telemetry<H> + Sync + 'static,
    F: ControllerFactory<H> + 'static,
    F::Controller: 'static,
{
    let scenario = site.scenario;
    let nic_rate = scenario.nic_rate();
    let switch = scenario.switch().resolved(nic_rate, scenario.quirks());
    let buffer = scenario.buffer_config();
    let settings = HostSettings {
        transports: scenario.class_transports(),
        tcp: Arc::new(scenario.tcp_settings(&settings.network)),
        rdma: Arc::new(settings),
    };
    let lossy = scenario.lossy();
    let marking = Marking::new(scenario, &switch, scenario.tcp_priorities());
    let tcp_queues = scenario.tcp_queues();
    site.assemble(ModelParts {
        endpoint: |rates| {
            let host = DualStackHost::new(&settings, rates);
            match &reader {
                Some(reader) => host.with_telemetry(Arc::clone(reader)),
                None => host,
            }
        },
        queue: |port: &Port, number| {
            let towards = if scenario.topology().is_host(port.peer) {
                FarEnd::Hosts
            } else {
                FarEnd::Switches
            };
            let own = tcp_queues.at(port.rate, towards, number * 8);
            let mut queues = ClassQueues::new(marking.at(port, number));
            if !lossy.trimmed.is_empty() {
                queues = queues
                    .with_control_turns(HEADERS_PER_PACKET)
                    .with_control_limit(Bytes::new(lossy.trim_above.get() * CONTROL_LIMIT));
            }
            own.into_iter()
                .fold(queues, |queues, (priority, discipline)| {
                    queues.with_discipline(priority, discipline)
                })
        },
        buffer: |shares: &[PortBuffer]| {
            let buffer = scenario
                .switch()
                .buffer_of(&buffer, shares, scenario.quirks());
            MixedBuffer::new(&buffer, lossy, nic_rate, shares)
        },
        telemetry,
    })
}

impl BuildContext<'_> {
    fn assemble<M, E, Q, B, T>(self, parts: ModelParts<E, Q, B, T>) -> Network<M>
    where
        M: Model<Observer = NodeLog, Routing = SwitchRoutes>,
        E: Fn(Vec<Rate>) -> M::Endpoint,
        Q: Fn(&Port, u64) -> M::Queue,
        B: Fn(&[PortBuffer]) -> M::Buffer,
        T: Fn(NodeId, &[Port]) -> M::Telemetry,
    {
        let BuildContext {
            scenario,
            routes,
            queries,
            threads,
            shares,
        } = self;
        let topology: &Topology = scenario.topology();
        let mut timings = Timings::new(scenario.quirks().transmission);
        let mut nodes = Vec::with_capacity(topology.len());
        let mut wiring = Vec::with_capacity(topology.len());
        let mut port_number = 0u64;
        let watched = scenario
            .observe()
            .map_or_else(Vec::new, |observe| queue_ports(observe, topology));
        for index in 0..topology.len() {
            let node = NodeId::from_index(index);
            let ports = topology.ports(node);
            wiring.push(
                ports
                    .iter()
                    .map(|port| (port.peer, port.peer_port))
                    .collect::<Vec<(NodeId, PortId)>>(),
            );
            let observer = node_log(scenario, queries, &watched, node);
            if shares.is_some_and(|shares| !shares.is_here(index)) {
                nodes.push(NodeConfig::Elsewhere(RemoteConfig {
                    is_host: topology.is_host(node),
                    delays: ports.iter().map(|port| port.delay).collect(),
                    observer,
                }));
                port_number += ports.len() as u64;
                continue;
            }
            let links: Vec<LinkConfig> = ports
                .iter()
                .map(|port| link(port, node, scenario.seed(), &mut timings))
                .collect();
            nodes.push(if topology.is_host(node) {
                NodeConfig::Host(HostConfig {
                    ports: links,
                    endpoint: (parts.endpoint)(ports.iter().map(|port| port.rate).collect()),
                    observer,
                })
            } else {
                let shares: Vec<PortBuffer> = ports
                    .iter()
                    .map(|port| PortBuffer {
                        rate: topology.fastest_rate(port),
                        delay: port.delay,
                    })
                    .collect();
                let queues = ports
                    .iter()
                    .zip(port_number..)
                    .map(|(port, number)| (parts.queue)(port, number));
                NodeConfig::Switch(SwitchConfig {
                    ports: links.into_iter().zip(queues).collect(),
                    buffer: (parts.buffer)(&shares),
                    routing: routes.switch(node),
                    telemetry: (parts.telemetry)(node, ports),
                    observer,
                })
            });
            port_number += ports.len() as u64;
        }
        let stall_after = scenario.run().stall_after;
        Network::new(nodes, &wiring, threads, shares.cloned(), stall_after)
    }
}

/// Returns the recorder of queue lengths for the ports of `node` that are in `watched`, if a
/// queue-length distribution is requested.
fn link(port: &Port, node: NodeId, seed: u64, timings: &mut Timings) -> LinkConfig {
    LinkConfig {
        rate: port.rate,
        timing: timings.of(port.rate),
        delay: port.delay,
        loss: (port.loss > 0.0).then(|| (port.loss, loss_stream(port, node, seed))),
    }
}

/// Returns the random stream that decides which packets leaving `node` through `port` are lost. The
/// two directions of a link lose packets independently.
pub(crate) fn loss_stream(port: &Port, node: NodeId, seed: u64) -> Stream {
    let direction = u64::from(port.link) * 2 + u64::from(node > port.peer);
    Stream::new(seed, direction, Purpose::Loss)
}
