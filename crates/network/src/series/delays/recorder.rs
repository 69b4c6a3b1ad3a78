//! The recorders of hosts and switches.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use fabricsim_base::checkpoint::{Checkpointed, Stored};
use fabricsim_base::flow::{Completion, Flow};
use fabricsim_base::id::{ClassId, FlowId, NodeId, PortId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Duration, Time};
use fabricsim_core::packet::{Flags, Packet, PacketKind, PauseChange};
use fabricsim_core::plugin::{DropReason, Hop, Interest, Observer, Wait};
use fabricsim_engine::Message as _;

use super::part::Step;
use super::turns::Turns;
use crate::series::selection::FlowFilter;

/// A flow or a connection, and the address from which its data is sent.
pub(super) type Carrier = (FlowId, NodeId);

/// A packet that leaves a node: its carrier, the departure of its data packet from the sender, and
/// its step.
pub(super) type Departure = (Carrier, Time, Step);

/// Recent pauses of one priority at one port. A packet that waited for more pauses than are kept
/// counts the rest as queueing.
#[derive(Clone, Debug, Default, Stored)]
#[checkpoint(absolute)]
pub(super) struct Pauses(VecDeque<(Time, Time)>);

/// Number of pauses to keep.
const RECENT: usize = 4_096;

impl Pauses {
    fn note(&mut self, now: Time, change: PauseChange) {
        let paused = self.0.back().is_some_and(|(_, end)| *end == Time::MAX);
        match change {
            PauseChange::Pause if !paused => self.0.push_back((now, Time::MAX)),
            PauseChange::Resume if paused => {
                if let Some((_, end)) = self.0.back_mut() {
                    *end = now;
                }
            }
            PauseChange::Pause | PauseChange::Resume => {}
        }
        if self.0.len() > RECENT {
            self.0.pop_front();
        }
    }

    /// Returns the paused time in the interval from `from` to `to`, which is not in the future.
    pub(super) fn within(&self, from: Time, to: Time) -> Duration {
        let late = self.0.iter().rev().take_while(|(_, end)| *end > from);
        late.fold(Duration::ZERO, |sum, (start, end)| {
            let (start, end) = ((*start).max(from), (*end).min(to));
            sum + if end > start {
                end.since(start)
            } else {
                Duration::ZERO
            }
        })
    }
}

/// The pauses of a node, by port and priority.
pub(super) type NodePauses = BTreeMap<(PortId, Priority), Pauses>;

/// A flow or message that starts or ends at a host.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(absolute)]
pub(super) struct Ended {
    pub(super) flow: Flow,
    pub(super) finish: Time,
}

/// An event at a host.
#[derive(Clone, Debug, Stored)]
#[checkpoint(absolute)]
pub(super) enum HostEvent {
    /// A flow or message starts.
    Start(Time, Box<Flow>),
    /// A data packet of `wire` bytes leaves.
    Sent {
        carrier: Carrier,
        seq: u64,
        payload: u16,
        wire: u16,
        step: Step,
    },
    /// An acknowledgement arrives, of the packet that left at `sent_at` and of all bytes below
    /// `below`.
    Acknowledged {
        carrier: Carrier,
        at: Time,
        sent_at: Time,
        below: u64,
    },
    /// The sender now waits for something else; `None` if the host does not send the data.
    Waits {
        carrier: Carrier,
        at: Time,
        wait: Option<Wait>,
    },
    /// A flow or message ends.
    End(Box<Ended>),
}

/// The recorder of a host.
#[derive(Checkpointed, Debug)]
#[checkpoint(absolute)]
pub(super) struct HostRecorder {
    #[checkpoint(rebuilt)]
    time: Range<Time>,
    #[checkpoint(rebuilt)]
    filter: FlowFilter,
    pub(super) events: Vec<HostEvent>,
    /// The classes of flows and connections that have started.
    pub(super) classes: Vec<(FlowId, ClassId)>,
    /// Acknowledgements that have left.
    pub(super) replies: Vec<Departure>,
    pub(super) pauses: NodePauses,
    /// The address and the last wait of each carrier with bytes left.
    live: BTreeMap<FlowId, (NodeId, Option<Wait>)>,
    /// Carriers with a call since the last event.
    touched: Vec<FlowId>,
    /// The next packet sent is lost on the link.
    lost: bool,
}

/// The recorder of a switch.
#[derive(Checkpointed, Debug)]
#[checkpoint(absolute)]
pub(super) struct SwitchRecorder {
    #[checkpoint(rebuilt)]
    time: Range<Time>,
    #[checkpoint(rebuilt)]
    filter: FlowFilter,
    /// Packets that have left, with the departures of their data packets.
    pub(super) steps: Vec<Departure>,
    /// By port.
    pub(super) turns: Vec<Turns>,
    pauses: NodePauses,
}

/// Returns the carrier of `packet`, and `true` if it is an acknowledgement; `None` if it is
/// neither data nor an acknowledgement.
fn carrier(packet: &Packet<()>) -> Option<(Carrier, bool)> {
    match packet.kind() {
        PacketKind::Data => Some(((packet.flow, packet.key.src), false)),
        PacketKind::Ack | PacketKind::Nack => Some(((packet.flow, packet.key.dst), true)),
        PacketKind::Pause | PacketKind::Grant | PacketKind::Request => None,
    }
}

fn note_pause(pauses: &mut NodePauses, now: Time, place: (PortId, Priority), change: PauseChange) {
    pauses.entry(place).or_default().note(now, change);
}

impl HostRecorder {
    pub(super) fn new(time: Range<Time>, filter: FlowFilter) -> Self {
        Self {
            time,
            filter,
            events: Vec::new(),
            classes: Vec::new(),
            replies: Vec::new(),
            pauses: NodePauses::new(),
            live: BTreeMap::new(),
            touched: Vec::new(),
            lost: false,
        }
    }

