//! Cyclic buffer dependencies: pauses that wait for one another.

use super::switch::Switch;
use crate::id::{NodeId, PortId};
use crate::packet::Priority;
use crate::plugin::Model;
use crate::units::Bytes;

/// An egress port of a switch that is paused for ever: it is a link of a PFC deadlock.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct BlockedPort {
    /// The switch.
    pub node: NodeId,
    /// Its egress port.
    pub port: PortId,
    /// The switch at the far end, which has sent the pause.
    pub peer: NodeId,
    /// The paused priority.
    pub priority: Priority,
    /// Bytes that wait at the port in this priority.
    pub queued: Bytes,
}

/// A paused port as a place in the graph of who waits for whom.
struct PausedPort {
    switch: usize,
    port: usize,
    priority: Priority,
    /// Bytes that wait here.
    queued: u64,
    /// Paused places of the far end, by number, that hold the packets it has to send before it lets
    /// this port go on; `None` when one of these packets can leave.
    waits_for: Option<Vec<usize>>,
}

/// The cycle of a deadlock among `switches`, each with its wiring (what is at the far end of each
/// port); empty when there is none.
///
/// A paused port can go on when its far end sends a packet that came from it. If all such packets
/// stand at paused ports that can themselves not go on, nothing will ever change: the set of these
/// ports is found by striking out, until nothing changes, those that can.
pub(super) fn find<M: Model>(
    switches: &[&Switch<M>],
    wiring: &[Vec<(NodeId, PortId)>],
) -> Vec<BlockedPort> {
    let mut places = Vec::new();
    for (index, switch) in switches.iter().enumerate() {
        for (port, priority) in switch.paused_priorities() {
            places.push(PausedPort {
                switch: index,
                port,
                priority,
                queued: 0,
                waits_for: None,
            });
        }
    }
    if places.is_empty() {
        return Vec::new();
    }
    let number_of = |node: NodeId| switches.iter().position(|switch| switch.id() == node);
    let place_of = |switch: usize, port: usize, priority: Priority| {
        places
            .iter()
            .position(|p| (p.switch, p.port, p.priority) == (switch, port, priority))
    };
    let waits: Vec<(u64, Option<Vec<usize>>)> = places
        .iter()
        .map(|place| {
            let own = switches[place.switch];
            let queued = own.waiting(place.port, place.priority, None);
            let (peer, ingress) = wiring[own.id().index()][place.port];
            let waits_for = number_of(peer).and_then(|far| {
                let holder = switches[far];
                if !holder.has_paused(ingress, place.priority) {
                    return None;
                }
                let mut held = Vec::new();
                for port in 0..wiring[peer.index()].len() {
                    if holder.waiting(port, place.priority, Some(ingress)) > 0 {
                        held.push(place_of(far, port, place.priority)?);
                    }
                }
                (!held.is_empty()).then_some(held)
            });
            (queued, waits_for)
        })
        .collect();
    for (place, (queued, waits_for)) in places.iter_mut().zip(waits) {
        place.queued = queued;
        place.waits_for = waits_for;
    }
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
    cycle(&places)
        .into_iter()
        .map(|index| {
            let place = &places[index];
            let node = switches[place.switch].id();
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

/// Follows the first waits until a place comes up again.
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
