//! The account of a sender: the time of its flows, divided by what they waited for.

use std::collections::{BTreeMap, VecDeque};

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::flow::Flow;
use fabricsim_base::id::{FlowId, NodeId, PortId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::plugin::Wait;

use super::journeys::{Context, Journeys};
use super::part::{Leg, Part, Spent, Stage, Step, before, spent};

/// The time of a flow or message in its parts, in picoseconds.
pub(super) type Parts = BTreeMap<Spent, u64>;

/// An interval of the sender's time.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(absolute)]
struct Entry {
    from: Time,
    to: Time,
    spent: Spent,
    /// The first byte of the packet in transmission, if there is one.
    seq: u64,
}

/// A flow, or a message of a connection, that is not complete.
#[derive(Debug, Stored)]
#[checkpoint(absolute)]
struct Message {
    id: FlowId,
    start: Time,
    /// The time at which its host knew it: later than its start if no route led to the receiver.
    routed: Time,
    /// Its bytes: from the first to the number after the last one.
    bytes: (u64, u64),
    /// All of it has been sent once.
    sent: bool,
    /// Time from which only the message itself, and no earlier one, keeps the sender busy.
    ready: Option<Time>,
    parts: Parts,
}

/// The account of one sender. The time of its first flow is divided without gaps into [entries]
/// (Entry); a message takes the entries from its turn to the departure of its deciding packet.
#[derive(Debug, Stored)]
#[checkpoint(absolute)]
pub(super) struct Sender {
    carrier: FlowId,
    host: NodeId,
    priority: Priority,
    journeys: Journeys,
    /// All bytes below this were acknowledged before the last acknowledgement.
    acknowledged: u64,
    /// The arrival of the last acknowledgement, and the departure of its data packet.
    last: Option<(Time, Time)>,
    /// The account is complete up to this time.
    until: Time,
    /// The reason for not sending since then.
    wait: Wait,
    /// The end of the last transmission, its part, and its first byte.
    wire: (Time, Part, u64),
    sent_once: u64,
    /// The port of the last packet.
    step: Option<Step>,
    entries: VecDeque<Entry>,
    messages: VecDeque<Message>,
}

impl Sender {
    /// Returns the sender of `flow`, or of its connection, at `host`.
    pub(super) fn new(host: NodeId, now: Time, flow: &Flow) -> Self {
        let carrier = flow.carrier();
        Self {
            carrier,
            host,
            priority: flow.request.priority,
            journeys: Journeys::default(),
            acknowledged: 0,
            last: None,
            until: now,
            wait: Wait::Nothing,
            wire: (Time::ZERO, Part::Transmission, 0),
            sent_once: 0,
            step: None,
            entries: VecDeque::new(),
            messages: VecDeque::new(),
        }
    }

    /// Notes that the data packet with `step` has left, with bytes up to `end`.
    pub(super) fn add_journey(&mut self, end: u64, step: Step) {
        self.journeys.begin(self.host, end, step);
    }

    /// Adds `step` at `node` to the way of the packet that left at `sent_at`.
    pub(super) fn add_step(&mut self, sent_at: Time, node: NodeId, step: Step) {
        self.journeys.add(sent_at, node, step);
    }

    /// A flow or message starts.
    pub(super) fn start(&mut self, now: Time, flow: &Flow) {
        if self.messages.is_empty() {
            self.entries.clear();
            self.until = self.until.max(now);
        }
        let from = flow.stream.map_or(0, |place| place.from);
        let ready = match self.messages.back() {
            Some(last) if !last.sent => None,
            Some(_) => Some(now.max(self.wire.0)),
            None => Some(now),
        };
        let mut parts = Parts::new();
        add(
            &mut parts,
            spent(Stage::Sending, Part::Route),
            flow.request.start,
            now,
        );
        self.messages.push_back(Message {
            id: flow.id,
            start: flow.request.start,
            routed: now,
            bytes: (from, from + flow.request.size.get()),
            sent: false,
            ready,
            parts,
        });
    }

    /// A data packet of `wire` bytes leaves, with `payload` bytes from `seq` on.
    pub(super) fn send(
        &mut self,
        (seq, payload): (u64, u16),
        wire: u16,
        step: &Step,
        context: &Context<'_>,
    ) {
        self.pass(step.left, None, context);
        let port = &context.topology.ports(self.host)[step.port.index()];
        let free = if step.next == Time::MAX {
            step.left + port.rate.transmission(Bytes::new(wire.into()))
        } else {
            before(step.next, port.delay)
        };
        let part = if seq < self.sent_once {
            Part::Retransmission
        } else {
            Part::Transmission
        };
        self.wire = (free, part, seq);
        self.step = Some(*step);
        let end = seq + u64::from(payload);
        self.sent_once = self.sent_once.max(end);
        let mut before_sent = true;
        for message in &mut self.messages {
            if before_sent && message.ready.is_none() {
                message.ready = Some(free.max(message.start));
            }
            message.sent |= end >= message.bytes.1;
            before_sent = message.sent;
            if !before_sent {
                break;
            }
        }
    }

    /// An acknowledgement arrives at `now`, of the packet that left at `sent_at` and of all bytes
    /// below `below`.
    pub(super) fn acknowledge(
        &mut self,
        now: Time,
        sent_at: Time,
        below: u64,
        context: &Context<'_>,
    ) {
        let is_full = self.wait == Wait::Window && now > self.until.max(self.wire.0);
        let legs = is_full.then(|| self.journeys.way(self.carrier, (sent_at, now), context));
        // An acknowledgement that was overtaken long ago says nothing about the wait.
        if legs.as_ref().is_none_or(|legs| !legs.is_empty()) {
            self.pass(now, legs.as_deref(), context);
        }
        // The packets of the last acknowledgement may have completed a message, which has ended by
        // now. Acknowledgements on other paths may be late by a round trip.
        let acknowledged = self.acknowledged;
        let late = before(sent_at, now.since(sent_at));
        self.journeys.end(acknowledged, late);
        self.acknowledged = acknowledged.max(below);
        self.last = Some((now, sent_at));
        self.fold();
    }

    /// The sender waits for `wait` from `now` on.
    pub(super) fn wait(&mut self, now: Time, wait: Wait, context: &Context<'_>) {
        // The acknowledgement that ends a full window has already been seen.
        if wait != Wait::Window || self.wait != Wait::Window {
            self.pass(now, None, context);
            self.wait = wait;
        }
    }

    /// A flow or message with the number `id` is complete at `now`. Returns its start and its
    /// parts, which add up to its completion time.
    pub(super) fn end(&mut self, id: FlowId, now: Time, context: &Context<'_>) -> Option<Parts> {
        self.pass(now, None, context);
        let place = self.messages.iter().position(|own| own.id == id)?;
        let mut message = self.messages.remove(place)?;
        let ready = message.ready.unwrap_or(now);
        let mut parts = std::mem::take(&mut message.parts);
        let decided = match self.last {
            Some((at, sent_at)) if at == now => sent_at.max(ready),
            _ => now,
        };
        for entry in &self.entries {
            message.take(&mut parts, entry, (ready, decided));
        }
        if let Some((_, sent_at)) = self.last.filter(|_| decided < now) {
            for leg in self.journeys.way(self.carrier, (sent_at, now), context) {
                let stage = if leg.after_data {
                    Stage::Acknowledgement
                } else {
                    Stage::Packet
                };
                add(&mut parts, leg.spent(stage), leg.from.max(decided), leg.to);
            }
        }
        if self.messages.is_empty() {
            self.entries.clear();
        }
        let (sum, all): (u64, u64) = (parts.values().sum(), now.since(message.start).as_ps());
        if sum > all {
            parts.clear();
        }
        let rest = all - if sum > all { 0 } else { sum };
        if rest > 0 {
            *parts
                .entry(spent(Stage::Sending, Part::Unexplained))
                .or_default() += rest;
        }
        Some(parts)
    }

    /// Accounts for the time up to `now`. `legs` is the way of the packet whose acknowledgement
    /// arrives now.
    fn pass(&mut self, now: Time, legs: Option<&[Leg]>, context: &Context<'_>) {
        let (free, part, seq) = self.wire;
        self.note(free.min(now), spent(Stage::Sending, part), seq);
        if self.until >= now {
            return;
        }
        let part = match self.wait {
            Wait::Handshake => Part::Handshake,
            Wait::Credit => Part::Credit,
            Wait::Acknowledgement => Part::Recovery,
            Wait::Nothing => Part::Unexplained,
            Wait::Pacing(due) => {
                self.note(due.min(now), spent(Stage::Sending, Part::Pacing), 0);
                Part::Nic
            }
            Wait::Port => Part::Nic,
            Wait::Window => match legs {
                None => Part::Recovery,
                Some(legs) => {
                    for leg in legs {
                        let from = leg.from;
                        if leg.to > self.until && from < now {
                            if from > self.until {
                                self.note(from, spent(Stage::Window, Part::Unexplained), 0);
                            }
                            self.note(leg.to.min(now), leg.spent(Stage::Window), 0);
                        }
                    }
                    self.note(now, spent(Stage::Window, Part::Unexplained), 0);
                    return;
                }
            },
        };
        if part == Part::Nic {
            let paused = self.paused(now, context);
            let at = self.step.map(|step| (self.host, step.port));
            let label = Spent {
                at,
                ..spent(Stage::Sending, Part::Pause)
            };
            self.note(paused, label, 0);
        }
        self.note(now, spent(Stage::Sending, part), 0);
    }

    /// Returns the time up to which a pause of the port accounts for the time until `now`.
    fn paused(&self, now: Time, context: &Context<'_>) -> Time {
        let Some(pauses) = context.pauses.filter(|_| self.until < now) else {
            return self.until;
        };
        let port = self.step.map_or(PortId(0), |step| step.port);
        let own = pauses.get(&(port, self.priority));
        own.map_or(self.until, |own| self.until + own.within(self.until, now))
    }

    /// Appends the time up to `to` to the entries.
    fn note(&mut self, to: Time, label: Spent, seq: u64) {
        if to <= self.until {
            return;
        }
        let from = self.until;
        self.until = to;
        match self.entries.back_mut() {
            Some(last) if last.spent == label && last.seq == seq => last.to = to,
            _ => self.entries.push_back(Entry {
                from,
                to,
                spent: label,
                seq,
            }),
        }
    }

    /// Moves entries from before the departure of all packets in flight to the messages, so that
    /// memory is proportional to the packets in flight.
    fn fold(&mut self) {
        let oldest = self.journeys.oldest().unwrap_or(self.until);
        while let Some(entry) = self.entries.front().filter(|own| own.to <= oldest) {
            for message in &mut self.messages {
                let mut parts = std::mem::take(&mut message.parts);
                let ready = message.ready.unwrap_or(Time::MAX);
                message.take(&mut parts, entry, (ready, Time::MAX));
                message.parts = parts;
            }
            self.entries.pop_front();
        }
    }
}

impl Message {
    /// Adds the time of `entry` until `to` to `parts`. The turn of this message begins at `ready`.
    fn take(&self, parts: &mut Parts, entry: &Entry, (ready, to): (Time, Time)) {
        let (from, to) = (entry.from.max(self.routed), entry.to.min(to));
        let earlier = Spent {
            stage: Stage::Connection,
            ..entry.spent
        };
        let turn = ready.max(from).min(to);
        add(parts, earlier, from, turn);
        let (first, end) = self.bytes;
        let sends_others = matches!(entry.spent.part, Part::Transmission | Part::Retransmission)
            && entry.spent.stage == Stage::Sending
            && !(first..end).contains(&entry.seq);
        let label = if sends_others { earlier } else { entry.spent };
        add(parts, label, turn, to);
    }
}

fn add(parts: &mut Parts, label: Spent, from: Time, to: Time) {
    if to > from {
        *parts.entry(label).or_default() += to.since(from).as_ps();
    }
}
