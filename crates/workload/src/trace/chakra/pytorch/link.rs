//! Links the calls of the host with Kineto's events, as `src/trace_link/trace_linker.py` of
//! mlcommons/chakra.
//!
//! A call has the duration of the event with its number of the record function. A kernel belongs to
//! the last call before its launch, on the thread of the launch; the call with the kernel's
//! `External id` has precedence. After a pause of 1 ms, the calls of a thread wait for the last call
//! of any other thread. Calls and kernels are numbered anew: kernels follow their call.
//!
//! Differs from Chakra: a kernel belongs to one call (there, to each call with the `External id` of
//! its call).

use std::collections::BTreeMap;

use super::super::error::ChakraError;
use super::Call;
use super::align::align;
use super::device::{Device, Kernel};
use super::host::{HostNode, HostTrace};

/// A pause between two calls of a thread after which it waits for other threads.
const PAUSE_NS: i64 = 1_000_000;

/// Returns the linked calls and kernels, and the number of kernels without a call of the execution
/// trace.
pub(super) fn link(host: &HostTrace, mut device: Device) -> Result<(Vec<Call>, u64), ChakraError> {
    align(host, &mut device)?;
    let others = after_pauses(&device);
    let by_record: BTreeMap<i64, usize> = device
        .calls
        .iter()
        .enumerate()
        .filter_map(|(place, call)| Some((call.record?, place)))
        .collect();
    let mut nodes: Vec<&HostNode> = host.nodes.iter().collect();
    nodes.sort_by_key(|node| node.id);
    let event_of = |node: &HostNode| by_record.get(&node.record()?).copied();
    if !nodes.iter().any(|node| event_of(node).is_some()) {
        return Err(ChakraError::new(
            "no call of the execution trace has an event in Kineto's trace",
            "give two traces of the same steps of the same process",
        ));
    }
    let mut kernels = kernels_of_calls(&device);
    let mut ids: BTreeMap<u64, u64> = BTreeMap::new();
    let mut events: BTreeMap<usize, u64> = BTreeMap::new();
    let mut calls = Vec::new();
    for node in nodes {
        // A call has the number of its place.
        let id = calls.len() as u64;
        ids.insert(node.id, id);
        let mut call = Call { id, ..node.call()? };
        let mut own = Vec::new();
        if let Some(place) = event_of(node) {
            let event = &device.calls[place];
            call.duration_ns = u64::try_from(event.exclusive_ns).unwrap_or(0);
            call.start_ns = event.start_ns;
            // As there, only a call before this one in the execution trace is waited for.
            let other = others[place].and_then(|record| by_record.get(&record));
            call.other_thread = other.and_then(|other| events.get(other)).copied();
            events.insert(place, id);
            own = kernels.remove(&place).unwrap_or_default();
        }
        let kernels = own.iter().zip(id + 1..);
        let kernels: Vec<Call> = kernels
            .map(|(kernel, number)| of_kernel(&call, (number, node.id), kernel))
            .collect();
        calls.push(call);
        calls.extend(kernels);
    }
    let linked = calls.iter().filter(|call| call.is_kernel).count();
    let lost = (device.kernels.len() - linked) as u64;
    // Parents are numbered as the calls are.
    for call in &mut calls {
        call.parent = call.parent.and_then(|parent| ids.get(&parent)).copied();
    }
    Ok((calls, lost))
}

/// Returns the kernel of `call`, which has the inputs of the call.
fn of_kernel(call: &Call, (id, parent): (u64, u64), kernel: &Kernel) -> Call {
    let is_of_group = kernel.name.contains("ncclDevKernel");
    Call {
        id,
        name: kernel.name.clone(),
        parent: Some(parent),
        is_kernel: true,
        duration_ns: u64::try_from(kernel.duration_ns).unwrap_or(0),
        start_ns: kernel.start_ns,
        stream: kernel.stream,
        other_thread: None,
        group: call
            .group
            .clone()
            .or_else(|| kernel.group.clone().filter(|_| is_of_group)),
        size: call.size,
        stated_groups: None,
    }
}

/// Returns the kernels of each call, by its place, in the order of time.
fn kernels_of_calls(device: &Device) -> BTreeMap<usize, Vec<&Kernel>> {
    // The calls of each thread, and those with each external number, in the order of time.
    let mut of_thread: Vec<Vec<usize>> = vec![Vec::new(); device.threads];
    let mut of_external: BTreeMap<(usize, i64), Vec<usize>> = BTreeMap::new();
    for (place, call) in device.calls.iter().enumerate() {
        of_thread[call.thread].push(place);
        if let Some(external) = call.external {
            let same = of_external.entry((call.thread, external)).or_default();
            same.push(place);
        }
    }
    let mut found: BTreeMap<usize, Vec<&Kernel>> = BTreeMap::new();
    for kernel in &device.kernels {
        let launch = kernel.correlation.and_then(|own| device.launches.get(&own));
        let Some(launch) = launch else {
            continue;
        };
        let is_nccl = kernel.name.to_lowercase().contains("nccl");
        let last = |places: &[usize]| {
            let before = places.partition_point(|&at| device.calls[at].start_ns < launch.start_ns);
            let mut before = places[..before].iter().rev().copied();
            // A group of NCCL's calls is launched at its end, by none of its calls.
            before.find(|&at| !(is_nccl && device.calls[at].name == "nccl:coalesced"))
        };
        let same = kernel
            .external
            .and_then(|external| of_external.get(&(launch.thread, external)))
            .and_then(|places| last(places));
        if let Some(place) = same.or_else(|| last(&of_thread[launch.thread])) {
            found.entry(place).or_default().push(kernel);
        }
    }
    found
}

/// Returns for each call the record function of another thread that it waits for.
fn after_pauses(device: &Device) -> Vec<Option<i64>> {
    let calls = &device.calls;
    let mut of_thread: Vec<Vec<usize>> = vec![Vec::new(); device.threads];
    for (place, call) in calls.iter().enumerate() {
        of_thread[call.thread].push(place);
    }
    let mut found = vec![None; calls.len()];
    for (thread, places) in of_thread.iter().enumerate() {
        let mut other = None;
        for (number, &place) in places.iter().enumerate() {
            let start = calls[place].start_ns;
            let paused = number.checked_sub(1).is_none_or(|before| {
                let before = &calls[places[before]];
                let end = before.start_ns.saturating_add(before.duration_ns);
                start.saturating_sub(end) > PAUSE_NS
            });
            if paused {
                other = last_of_others(device, &of_thread, (thread, start));
            }
            found[place] = other;
        }
    }
    found
}

/// Returns the record function of the last call of another thread that begins before `start`.
fn last_of_others(
    device: &Device,
    of_thread: &[Vec<usize>],
    (thread, start): (usize, i64),
) -> Option<i64> {
    let start_of = |place: usize| device.calls[place].start_ns;
    let mut last: Option<usize> = None;
    for (_, places) in of_thread
        .iter()
        .enumerate()
        .filter(|(own, _)| *own != thread)
    {
        let before = places.partition_point(|&place| start_of(place) < start);
        let Some(&latest) = places[..before].last() else {
            continue;
        };
        // The first of several calls at one instant.
        let first = places.partition_point(|&place| start_of(place) < start_of(latest));
        let latest = places[first];
        if last.is_none_or(|last| start_of(last) < start_of(latest)) {
            last = Some(latest);
        }
    }
    // As there, number 0 stands for none.
    device.calls[last?].record.filter(|record| *record != 0)
}
