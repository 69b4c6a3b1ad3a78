//! The way of a packet from its queue, or past it, to the wire.

use super::Switch;
use crate::packet::{Flags, Header, Packet, Stamps};
use crate::plugin::{
    DropReason, EventOrder, Hop, Leaving, Mark, Model, Observer, Qdisc as _, Telemetry,
};
use fabricsim_base::id::PortId;
use fabricsim_base::units::Time;
use fabricsim_engine::{Lane, Message as _, SendBuffer, Timer};

impl<M: Model> Switch<M> {
    /// [`Self::send_first`] as a call.
    #[inline(never)]
    pub(super) fn send_next(
        &mut self,
        now: Time,
        port: usize,
        by: Option<PortId>,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        self.send_first(now, port, by, send_buffer);
    }

    /// Sends the next packet of `port`, whose wire is free, and waits for its end if more are
    /// ready. `by` is the port of the arrival because of which it does; `None` where the wire has just
    /// become free.
    // A part of the loop that catches up with a port: a call for each packet costs twenty
    // instructions.
    #[inline(always)]
    pub(super) fn send_first(
        &mut self,
        now: Time,
        port: usize,
        by: Option<PortId>,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        let state = &mut self.ports[port];
        let paused = state.egress.paused;
        let Some(head) = state.queue.head(now, paused, &mut self.dropped) else {
            state.note_state();
            self.give_up(now, port, send_buffer);
            return;
        };
        let (priority, ingress, size) = (head.priority(), head.port, head.size());
        let arrived = head.arrival();
        let cause = self.cause;
        let lane = send_buffer.lane(port);
        let leaving = leaving(by, &lane);
        let sent = (state.egress).transmit::<M::Order, _>(now, cause, head, lane);
        let lost = if sent.is_none() { Some(*head) } else { None };
        let mark = state.queue.pop(now);
        state.note_state();
        let is_ready = state.queue.is_ready(paused);
        let (number, depth) = (PortId::from_index(port), state.queue.bytes());
        self.observer.on_queue_change(now, self.id, number, depth);
        let way = (ingress, number);
        match sent {
            Some(sent) if mark == Mark::None && !self.observer.sees_dequeues() => {
                let hop = state.hop(now, port, (arrived, ingress), sent.wire);
                write_telemetry::<M>(&mut self.telemetry, &hop, leaving, sent);
            }
            Some(sent) => self.write_into((arrived, now), way, leaving, sent, mark),
            None => self.lose_on_link((arrived, now), way, by, lost, mark),
        }
        if !priority.is_control() {
            self.release(now, port, ingress, priority, size, send_buffer);
        }
        self.give_up(now, port, send_buffer);
        if is_ready {
            self.arm(now, port);
        }
    }

    /// Sends from `port` now, because of what has arrived at `by`, if its wire is free, else when it
    /// becomes free.
    #[inline(always)]
    pub(super) fn kick(
        &mut self,
        now: Time,
        port: usize,
        by: PortId,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        let state = &mut self.ports[port];
        if state.due != Time::MAX {
            return;
        }
        if state.egress.busy_until < now {
            self.send_next(now, port, Some(by), send_buffer);
        } else {
            self.arm(now, port);
        }
    }

    /// Sees to it that `port` sends when its wire is free, but not before `now`.
    #[inline]
    pub(super) fn arm(&mut self, now: Time, port: usize) {
        let state = &mut self.ports[port];
        if state.due != Time::MAX {
            return;
        }
        let at = state.egress.busy_until.max(now);
        state.due = at;
        if self.defers {
            self.next_due = self.next_due.min(at);
            self.waiting.insert(port);
            return;
        }
        #[expect(clippy::cast_possible_truncation, reason = "ports are numbered by u16")]
        let index = port as u16;
        let set = if M::Order::BY_INSERTION {
            Stamps::of(state.egress.busy_since)
        } else {
            0
        };
        self.timers.set(Timer {
            at,
            set,
            rank: 0,
            index,
        });
    }

    /// Puts `packet`, which has not been queued, on the wire of `port`.
    // Left to itself the compiler makes it a call, which costs every packet-hop twenty instructions.
    #[inline(always)]
    pub(super) fn transmit(
        &mut self,
        now: Time,
        port: usize,
        ingress: PortId,
        packet: &Packet<M::Header>,
        mark: Mark,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        let egress = &mut self.ports[port].egress;
        let way = (ingress, PortId::from_index(port));
        let lane = send_buffer.lane(port);
        let leaving = leaving(Some(ingress), &lane);
        match egress.transmit::<M::Order, _>(now, self.cause, packet, lane) {
            Some(sent) => self.write_into((now, now), way, leaving, sent, mark),
            None => self.lose_on_link((now, now), way, Some(ingress), Some(*packet), mark),
        }
    }

    /// Writes the mark and the telemetry into `sent`, which is on the wire already: when it had
    /// arrived and when it leaves, by which ports, and how it leaves.
    // Left to itself the compiler makes it a call, which costs every packet-hop ten instructions.
    #[inline(always)]
    pub(super) fn write_into(
        &mut self,
        (arrived, now): (Time, Time),
        (ingress, port): (PortId, PortId),
        leaving: Leaving,
        sent: &mut Packet<M::Header>,
        mark: Mark,
    ) {
        let number = port.index();
        if mark == Mark::Congestion && sent.takes_mark() {
            sent.flags.set(Flags::CONGESTION);
            self.meters[number].marked += 1;
        }
        let hop = self.ports[number].hop(now, number, (arrived, ingress), sent.wire);
        if self.observer.sees_dequeues() {
            self.write_observed(&hop, sent);
        } else {
            write_telemetry::<M>(&mut self.telemetry, &hop, leaving, sent);
        }
    }

    /// The link has lost `packet`: the switch has sent it as any other, with its mark and its
    /// telemetry.
    #[cold]
    #[inline(never)]
    pub(super) fn lose_on_link(
        &mut self,
        (arrived, now): (Time, Time),
        way: (PortId, PortId),
        by: Option<PortId>,
        packet: Option<Packet<M::Header>>,
        mark: Mark,
    ) {
        let Some(mut packet) = packet else { return };
        self.observer
            .on_drop(now, self.id, DropReason::Link, &packet);
        let leaving = Leaving { place: None, by };
        self.write_into((arrived, now), way, leaving, &mut packet, mark);
    }

    /// Writes the telemetry into `sent`, and shows it to the observer.
    // Apart from the code of those that nobody watches.
    #[inline(never)]
    fn write_observed(&mut self, hop: &Hop, sent: &mut Packet<M::Header>) {
        self.telemetry.on_dequeue(sent, hop);
        self.observer.on_dequeue(self.id, hop, sent);
    }
}

/// Returns how the next packet leaves over `lane`, because of an arrival at `by` if there is one.
#[inline(always)]
#[expect(
    clippy::cast_possible_truncation,
    reason = "a batch counts its messages in 32 bits"
)]
pub(super) fn leaving<H: Header>(by: Option<PortId>, lane: &Lane<'_, Packet<H>>) -> Leaving {
    Leaving {
        place: Some(lane.sent() as u32),
        by,
    }
}

/// Writes telemetry into `sent`, which nobody watches.
#[inline(always)]
pub(super) fn write_telemetry<M: Model>(
    telemetry: &mut M::Telemetry,
    hop: &Hop,
    leaving: Leaving,
    sent: &mut Packet<M::Header>,
) {
    if M::Order::BY_INSERTION {
        telemetry.on_dequeue(sent, hop);
    } else {
        telemetry.on_departure(sent, hop, leaving);
    }
}
