//! The network, the state and the results of a simulation.

use std::ffi::c_char;
use std::fs::File;
use std::io;

use facade::prelude::NodeId;
use facade::report::FctWriter;

use crate::error::{Failure, guard};
use crate::session::{Caller, Engine, Session};
use crate::types::{FABRICSIM_ERROR_FILE, FabricsimHandle, FabricsimMessage, FabricsimStatistics};
use crate::{pointers, table};

/// Writes the number of hosts to `count`. Hosts are counted from 0; fabricsim_host_node() returns
/// their nodes.
///
/// # Safety
/// `count` points to room for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fabricsim_hosts(simulation: FabricsimHandle, count: *mut u32) -> i32 {
    guard(|| {
        let session = table::get(simulation)?;
        let hosts = u32::try_from(session.hosts.len()).unwrap_or(u32::MAX);
        // SAFETY: the caller vouches for `count`.
        unsafe { pointers::write(count, hosts, "count") }
    })
}

/// Copies the name of a host to `buffer`, as much as fits into `room` bytes with a terminating
/// zero, and writes the number of bytes that the whole name needs to `needed`, which may be null.
///
/// # Safety
/// `buffer` is null or points to `room` bytes; `needed` is null or points to room for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fabricsim_host_name(
    simulation: FabricsimHandle,
    host: u32,
    buffer: *mut c_char,
    room: usize,
    needed: *mut usize,
) -> i32 {
    guard(|| {
        let session = table::get(simulation)?;
        let index = usize::try_from(host).ok();
        let name = index.and_then(|index| session.names.get(index));
        let name = name.ok_or_else(|| no_host(&session, host))?;
        // SAFETY: the caller vouches for `buffer`.
        let bytes = unsafe { pointers::copy(name, buffer, room) };
        // SAFETY: the caller vouches for `needed`.
        unsafe { pointers::write_if_asked(needed, bytes) };
        Ok(())
    })
}

/// Writes the number of the host called `name` to `host`.
///
/// # Safety
/// `name` ends with a zero; `host` points to room for the number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fabricsim_find_host(
    simulation: FabricsimHandle,
    name: *const c_char,
    host: *mut u32,
) -> i32 {
    guard(|| {
        let session = table::get(simulation)?;
        // SAFETY: the caller vouches for `name`.
        let name = unsafe { pointers::text(name, "name") }?;
        let place = session.names.iter().position(|own| own == name);
        let place = place.and_then(|place| u32::try_from(place).ok());
        let found = place.ok_or_else(|| Failure::argument(format!("no host is called {name}")))?;
        // SAFETY: the caller vouches for `host`.
        unsafe { pointers::write(host, found, "host") }
    })
}

/// Writes the node number of host `host` to `node`. Scenarios and results (`fct.csv`,
/// `topology.csv`) number all nodes, hosts and switches. Hosts counted from 0 are the nodes from 0
/// on, unless the topology is a file that numbers other nodes between them.
///
/// # Safety
/// `node` points to room for the number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fabricsim_host_node(
    simulation: FabricsimHandle,
    host: u32,
    node: *mut u32,
) -> i32 {
    guard(|| {
        let session = table::get(simulation)?;
        let index = usize::try_from(host).ok();
        let found = index.and_then(|index| session.hosts.get(index));
        let found = found.ok_or_else(|| no_host(&session, host))?;
        // SAFETY: the caller vouches for `node`.
        unsafe { pointers::write(node, found.0, "node") }
    })
}

/// Writes the number of the host, counted from 0, that is node `node` to `host`: the inverse of
/// fabricsim_host_node(). It is an error if the node is a switch or does not exist.
///
/// # Safety
/// `host` points to room for the number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fabricsim_node_host(
    simulation: FabricsimHandle,
    node: u32,
    host: *mut u32,
) -> i32 {
    guard(|| {
        let session = table::get(simulation)?;
        let place = session.hosts.binary_search(&NodeId(node)).ok();
        let place = place.and_then(|place| u32::try_from(place).ok());
        let found = place.ok_or_else(|| Failure::argument(format!("node {node} is no host")))?;
        // SAFETY: the caller vouches for `host`.
        unsafe { pointers::write(host, found, "host") }
    })
}

/// Returns the error for a host number that is too large.
fn no_host(session: &Session, host: u32) -> Failure {
    let count = session.hosts.len();
    Failure::argument(format!(
        "there is no host {host}: the network has {count} hosts"
    ))
}

