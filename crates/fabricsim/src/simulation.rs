//! A simulation that can be driven: built from a scenario, run in steps, fed with flows.

mod attached;

use std::fmt;
use std::sync::Arc;

use fabricsim_core::engine::{Probe, Threads};
use fabricsim_core::flow::{Completion, FlowRequest};
use fabricsim_core::id::{ClassId, NodeId, PortId};
use fabricsim_core::limits::{MAX_BASE_RTT, MAX_SIZE};
use fabricsim_core::network::{BlockedPort, Counters, PortSample, Room, Stop, Watch};
use fabricsim_core::plugin::{
    CcContext, DigestCarrier, EndpointCounters, Fidelity, LiveFlow, QueueReport, Unfinished,
};
use fabricsim_core::units::{Bytes, Rate, Time};
use fabricsim_pint::query::{Answers, HopSeries, Queries};
use fabricsim_report::{FctRecord, HEADER_BYTES};
use fabricsim_topology::{EqualPaths, Extremes, Routes};
use fabricsim_transport::rdma::{BaseReference, PacingTimes, RdmaSettings};
use fabricsim_workload::Merge;
use rustc_hash::FxHashMap;

use crate::failures::control::ControlPlane;
use crate::network::assembly::Assembly;
use crate::network::control_plane::{RouteControl, SourcePorts};
pub use crate::network::ideal::IdealFct;
pub use crate::network::pause_log::{PauseChange, PauseEvent};
use crate::network::queue_times::QueueBin;
use crate::network::runner::Runner;
use crate::network::sources::Sources;
use crate::size::{MemoryNeed, check_memory};
use fabricsim_scenario::cc::registry::RequiredTelemetry;
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::schema::event::Event;
use fabricsim_scenario::schema::part::Part;
use fabricsim_scenario::schema::queries::query_network;
use fabricsim_scenario::text::error::Error;

/// What the idle network of a scenario offers.
#[derive(Clone, Copy, Debug)]
pub struct NetworkFacts {
    /// Hosts.
    pub hosts: usize,
    /// Switches.
    pub switches: usize,
    /// Links.
    pub links: usize,
    /// The most common rate of NIC ports.
    pub nic_rate: Rate,
    /// The largest base round-trip time, the largest bandwidth-delay product and the most switches
    /// on a path.
    pub extremes: Extremes,
    /// Bytes of telemetry that a data packet carries on the wire.
    pub telemetry_bytes: u16,
    /// The memory that it takes.
    pub memory: MemoryNeed,
}

/// A simulation. It holds no clock and no files; it moves when it is told to.
pub struct Simulation {
    runner: Box<dyn Runner>,
    sources: Sources,
    control_plane: RouteControl,
    facts: NetworkFacts,
    ideal: IdealFct,
    hosts: Vec<bool>,
    expected: Expectation,
    telemetry: Option<TelemetryRoom>,
    queries: Option<Arc<Queries>>,
    seed: u64,
    /// How many applications have been added.
    applications: u32,
}

/// What the telemetry of a running simulation can hold.
struct TelemetryRoom {
    switches: u16,
    rates: Vec<Rate>,
}

/// What the workloads are expected to produce.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expectation {
    /// Flows.
    pub flows: f64,
    /// Payload bytes.
    pub bytes: f64,
}

impl fmt::Debug for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation")
            .field("now", &self.now())
            .field("facts", &self.facts)
            .finish_non_exhaustive()
    }
}

