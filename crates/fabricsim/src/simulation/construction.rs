//! Builds a simulation from a scenario.

use std::sync::Arc;

use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::limits::MAX_BASE_RTT;
use fabricsim_base::ranks::Ranks;
use fabricsim_base::units::{Duration, Rate};
use fabricsim_core::plugin::quirks::{EntryFormat, ReplyNic, SourcePortRule};
use fabricsim_core::plugin::{CcContext, TelemetryCarrier};
use fabricsim_engine::Threads;
use fabricsim_hpcc::{INT, IntScale};
use fabricsim_network::series::Operations;
use fabricsim_network::{Plan, TcpPlan};
use fabricsim_pint::query::Queries;
use fabricsim_pint::{DIGEST, PintSettings};
use fabricsim_scenario::cc::registry::ClassFactories;
use fabricsim_scenario::scenario::Scenario;
use fabricsim_scenario::schema::part::Part;
use fabricsim_scenario::schema::queries::query_network;
use fabricsim_scenario::schema::run::FastForward;
use fabricsim_scenario::text::error::Error;
use fabricsim_topology::{PathStats, Routes};
use fabricsim_transport::rdma::{BaseReference, BaseRtt, RdmaSettings, ReplyNics};
use fabricsim_workload::{HostApplications, Merge};
use rustc_hash::FxHashMap;

use super::capturing;
use super::inputs::FlowRules;
use super::{Expectation, NetworkInfo, Simulation, TelemetryRoom};
use crate::failures::control::ControlPlane;
use crate::network::control_plane::{RouteControl, SourcePorts};
use crate::network::ideal::IdealFct;
use crate::network::nic_rules::{NicRules, path_stats};
use crate::network::parts::ScenarioParts;
use crate::network::sources::Sources;
use crate::ranks::shares;
use crate::size::{MemoryNeed, check_memory, check_packet_memory};

/// The routes of a scenario's network and the properties that follow from them.
struct Ground<'s> {
    scenario: &'s Scenario,
    routes: Arc<Routes>,
    path_stats: PathStats,
    control: ControlPlane,
    /// The most switches on a path, under all events of the scenario.
    longest: u16,
    link_rates: Vec<Rate>,
}

/// The flows and applications of a scenario's workloads.
struct Traffic {
    sources: Sources,
    applications: HostApplications,
    expected: Expectation,
}

impl Simulation {
    /// Builds the network of `scenario`, for a run on `threads` threads (results do not depend on
    /// their number).
    ///
    /// # Errors
    /// Fails if the profile or the model does not support the scenario, if the network is too
    /// large, or if the system cannot create the threads. Also fails if the scenario has a
    /// `[capture]` table: use [`Self::capturing`], which names its file.
    pub fn new(scenario: &Scenario, threads: usize) -> Result<Self, Error> {
        capturing::refuse(scenario)?;
        Self::on_ranks(scenario, threads, None)
    }

    /// Like [`new`](Self::new) on one thread, for a simulation that is only inspected and never
    /// run: a `[capture]` table is allowed, but nothing is captured.
    ///
    /// # Errors
    /// Fails like [`new`](Self::new), except for the `[capture]` table.
    pub fn checked(scenario: &Scenario) -> Result<Self, Error> {
        Self::on_ranks(scenario, 1, None)
    }

