//! Scenarios that a program builds, without a text.

mod check;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use fabricsim_core::id::ClassId;
use fabricsim_topology::{BoxedTopology, RoutingPolicy, Topology, TopologyKind};
use fabricsim_transport::rdma::RdmaConfig;
use fabricsim_transport::tcp::{TcpConfig, TcpProfile};
use fabricsim_workload::{BoxedWorkload, WorkloadContext, WorkloadKind, boxed};

use self::check::check_seed;
use crate::cc::registry::AnyCcConfig;
use crate::kinds::Registry;
use crate::read::routing::find_policy;
use crate::read::topology::build_topology;
use crate::read::workload::load_workload;
use crate::scenario::counts::{FlowCount, check_count};
use crate::scenario::places::Places;
use crate::scenario::{Scenario, hosts};
use crate::schema::event::Event;
use crate::schema::observe::ObserveSettings;
use crate::schema::part::{Part, WithoutText};
use crate::schema::profile::{Profile, quirks};
use crate::schema::queries::QuerySettings;
use crate::schema::queue::QueueRule;
use crate::schema::routing::RoutingSettings;
use crate::schema::run::{OutputSettings, RunSettings};
use crate::schema::switch::SwitchSettings;
use crate::text::error::Error;

/// Builds a [`Scenario`] from settings. What is not set has the default of its table; a topology
/// and a congestion control are needed. Without a workload nothing is sent but what a program adds
/// to the simulation.
///
/// ```
/// use fabricsim_core::units::Bytes;
/// use fabricsim_scenario::Scenario;
/// use fabricsim_scenario::cc::registry::AnyCcConfig;
/// use fabricsim_topology::StarConfig;
/// use fabricsim_workload::PermutationConfig;
///
/// let scenario = Scenario::builder()
///     .name("ring")
///     .topology(StarConfig::default())
///     .workload(PermutationConfig::new(Bytes::new(1_000_000)))
///     .cc(AnyCcConfig::by_name("hpcc").expect("an algorithm"))
///     .build()?;
/// assert_eq!(scenario.name(), "ring");
/// # Ok::<(), fabricsim_scenario::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ScenarioBuilder {
    name: String,
    folder: PathBuf,
    seed: u64,
    profile: Option<Profile>,
    topology: Option<BoxedTopology>,
    switch: SwitchSettings,
    queues: Vec<QueueRule>,
    transport: RdmaConfig,
    tcp: TcpConfig,
    routing: RoutingSettings,
    routing_policy: Option<Arc<dyn RoutingPolicy>>,
    workloads: Vec<BoxedWorkload>,
    events: Vec<Event>,
    cc: Option<AnyCcConfig>,
    class_cc: BTreeMap<ClassId, AnyCcConfig>,
    run: RunSettings,
    output: OutputSettings,
    observe: Option<ObserveSettings>,
    queries: Option<QuerySettings>,
}

impl Default for ScenarioBuilder {
    fn default() -> Self {
        Self {
            name: "run".to_owned(),
            folder: PathBuf::from("."),
            seed: 1,
            profile: None,
            topology: None,
            switch: SwitchSettings::default(),
            queues: Vec::new(),
            transport: RdmaConfig::default(),
            tcp: TcpConfig {
                profile: TcpProfile::Datacenter,
                ..TcpConfig::default()
            },
            routing: RoutingSettings::default(),
            routing_policy: None,
            workloads: Vec::new(),
            events: Vec::new(),
            cc: None,
            class_cc: BTreeMap::new(),
            run: RunSettings::default(),
            output: OutputSettings::default(),
            observe: None,
            queries: None,
        }
    }
}

impl Scenario {
    /// Returns a builder of scenarios, for programs that have no text.
    #[must_use]
    pub fn builder() -> ScenarioBuilder {
        ScenarioBuilder::default()
    }

