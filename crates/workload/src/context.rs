//! Information about the network and the run that a workload is built with.

use std::fmt;
use std::sync::Arc;

use fabricsim_base::id::NodeId;
use fabricsim_base::units::Rate;

/// A host as a workload sees it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Host {
    /// The host's number in the topology.
    pub id: NodeId,
    /// The sum of the rates of its network interfaces.
    pub rate: Rate,
}

/// What the nodes of a topology are called.
pub trait NodeNames: fmt::Debug + Send + Sync {
    /// The name of `node`, if there is such a node.
    fn name(&self, node: NodeId) -> Option<&str>;
}

/// The names of the nodes, where they have any.
#[derive(Clone, Debug, Default)]
pub struct Names(Option<Arc<dyn NodeNames>>);

impl Names {
    /// The names that `names` gives.
    pub fn new(names: impl NodeNames + 'static) -> Self {
        Self(Some(Arc::new(names)))
    }

    /// The name of `node`, if it has one.
    pub(crate) fn name(&self, node: NodeId) -> Option<&str> {
        self.0.as_ref()?.name(node)
    }

    /// The name of `node` and its number, for messages: `tor3 (node 19)`.
    pub(crate) fn label(&self, node: NodeId) -> String {
        match self.name(node) {
            Some(name) => format!("{name} (node {node})"),
            None => format!("node {node}"),
        }
    }
}

/// The hosts and the randomness that a workload is built with.
#[derive(Clone, Debug)]
pub struct WorkloadContext {
    /// All hosts of the topology, in the order of their numbers.
    pub hosts: Arc<[Host]>,
    /// The run's seed.
    pub seed: u64,
    /// The number of the workload in the scenario, from zero; below 2^32.
    pub index: u64,
    /// What nodes are called in messages and lists.
    pub names: Names,
}

impl WorkloadContext {
    /// The random-stream entity of one host in this workload.
    pub(crate) fn host_entity(&self, host: NodeId) -> u64 {
        self.index << 32 | u64::from(host.0)
    }

    /// The random-stream entity of this workload as a whole.
    pub(crate) fn own_entity(&self) -> u64 {
        self.index << 32 | u64::from(u32::MAX)
    }

    /// The first of the random-stream entities of this workload that are not of hosts. Those of
    /// hosts are the same: a workload has the one or the other.
    pub(crate) const fn entity(&self) -> u64 {
        self.index << 32
    }

    /// The position in `hosts` of the host numbered `id`.
    pub(crate) fn position(&self, id: NodeId) -> Option<usize> {
        self.hosts.iter().position(|host| host.id == id)
    }

    /// "0 to 63" for messages: the least and the greatest number of a host.
    pub(crate) fn host_numbers(&self) -> String {
        host_numbers(&self.hosts)
    }
}

/// "0 to 63" for messages: the least and the greatest number of a host.
pub(crate) fn host_numbers(hosts: &[Host]) -> String {
    let least = hosts.iter().map(|host| host.id).min();
    let greatest = hosts.iter().map(|host| host.id).max();
    match least.zip(greatest) {
        Some((least, greatest)) => format!("{least} to {greatest}"),
        None => "none".to_owned(),
    }
}

/// Traffic that a workload will generate: an expectation when it is random, exact when it is not.
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

    /// `count` hosts numbered from zero, at 100 Gbps.
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
        }
    }

    /// Hosts called `h0` and so on.
    #[derive(Debug)]
    struct Lettered(Vec<String>);

    impl NodeNames for Lettered {
        fn name(&self, node: NodeId) -> Option<&str> {
            self.0.get(node.index()).map(String::as_str)
        }
    }

    /// Like [`context`], whose hosts are called `h0` and so on, and the node after them `sw`.
    pub(crate) fn named(count: u32, seed: u64) -> WorkloadContext {
        let hosts = (0..count).map(|number| format!("h{number}"));
        let names = hosts.chain(["sw".to_owned()]).collect();
        WorkloadContext {
            names: Names::new(Lettered(names)),
            ..context(count, seed)
        }
    }
}