    /// Like [`new`](Self::new), but builds only the part of the network that belongs to this rank
    /// if there are several.
    pub(crate) fn on_ranks(
        scenario: &Scenario,
        threads: usize,
        ranks: Option<Arc<dyn Ranks>>,
    ) -> Result<Self, Error> {
        // Reject scenarios that need too much memory before allocating any.
        check_memory(scenario)?;
        let threads = Threads::start(threads).map_err(Error::threads)?;
        let ground = Ground::of(scenario)?;
        let mut context = ground.context();
        let telemetry_bytes = scenario.cc().telemetry_bytes(&context);
        let queries = ground.queries()?;
        if queries.is_some() {
            // The plan of queries determines the packets with the digests that algorithms read.
            context.carrier = TelemetryCarrier::Switch;
        }

        // Every packet has room for the digests, but its ACK has none, because the sink removes
        // them.
        let digest_bytes = queries
            .as_ref()
            .map_or(0, |queries| queries.plan().wire_bytes());
        let mut settings = ground.rdma(&context);
        settings.data_header += digest_bytes;
        let ranks = ranks.filter(|ranks| ranks.count() > 1);
        let shares = ranks.map(|ranks| shares(scenario.topology(), ranks));
        let parts = ScenarioParts::new(scenario, queries.as_ref());
        let runner = ground.plan(&context, settings, queries.clone())?.build(
            &parts,
            &threads,
            shares.as_ref(),
        );

        // Only the runner knows the size of a packet, so the memory of packets is checked late.
        let traffic = Traffic::of(scenario)?;
        let topology = scenario.topology();
        let mtu = scenario.transport().mtu;
        let memory = MemoryNeed::of(topology, runner.packet_bytes(), mtu, traffic.expected);
        check_packet_memory(scenario, &memory)?;
        let ideal = IdealFct::new(scenario);
        let info = NetworkInfo {
            hosts: topology.hosts().len(),
            switches: topology.switches().count(),
            links: topology.links().len(),
            nic_rate: scenario.nic_rate(),
            path_stats: ground.path_stats,
            stall_after: ground.stall_after(),
            memory,
            telemetry_bytes: match (&queries, scenario.cc().telemetry()) {
                // The digests of queries include the algorithm's own.
                (Some(_), kind) if kind == Some(DIGEST) => digest_bytes,
                _ => telemetry_bytes + digest_bytes,
            },
        };
        let nodes = (0..topology.len()).map(NodeId::from_index);
        let hosts = nodes.map(|node| topology.is_host(node));
        let mut simulation = Self {
            runner,
            sources: traffic.sources,
            info,
            rules: FlowRules::new(hosts.collect(), ideal.clone()),
            steered: None,
            expected: traffic.expected,
            telemetry: scenario.needs(INT).then(|| TelemetryRoom {
                scale: IntScale::new(&context),
                switches: ground.longest.max(5),
                rates: ground.link_rates.clone(),
            }),
            queries,
            seed: scenario.seed(),
            applications: 0,
            capture: None,
            scenario: Arc::new(scenario.clone()),
            control_plane: ground.control_plane(ideal.clone()),
            ideal,
        };
        if scenario.run().fast_forward == FastForward::Exact {
            simulation.runner.set_fast_forward();
        }
        // Applications draw from numbered streams, so they are added in the order of workloads.
        let records = scenario.observe().is_some_and(|own| own.operations);
        for (host, mut application) in traffic.applications {
            if records {
                Operations::record(&mut *application);
            }
            simulation.add_boxed_application(host, application)?;
        }
        Ok(simulation)
    }
}

/// Rejects a network with paths or rates that exceed the room of telemetry.
fn check_int(scenario: &Scenario, context: &CcContext) -> Result<(), Error> {
    let longest = context.longest_path;
    let rates = context.link_rates.len();
    let refuse = |part, message: String, help: &str| Err(scenario.refuse(part, message, help));
    match context.quirks.entries {
        EntryFormat::Quantized if longest > 5 || rates > 8 => refuse(
            Part::Profile,
            format!(
                "the published telemetry header holds 5 hops and 8 link rates; this network \
                 has paths of {longest} switches and {rates} rates"
            ),
            "leave out the profile, or give a smaller network",
        ),
        _ if rates > 64 => refuse(
            Part::Topology,
            format!("the links have {rates} different rates, and telemetry can name 64"),
            "give links and events fewer rates, or [cc] an algorithm that reads no telemetry, such as \
             dcqcn",
        ),
        EntryFormat::Exact if longest > 128 => refuse(
            Part::Topology,
            format!("a path passes {longest} switches, and telemetry is built for up to 128"),
            "give a network with shorter paths, or [cc] an algorithm that reads no telemetry, such as \
             dcqcn",
        ),
        _ => Ok(()),
    }
}

impl<'s> Ground<'s> {
    fn of(scenario: &'s Scenario) -> Result<Self, Error> {
        let routing = (scenario.routing()).resolved(scenario.seed(), scenario.quirks());
        let routes = Routes::compute(scenario.topology(), routing.order(), routing.ecmp())
            .with_policy(Arc::clone(scenario.routing_policy()), scenario.seed())
            .with_weights(routing.weights())
            .with_quirks(scenario.quirks());
        let routes = match routing.binds_nics() {
            true => Arc::new(routes.with_nic_addresses()),
            false => Arc::new(routes),
        };
        let mtu = scenario.transport().mtu;
        let path_stats = path_stats(&routes, &routing, mtu);
        if path_stats.base_rtt > MAX_BASE_RTT {
            let message = format!(
                "the longest path has a round trip of {:.0} s, and at most {MAX_BASE_RTT} can be simulated",
                path_stats.base_rtt.as_secs_f64()
            );
            let help = "give links higher rates or shorter delays";
            return Err(scenario.refuse(Part::Topology, message, help));
        }
        let control = ControlPlane::new(scenario, &routes);
        let longest = control.longest_path(None, mtu).max(path_stats.switches);
        Ok(Self {
            scenario,
            routes,
            path_stats,
            control,
            longest,
            link_rates: scenario.link_rates(),
        })
    }

    /// Returns the base round-trip time (T) of the whole network: the largest of all pairs of
    /// hosts, or the scenario's own value.
    fn base_rtt(&self) -> Duration {
        match self.scenario.transport().base_rtt {
            BaseRtt::Given(time) => time,
            BaseRtt::Largest | BaseRtt::Pair => self.path_stats.base_rtt,
        }
    }

    /// Returns the time without any acknowledged byte after which the run is given up.
    fn stall_after(&self) -> Duration {
        self.scenario.stall_after(self.path_stats.base_rtt)
    }

