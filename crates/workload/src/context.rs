//! The information about the network and the run that workloads use.

use std::fmt;
use std::sync::Arc;

use fabricsim_base::id::NodeId;
use fabricsim_base::units::Rate;

use crate::reducers::Reducers;

/// The properties of a host that workloads use.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Host {
    /// The host's number in the topology.
    pub id: NodeId,
    /// The sum of the rates of its network interfaces.
    pub rate: Rate,
}

/// The names of the nodes of a topology.
pub trait NodeNames: fmt::Debug + Send + Sync {
    /// Returns the name of `node` if the node exists.
    fn name(&self, node: NodeId) -> Option<&str>;
}

/// The names of the nodes, if they have any.
#[derive(Clone, Debug, Default)]
pub struct Names(Option<Arc<dyn NodeNames>>);

impl Names {
    /// Wraps the names of a topology.
    pub fn new(names: impl NodeNames + 'static) -> Self {
        Self(Some(Arc::new(names)))
    }

    /// Returns the name of `node` if it has one.
    pub(crate) fn name(&self, node: NodeId) -> Option<&str> {
        self.0.as_ref()?.name(node)
    }

    /// Returns the name of `node` and its number, for messages: `tor3 (node 19)`.
    pub(crate) fn label(&self, node: NodeId) -> String {
        match self.name(node) {
            Some(name) => format!("{name} (node {node})"),
            None => format!("node {node}"),
        }
    }
}

/// The hosts and the randomness for building a workload.
#[derive(Clone, Debug)]
pub struct WorkloadContext {
    /// All hosts of the topology, in the order of their numbers.
    pub hosts: Arc<[Host]>,
    /// The run's seed.
    pub seed: u64,
    /// The number of the workload in the scenario, from zero; below 2^32.
    pub index: u64,
    /// The names of nodes, for messages and lists.
    pub names: Names,
    /// The switches that reduce messages, if switches do.
    pub reducers: Option<Reducers>,
}

impl WorkloadContext {
    /// Returns the random-stream entity of one host in this workload.
    pub(crate) fn host_entity(&self, host: NodeId) -> u64 {
        self.index << 32 | u64::from(host.0)
    }

    /// Returns the random-stream entity of this workload as a whole.
    pub(crate) fn own_entity(&self) -> u64 {
        self.index << 32 | u64::from(u32::MAX)
    }

    /// Returns the first random-stream entity of this workload for streams that do not belong to
    /// hosts. The numbers overlap with the entities of hosts, so a workload must use only one of
    /// the two.
    pub(crate) const fn entity(&self) -> u64 {
        self.index << 32
    }

    /// Returns the position in `hosts` of the host numbered `id`.
    pub(crate) fn position(&self, id: NodeId) -> Option<usize> {
        self.hosts.iter().position(|host| host.id == id)
    }

    /// Returns the lowest and the highest number of a host, for messages: "0 to 63".
    pub(crate) fn host_numbers(&self) -> String {
        host_numbers(&self.hosts)
    }
}

/// Returns the lowest and the highest number of a host, for messages: "0 to 63".
pub(crate) fn host_numbers(hosts: &[Host]) -> String {
    let least = hosts.iter().map(|host| host.id).min();
    let greatest = hosts.iter().map(|host| host.id).max();
    match least.zip(greatest) {
        Some((least, greatest)) => format!("{least} to {greatest}"),
        None => "none".to_owned(),
    }
}

/// Traffic that a workload will generate: an expectation if it is random, otherwise exact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Expected {
    /// Number of flows.
    pub flows: f64,
    /// Payload bytes of all flows.
    pub bytes: f64,
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// Returns `count` hosts numbered from zero, at 100 Gbps.
    pub(crate) fn context(count: u32, seed: u64) -> WorkloadContext {
        let hosts = (0..count)
            .map(|n| Host {
                id: NodeId(n),
                rate: Rate::from_gbps(100),
            })
            .collect();
        WorkloadContext {
            hosts,
            seed,
            index: 0,
            names: Names::default(),
            reducers: None,
        }
    }

    /// Hosts named `h0` and so on.
    #[derive(Debug)]
    struct Lettered(Vec<String>);

    impl NodeNames for Lettered {
        fn name(&self, node: NodeId) -> Option<&str> {
            self.0.get(node.index()).map(String::as_str)
        }
    }

    /// Like [`context`], but the hosts are named `h0` and so on, and the node after them `sw`.
    pub(crate) fn named(count: u32, seed: u64) -> WorkloadContext {
        let hosts = (0..count).map(|number| format!("h{number}"));
        let names = hosts.chain(["sw".to_owned()]).collect();
        WorkloadContext {
            names: Names::new(Lettered(names)),
            ..context(count, seed)
        }
    }
}