    fn ask(&mut self, now: Time, id: FlowId, wait: &dyn Fn(FlowId) -> Option<Wait>) {
        let Some((address, last)) = self.live.get_mut(&id) else {
            return;
        };
        let new = wait(id);
        if *last == new && new.is_some() {
            return;
        }
        *last = new;
        let carrier = (id, *address);
        if new.is_none() {
            self.live.remove(&id);
        }
        self.events.push(HostEvent::Waits {
            carrier,
            at: now,
            wait: new,
        });
    }
}

impl Observer<()> for HostRecorder {
    fn interest(&self) -> Interest {
        Interest::SENDS.and(Interest::EVENTS)
    }

    fn on_start(&mut self, now: Time, _node: NodeId, flow: &Flow) {
        let id = flow.carrier();
        self.classes.push((id, flow.request.class));
        if !self.time.contains(&now) || !self.filter.takes_id(id) {
            return;
        }
        self.live
            .entry(id)
            .or_insert_with(|| (flow.key().src, None));
        self.touched.push(id);
        self.events.push(HostEvent::Start(now, Box::new(*flow)));
    }

    fn on_send(&mut self, now: Time, _node: NodeId, port: PortId, packet: &Packet<()>) {
        let lost = std::mem::take(&mut self.lost);
        let Some((carrier, is_ack)) = carrier(packet) else {
            return;
        };
        if !self.filter.takes_id(carrier.0) {
            return;
        }
        let step = Step {
            port,
            is_ack,
            arrived: now,
            left: now,
            paused: Duration::ZERO,
            next: if lost { Time::MAX } else { packet.arrival() },
        };
        if is_ack {
            self.replies.push((carrier, packet.sent_at, step));
        } else if packet.payload > 0 {
            self.touched.push(carrier.0);
            self.events.push(HostEvent::Sent {
                carrier,
                seq: packet.seq,
                payload: packet.payload,
                wire: packet.wire,
                step,
            });
        }
    }

    fn on_arrival(&mut self, now: Time, _node: NodeId, packet: &Packet<()>) {
        let Some((carrier, is_ack)) = carrier(packet) else {
            self.touched.push(packet.flow);
            return;
        };
        if !self.filter.takes_id(carrier.0) {
            return;
        }
        self.touched.push(packet.flow);
        if is_ack {
            let all = packet.flags.has(Flags::COMPLETE);
            self.events.push(HostEvent::Acknowledged {
                carrier,
                at: now,
                sent_at: packet.sent_at,
                below: if all { u64::MAX } else { packet.cumulative() },
            });
        }
    }

    fn on_event(
        &mut self,
        now: Time,
        _node: NodeId,
        timer: bool,
        wait: &dyn Fn(FlowId) -> Option<Wait>,
    ) {
        let touched = std::mem::take(&mut self.touched);
        if timer {
            let waiting = self.live.iter();
            let waiting = waiting.filter(|(_, (_, last))| *last != Some(Wait::Nothing));
            let all: Vec<FlowId> = waiting.map(|(id, _)| *id).collect();
            for id in all {
                self.ask(now, id, wait);
            }
        } else {
            for id in &touched {
                self.ask(now, *id, wait);
            }
        }
        self.touched = touched;
        self.touched.clear();
    }

    fn on_completion(&mut self, _node: NodeId, completion: &Completion) {
        let flow = completion.flow;
        if !self.filter.takes_id(flow.carrier()) {
            return;
        }
        if flow.stream.is_none() {
            self.live.remove(&flow.id);
        }
        self.events.push(HostEvent::End(Box::new(Ended {
            flow,
            finish: completion.finish,
        })));
    }

    fn on_drop(&mut self, _now: Time, _node: NodeId, reason: DropReason, _packet: &Packet<()>) {
        self.lost = reason == DropReason::Link;
    }

    fn on_pause(
        &mut self,
        now: Time,
        _node: NodeId,
        port: PortId,
        priority: Priority,
        change: PauseChange,
    ) {
        note_pause(&mut self.pauses, now, (port, priority), change);
    }

    fabricsim_base::saves_state!();
}

impl SwitchRecorder {
    pub(super) fn new(time: Range<Time>, filter: FlowFilter, ports: usize) -> Self {
        Self {
            time,
            filter,
            steps: Vec::new(),
            turns: (0..ports).map(|_| Turns::default()).collect(),
            pauses: NodePauses::new(),
        }
    }
}

impl Observer<()> for SwitchRecorder {
    fn interest(&self) -> Interest {
        Interest::DEQUEUES
    }

    fn on_dequeue(&mut self, _node: NodeId, hop: &Hop, packet: &Packet<()>) {
        let Some((carrier, is_ack)) = carrier(packet) else {
            return;
        };
        if !self.time.contains(&hop.now) {
            return;
        }
        self.turns[hop.port.index()].note(hop.now, packet.flow);
        if !self.filter.takes_id(carrier.0) {
            return;
        }
        let pauses = self.pauses.get(&(hop.port, packet.priority()));
        let paused = pauses.map_or(Duration::ZERO, |own| own.within(hop.arrived, hop.now));
        let step = Step {
            port: hop.port,
            is_ack,
            arrived: hop.arrived,
            left: hop.now,
            paused,
            next: packet.arrival(),
        };
        self.steps.push((carrier, packet.sent_at, step));
    }

    fn on_pause(
        &mut self,
        now: Time,
        _node: NodeId,
        port: PortId,
        priority: Priority,
        change: PauseChange,
    ) {
        note_pause(&mut self.pauses, now, (port, priority), change);
    }

    fabricsim_base::saves_state!();
}
