//! Converts linked calls to nodes, as `src/converter/pytorch_converter.py` of mlcommons/chakra.
//!
//! The calls of a thread run one after the other, in the order in which they begin: a call first
//! takes its own time, and then the calls inside it follow. A kernel starts after its call. A call
//! of `Optimizer.step` takes no time of its own. Calls that wait for nothing and that nothing waits
//! for are left out.
//!
//! Differs from Chakra: kernels of one stream run one after the other, as the device runs them
//! (there, a kernel waits for its call alone). `ncclKernel_SendRecv`, the name before NCCL 2.17,
//! is read like `ncclDevKernel_SendRecv`. Dependencies of HTA's critical path are left out; that
//! converter drops them, too, because its nodes have no start.

use std::collections::{BTreeMap, BTreeSet};

use super::super::node::{Kind, Node};
use super::Call;

/// The names of the first call of a thread.
const THREADS: [&str; 2] = [
    "[pytorch|profiler|execution_graph|thread]",
    "[pytorch|profiler|execution_trace|thread]",
];

/// Returns the nodes of linked calls.
pub(super) fn convert(calls: &[Call]) -> Vec<Node> {
    let by_id: BTreeMap<u64, &Call> = calls.iter().map(|call| (call.id, call)).collect();
    let mut after: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    let mut inner: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for call in by_id.values() {
        let parent = call.parent.filter(|parent| *parent != call.id);
        if let Some(parent) = parent {
            inner.entry(parent).or_default().insert(call.id);
        }
    }
    let threads = by_id
        .values()
        .filter(|call| THREADS.contains(&call.name.as_str()));
    for thread in threads {
        in_order(&by_id, &inner, thread.id, &mut after);
    }
    let waited_for: BTreeSet<u64> = after.values().flatten().copied().collect();
    let is_used = |call: &Call| {
        let waits = after.get(&call.id).is_some_and(|before| !before.is_empty());
        waits || waited_for.contains(&call.id)
    };
    let used: Vec<&Call> = by_id
        .values()
        .copied()
        .filter(|call| is_used(call))
        .collect();
    along_streams(&used, &mut after);
    let node = |call: &&Call| Node {
        after: (after.get(&call.id).into_iter().flatten().copied()).collect(),
        ..node(call, &by_id)
    };
    used.iter().map(node).collect()
}

/// Adds the dependencies of the calls and kernels of `thread`.
fn in_order(
    by_id: &BTreeMap<u64, &Call>,
    inner: &BTreeMap<u64, BTreeSet<u64>>,
    thread: u64,
    after: &mut BTreeMap<u64, BTreeSet<u64>>,
) {
    let mut seen = BTreeSet::new();
    let mut next = vec![thread];
    let mut last = None;
    while let Some(id) = next.pop() {
        let Some(call) = by_id.get(&id).filter(|_| seen.insert(id)) else {
            continue;
        };
        let own = after.entry(id).or_default();
        own.extend(last);
        if !call.is_kernel {
            let other = call.other_thread.filter(|other| by_id.contains_key(other));
            own.extend(other.filter(|other| *other != id));
            last = Some(id);
        }
        next.extend(inner.get(&id).into_iter().flatten().rev());
    }
}

/// Makes each kernel wait for the one before it on its stream.
fn along_streams(calls: &[&Call], after: &mut BTreeMap<u64, BTreeSet<u64>>) {
    let mut kernels: Vec<&&Call> = calls.iter().filter(|call| call.is_kernel).collect();
    kernels.sort_by_key(|call| (call.stream, call.start_ns, call.id));
    for pair in kernels.windows(2) {
        if pair[0].stream == pair[1].stream {
            after.entry(pair[1].id).or_default().insert(pair[0].id);
        }
    }
}

fn node(call: &Call, by_id: &BTreeMap<u64, &Call>) -> Node {
    let parent = call.parent.and_then(|parent| by_id.get(&parent)).copied();
    let is_step = call.name.contains("Optimizer.step");
    let mut node = Node {
        id: call.id,
        name: call.name.clone(),
        kind: Kind::Compute,
        duration_ns: if is_step { 0 } else { call.duration_ns },
        is_cpu: !call.is_kernel,
        ..Node::default()
    };
    if call.stated_groups.is_some() {
        (node.kind, node.is_metadata) = (Kind::Nothing, true);
        node.stated_groups.clone_from(&call.stated_groups);
    }
    if !call.is_kernel {
        return node;
    }
    if let Some((kind, collective)) = communication(call, parent, by_id) {
        node.kind = kind;
        node.collective = collective;
        node.size = Some(call.size);
        node.group.clone_from(&call.group);
        let is_exchange = is_send_receive(&call.name);
        let of_parent = parent
            .filter(|_| is_exchange)
            .and_then(|one| one.group.clone());
        node.group = of_parent.or(node.group);
    }
    node
}

fn is_send_receive(name: &str) -> bool {
    name.contains("ncclDevKernel_SendRecv") || name.contains("ncclKernel_SendRecv")
}

/// Returns the action of a kernel of NCCL, and the type of a collective. A collective without a
/// type cannot be simulated.
fn communication(
    kernel: &Call,
    parent: Option<&Call>,
    by_id: &BTreeMap<u64, &Call>,
) -> Option<(Kind, Option<i128>)> {
    if !kernel.name.contains("ncclKernel") && !kernel.name.contains("ncclDevKernel") {
        return None;
    }
    if is_send_receive(&kernel.name) {
        // The call `record_param_comms` says nothing; its caller has the name of the operation.
        let named = match parent {
            Some(call) if call.name == "record_param_comms" => {
                call.parent.and_then(|parent| by_id.get(&parent)).copied()
            }
            other => other,
        };
        let name = named.map_or("", |call| call.name.as_str());
        if name.contains("send") {
            return Some((Kind::Send, None));
        }
        if name.contains("recv") {
            return Some((Kind::Receive, None));
        }
        // NCCL's all-to-all consists of messages.
        return Some((Kind::Collective, Some(6)));
    }
    const TYPES: [(&str, i128); 5] = [
        ("allreduce", 0),
        ("alltoall", 6),
        ("allgather", 2),
        ("reducescatter", 7),
        ("broadcast", 5),
    ];
    let plain = kernel.name.replace(['_', '-'], "").to_lowercase();
    let found = TYPES.iter().find(|(name, _)| plain.contains(name));
    Some((Kind::Collective, found.map(|(_, kind)| *kind)))
}