impl Simulation {
    /// Builds the network of `scenario`, to be run by `threads` threads (results do not depend on
    /// their number).
    ///
    /// # Errors
    /// When the scenario asks for something that its profile or the model cannot do, the network is
    /// larger than can be built, or the system does not give the threads.
    pub fn new(scenario: &Scenario, threads: usize) -> Result<Self, Error> {
        check_memory(scenario)?;
        let threads = Threads::start(threads).map_err(Error::threads)?;
        let fidelity = scenario.fidelity();
        let routing = scenario.routing().resolved(scenario.seed(), fidelity);
        let routes = Routes::compute(scenario.topology(), routing.order(), routing.ecmp())
            .with_policy(Arc::clone(scenario.routing_policy()), scenario.seed());
        let routes = Arc::new(routes);
        let mtu = scenario.transport().mtu;
        let extremes = routes.extremes(mtu);
        if extremes.base_rtt > MAX_BASE_RTT {
            let message = format!(
                "the longest path takes {:.0} s there and back, and {MAX_BASE_RTT} is the most that can be \
                 simulated",
                extremes.base_rtt.as_secs_f64()
            );
            let help = "give links higher rates or shorter delays";
            return Err(scenario.refuse(Part::Topology, message, help));
        }
        let control = ControlPlane::new(scenario, &routes);
        let longest = control.longest_path(None, mtu).max(extremes.switches);
        let nic_rate = scenario.nic_rate();
        let link_rates = scenario.link_rates();
        let mut context = CcContext {
            link_rates: link_rates.as_slice().into(),
            base_rtt: extremes.base_rtt,
            longest_path: longest,
            seed: scenario.seed(),
            fidelity,
            ..CcContext::of_nics(nic_rate)
        };
        let telemetry_bytes = scenario.cc().telemetry_bytes(&context);
        let queries = match scenario.queries() {
            None => None,
            Some(settings) => {
                let network = query_network(scenario.topology(), longest, extremes.base_rtt);
                let cc = scenario.pint_configs().next();
                let built = settings.build(scenario.seed(), cc.as_ref(), &network);
                Some(Arc::new(built.map_err(|(index, error)| {
                    let part = index.map_or(Part::Topology, Part::Query);
                    let message = format!("`{}`: {}", error.key, error.message);
                    scenario.refuse(part, message, error.help)
                })?))
            }
        };
        if queries.is_some() {
            // The plan of queries says which packets carry the digests that algorithms read.
            context.digests = DigestCarrier::Switch;
        }
        let factory = scenario.class_factories(&context);
        let mut settings = RdmaSettings::new(
            scenario.transport_resolved(),
            factory,
            context.clone(),
            match fidelity {
                Fidelity::Exact => PacingTimes::Exact,
                Fidelity::Published => PacingTimes::TruncatedNs,
            },
            BaseReference::new(
                scenario.transport().base_rtt,
                fidelity,
                extremes.base_rtt,
                extremes.bdp,
            ),
        );
        // Every packet has room for the digests, and its answer none: the sink takes them out.
        let digest_bytes = queries
            .as_ref()
            .map_or(0, |queries| queries.plan().wire_bytes());
        settings.data_header += digest_bytes;
        settings.paths = routes.path_stability();
        let runner = Assembly {
            scenario,
            routes: &routes,
            context: &context,
            settings,
            queries: queries.clone(),
            threads: &threads,
        }
        .build()?;
        let mut expected = Expectation::default();
        let mut sources = Vec::new();
        let mut applications = Vec::new();
        for (index, workload) in scenario.workloads().iter().enumerate() {
            let context = scenario.workload_context(index);
            let class = u16::try_from(index).expect("a scenario has at most 65,536 workloads");
            let refuse = |error: fabricsim_core::input::ConfigError| Error::Unsupported {
                scenario: format!("{}, [[workload]] {}", scenario.name(), index + 1),
                message: format!("`{}`: {}", error.key, error.message),
                help: error.help,
            };
            sources.push(workload.build(&context, ClassId(class)).map_err(refuse)?);
            let class = ClassId(class);
            applications.extend(workload.applications(&context, class).map_err(refuse)?);
            let share = workload.expected(&context).map_err(refuse)?;
            expected.flows += share.flows;
            expected.bytes += share.bytes;
        }
        let topology = scenario.topology();
        let ideal = IdealFct::new(fidelity, mtu, scenario.tcp_facts());
        let memory = MemoryNeed::of(topology, runner.packet_bytes(), mtu + HEADER_BYTES);
        let mut simulation = Self {
            runner,
            sources: Sources::new(Merge::new(sources)),
            control_plane: RouteControl {
                equal: EqualPaths::new(Arc::clone(&routes)),
                routes,
                ideal: ideal.clone(),
                ports: match fidelity {
                    Fidelity::Exact => SourcePorts::ByFlow,
                    Fidelity::Published => SourcePorts::ByPair(FxHashMap::default()),
                },
                control,
                refusals: Vec::new(),
            },
            facts: NetworkFacts {
                hosts: topology.hosts().len(),
                switches: topology.len() - topology.hosts().len(),
                links: topology.links().len(),
                nic_rate,
                extremes,
                memory,
                telemetry_bytes: match (&queries, scenario.cc().telemetry()) {
                    // The algorithm's digest is among those of queries.
                    (Some(_), RequiredTelemetry::Digest) => digest_bytes,
                    _ => telemetry_bytes + digest_bytes,
                },
            },
            ideal,
            hosts: (0..topology.len())
                .map(|i| topology.is_host(NodeId::from_index(i)))
                .collect(),
            expected,
            telemetry: scenario
                .needs(RequiredTelemetry::Int)
                .then(|| TelemetryRoom {
                    switches: longest.max(5),
                    rates: link_rates,
                }),
            queries,
            seed: scenario.seed(),
            applications: 0,
        };
        for (host, application) in applications {
            simulation.add_boxed_application(host, application)?;
        }
        Ok(simulation)
    }

