//! A scenario: everything that determines a simulation.

pub(crate) mod check;
pub(crate) mod classes;
pub(crate) mod counts;
mod forwarding;
mod paths;
pub(crate) mod places;
mod reducers;
mod resolved;
pub mod size;
mod slow_ports;
mod tags;
pub mod tcp_queues;
mod timeout;
pub mod transports;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::units::Rate;
use fabricsim_core::plugin::Quirks;
use fabricsim_core::plugin::quirks::NicRateSource;
use fabricsim_topology::{BoxedTopology, RoutingPolicy, Topology};
use fabricsim_transport::rdma::RdmaConfig;
use fabricsim_transport::tcp::TcpConfig;
use fabricsim_workload::{BoxedWorkload, Host, Names, NodeNames, WorkloadContext};

use crate::cc::registry::AnyCcConfig;
use crate::scenario::places::Places;
pub(crate) use crate::scenario::reducers::{after, reducers};
use crate::schema::capture::CaptureSettings;
use crate::schema::event::Event;
use crate::schema::host::HostSettings;
use crate::schema::observe::ObserveSettings;
use crate::schema::part::Part;
use crate::schema::profile::{Profile, quirks};
use crate::schema::queries::QuerySettings;
use crate::schema::queue::QueueRule;
use crate::schema::routing::RoutingSettings;
use crate::schema::run::{IdealRule, OutputSettings, RunSettings};
use crate::schema::switch::SwitchSettings;
use crate::text::error::Error;

/// A scenario with its topology, read and checked.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Name of the results.
    pub(crate) name: String,
    /// Base folder of relative paths in the scenario.
    pub(crate) folder: PathBuf,
    /// Seed of every random stream.
    pub(crate) seed: u64,
    /// Simulator to reproduce with its quirks, if any.
    pub(crate) profile: Option<Profile>,
    /// Configuration of the topology.
    pub(crate) topology_config: BoxedTopology,
    /// The network, with the delays of hosts.
    pub(crate) topology: Arc<Topology>,
    /// The hosts.
    pub(crate) host: HostSettings,
    /// The switches.
    pub(crate) switch: SwitchSettings,
    /// The disciplines of the queues of TCP, in the order of the scenario; the first one that
    /// matches a queue decides.
    pub(crate) queues: Vec<QueueRule>,
    /// RDMA.
    pub(crate) transport: RdmaConfig,
    /// TCP.
    pub(crate) tcp: TcpConfig,
    /// The routing settings.
    pub(crate) routing: RoutingSettings,
    /// Policy that chooses among equal next hops.
    pub(crate) routing_policy: Arc<dyn RoutingPolicy>,
    /// The workloads, in the order of the scenario: a flow's class is the index of its workload.
    pub(crate) workloads: Vec<BoxedWorkload>,
    /// Network events, such as failures and recoveries, in the order of the scenario.
    pub(crate) events: Vec<Event>,
    /// The congestion control of classes without their own.
    pub(crate) cc: AnyCcConfig,
    /// The congestion control of classes with their own.
    pub(crate) class_cc: BTreeMap<ClassId, AnyCcConfig>,
    /// The conditions for stopping.
    pub(crate) run: RunSettings,
    /// The destination of the results.
    pub(crate) output: OutputSettings,
    /// The time series to write, if any.
    pub(crate) observe: Option<ObserveSettings>,
    /// The capture to write, if any.
    pub(crate) capture: Option<CaptureSettings>,
    /// Queries that packets serve on their way, if any.
    pub(crate) queries: Option<QuerySettings>,
    /// Positions of the scenario's tables, for messages.
    pub(crate) places: Arc<Places>,
    /// The text of the scenario, if it was read from a single text.
    pub(crate) text: Option<Arc<ScenarioText>>,
}

/// The text of a scenario, with all overrides applied.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ScenarioText {
    /// Name of the text in messages: the name of its file.
    pub source: String,
    /// The text, in TOML.
    pub text: String,
    /// Base folder of relative paths in the text.
    pub folder: PathBuf,
}

/// The parts of a scenario.
impl Scenario {
    /// Returns the text of the scenario; `None` if a program has built it, or if it was composed of
    /// several texts.
    #[must_use]
    pub fn text(&self) -> Option<&ScenarioText> {
        self.text.as_deref()
    }

    /// Returns the name of the results.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the base folder of relative paths in the scenario.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the seed of every random stream.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the simulator to reproduce with its quirks, if any.
    #[must_use]
    pub const fn profile(&self) -> Option<Profile> {
        self.profile
    }

    /// Returns the configuration of the topology.
    #[must_use]
    pub const fn topology_config(&self) -> &BoxedTopology {
        &self.topology_config
    }

    /// Returns the network.
    #[must_use]
    pub const fn topology(&self) -> &Arc<Topology> {
        &self.topology
    }

    /// Returns the settings of hosts.
    #[must_use]
    pub const fn host(&self) -> &HostSettings {
        &self.host
    }

    /// Returns the settings of switches.
    #[must_use]
    pub const fn switch(&self) -> &SwitchSettings {
        &self.switch
    }

    /// Returns the disciplines of the queues of TCP, in the order of the scenario; the first one
    /// that matches a queue decides.
    #[must_use]
    pub fn queues(&self) -> &[QueueRule] {
        &self.queues
    }

    /// Returns the settings of RDMA.
    #[must_use]
    pub const fn transport(&self) -> &RdmaConfig {
        &self.transport
    }

    /// Returns the settings of TCP.
    #[must_use]
    pub const fn tcp(&self) -> &TcpConfig {
        &self.tcp
    }