    /// Returns the scenario with another seed, 0 to 2^63 - 1.
    ///
    /// # Errors
    /// When the seed is larger.
    pub fn with_seed(&self, seed: u64) -> Result<Self, Error> {
        check_seed(seed, &self.without_text())?;
        Ok(Self {
            seed,
            ..self.clone()
        })
    }

    /// Returns the scenario with `workloads` instead of its own; there may be none.
    ///
    /// # Errors
    /// When one of them cannot be sent.
    pub fn with_workloads(&self, mut workloads: Vec<BoxedWorkload>) -> Result<Self, Error> {
        let blame = self.without_text();
        let traffic = Traffic {
            topology: self.topology(),
            folder: self.folder(),
            seed: self.seed(),
            profile: self.profile(),
        };
        traffic.load(&mut workloads, &blame)?;
        let scenario = Self {
            workloads,
            ..self.clone()
        };
        scenario.check(&blame)?;
        Ok(scenario)
    }
}

impl ScenarioBuilder {
    /// Sets the name of the results.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the folder that paths of files are relative to; without it they are relative to the
    /// working folder.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = folder.into();
        self
    }

    /// Sets the seed of every random stream, 0 to 2^63 - 1.
    #[must_use]
    pub const fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the profile: the simulator whose arithmetic and defaults are taken over.
    #[must_use]
    pub const fn profile(mut self, profile: Profile) -> Self {
        self.profile = Some(profile);
        self
    }

    /// Sets the network.
    #[must_use]
    pub fn topology(mut self, topology: impl TopologyKind) -> Self {
        self.topology = Some(Box::new(topology));
        self
    }

    /// Sets the switches.
    #[must_use]
    pub fn switch(mut self, switch: SwitchSettings) -> Self {
        self.switch = switch;
        self
    }

    /// Adds a discipline for queues of TCP; the first one that fits a queue holds.
    #[must_use]
    pub fn queue(mut self, rule: QueueRule) -> Self {
        self.queues.push(rule);
        self
    }

    /// Sets RDMA.
    #[must_use]
    pub fn transport(mut self, transport: RdmaConfig) -> Self {
        self.transport = transport;
        self
    }

    /// Sets TCP; without it TCP has the datacenter profile.
    #[must_use]
    pub fn tcp(mut self, tcp: TcpConfig) -> Self {
        self.tcp = tcp;
        self
    }

    /// Sets the routes, with a built-in policy.
    #[must_use]
    pub fn routing(mut self, routing: RoutingSettings) -> Self {
        self.routing = routing;
        self
    }

    /// Sets what chooses among equal next hops, whatever policy [`routing`](Self::routing) names.
    #[must_use]
    pub fn routing_policy(mut self, policy: impl RoutingPolicy + 'static) -> Self {
        self.routing_policy = Some(Arc::new(policy));
        self
    }

    /// Adds a workload, whose place among the workloads is the class of its flows. Its priority is
    /// used as it is: flows of TCP and of RDMA need different ones.
    #[must_use]
    pub fn workload(mut self, workload: impl WorkloadKind) -> Self {
        self.workloads.push(boxed(workload));
        self
    }

    /// Adds a topology event.
    #[must_use]
    pub fn event(mut self, event: Event) -> Self {
        self.events.push(event);
        self
    }

    /// Sets the congestion control of classes that have none of their own.
    #[must_use]
    pub fn cc(mut self, cc: AnyCcConfig) -> Self {
        self.cc = Some(cc);
        self
    }

    /// Sets the congestion control of one class.
    #[must_use]
    pub fn class_cc(mut self, class: ClassId, cc: AnyCcConfig) -> Self {
        self.class_cc.insert(class, cc);
        self
    }

    /// Sets when to stop.
    #[must_use]
    pub const fn run(mut self, run: RunSettings) -> Self {
        self.run = run;
        self
    }

    /// Sets where results go.
    #[must_use]
    pub fn output(mut self, output: OutputSettings) -> Self {
        self.output = output;
        self
    }

    /// Asks for time series.
    #[must_use]
    pub fn observe(mut self, observe: ObserveSettings) -> Self {
        self.observe = Some(observe);
        self
    }

    /// Asks packets for values on their way.
    #[must_use]
    pub fn queries(mut self, queries: QuerySettings) -> Self {
        self.queries = Some(queries);
        self
    }

    /// Builds the network, reads the files that settings name, and checks everything as if it were
    /// read from a text.
    ///
    /// # Errors
    /// The first setting that cannot be used, what is wrong with it and what would be right.
    pub fn build(self) -> Result<Scenario, Error> {
        let blame = WithoutText {
            scenario: self.name.clone(),
        };
        self.check_tables(&blame)?;
        let missing = |what: &str| {
            let message = format!("the scenario has no {what}");
            blame.error(message, format!("give one with `ScenarioBuilder::{what}`"))
        };
        let Some(topology_config) = self.topology else {
            return Err(missing("topology"));
        };
        let refuse = |error| blame.refused(Part::Topology, error);
        let topology = build_topology(&*topology_config, &self.folder, &refuse)?;
        let Some(cc) = self.cc else {
            return Err(missing("cc"));
        };
        for event in &self.events {
            event
                .validate(&topology)
                .map_err(|error| blame.refused("[[event]]", error))?;
        }
        if let Some(observe) = &self.observe {
            observe
                .validate(&topology, &self.run)
                .map_err(|error| blame.refused("[observe]", error))?;
        }
        let mut queries = self.queries;
        if let Some(queries) = &mut queries {
            queries.admit_all(&blame)?;
        }
        let mut routing = self.routing;
        if let Some(own) = &self.routing_policy {
            routing.policy = Some(own.name().to_owned());
        }
        let routing_policy = match self.routing_policy {
            Some(own) => own,
            None => find_policy(&routing, &Registry::default())
                .map_err(|error| blame.refused("[routing]", error))?,
        };
        let mut workloads = self.workloads;
        let traffic = Traffic {
            topology: &topology,
            folder: &self.folder,
            seed: self.seed,
            profile: self.profile,
        };
        traffic.load(&mut workloads, &blame)?;
        let scenario = Scenario {
            name: self.name,
            folder: self.folder,
            seed: self.seed,
            profile: self.profile,
            topology_config,
            topology: Arc::new(topology),
            switch: self.switch,
            queues: self.queues,
            transport: self.transport,
            tcp: self.tcp,
            routing,
            routing_policy,
            workloads,
            events: self.events,
            cc,
            class_cc: self.class_cc,
            run: self.run,
            output: self.output,
            observe: self.observe,
            queries,
            places: Arc::new(Places::Without(blame.clone())),
        };
        scenario.check(&blame)?;
        Ok(scenario)
    }
}

/// Context with which workloads are completed.
struct Traffic<'a> {
    topology: &'a Topology,
    folder: &'a std::path::Path,
    seed: u64,
    profile: Option<Profile>,
}

impl Traffic<'_> {
    /// Reads the files of `workloads`, and refuses those that cannot be sent.
    fn load(&self, workloads: &mut [BoxedWorkload], blame: &WithoutText) -> Result<(), Error> {
        check_count(workloads.len()).map_err(|(_, message, help)| blame.error(message, help))?;
        let hosts = hosts(self.topology);
        let mut flows = FlowCount::default();
        for (index, workload) in workloads.iter_mut().enumerate() {
            let context = WorkloadContext {
                hosts: Arc::clone(&hosts),
                seed: self.seed,
                index: index as u64,
            };
            let title = format!("[[workload]] {}", index + 1);
            let refuse = |error| blame.refused(&title, error);
            let times = quirks(self.profile).start_times;
            let expected = load_workload(&mut **workload, self.folder, &context, times, &refuse)?;
            flows
                .add(index, expected)
                .map_err(|(message, help)| blame.error(message, help))?;
        }
        Ok(())
    }
}