    /// Returns the properties of the network for algorithms.
    fn context(&self) -> CcContext {
        let nics = CcContext::of_nics(self.scenario.nic_rate());
        CcContext {
            entry_multiple: (self.scenario.int_multiple()).unwrap_or(nics.entry_multiple),
            link_rates: self.link_rates.as_slice().into(),
            base_rtt: self.base_rtt(),
            longest_path: self.longest,
            seed: self.scenario.seed(),
            quirks: *self.scenario.quirks(),
            overflow: self.scenario.overflow(),
            ..nics
        }
    }

    /// Returns the queries that packets carry, if there are any.
    fn queries(&self) -> Result<Option<Arc<Queries>>, Error> {
        let scenario = self.scenario;
        let Some(settings) = scenario.queries() else {
            return Ok(None);
        };
        let network = query_network(scenario.topology(), self.longest, self.base_rtt());
        let cc = scenario.pint_configs().next();
        let built = settings.build(scenario.seed(), cc.as_ref(), &network);
        let queries = built.map_err(|(index, error)| {
            let part = index.map_or(Part::Topology, Part::Query);
            let message = format!("`{}`: {}", error.key, error.message);
            scenario.refuse(part, message, error.help)
        })?;
        Ok(Some(Arc::new(queries)))
    }

    /// Returns the settings of RDMA for hosts.
    fn rdma(&self, context: &CcContext) -> RdmaSettings<ClassFactories> {
        let scenario = self.scenario;
        let settings = RdmaSettings::new(
            scenario.transport_resolved(),
            scenario.class_factories(context),
            context.clone(),
            BaseReference::new(
                scenario.transport().base_rtt,
                context.quirks.window,
                self.path_stats.base_rtt,
                self.path_stats.bdp,
            ),
        );
        settings
            .over(self.routes.path_stability())
            .with_entropy(self.routes.entropy(), scenario.seed())
            .with_reply_nics(self.reply_nics())
            .with_credit(scenario.credit(context))
    }

    /// Returns the rule by which replies choose a NIC, if they do and hosts have several. Later
    /// failures of links have no effect on it.
    fn reply_nics(&self) -> Option<ReplyNics> {
        let topology = self.scenario.topology();
        let mut hosts = topology.hosts().iter();
        let several = hosts.any(|&host| topology.ports(host).len() > 1);
        (several && self.scenario.quirks().reply_nic == ReplyNic::Hashed).then(|| {
            let routes = Arc::clone(&self.routes);
            ReplyNics::new(move |key| routes.nic_port(key))
        })
    }

    /// Returns the plan of the network. Its packets carry `queries`.
    ///
    /// # Errors
    /// Fails if the network's paths or rates exceed the room of telemetry.
    fn plan<'p>(
        &'p self,
        context: &'p CcContext,
        rdma: RdmaSettings<ClassFactories>,
        queries: Option<Arc<Queries>>,
    ) -> Result<Plan<'p>, Error> {
        let scenario = self.scenario;
        if scenario.needs(INT) {
            check_int(scenario, context)?;
        }
        // All algorithms that read digests have the same settings, because other scenarios are
        // rejected.
        let digest = scenario.pint_configs().next();
        Ok(Plan {
            topology: scenario.topology(),
            routes: &self.routes,
            context,
            seed: scenario.seed(),
            nic_rate: scenario.nic_rate(),
            stall_after: self.stall_after(),
            rdma: Arc::new(rdma),
            tcp: TcpPlan {
                transports: scenario.class_transports(),
                settings: Arc::new(scenario.tcp_settings(context)),
                lossy: scenario.lossy(),
            },
            is_mixed: scenario.is_mixed(),
            telemetry: scenario.telemetry(),
            digest: digest.map(|config| PintSettings::new(&config, context)),
            queries,
        })
    }

    /// Returns the component that finds the path of each flow.
    fn control_plane(self, ideal: IdealFct) -> RouteControl {
        RouteControl {
            idle: Arc::new(ideal.paths(&self.routes)),
            routes: self.routes,
            ideal,
            ports: match self.scenario.quirks().source_ports {
                SourcePortRule::ByFlow => SourcePorts::ByFlow,
                SourcePortRule::ByPair => SourcePorts::ByPair(FxHashMap::default()),
            },
            nics: NicRules::of(self.scenario),
            turns: FxHashMap::default(),
            control: self.control,
            refusals: Vec::new(),
        }
    }
}

impl Traffic {
    fn of(scenario: &Scenario) -> Result<Self, Error> {
        let mut expected = Expectation::default();
        let mut sources = Vec::new();
        let mut applications = HostApplications::new();
        for (index, workload) in scenario.workloads().iter().enumerate() {
            let context = scenario.workload_context(index);
            let class = u16::try_from(index).expect("a scenario has at most 65,536 workloads");
            let refuse = |error: fabricsim_base::input::ConfigError| Error::Unsupported {
                scenario: format!("{}, [[workload]] {}", scenario.name(), index),
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
        Ok(Self {
            sources: Sources::new(Merge::new(sources)),
            applications,
            expected,
        })
    }
}