    /// Returns the routing settings.
    #[must_use]
    pub const fn routing(&self) -> &RoutingSettings {
        &self.routing
    }

    /// Returns the policy that chooses among equal next hops.
    #[must_use]
    pub fn routing_policy(&self) -> &Arc<dyn RoutingPolicy> {
        &self.routing_policy
    }

    /// Returns the workloads, in the order of the scenario: a flow's class is the index of its
    /// workload.
    #[must_use]
    pub fn workloads(&self) -> &[BoxedWorkload] {
        &self.workloads
    }

    /// Returns network events, such as failures and recoveries, in the order of the scenario.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Returns the congestion control of classes without their own.
    #[must_use]
    pub const fn cc(&self) -> &AnyCcConfig {
        &self.cc
    }

    /// Returns the congestion control of classes with their own.
    #[must_use]
    pub const fn class_cc(&self) -> &BTreeMap<ClassId, AnyCcConfig> {
        &self.class_cc
    }

    /// Returns the conditions for stopping.
    #[must_use]
    pub const fn run(&self) -> &RunSettings {
        &self.run
    }

    /// Returns the destination of the results.
    #[must_use]
    pub const fn output(&self) -> &OutputSettings {
        &self.output
    }

    /// Returns the time series to write, if any.
    #[must_use]
    pub const fn observe(&self) -> Option<&ObserveSettings> {
        self.observe.as_ref()
    }

    /// Returns the capture to write, if any.
    #[must_use]
    pub const fn capture(&self) -> Option<&CaptureSettings> {
        self.capture.as_ref()
    }

    /// Returns the queries that packets serve on their way, if any.
    #[must_use]
    pub const fn queries(&self) -> Option<&QuerySettings> {
        self.queries.as_ref()
    }

    /// Shares the network and the lists of flows with `other` if they are equal, to save memory:
    /// they are large, and equal for most points of a sweep.
    pub fn share_with(&mut self, other: &Self) {
        if *other.topology == *self.topology {
            self.topology = Arc::clone(&other.topology);
        }
        for (workload, same) in self.workloads.iter_mut().zip(&other.workloads) {
            if workload == same {
                workload.clone_from(same);
            }
        }
    }

    /// Returns the error of a part that turns out to be wrong while its network is built; it has a
    /// position if the scenario has a text.
    #[must_use]
    pub fn refuse(&self, part: Part, message: impl Into<String>, help: impl Into<String>) -> Error {
        self.places.refuse(part, message.into(), help.into())
    }
}

impl Scenario {
    /// Returns the profile's deviations, with which a run reproduces the reference simulator.
    #[must_use]
    pub const fn quirks(&self) -> &'static Quirks {
        quirks(self.profile)
    }

    /// Returns the rule for ideal completion times: the one that is set, or the profile's default.
    #[must_use]
    pub fn ideal_rule(&self) -> IdealRule {
        self.output.ideal.unwrap_or(match self.profile {
            None => IdealRule::Exact,
            Some(Profile::Ns3Hpcc) => IdealRule::Published,
        })
    }

    /// Returns the most common rate of the hosts' NICs, the highest of equally common ones. Under a
    /// profile, it is the rate of the first host's first link ([`Quirks::nic_rate`]).
    #[must_use]
    pub fn nic_rate(&self) -> Rate {
        match self.quirks().nic_rate {
            NicRateSource::Flow => self.topology.commonest_nic_rate(),
            NicRateSource::FirstHost => first_nic_rate(&self.topology),
        }
    }

    /// Returns the distinct rates of all links, ascending, including rates that events set.
    #[must_use]
    pub fn link_rates(&self) -> Vec<Rate> {
        let mut rates: Vec<Rate> = self.topology.rates().collect();
        rates.extend(self.events.iter().filter_map(|event| event.kind.rate()));
        rates.sort_unstable();
        rates.dedup();
        rates
    }

    /// Returns the context for building workload `index`.
    #[must_use]
    pub fn workload_context(&self, index: usize) -> WorkloadContext {
        let mut context = WorkloadContext {
            hosts: hosts(&self.topology),
            seed: self.seed,
            index: 0,
            names: names(&self.topology),
            reducers: reducers(&self.topology),
        };
        for workload in self.workloads.iter().take(index) {
            context = after(&**workload, context);
        }
        WorkloadContext {
            index: index as u64,
            ..context
        }
    }

    /// Returns the folder of the results.
    #[must_use]
    pub fn output_dir(&self) -> PathBuf {
        self.output
            .dir
            .clone()
            .unwrap_or_else(|| Path::new("results").join(&self.name))
    }
}

fn first_nic_rate(topology: &Topology) -> Rate {
    let first = topology.hosts().first();
    let first = first.and_then(|&host| topology.nics(host).next());
    first.map_or(Rate::from_gbps(100), |port| port.rate)
}

/// Gives access to the node names of a topology.
#[derive(Debug)]
struct Called(Topology);

impl NodeNames for Called {
    fn name(&self, node: NodeId) -> Option<&str> {
        (node.index() < self.0.len()).then(|| self.0.name(node))
    }
}

/// Returns the names of the nodes of `topology`.
pub(crate) fn names(topology: &Topology) -> Names {
    Names::new(Called(topology.clone()))
}

/// Returns the hosts of `topology` with the rates of all their NICs.
pub(crate) fn hosts(topology: &Topology) -> Arc<[Host]> {
    topology
        .hosts()
        .iter()
        .map(|&id| {
            let bps = topology.nics(id).map(|port| port.rate.as_bps()).sum();
            Host {
                id,
                rate: Rate::from_bps(bps).expect("a host has a link, and a link a rate"),
            }
        })
        .collect()
}