    fn is_host(&self, node: NodeId) -> bool {
        self.hosts.get(node.index()).copied().unwrap_or(false)
    }

    /// Runs everything that happens before `until` and comes back: earlier when all flows have
    /// ended or nothing moves.
    pub fn run_until(&mut self, until: Time) -> Stop {
        self.run_watched(until, &mut ())
    }

    /// Like [`run_until`](Self::run_until), watched by `watch`.
    pub fn run_watched(&mut self, until: Time, watch: &mut dyn Watch) -> Stop {
        self.runner
            .run_until(until, &mut self.sources, &mut self.control_plane, watch)
    }

    /// Like [`run_watched`](Self::run_watched), on the calling thread alone; `probe` is told of each
    /// epoch and of each node in it, by its index. The results are the same.
    pub fn run_probed(
        &mut self,
        until: Time,
        watch: &mut dyn Watch,
        probe: &mut dyn Probe,
    ) -> Stop {
        self.runner
            .run_probed(until, &mut self.sources, &mut self.control_plane, watch, probe)
    }

    /// Makes room for more flows and acknowledgements, or ends runs sooner.
    pub fn set_room(&mut self, room: Room) {
        self.runner.set_room(room);
    }

    /// Adds a flow. Its number is given when it starts.
    ///
    /// # Errors
    /// When it starts in the past, has no bytes, or its ends are not two different hosts.
    pub fn inject(&mut self, request: FlowRequest) -> Result<(), Error> {
        let refuse = |text: String| Err(Error::Injection(text));
        if request.start < self.now() {
            return refuse(format!(
                "it starts at {}, and it is {} now",
                request.start,
                self.now()
            ));
        }
        for (end, node) in [("source", request.src), ("destination", request.dst)] {
            if !self.is_host(node) {
                return refuse(format!("its {end}, node {node}, is not a host"));
            }
        }
        if request.src == request.dst {
            return refuse(format!("host {} sends to itself", request.src));
        }
        if request.size == Bytes::ZERO {
            return refuse("it has no bytes".to_owned());
        }
        if request.size > MAX_SIZE {
            return refuse(format!(
                "it has {}, and flows up to {MAX_SIZE}",
                request.size
            ));
        }
        if request.start > Time::HORIZON {
            return refuse(format!(
                "it starts at {}, beyond the end of simulated time, 53 days",
                request.start
            ));
        }
        if !(1..=7).contains(&request.priority) {
            return refuse(format!(
                "its priority is {}, and flows use 1 to 7",
                request.priority
            ));
        }
        if let Some(tcp) = self.ideal.tcp()
            && !tcp.may_use(request.class, request.priority)
        {
            return refuse(format!(
                "its class {} and its priority {} are of different transports",
                request.class.0, request.priority
            ));
        }
        self.sources.inject(request);
        Ok(())
    }

    /// Adds an event. Of events at one time the one that was added first comes first.
    ///
    /// # Errors
    /// When it is in the past, the network has no such link or switch, its values are impossible, or
    /// it makes paths or rates that the telemetry of this simulation has no room for.
    pub fn schedule(&mut self, event: Event) -> Result<(), Error> {
        let refuse = |text: String| Err(Error::Event(text));
        if event.at < self.now() {
            return refuse(format!(
                "it is at {}, and it is {} now",
                event.at,
                self.now()
            ));
        }
        if let Err(error) = event.validate(self.routes().topology()) {
            return refuse(format!("{}; {}", error.message, error.help));
        }
        let control = &self.control_plane.control;
        if let Some(room) = &self.telemetry {
            let rate = event.kind.rate();
            if let Some(rate) = rate.filter(|rate| !room.rates.contains(rate)) {
                return refuse(format!(
                    "the telemetry has no code for {rate}; use a rate that some link or event of the \
                     scenario has"
                ));
            }
            let longest = control.longest_path(Some(&event), self.control_plane.ideal.mtu());
            if longest > room.switches {
                return refuse(format!(
                    "paths would pass {longest} switches, and the telemetry was built for {}; put \
                     the event into the scenario",
                    room.switches
                ));
            }
        }
        self.control_plane.control.schedule(event);
        Ok(())
    }

