//! Cyclic buffer dependencies: pauses that wait for one another.

use super::switch::Switch;
use crate::plugin::Model;
use fabricsim_base::checkpoint::Stored;
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::priority::Priority;
use fabricsim_base::ranks::{Ranks, gather};
use fabricsim_base::units::Bytes;

/// An egress port of a switch that is paused forever, because it is part of a PFC deadlock.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct BlockedPort {
    /// The switch.
    pub node: NodeId,
    /// Egress port of the switch.
    pub port: PortId,
    /// The switch at the far end, which has sent the pause.
    pub peer: NodeId,
    /// The paused priority.
    pub priority: Priority,
    /// Bytes of this priority that wait at the port.
    pub queued: Bytes,
}

/// A paused port: a vertex of the wait-for graph.
#[derive(Stored)]
#[checkpoint(plain)]
struct PausedPort {
    switch: NodeId,
    port: usize,
    priority: Priority,
    /// Bytes that wait here.
    queued: u64,
    /// Indices of the paused ports that this port waits for: they hold the packets that the far end
    /// must send before it resumes this port. `None` if one of these packets can leave.
    waits_for: Option<Vec<usize>>,
}

/// Returns the cycle of a deadlock among the switches of all `ranks`, or an empty vector.
/// `switches` are the switches of this rank, and `wiring` contains the far end of each port of each
/// node.
///
/// A paused port can resume when its far end sends a packet that arrived from it. If all such
/// packets wait at paused ports that cannot resume either, the ports are deadlocked. We find the
/// deadlocked ports by repeatedly removing the ports that can resume, until none is left to remove.
pub(super) fn find<M: Model>(
    switches: &[&Switch<M>],
    wiring: &[Vec<(NodeId, PortId)>],
    ranks: Option<&dyn Ranks>,
) -> Vec<BlockedPort> {
    let mut here: Vec<PausedPort> = Vec::new();
    for switch in switches {
        for (port, priority) in switch.paused_priorities() {
            here.push(PausedPort {
                switch: switch.id(),
                port,
                priority,
                queued: switch.waiting(port, priority, None),
                waits_for: None,
            });
        }
    }
    let mut places = in_order(gather(ranks, here));
    if places.is_empty() {
        return Vec::new();
    }
    let place_of = |switch: NodeId, port: usize, priority: Priority| {
        places
            .iter()
            .position(|p| (p.switch, p.port, p.priority) == (switch, port, priority))
    };
    // Only the rank of the far end knows the packets for which a port waits.
    let waits_for = |place: &PausedPort| {
        let (peer, ingress) = wiring[place.switch.index()][place.port];
        let holder = switches.iter().find(|switch| switch.id() == peer)?;
        if !holder.has_paused(ingress, place.priority) {
            return None;
        }
        let mut held = Vec::new();
        for port in 0..wiring[peer.index()].len() {
            if holder.waiting(port, place.priority, Some(ingress)) > 0 {
                held.push(place_of(peer, port, place.priority)?);
            }
        }
        (!held.is_empty()).then_some(held)
    };
    // Each rank knows only the waits at its own switches, so exchange them.
    let here: Vec<Option<Vec<usize>>> = places.iter().map(waits_for).collect();
    for waits in gather(ranks, here) {
        for (place, waits) in places.iter_mut().zip(waits) {
            place.waits_for = place.waits_for.take().or(waits);
        }
    }
    // Remove the ports that can resume until only deadlocked ones are left.
    loop {
        let free = |place: &PausedPort| {
            let held = place.waits_for.as_ref();
            held.is_some_and(|held| held.iter().any(|&at| places[at].waits_for.is_none()))
        };
        let freed: Vec<usize> = (0..places.len()).filter(|&i| free(&places[i])).collect();
        if freed.is_empty() {
            break;
        }
        for index in freed {
            places[index].waits_for = None;
        }
    }
    // Ports that only wait for the cycle are also deadlocked, but do not cause it.
    cycle(&places)
        .into_iter()
        .map(|index| {
            let place = &places[index];
            let node = place.switch;
            BlockedPort {
                node,
                port: PortId::from_index(place.port),
                peer: wiring[node.index()][place.port].0,
                priority: place.priority,
                queued: Bytes::new(place.queued),
            }
        })
        .collect()
}

/// Follows the first wait of each port until a port repeats.
fn cycle(places: &[PausedPort]) -> Vec<usize> {
    let Some(start) = places.iter().position(|place| place.waits_for.is_some()) else {
        return Vec::new();
    };
    let mut path = vec![start];
    loop {
        let last = &places[*path.last().expect("the path has a start")];
        let next = last
            .waits_for
            .as_ref()
            .and_then(|held| held.first())
            .copied()
            .expect("a place that cannot go on waits for such places");
        if let Some(from) = path.iter().position(|&seen| seen == next) {
            return path.split_off(from);
        }
        path.push(next);
    }
}

/// Joins the results of ranks, in the order of switches.
fn in_order(parts: Vec<Vec<PausedPort>>) -> Vec<PausedPort> {
    let mut places: Vec<PausedPort> = parts.into_iter().flatten().collect();
    places.sort_by_key(|place| place.switch);
    places
}
