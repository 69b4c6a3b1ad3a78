//! The switches that reduce messages of collectives, as workloads see them.

use std::sync::Arc;

use fabricsim_topology::Topology;
use fabricsim_workload::{AnyWorkload, Reducer, Reducers, WorkloadContext};

/// Returns the switches of `topology` that reduce, if they do. No workload has a tree there yet.
pub(crate) fn reducers(topology: &Topology) -> Option<Reducers> {
    let room = topology.reduction_trees();
    if room == 0 {
        return None;
    }
    let mut position = vec![None; topology.len()];
    for (switch, number) in topology.switches().zip(0u32..) {
        position[switch.index()] = Some(number);
    }
    let linked = |node| {
        let ports = topology.ports(node).iter();
        ports.filter_map(|port| position[port.peer.index()])
    };
    let switches: Arc<[Reducer]> = topology
        .switches()
        .zip(topology.aggregators())
        .map(|(switch, node)| {
            let mut neighbors: Vec<u32> = linked(switch).collect();
            neighbors.sort_unstable();
            neighbors.dedup();
            Reducer {
                node,
                neighbors,
                is_inner: topology.is_inner(switch),
            }
        })
        .collect();
    let hosts = topology.hosts().iter();
    Some(Reducers {
        taken: vec![0; switches.len()],
        switches,
        hosts: hosts.map(|&host| linked(host).collect()).collect(),
        room,
    })
}

/// Returns the context of the workload that follows `workload`, which had `context`.
pub(crate) fn after(workload: &dyn AnyWorkload, context: WorkloadContext) -> WorkloadContext {
    // A workload that cannot be built has no trees; the check of its keys reports the error.
    let reserved = match context.reducers {
        None => None,
        Some(_) => workload.reserved(&context).ok().flatten(),
    };
    WorkloadContext {
        index: context.index + 1,
        reducers: reserved.or(context.reducers),
        ..context
    }
}