    /// Flows that have ended since the last call, in the order of (finish, flow).
    pub fn take_completions(&mut self) -> Vec<Completion> {
        self.runner.take_completions()
    }

    /// The result row of a completion.
    #[must_use]
    pub fn record(&self, completion: &Completion) -> FctRecord {
        FctRecord::new(completion, self.ideal.of(completion))
    }

    /// How long flows take on the idle network.
    #[must_use]
    pub fn ideal(&self) -> IdealFct {
        self.ideal.clone()
    }

    /// Everything before this instant has happened.
    #[must_use]
    pub fn now(&self) -> Time {
        self.runner.now()
    }

    /// When the run ended: the time that it was asked to reach, or that of the last event when it came
    /// back because all flows had ended or nothing moved.
    #[must_use]
    pub fn ended(&self) -> Time {
        self.runner.ended()
    }

    /// Epochs run so far: how the engine has divided the time.
    #[must_use]
    pub fn epochs(&self) -> u64 {
        self.runner.epochs()
    }

    /// Flows started so far: those that a route led to the destination of.
    #[must_use]
    pub fn flows_started(&self) -> u64 {
        self.runner.flows().0
    }

    /// Flows ended so far.
    #[must_use]
    pub fn flows_finished(&self) -> u64 {
        self.runner.flows().1
    }

    /// Flows that have started and not ended, and what they wait for, in the order of their numbers.
    #[must_use]
    pub fn unfinished(&self) -> Vec<Unfinished> {
        let mut flows = self.runner.unfinished();
        for unfinished in &mut flows {
            let request = &unfinished.flow.request;
            let (src, dst) = (request.src, request.dst);
            if self.routes().next_hops(src, dst).is_empty() {
                let why = self.control_plane.control.why_apart(src, dst);
                unfinished.reason = format!("{why}; {}", unfinished.reason);
            }
        }
        flows
    }

    /// Flows that no route led to the destination of when they were to start.
    #[must_use]
    pub fn unreachable(&self) -> &[FlowRequest] {
        self.runner.unreachable()
    }

    /// Why flow `index` of [`Self::unreachable`] had no route.
    #[must_use]
    pub fn unreachable_reason(&self, index: usize) -> &str {
        let known = self.control_plane.refusals.get(index);
        known.map_or("no route led to its destination", String::as_str)
    }

