//! The kinds of network that a scenario can need, and their construction.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::Arc;

use fabricsim_core::id::{NodeId, PortId};
use fabricsim_core::network::{
    HostConfig, LineTable, LineTiming, LinkConfig, Network, NodeConfig, SwitchConfig,
};
use fabricsim_core::plugin::{Fidelity, LawFactory, Model, Telemetry};
use fabricsim_core::rng::{Purpose, Stream};
use fabricsim_core::units::{Bytes, Rate};
use fabricsim_pint::PintHeader;
use fabricsim_pint::query::{Queries, Sink, Truth};
use fabricsim_qdisc::{Markers, PortBuffer, PriorityQueues, PublishedDraws, RedEcn, SharedBuffer};
use fabricsim_topology::{Port, Routes, SwitchRoutes, Topology};
use fabricsim_transport::rdma::{Rdma, RdmaSettings};

use crate::observe::{NodeLog, QueueTimes, queue_ports};
use crate::pause_log::PauseLog;
use crate::scenario::Scenario;

/// RDMA over switches with shared buffers; `H` is the telemetry header, `T` writes it, `F` makes
/// the laws.
#[derive(Debug)]
pub(crate) struct Fabric<H, T, F> {
    header: PhantomData<fn() -> H>,
    telemetry: PhantomData<fn() -> T>,
    laws: PhantomData<fn() -> F>,
}

impl<H, T, F> Model for Fabric<H, T, F>
where
    H: PintHeader,
    T: Telemetry<H> + Sync + 'static,
    F: LawFactory<H> + 'static,
    F::Law: 'static,
{
    type Header = H;
    type Telemetry = T;
    type Queue = PriorityQueues<H>;
    type Buffer = SharedBuffer;
    type Routing = SwitchRoutes;
    type Endpoint = Rdma<H, F>;
    type Observer = NodeLog;
}

/// The widest packet that a table of published times covers.
const TABLE_BYTES: u16 = 10_000;

/// Serialisation times of links, shared between links of one rate.
#[derive(Debug)]
pub(crate) struct Timings {
    fidelity: Fidelity,
    tables: BTreeMap<Rate, LineTiming>,
}

impl Timings {
    pub(crate) const fn new(fidelity: Fidelity) -> Self {
        Self {
            fidelity,
            tables: BTreeMap::new(),
        }
    }

