//! The types of networks, and their construction.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::Arc;

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::{Bytes, Rate};
use fabricsim_core::network::{
    ForwarderConfig, HostConfig, LinkConfig, Network, NodeConfig, RemoteConfig, SwitchConfig,
};
use fabricsim_core::plugin::{
    ByNode, ControllerFactory, EventOrder, Model, Telemetry, TelemetryReader,
};
use fabricsim_qdisc::{
    AnyDiscipline, ClassQueues, MixedBuffer, PortBuffer, PriorityQueues, SharedBuffer,
};
use fabricsim_topology::{Port, SwitchRoutes, Topology};
use fabricsim_transport::rdma::Rdma;
use fabricsim_transport::tcp::HasTcp;
use fabricsim_transport::{DualStackHost, HostSettings};

use crate::controllers::ClassFactories;
use crate::headers::Observed;
use crate::node_log::NodeLog;
use crate::plan::{BuildContext, QueuePlan};
use crate::timings::Timings;

/// RDMA over switches with shared buffers. `H` is the packet header and `O` the event order; `T`
/// writes telemetry and `F` creates the congestion controllers.
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

/// RDMA and TCP over switches with lossless and lossy priorities. The parameters have the same
/// meaning as in [`Fabric`].
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

/// Number of headers of trimmed packets that a port sends for each waiting data packet. The limit
/// keeps headers alone from filling a link (Handley et al., NDP, SIGCOMM 2017, section 3.1).
const HEADERS_PER_PACKET: u32 = 10;

/// Largest queue of control packets at a port that trims, as a multiple of the queue length above
/// which it trims (`CompositeQueue::receivePacket` of uet-htsim).
const CONTROL_LIMIT: u64 = 2;

/// Functions that create the components of a network other than links, routes and observers.
struct ModelParts<E, Q, B, T> {
    /// Creates the transport of a host from the rates of its ports.
    endpoint: E,
    /// Creates the queues of a port from the port and its number among all ports.
    queue: Q,
    /// Creates the buffer of a switch.
    buffer: B,
    /// Creates the telemetry of a switch.
    telemetry: T,
}

/// Builds a network with RDMA only.
pub(crate) fn build<H, O, T>(
    inputs: BuildContext<'_>,
    telemetry: impl Fn(NodeId, &[Port]) -> T,
) -> Network<Fabric<H, O, T, ClassFactories>>
where
    H: Observed,
    O: EventOrder<H>,
    T: Telemetry<H> + Sync + 'static,
{
    let parts = ModelParts {
        endpoint: |rates| Rdma::new(Arc::clone(&inputs.plan.rdma), rates),
        queue: |port: &Port, number| PriorityQueues::new(inputs.parts.markers(port, number)),
        buffer: |ports: &[PortBuffer]| {
            SharedBuffer::new(&inputs.parts.buffer(ports), inputs.plan.nic_rate, ports)
        },
        telemetry,
    };
    assemble(inputs, &parts)
}

/// Builds a network with both transports. Each of them may have no flows.
pub(crate) fn build_mixed<H, T>(
    inputs: BuildContext<'_>,
    telemetry: impl Fn(NodeId, &[Port]) -> T,
) -> Network<MixedFabric<H, T, ClassFactories>>
where
    H: Observed + HasTcp,
    T: Telemetry<H> + Sync + 'static,
{
    let reader: Arc<dyn TelemetryReader<H>> = Arc::new(inputs.plan.decoders());
    let tcp = &inputs.plan.tcp;
    let lossy = tcp.lossy;
    let settings = HostSettings {
        transports: tcp.transports.clone(),
        tcp: Arc::clone(&tcp.settings),
        rdma: Arc::clone(&inputs.plan.rdma),
    };
    let parts = ModelParts {
        endpoint: |rates| DualStackHost::new(&settings, rates).with_telemetry(Arc::clone(&reader)),
        queue: |port: &Port, number| {
            let mut queues = ClassQueues::new(inputs.parts.markers(port, number));
            if !lossy.trimmed.is_empty() {
                queues = queues
                    .with_control_turns(HEADERS_PER_PACKET)
                    .with_control_limit(Bytes::new(lossy.trim_above.get() * CONTROL_LIMIT));
            }
            let own = inputs.parts.tcp_queues(port, number).into_iter();
            own.fold(
                queues,
                |queues,
                 QueuePlan {
                     priority,
                     discipline,
                     context,
                 }| {
                    let discipline = discipline.map_or_else(
                        || AnyDiscipline::shared(None),
                        |discipline| AnyDiscipline::new(&discipline, &context),
                    );
                    queues.with_discipline(priority, discipline)
                },
            )
        },
        buffer: |ports: &[PortBuffer]| {
            MixedBuffer::new(
                &inputs.parts.buffer(ports),
                lossy,
                inputs.plan.nic_rate,
                ports,
            )
        },
        telemetry,
    };
    assemble(inputs, &parts)
}

