//! Division of a scenario's network over ranks, and the agreement of ranks before a run.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use fabricsim_base::id::NodeId;
use fabricsim_base::ranks::{Link, Ranks, Shares, divide};
use fabricsim_core::network::HOST_COST;
use fabricsim_scenario::text::error::Error;
use fabricsim_topology::Topology;

use crate::summary::peak_memory;

/// Resources used by one rank of a run.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct RankUsage {
    /// CPU time of the simulation, in seconds.
    pub cpu_s: f64,
    /// The most memory that its process has used, in bytes, if the system reports it.
    pub peak_memory_bytes: Option<u64>,
}

/// Returns the CPU time of all ranks, given that this one used `cpu` seconds, and the usage of each
/// rank if there are several.
pub(crate) fn usage(ranks: Option<&dyn Ranks>, cpu: f64) -> (f64, Vec<RankUsage>) {
    let Some(ranks) = ranks.filter(|ranks| ranks.count() > 1) else {
        return (cpu, Vec::new());
    };
    let memory = peak_memory().unwrap_or(0);
    let own = [cpu.to_le_bytes(), memory.to_le_bytes()].concat();
    let all = ranks.gather(&own).into_iter();
    let all = all.map(|bytes| {
        let (cpu, memory) = bytes.split_at(8);
        let number = |bytes: &[u8]| bytes.try_into().expect("each number has eight bytes");
        let memory = u64::from_le_bytes(number(memory));
        RankUsage {
            cpu_s: f64::from_le_bytes(number(cpu)),
            peak_memory_bytes: (memory > 0).then_some(memory),
        }
    });
    let all: Vec<RankUsage> = all.collect();
    (all.iter().map(|rank| rank.cpu_s).sum(), all)
}

/// Divides the nodes of `topology` among `ranks`, with neighbors together. The weight of a node is
/// the rate of its ports, multiplied by [`HOST_COST`] for a host.
pub(crate) fn shares(topology: &Topology, ranks: Arc<dyn Ranks>) -> Shares {
    let owners = owners(topology, ranks.count()).into();
    Shares { ranks, owners }
}

/// Returns the rank of each node of `topology` in a run over `count` ranks.
#[must_use]
pub fn owners(topology: &Topology, count: usize) -> Vec<u16> {
    let nodes = (0..topology.len()).map(NodeId::from_index);
    let links: Vec<Vec<Link>> = nodes
        .map(|node| {
            let ports = topology.ports(node).iter();
            ports
                .map(|port| Link {
                    peer: port.peer.0,
                    // In Mbps, so that sums stay far from the largest number.
                    weight: port.rate.as_bps().div_ceil(1_000_000),
                })
                .collect()
        })
        .collect();
    let weight = |(node, own): (usize, &Vec<Link>)| {
        let is_host = topology.is_host(NodeId::from_index(node));
        let rate: u64 = own.iter().map(|link| link.weight).sum();
        rate * if is_host { HOST_COST } else { 1 }
    };
    let weights: Vec<u64> = links.iter().enumerate().map(weight).collect();
    divide(&weights, &links, count)
}

/// Checks that `result` is successful on all ranks, and that all ranks have the same `identity` of
/// the run. All ranks must call this at the same point.
///
/// # Errors
/// Returns the error of this rank. If only another rank has one, returns [`Error::Elsewhere`].
pub(crate) fn agree<T>(
    ranks: &dyn Ranks,
    result: Result<T, Error>,
    identity: impl FnOnce(&T) -> String,
) -> Result<T, Error> {
    let own = match &result {
        Ok(value) => format!("+{}", identity(value)),
        Err(error) => format!("-{error}"),
    };
    let all = ranks.gather(own.as_bytes());
    let value = result?;
    let failed = all.iter().position(|one| one.first() == Some(&b'-'));
    if let Some(rank) = failed {
        let message = String::from_utf8_lossy(&all[rank][1..]).into_owned();
        return Err(Error::Elsewhere { rank, message });
    }
    match all.iter().position(|one| *one != all[0]) {
        None => Ok(value),
        Some(rank) => Err(Error::Unsupported {
            scenario: format!("rank {rank}"),
            message: "it has read another scenario than rank 0, or is another version of fabricsim"
                .to_owned(),
            help: "give all ranks the same program and the same files: put them on a file system \
                   that all machines share"
                .to_owned(),
        }),
    }
}