    pub(crate) fn of(&mut self, rate: Rate) -> LineTiming {
        let fidelity = self.fidelity;
        self.tables
            .entry(rate)
            .or_insert_with(|| match fidelity {
                Fidelity::Exact => LineTiming::new(rate),
                Fidelity::Published => {
                    let time = |wire| {
                        rate.serialisation_truncated_ns(Bytes::new(u64::from(wire)))
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

/// Builds the network of `scenario`.
pub(crate) fn build<H, T, F>(
    scenario: &Scenario,
    routes: &Routes,
    settings: RdmaSettings<F>,
    telemetry: impl Fn(NodeId, &[Port]) -> T,
    queries: Option<&Arc<Queries>>,
    threads: usize,
) -> Network<Fabric<H, T, F>>
where
    H: PintHeader,
    T: Telemetry<H> + Sync + 'static,
    F: LawFactory<H> + 'static,
    F::Law: 'static,
{
    let topology: &Topology = &scenario.topology;
    let nic_rate = scenario.nic_rate();
    let switch = scenario.switch.resolved(nic_rate, scenario.fidelity());
    let mut buffer = switch.buffer_config();
    if scenario.fidelity() == Fidelity::Exact {
        buffer.priorities = scenario.priorities();
    }
    let settings = Arc::new(settings);
    let fidelity = scenario.fidelity();
    let published_draws = PublishedDraws::new(topology.len() as u64, scenario.seed);
    // Marks that contradict one another are refused when the scenario is read.
    let wanted = scenario.wanted_marks().unwrap_or_default();
    let mut timings = Timings::new(fidelity);
    let mut nodes = Vec::with_capacity(topology.len());
    let mut wiring = Vec::with_capacity(topology.len());
    let mut port_number = 0u64;
    let watched = scenario
        .observe
        .as_ref()
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
        let observer = NodeLog {
            pauses: if scenario.output.pauses {
                PauseLog::On(Vec::new())
            } else {
                PauseLog::Off
            },
            queues: queue_times(scenario, &watched, node),
            sink: queries
                .filter(|_| topology.is_host(node))
                .map(|queries| Box::new(Sink::new(queries))),
            truth: truth(scenario, queries, node),
        };
        let links: Vec<LinkConfig> = ports
            .iter()
            .map(|port| link(port, node, scenario.seed, &mut timings))
            .collect();
        nodes.push(if topology.is_host(node) {
            NodeConfig::Host(HostConfig {
                ports: links,
                endpoint: Rdma::new(
                    Arc::clone(&settings),
                    ports.iter().map(|port| port.rate).collect(),
                ),
                observer,
            })
        } else {
            let shares: Vec<PortBuffer> = ports
                .iter()
                .map(|port| PortBuffer {
                    rate: port.rate,
                    delay: port.delay,
                })
                .collect();
            let queues = ports.iter().zip(port_number..).map(|(port, number)| {
                let mut markers = Markers::default();
                for ((marker, wanted), priority) in markers.iter_mut().zip(&wanted).zip(0u8..) {
                    let ecn = switch.ecn_at(port.rate, priority, wanted.as_ref(), nic_rate);
                    let entity = number * 8 + u64::from(priority);
                    *marker = ecn.map(|ecn| match fidelity {
                        Fidelity::Exact => RedEcn::new(&ecn, scenario.seed, entity),
                        Fidelity::Published => RedEcn::published(&ecn, &published_draws),
                    });
                }
                let marks = markers.iter().any(Option::is_some);
                PriorityQueues::new(marks.then(|| Box::new(markers)))
            });
            NodeConfig::Switch(SwitchConfig {
                ports: links.into_iter().zip(queues).collect(),
                buffer: SharedBuffer::new(
                    &scenario.switch.buffer_of(&buffer, &shares, fidelity),
                    nic_rate,
                    &shares,
                ),
                routing: routes.switch(node),
                telemetry: telemetry(node, ports),
                observer,
            })
        });
        port_number += ports.len() as u64;
    }
    Network::new(nodes, &wiring, threads, scenario.run.stall_after)
}

/// What notes the lengths of the queues of `node` that are among `watched`, if some distribution is
/// asked for.
fn queue_times(
    scenario: &Scenario,
    watched: &[(NodeId, PortId)],
    node: NodeId,
) -> Option<Box<QueueTimes>> {
    let settings = scenario.observe.as_ref()?;
    let first = watched.partition_point(|(other, _)| *other < node);
    let own = watched[first..]
        .iter()
        .take_while(|(other, _)| *other == node);
    let mut own = own.map(|(_, port)| *port).peekable();
    let wanted = settings.queue_distribution && own.peek().is_some();
    let count = scenario.topology.ports(node).len();
    wanted.then(|| Box::new(QueueTimes::new(settings, count, own)))
}

/// What notes the values that queries ask for as they are, at switch `node`, where it is wanted.
fn truth(scenario: &Scenario, queries: Option<&Arc<Queries>>, node: NodeId) -> Option<Box<Truth>> {
    let wanted = scenario.queries.as_ref()?.pint.truth && !scenario.topology.is_host(node);
    let ports = scenario.topology.ports(node).iter();
    let rates: Vec<Rate> = ports.map(|port| port.rate).collect();
    let truth = queries
        .filter(|_| wanted)
        .and_then(|queries| Truth::new(queries, &rates));
    truth.map(Box::new)
}

fn link(port: &Port, node: NodeId, seed: u64, timings: &mut Timings) -> LinkConfig {
    LinkConfig {
        rate: port.rate,
        timing: timings.of(port.rate),
        delay: port.delay,
        loss: (port.loss > 0.0).then(|| (port.loss, loss_stream(port, node, seed))),
    }
}

/// What decides which packets are lost that leave `node` by `port`. The two directions of a link lose
/// packets independently.
pub(crate) fn loss_stream(port: &Port, node: NodeId, seed: u64) -> Stream {
    let direction = u64::from(port.link) * 2 + u64::from(node > port.peer);
    Stream::new(seed, direction, Purpose::Loss)
}
