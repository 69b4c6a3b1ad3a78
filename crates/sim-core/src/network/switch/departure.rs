//! The way of a packet from its queue, or past it, to the wire.

use super::Switch;
use crate::engine::{Message as _, SendBuffer, Timer};
use crate::id::PortId;
use crate::packet::{Flags, Packet, Stamps};
use crate::plugin::{DropReason, EventOrder, Mark, Model, Observer, Qdisc as _, Telemetry};
use crate::units::Time;

impl<M: Model> Switch<M> {
    /// [`Self::send_first`] as a call.
    #[inline(never)]
    pub(super) fn send_next(
        &mut self,
        now: Time,
        port: usize,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        self.send_first(now, port, send_buffer);
    }

    /// Sends the next packet of `port`, whose wire is free, and waits for its end if more are
    /// ready.
    // A part of the loop that catches up with a port: a call for each packet costs twenty
    // instructions.
    #[inline(always)]
    pub(super) fn send_first(
        &mut self,
        now: Time,
        port: usize,
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
        let sent = (state.egress).transmit::<M::Order, _>(now, cause, port, head, send_buffer);
        let lost = if sent.is_none() { Some(*head) } else { None };
        let mark = state.queue.pop(now);
        state.note_state();
        let is_ready = state.queue.is_ready(paused);
        let (number, depth) = (PortId::from_index(port), state.queue.bytes());
        self.observer.on_queue_change(now, self.id, number, depth);
        match sent {
            Some(sent) if mark == Mark::None && !self.observer.sees_dequeues() => {
                let hop = state.hop(now, port, (arrived, ingress), sent.wire);
                self.telemetry.on_dequeue(sent, &hop);
            }
            Some(sent) => self.write_into(now, port, (arrived, ingress), sent, mark),
            None => self.lose_on_link(now, port, (arrived, ingress), lost, mark),
        }
        if !priority.is_control() {
            self.release(now, port, ingress, priority, size, send_buffer);
        }
        self.give_up(now, port, send_buffer);
        if is_ready {
            self.arm(now, port);
        }
    }

    /// Sends from `port` now if its wire is free, else when it becomes free.
    #[inline(always)]
    pub(super) fn kick(
        &mut self,
        now: Time,
        port: usize,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        let state = &mut self.ports[port];
        if state.due != Time::MAX {
            return;
        }
        if state.egress.busy_until < now {
            self.send_next(now, port, send_buffer);
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
        match egress.transmit::<M::Order, _>(now, self.cause, port, packet, send_buffer) {
            Some(sent) => self.write_into(now, port, (now, ingress), sent, mark),
            None => self.lose_on_link(now, port, (now, ingress), Some(*packet), mark),
        }
    }

    /// Writes the mark and the telemetry into `sent`, which is on the wire of `port` already and
    /// had `arrived` by `ingress`.
    // Left to itself the compiler makes it a call, which costs every packet-hop ten instructions.
    #[inline(always)]
    pub(super) fn write_into(
        &mut self,
        now: Time,
        port: usize,
        (arrived, ingress): (Time, PortId),
        sent: &mut Packet<M::Header>,
        mark: Mark,
    ) {
        if mark == Mark::Congestion {
            sent.flags.set(Flags::CONGESTION);
            self.meters[port].marked += 1;
        }
        if self.observer.sees_dequeues() {
            self.write_observed(now, port, (arrived, ingress), sent);
        } else {
            let hop = self.ports[port].hop(now, port, (arrived, ingress), sent.wire);
            self.telemetry.on_dequeue(sent, &hop);
        }
    }

    /// The link of `port` has lost `packet`: the switch has sent it as any other, with its mark and
    /// its telemetry.
    #[cold]
    #[inline(never)]
    pub(super) fn lose_on_link(
        &mut self,
        now: Time,
        port: usize,
        origin: (Time, PortId),
        packet: Option<Packet<M::Header>>,
        mark: Mark,
    ) {
        let Some(mut packet) = packet else { return };
        self.observer
            .on_drop(now, self.id, DropReason::Link, &packet);
        self.write_into(now, port, origin, &mut packet, mark);
    }

    /// Writes the telemetry into `sent`, and shows it to the observer.
    // Apart from the code of those that nobody watches.
    #[inline(never)]
    pub(super) fn write_observed(
        &mut self,
        now: Time,
        port: usize,
        origin: (Time, PortId),
        sent: &mut Packet<M::Header>,
    ) {
        let hop = self.ports[port].hop(now, port, origin, sent.wire);
        self.telemetry.on_dequeue(sent, &hop);
        self.observer.on_dequeue(self.id, &hop, sent);
    }
}