    /// Counts over all nodes.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.runner.counters()
    }

    /// Counts over the transports of all hosts.
    #[must_use]
    pub fn endpoint_counters(&self) -> EndpointCounters {
        self.runner.endpoint_counters()
    }

    /// Bytes in the queues of switches now.
    #[must_use]
    pub fn queued_bytes(&self) -> Bytes {
        self.runner.queued_bytes()
    }

    /// Switch ports that a neighbor has paused now.
    #[must_use]
    pub fn paused_ports(&self) -> usize {
        self.runner.paused_ports()
    }

    /// The switch ports of a PFC deadlock, each with the one that it waits for behind it; empty when
    /// there is none.
    #[must_use]
    pub fn deadlock(&self) -> Vec<BlockedPort> {
        self.runner.deadlock()
    }

    /// The pause and resume frames that have arrived so far, in the order of time, then of node; none
    /// unless the scenario asks for them (`output.pauses`).
    #[must_use]
    pub fn pause_events(&self) -> Vec<PauseEvent> {
        self.runner.pause_events()
    }

    /// All ports of hosts and switches as they are now, in the order of nodes and ports: queues, and
    /// what has been sent, marked, dropped and paused since the start.
    ///
    /// ```
    /// use fabricsim::{Scenario, Simulation};
    /// use fabricsim_core::units::{Duration, Time};
    ///
    /// let scenario = Scenario::from_toml(
    ///     "[topology]\nkind = \"star\"\nhosts = 5\n[cc]\nkind = \"hpcc\"\n\
    ///      [[workload]]\nkind = \"incast\"\nfan_in = 4\nsize = \"1MB\"\nat = \"0s\"",
    /// )?;
    /// let mut simulation = Simulation::new(&scenario, 1)?;
    /// let before = simulation.ports();
    /// simulation.run_until(Time::from_ns(20_000));
    /// let after = simulation.ports();
    /// let span = Duration::from_us(20);
    /// // Four senders, one receiver: its port of the switch is the busiest, and packets wait there.
    /// let busy = |i: &usize| after[*i].utilization_since(&before[*i], span);
    /// let busiest = (5..after.len()).max_by(|a, b| busy(a).total_cmp(&busy(b))).unwrap();
    /// assert!(busy(&busiest) > 0.5 && after[busiest].queue.get() > 0);
    ///
    /// let flows = simulation.live_flows();
    /// assert_eq!(flows.len(), 4);
    /// assert!(flows.iter().all(|live| live.acknowledged < live.flow.request.size));
    /// # Ok::<(), fabricsim::Error>(())
    /// ```
    pub fn ports(&mut self) -> Vec<PortSample> {
        self.synchronize();
        let topology = self.routes().topology();
        let nodes = (0..topology.len()).map(NodeId::from_index);
        let ports = nodes.flat_map(|node| {
            let count = topology.ports(node).len();
            (0..count).map(move |port| (node, PortId::from_index(port)))
        });
        ports
            .map(|(node, port)| self.port_sample(node, port))
            .collect()
    }

    /// One port as it is now, or `None` when there is none of that number.
    pub fn port(&mut self, node: NodeId, port: PortId) -> Option<PortSample> {
        let topology = self.routes().topology();
        if node.index() >= topology.len() || port.index() >= topology.ports(node).len() {
            return None;
        }
        self.synchronize();
        Some(self.port_sample(node, port))
    }

    /// The flows that have started and not ended, in the order of their numbers: rate, window and
    /// what has been acknowledged.
    #[must_use]
    pub fn live_flows(&self) -> Vec<LiveFlow> {
        let mut flows = Vec::new();
        self.for_each_live(&mut |live| flows.push(*live));
        flows.sort_unstable_by_key(|live| live.flow.id);
        flows
    }

    /// For how long the queues of switch ports have had each length, in the order of nodes, ports and
    /// lengths; nothing unless the scenario asks for it (`observe.queue_distribution`).
    #[must_use]
    pub fn queue_distribution(&self) -> Vec<QueueBin> {
        self.runner.queue_distribution()
    }

    /// The queries of the scenario, if it has some.
    #[must_use]
    pub fn queries(&self) -> Option<&Queries> {
        self.queries.as_deref()
    }

    /// What the queries have found so far; nothing where there are none.
    #[must_use]
    pub fn answers(&self) -> Answers {
        self.runner.answers()
    }

    /// The values of dynamic queries as the switches saw them, for hops of flows that at least `least`
    /// packets have passed: the first `least` of each. Nothing where `pint.truth` is false.
    #[must_use]
    pub fn hop_series(&self, least: usize) -> Vec<HopSeries> {
        self.runner.hop_series(least)
    }

    /// What the queues of switch ports with disciplines of their own have done so far: marks, drops and waiting
    /// times, in the order of nodes, ports and priorities.
    #[must_use]
    pub fn queue_reports(&self) -> Vec<(NodeId, PortId, QueueReport)> {
        self.runner.queue_reports()
    }

    /// Brings all nodes to [`Self::now`]; when all flows have ended, some switches may be behind.
    pub(crate) fn synchronize(&mut self) {
        self.runner.synchronize();
    }

    pub(crate) fn port_sample(&self, node: NodeId, port: PortId) -> PortSample {
        self.runner.port(node, port)
    }

    pub(crate) fn for_each_live(&self, visit: &mut dyn FnMut(&LiveFlow)) {
        self.runner.for_each_live(visit);
    }

    /// What the idle network offers.
    #[must_use]
    pub const fn facts(&self) -> &NetworkFacts {
        &self.facts
    }

    /// What the workloads are expected to produce.
    #[must_use]
    pub const fn expected(&self) -> Expectation {
        self.expected
    }

    /// The routes of now, for those who want to follow a path.
    #[must_use]
    pub fn routes(&self) -> &Routes {
        &self.control_plane.routes
    }
}
