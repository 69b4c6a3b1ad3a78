//! The packets in flight of a sender, and their ways.

use std::collections::VecDeque;

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::id::{FlowId, NodeId};
use fabricsim_base::units::Time;
use fabricsim_topology::Topology;
use rustc_hash::FxHashMap;

use super::part::{Behind, Leg, Part, Step, add_legs};
use super::recorder::NodePauses;
use super::turns::{Classes, Turns};

/// Everything outside of the sender that its account depends on.
pub(super) struct Context<'a> {
    pub(super) topology: &'a Topology,
    /// The flows that ports of switches have served, by switch.
    pub(super) turns: &'a FxHashMap<NodeId, &'a [Turns]>,
    pub(super) classes: &'a Classes,
    /// The pauses at the ports of the sender's host.
    pub(super) pauses: Option<&'a NodePauses>,
}

/// A packet in flight, with all nodes that it and its acknowledgements have left.
#[derive(Debug, Stored)]
#[checkpoint(absolute)]
struct Journey {
    sent_at: Time,
    /// The number after its last byte.
    end: u64,
    steps: Vec<(NodeId, Step)>,
}

/// Steps of a packet and its acknowledgement over five switches.
const USUAL_STEPS: usize = 12;

/// The packets of a sender that are in flight, in the order of their departures.
#[derive(Debug, Default, Stored)]
#[checkpoint(absolute)]
pub(super) struct Journeys {
    live: VecDeque<Journey>,
    /// Memory of past journeys.
    spare: Vec<Vec<(NodeId, Step)>>,
}

impl Journeys {
    /// Notes that a data packet with bytes up to `end` has left `host` by `step`.
    pub(super) fn begin(&mut self, host: NodeId, end: u64, step: Step) {
        let new = || Vec::with_capacity(USUAL_STEPS);
        let mut steps = self.spare.pop().unwrap_or_else(new);
        steps.clear();
        steps.push((host, step));
        self.live.push_back(Journey {
            sent_at: step.left,
            end,
            steps,
        });
    }

    /// Adds `step` at `node` to the way of the packet that left at `sent_at`.
    pub(super) fn add(&mut self, sent_at: Time, node: NodeId, step: Step) {
        if let Some(place) = self.place(sent_at) {
            self.live[place].steps.push((node, step));
        }
    }

    /// Forgets the oldest packets with all bytes below `acknowledged` that left before `late`.
    pub(super) fn end(&mut self, acknowledged: u64, late: Time) {
        while let Some(past) = self.live.front_mut()
            && past.end <= acknowledged
            && past.sent_at < late
        {
            self.spare.push(std::mem::take(&mut past.steps));
            self.live.pop_front();
        }
    }

    /// Returns the departure of the oldest packet.
    pub(super) fn oldest(&self) -> Option<Time> {
        self.live.front().map(|own| own.sent_at)
    }

    fn place(&self, sent_at: Time) -> Option<usize> {
        let place = (self.live).binary_search_by_key(&sent_at, |own| own.sent_at);
        place.ok()
    }

    /// Returns the way of the packet that left at `sent_at`, and of its acknowledgement that
    /// arrived at `now`, without gaps; empty if a part of it was not recorded.
    pub(super) fn way(
        &self,
        carrier: FlowId,
        (sent_at, now): (Time, Time),
        context: &Context<'_>,
    ) -> Vec<Leg> {
        let Some(steps) = self.place(sent_at).map(|place| &self.live[place].steps) else {
            return Vec::new();
        };
        let mut chain = Vec::new();
        let mut at = now;
        // From the end to the beginning, because several acknowledgements may echo one packet.
        for is_ack in [true, false] {
            let mut own: Vec<&(NodeId, Step)> =
                steps.iter().filter(|s| s.1.is_ack == is_ack).collect();
            own.sort_by_key(|(_, step)| step.arrived);
            if !is_ack {
                at = own.last().map_or(at, |(_, step)| step.next);
            }
            let arrived = at;
            for (node, step) in own.into_iter().rev() {
                if step.next == at {
                    chain.push((*node, *step));
                    at = step.arrived;
                }
            }
            if at == arrived {
                return Vec::new();
            }
        }
        if at != sent_at {
            return Vec::new();
        }
        chain.reverse();
        legs_of(&chain, carrier, sent_at, context)
    }
}

/// Returns the legs of the steps in `chain`, which began at `sent_at`.
fn legs_of(
    chain: &[(NodeId, Step)],
    carrier: FlowId,
    sent_at: Time,
    context: &Context<'_>,
) -> Vec<Leg> {
    let mut legs: Vec<Leg> = Vec::with_capacity(4 * chain.len());
    let mut arrived = sent_at;
    for (node, step) in chain {
        if step.arrived > arrived {
            legs.push(Leg {
                from: arrived,
                to: step.arrived,
                part: Part::Receiver,
                at: None,
                behind: None,
                after_data: true,
            });
        }
        let delay = context.topology.ports(*node)[step.port.index()].delay;
        let behind = |from, to, visit: &mut dyn FnMut(Time, Option<Behind>)| {
            if let Some(ports) = context.turns.get(node) {
                let turns = &ports[step.port.index()];
                turns.visit((from, to), carrier, context.classes, visit);
            }
        };
        add_legs(*node, step, delay, behind, &mut legs);
        arrived = step.next;
    }
    legs
}
