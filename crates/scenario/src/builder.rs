//! Scenarios that a program builds from settings, without a text.

mod check;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use fabricsim_base::id::ClassId;
use fabricsim_topology::{BoxedTopology, RoutingPolicy, TopologyKind};
use fabricsim_transport::rdma::RdmaConfig;
use fabricsim_transport::tcp::{TcpConfig, TcpProfile};
use fabricsim_workload::{BoxedWorkload, WorkloadKind, boxed};

use self::check::{check_name, check_recording, check_seed};
use crate::cc::registry::AnyCcConfig;
use crate::kinds::Registry;
use crate::read::routing::policy_of;
use crate::read::topology::{build_topology, completed};
use crate::read::traffic::Traffic;
use crate::scenario::Scenario;
use crate::scenario::places::Places;
use crate::schema::capture::CaptureSettings;
use crate::schema::event::Event;
use crate::schema::host::HostSettings;
use crate::schema::observe::ObserveSettings;
use crate::schema::part::{Part, Refused, WithoutText};
use crate::schema::profile::{Profile, quirks};
use crate::schema::queries::QuerySettings;
use crate::schema::queue::QueueRule;
use crate::schema::routing::RoutingSettings;
use crate::schema::run::{OutputSettings, RunSettings};
use crate::schema::switch::SwitchSettings;
use crate::text::error::Error;

/// Builds a [`Scenario`] from settings. A topology and a congestion control are required; all other
/// settings default to the defaults of their tables. Without a workload, nothing is sent except the
/// messages that a program adds to the simulation.
///
/// ```
/// use fabricsim_base::units::Bytes;
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
    host: HostSettings,
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
    capture: Option<CaptureSettings>,
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
            host: HostSettings::default(),
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
            capture: None,
            queries: None,
        }
    }
}

impl Scenario {
    /// Returns a builder, for programs that create a scenario without a text.
    #[must_use]
    pub fn builder() -> ScenarioBuilder {
        ScenarioBuilder::default()
    }

    /// Returns the scenario with another seed, 0 to 2^63 - 1.
    ///
    /// # Errors
    /// Fails if the seed is larger.
    pub fn with_seed(&self, seed: u64) -> Result<Self, Error> {
        check_seed(seed, &self.without_text())?;
        Ok(Self {
            seed,
            ..self.clone()
        })
    }