/// Builds the network of `inputs` with the components that `parts` creates.
fn assemble<M, E, Q, B, T>(inputs: BuildContext<'_>, parts: &ModelParts<E, Q, B, T>) -> Network<M>
where
    M: Model<Observer = NodeLog, Routing = SwitchRoutes>,
    E: Fn(Vec<Rate>) -> M::Endpoint,
    Q: Fn(&Port, u64) -> M::Queue,
    B: Fn(&[PortBuffer]) -> M::Buffer,
    T: Fn(NodeId, &[Port]) -> M::Telemetry,
{
    let topology: &Topology = inputs.plan.topology;
    let mut timings = Timings::new(inputs.plan.context.quirks.transmission);
    let mut nodes = Vec::with_capacity(topology.len());
    let mut wiring = Vec::with_capacity(topology.len());
    let mut port_number = 0u64;
    for index in 0..topology.len() {
        let node = NodeId::from_index(index);
        let ports = topology.ports(node);
        wiring.push(
            ports
                .iter()
                .map(|port| (port.peer, port.peer_port))
                .collect::<Vec<(NodeId, PortId)>>(),
        );
        let observer = inputs.parts.log(node);
        if inputs.shares.is_some_and(|shares| !shares.is_here(index)) {
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
            .map(|port| timings.link(port, node, inputs.plan.seed))
            .collect();
        let host = |ports_of_host, observer| HostConfig {
            ports: ports_of_host,
            endpoint: (parts.endpoint)(ports.iter().map(|port| port.rate).collect()),
            observer,
        };
        let switch = |links: Vec<LinkConfig>, observer| {
            let pass = topology.pass_delay(node);
            let shares: Vec<PortBuffer> = ports
                .iter()
                .map(|port| PortBuffer {
                    rate: topology.fastest_rate(port),
                    // A packet on its way through a host that forwards is on its way here.
                    delay: port.delay + pass,
                })
                .collect();
            let queues = ports
                .iter()
                .zip(port_number..)
                .map(|(port, number)| (parts.queue)(port, number));
            SwitchConfig {
                ports: links.into_iter().zip(queues).collect(),
                buffer: (parts.buffer)(&shares),
                routing: inputs.plan.routes.switch(node),
                telemetry: (parts.telemetry)(node, ports),
                observer,
            }
        };
        nodes.push(match (topology.is_host(node), topology.forwards(node)) {
            (true, false) => NodeConfig::Host(host(links, observer)),
            (false, _) => NodeConfig::Switch(switch(links, observer)),
            (true, true) => NodeConfig::Forwarder(ForwarderConfig {
                host: host(links.clone(), NodeLog::new(false, Vec::new(), None, None)),
                switch: switch(links, observer),
                delay: topology.pass_delay(node),
            }),
        });
        port_number += ports.len() as u64;
    }
    Network::new(
        nodes,
        &wiring,
        inputs.threads,
        inputs.shares.cloned(),
        inputs.plan.stall_after,
    )
}
