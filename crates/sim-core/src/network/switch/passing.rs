//! The way of a packet past the queue of its port: of one that finds the port idle, and of one that
//! waits alone for the end of the packet on the wire.

use super::Switch;
use super::departure::{leaving, write_telemetry};
use super::port::Port;
use crate::network::counters::Counters;
use crate::packet::Packet;
use crate::plugin::{Admission, Leaving, Mark, Model, Observer, Qdisc};
use fabricsim_base::id::PortId;
use fabricsim_base::units::Time;
use fabricsim_engine::{Lane, SendBuffer};

/// A port and what else a packet touches that passes it.
pub(super) struct Passage<'a, M: Model> {
    pub(super) number: PortId,
    pub(super) port: &'a mut Port<M::Queue>,
    pub(super) buffer: &'a M::Buffer,
    pub(super) telemetry: &'a mut M::Telemetry,
    pub(super) observer: &'a M::Observer,
    pub(super) counters: &'a mut Counters,
    pub(super) cause: u32,
}

/// Why a packet has not passed a port in the usual way.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stop {
    /// It has to be queued or accounted for; nothing has been done with it.
    Queue,
    /// It has passed, but its mark and its telemetry have not been written.
    Unwritten(Passed),
}

/// How a packet has passed a port.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passed {
    /// When it has left.
    pub(super) at: Time,
    pub(super) leaving: Leaving,
    pub(super) mark: Mark,
    /// The link has lost it.
    pub(super) lost: bool,
}

impl<M: Model> Passage<'_, M> {
    /// Puts `packet`, which has `arrived` by `ingress`, on the wire where it need neither be queued
    /// nor accounted for. Nothing else concerns the port before `until`: a packet that waits for
    /// nothing but the end of the one on the wire, which comes before, is put behind it.
    #[inline(always)]
    pub(super) fn pass(
        &mut self,
        (arrived, until): (Time, Time),
        ingress: PortId,
        packet: &Packet<M::Header>,
        lane: Lane<'_, Packet<M::Header>>,
    ) -> Result<(), Stop> {
        let priority = packet.priority();
        let port = &mut *self.port;
        let free_after = port.open_after;
        if free_after >= until
            || !priority.is_control()
                && !(self.buffer).passes(ingress, self.number, priority, packet.size())
        {
            return Err(Stop::Queue);
        }
        if port.due != Time::MAX {
            // The link was down for a moment, and what waited then is lost. Something is due in any
            // case at that time, at which the wire has to be free.
            return Err(Stop::Queue);
        }
        let waits = free_after >= arrived;
        let now = arrived.max(free_after);
        let Some(mark) = port.queue.bypass(waits, packet) else {
            return Err(Stop::Queue);
        };
        // A wire that becomes free is an event without an arrival.
        let leaving = leaving(if waits { None } else { Some(ingress) }, &lane);
        let sent = (port.egress).transmit::<M::Order, _>(now, self.cause, packet, lane);
        port.open_after = port.egress.busy_until;
        if until > arrived {
            // Whether it waits cannot be foreseen, whether it is the longest queue so far can.
            self.counters.events += u64::from(waits);
            let depth = packet.size();
            if depth > self.counters.max_queue && waits {
                self.counters.max_queue = depth;
            }
        }
        match sent {
            Some(sent) if mark == Mark::None && !self.observer.sees_dequeues() => {
                let hop = port.hop(now, self.number.index(), (arrived, ingress), sent.wire);
                write_telemetry::<M>(self.telemetry, &hop, leaving, sent);
                Ok(())
            }
            sent => Err(Stop::Unwritten(Passed {
                at: now,
                leaving,
                mark,
                lost: sent.is_none(),
            })),
        }
    }
}

impl<M: Model> Switch<M> {
    /// Returns the passage by port number `out`.
    #[inline(always)]
    pub(super) fn passage(&mut self, out: usize) -> Passage<'_, M> {
        Passage {
            number: PortId::from_index(out),
            port: &mut self.ports[out],
            buffer: &self.buffer,
            telemetry: &mut self.telemetry,
            observer: &self.observer,
            counters: &mut self.counters,
            cause: self.cause,
        }
    }

    /// Puts `packet` on the wire of `out` where it finds the port idle and need not be accounted for,
    /// and returns whether that is so.
    #[inline(always)]
    pub(super) fn pass(
        &mut self,
        now: Time,
        out: usize,
        ingress: PortId,
        packet: &Packet<M::Header>,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) -> bool {
        let lane = send_buffer.lane(out);
        match self.passage(out).pass((now, now), ingress, packet, lane) {
            Ok(()) => true,
            Err(Stop::Queue) => false,
            Err(Stop::Unwritten(passed)) => {
                self.complete(passed, now, (ingress, out), packet, send_buffer);
                true
            }
        }
    }

    /// Writes the mark and the telemetry of `packet`, which has passed and was the last to leave by
    /// its port, or accounts for its loss.
    #[inline(never)]
    pub(super) fn complete(
        &mut self,
        passed: Passed,
        arrived: Time,
        (ingress, out): (PortId, usize),
        packet: &Packet<M::Header>,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        let times = (arrived, passed.at);
        let way = (ingress, PortId::from_index(out));
        let Passed { leaving, mark, .. } = passed;
        if passed.lost {
            return self.lose_on_link(times, way, leaving.by, Some(*packet), mark);
        }
        let before = send_buffer.sent(out) - 1;
        let sent = send_buffer.sent_mut(out, before);
        self.write_into(times, way, leaving, sent, mark);
    }
}