/// Writes the time from the start of a message to its last acknowledgement, if it is alone in the
/// idle network, to `time`, in picoseconds, by the rule of `[output] ideal`. It depends on the
/// ends, size, class and priority of the message.
///
/// # Safety
/// `message` points to a message and `time` to room for the time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fabricsim_ideal_time(
    simulation: FabricsimHandle,
    message: *const FabricsimMessage,
    time: *mut u64,
) -> i32 {
    guard(|| {
        let session = table::get(simulation)?;
        // SAFETY: the caller vouches for `message`.
        let message = unsafe { pointers::read(message, "message") }?;
        let message = message.message(&session.hosts).map_err(Failure::argument)?;
        let engine = session.engine()?;
        let now = engine.simulation.now();
        session.rules.check(&message, now, now)?;
        let ideal = engine.simulation.ideal_time(&message);
        let ideal = ideal.ok_or_else(|| Failure::argument("no route leads to its destination"))?;
        // SAFETY: the caller vouches for `time`.
        unsafe { pointers::write(time, ideal.as_ps(), "time") }
    })
}

/// Writes the current time, in picoseconds, to `now`. In a callback it is the time of the event.
///
/// # Safety
/// `now` points to room for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fabricsim_now(simulation: FabricsimHandle, now: *mut u64) -> i32 {
    guard(|| {
        let session = table::get(simulation)?;
        let time = match session.caller()? {
            Caller::Callback(_, time) => time,
            Caller::Outside(engine) => engine.simulation.now(),
        };
        // SAFETY: the caller vouches for `now`.
        unsafe { pointers::write(now, time.as_ps(), "now") }
    })
}

/// Writes counts over the whole network to `statistics`. After an event they include the work of
/// the switches up to the end of the current synchronization window.
///
/// # Safety
/// `statistics` points to room for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fabricsim_statistics(
    simulation: FabricsimHandle,
    statistics: *mut FabricsimStatistics,
) -> i32 {
    guard(|| {
        let session = table::get(simulation)?;
        let engine = session.engine()?;
        let counted = count(&engine);
        // SAFETY: the caller vouches for `statistics`.
        unsafe { pointers::write(statistics, counted, "statistics") }
    })
}

fn count(engine: &Engine) -> FabricsimStatistics {
    let simulation = &engine.simulation;
    let (network, hosts) = (simulation.counters(), simulation.endpoint_counters());
    FabricsimStatistics {
        now: simulation.now().as_ps(),
        flows_started: simulation.flows_started(),
        flows_finished: simulation.flows_finished(),
        flows_unreachable: simulation.unreachable().len() as u64,
        packet_hops: network.packet_hops,
        wire_bytes: network.wire_bytes.get(),
        drops: network.buffer_drops + network.queue_drops,
        losses: network.link_losses + network.link_down_drops + network.no_route,
        pauses: network.pauses,
        delivered_bytes: hosts.delivered.get(),
        retransmitted_bytes: hosts.retransmitted.get(),
        timeouts: hosts.timeouts,
        max_queue_bytes: network.max_queue.get(),
    }
}

/// Writes the flows that have ended so far to the file at `path`, in the format of a run's
/// `fct.csv`: messages and flows of workloads, in the order of their ends.
///
/// # Safety
/// `path` ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fabricsim_write_flows(
    simulation: FabricsimHandle,
    path: *const c_char,
) -> i32 {
    guard(|| {
        let session = table::get(simulation)?;
        // SAFETY: the caller vouches for `path`.
        let path = unsafe { pointers::text(path, "path") }?;
        let mut engine = session.engine()?;
        engine.keep_completions();
        let write = || -> io::Result<()> {
            let mut writer = FctWriter::new(File::create(path)?)?;
            for record in &engine.records {
                writer.write(record)?;
            }
            writer.finish()?;
            Ok(())
        };
        let refuse = |error: io::Error| {
            Failure::new(
                FABRICSIM_ERROR_FILE,
                format!("cannot write `{path}`: {error}"),
            )
        };
        write().map_err(refuse)
    })
}

/// Keeps flows that end from now on for fabricsim_write_flows(), unless `keep` is 0. The default is
/// to keep them. A program that sends without end passes 0, because each flow takes about a hundred
/// bytes.
#[unsafe(no_mangle)]
pub extern "C" fn fabricsim_keep_flows(simulation: FabricsimHandle, keep: u32) -> i32 {
    guard(|| {
        let session = table::get(simulation)?;
        let mut engine = session.engine()?;
        engine.keep_completions();
        engine.forgets = keep == 0;
        Ok(())
    })
}