    /// Returns the scenario with `workloads` instead of its own; the list may be empty.
    ///
    /// # Errors
    /// Fails if one of them does not fit the network.
    pub fn with_workloads(&self, mut workloads: Vec<BoxedWorkload>) -> Result<Self, Error> {
        let traffic = Traffic {
            topology: self.topology(),
            folder: self.folder(),
            seed: self.seed(),
            times: quirks(self.profile()).start_times,
        };
        let loaded = traffic.load(workloads.iter_mut());
        let scenario = Self {
            workloads,
            ..self.clone()
        };
        let checked = loaded.and_then(|()| scenario.check());
        checked.map_err(|refused| self.without_text().refuse(refused))?;
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

    /// Sets the base folder of relative paths; the default is the working folder.
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

    /// Sets the profile: the simulator to reproduce, with its arithmetic and its defaults.
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

    /// Sets the hosts.
    #[must_use]
    pub fn host(mut self, host: HostSettings) -> Self {
        self.host = host;
        self
    }

    /// Sets the switches.
    #[must_use]
    pub fn switch(mut self, switch: SwitchSettings) -> Self {
        self.switch = switch;
        self
    }

    /// Adds a discipline for queues of TCP; the first rule that matches a queue decides.
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

    /// Sets TCP; by default, TCP has the datacenter profile.
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

    /// Sets the policy for choosing among equal next hops; it overrides [`routing`](Self::routing).
    #[must_use]
    pub fn routing_policy(mut self, policy: impl RoutingPolicy + 'static) -> Self {
        self.routing_policy = Some(Arc::new(policy));
        self
    }

    /// Adds a workload; its index becomes the class of its flows. Its priority is not adjusted:
    /// flows of TCP and RDMA need different ones.
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

    /// Sets the congestion control of all classes without their own.
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

    /// Sets the conditions for stopping.
    #[must_use]
    pub const fn run(mut self, run: RunSettings) -> Self {
        self.run = run;
        self
    }

    /// Sets the destination of the results.
    #[must_use]
    pub fn output(mut self, output: OutputSettings) -> Self {
        self.output = output;
        self
    }

    /// Enables time series.
    #[must_use]
    pub fn observe(mut self, observe: ObserveSettings) -> Self {
        self.observe = Some(observe);
        self
    }

    /// Enables a capture of the frames at ports.
    #[must_use]
    pub fn capture(mut self, capture: CaptureSettings) -> Self {
        self.capture = Some(capture);
        self
    }

    /// Enables queries that packets serve on their way.
    #[must_use]
    pub fn queries(mut self, queries: QuerySettings) -> Self {
        self.queries = Some(queries);
        self
    }

    /// Builds the network, reads the files that settings name, and makes the same checks as for a
    /// text.
    ///
    /// # Errors
    /// Returns the first setting that cannot be used, with a message and help.
    pub fn build(self) -> Result<Scenario, Error> {
        let scenario = WithoutText {
            scenario: self.name.clone(),
        };
        check_name(&self.name, &scenario)?;
        check_seed(self.seed, &scenario)?;
        self.checked().map_err(|refused| scenario.refuse(refused))
    }

    fn checked(self) -> Result<Scenario, Refused> {
        // Same order as for a text: tables alone, then the network, then everything that refers to
        // it.
        self.check_tables()?;
        let Some(topology_config) = self.topology else {
            return Err(missing(Part::Topology, "topology"));
        };
        let topology = build_topology(&*topology_config, &self.folder)
            .map_err(|reason| Part::Topology.refused(reason))?;
        let topology = completed(topology, &self.host, &self.switch)?;
        let Some(cc) = self.cc else {
            return Err(missing(Part::Cc, "cc"));
        };
        // Events refer to nodes and links, so their check needs the network.
        for (index, event) in self.events.iter().enumerate() {
            event
                .validate(&topology)
                .map_err(|error| Part::Event(index).refused(error))?;
        }
        let (observe, capture) = (self.observe.as_ref(), self.capture.as_ref());
        check_recording(observe, capture, &self.run, &topology)?;
        let mut queries = self.queries;
        if let Some(queries) = &mut queries {
            queries.admit_all()?;
        }
        // A policy given as a value takes precedence over the name in the settings.
        let mut routing = self.routing;
        if let Some(own) = &self.routing_policy {
            routing.policy = Some(own.name().to_owned());
        }
        let routing_policy = match self.routing_policy {
            Some(own) => own,
            None => policy_of(&mut routing, None, &Registry::default())
                .map_err(|error| Part::Routing.refused(error))?,
        };
        let mut workloads = self.workloads;
        let traffic = Traffic {
            topology: &topology,
            folder: &self.folder,
            seed: self.seed,
            times: quirks(self.profile).start_times,
        };
        traffic.load(workloads.iter_mut())?;
        let places = Places::Without(WithoutText {
            scenario: self.name.clone(),
        });
        // The whole scenario exists now; checks across parts come last.
        let scenario = Scenario {
            name: self.name,
            folder: self.folder,
            seed: self.seed,
            profile: self.profile,
            topology_config,
            topology: Arc::new(topology),
            host: self.host,
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
            capture: self.capture,
            queries,
            places: Arc::new(places),
            text: None,
        };
        scenario.check()?;
        Ok(scenario)
    }
}

/// Returns the error for a required part that the method `name` sets.
fn missing(part: Part, name: &str) -> Refused {
    part.refused_whole(
        format!("the scenario has no {name}"),
        format!("give one with `ScenarioBuilder::{name}`"),
    )
}
