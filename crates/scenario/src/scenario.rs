//! A scenario: everything that decides what a simulation does.

pub(crate) mod check;
pub(crate) mod classes;
pub(crate) mod counts;
pub mod places;
mod resolved;
pub mod size;
mod timeout;
pub mod transports;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fabricsim_core::id::ClassId;
use fabricsim_core::plugin::Fidelity;
use fabricsim_core::units::Rate;
use fabricsim_topology::{Topology, TopologyConfig};
use fabricsim_transport::rdma::RdmaConfig;
use fabricsim_transport::tcp::TcpConfig;
use fabricsim_workload::{Host, WorkloadConfig, WorkloadContext};

use crate::cc::registry::AnyCcConfig;
use crate::scenario::places::Places;
use crate::schema::event::Event;
use crate::schema::observe::ObserveSettings;
use crate::schema::profile::{Profile, fidelity};
use crate::schema::queries::QuerySettings;
use crate::schema::queue::QueueRule;
use crate::schema::routing::RoutingSettings;
use crate::schema::run::{OutputSettings, RunSettings};
use crate::schema::switch::SwitchSettings;

/// A scenario that has been read, checked and given its topology.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Names the results.
    pub name: String,
    /// What paths in it are relative to.
    pub folder: PathBuf,
    /// Seed of every random stream.
    pub seed: u64,
    /// Whose quirks to take over.
    pub profile: Option<Profile>,
    /// Where the network comes from.
    pub topology_config: TopologyConfig,
    /// The network.
    pub topology: Arc<Topology>,
    /// The switches.
    pub switch: SwitchSettings,
    /// The disciplines of the queues of TCP, in the order of the scenario; the first one that fits holds.
    pub queues: Vec<QueueRule>,
    /// RDMA.
    pub transport: RdmaConfig,
    /// TCP.
    pub tcp: TcpConfig,
    /// The routes.
    pub routing: RoutingSettings,
    /// The traffic, in the order of the scenario: a flow's class is its place here.
    pub workloads: Vec<WorkloadConfig>,
    /// What fails and comes back, in the order of the scenario.
    pub events: Vec<Event>,
    /// The algorithm.
    pub cc: AnyCcConfig,
    /// The algorithms of classes that have their own.
    pub class_cc: BTreeMap<ClassId, AnyCcConfig>,
    /// When to stop.
    pub run: RunSettings,
    /// Where results go.
    pub output: OutputSettings,
    /// The time series to write, if any.
    pub observe: Option<ObserveSettings>,
    /// What packets are asked on their way, if anything.
    pub queries: Option<QuerySettings>,
    /// Where its tables stand, for messages.
    pub places: Arc<Places>,
}

impl Scenario {
    /// Whose arithmetic the simulation uses.
    #[must_use]
    pub const fn fidelity(&self) -> Fidelity {
        fidelity(self.profile)
    }

    /// The most common rate of the hosts' NIC ports, the highest of equally common ones.
    #[must_use]
    pub fn nic_rate(&self) -> Rate {
        nic_rate(&self.topology)
    }

    /// The distinct rates of all links, ascending, with those that events give them.
    #[must_use]
    pub fn link_rates(&self) -> Vec<Rate> {
        let mut rates: Vec<Rate> = self.topology.links().iter().map(|link| link.rate).collect();
        rates.extend(self.events.iter().filter_map(|event| event.kind.rate()));
        rates.sort_unstable();
        rates.dedup();
        rates
    }

    /// What workload `index` is built with.
    #[must_use]
    pub fn workload_context(&self, index: usize) -> WorkloadContext {
        WorkloadContext {
            hosts: hosts(&self.topology),
            seed: self.seed,
            index: index as u64,
        }
    }

    /// The folder of the results.
    #[must_use]
    pub fn output_dir(&self) -> PathBuf {
        self.output
            .dir
            .clone()
            .unwrap_or_else(|| Path::new("results").join(&self.name))
    }
}

fn nic_rate(topology: &Topology) -> Rate {
    let mut rates: Vec<Rate> = topology
        .hosts()
        .iter()
        .flat_map(|&host| topology.ports(host).iter().map(|port| port.rate))
        .collect();
    rates.sort_unstable();
    rates
        .chunk_by(|a, b| a == b)
        .max_by_key(|same| (same.len(), same[0]))
        .map_or(Rate::from_gbps(100), |same| same[0])
}

/// Returns the hosts of `topology` with the rates of all their ports.
pub(crate) fn hosts(topology: &Topology) -> Arc<[Host]> {
    topology
        .hosts()
        .iter()
        .map(|&id| {
            let bps = topology
                .ports(id)
                .iter()
                .map(|port| port.rate.as_bps())
                .sum();
            Host {
                id,
                rate: Rate::from_bps(bps).expect("a host has a link, and a link a rate"),
            }
        })
        .collect()
}
