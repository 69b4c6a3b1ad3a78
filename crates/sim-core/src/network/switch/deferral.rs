//! Ports that are served late.
//!
//! What leaves a port, and when, follows from what has arrived for it. As long as nothing else at the
//! switch depends on the order in which its ports send, no timer is set for the moment at which a
//! wire becomes free: the port is served up to the present when something arrives for it, and when the
//! switch has been run to the end of an epoch. The packets and their times are those of ports with
//! timers.
//!
//! Where telemetry, routing and observer do not look at several ports, all that others see of a port
//! is what it holds of the shared buffer. That is given back late, so the buffer looks fuller than it
//! is, which makes no difference while it is [calm](Admission::is_calm). As soon as it is not, all
//! ports are served up to the present, and timers take over.
//!
//! Switches with few ports need no timers where the buffer [only drops](Admission::only_drops): a packet
//! that it accepts while it looks fuller than it is would be accepted in any case, and before a packet
//! that it might refuse, all ports are served up to the present.

use super::Switch;
use crate::packet::Packet;
use crate::plugin::{Admission, EventOrder, Model, Observer, Routing, Telemetry};
use fabricsim_base::units::Time;
use fabricsim_engine::{SendBuffer, Timer};

/// Switches with more ports have timers where the buffer is not calm: to look at all ports that wait
/// before each packet that the buffer might refuse would cost more. No result depends on it.
const MOST_PORTS: usize = 64;

impl<M: Model> Switch<M> {
    /// Returns whether ports may be served late even where the buffer is not calm.
    #[inline]
    pub(super) fn may_look_fuller(&self) -> bool {
        self.buffer.only_drops() && self.ports.len() <= MOST_PORTS
    }

    /// Returns whether nothing but the buffer depends on the order in which the ports send.
    #[inline]
    pub(super) fn has_independent_ports(&self) -> bool {
        let telemetry_needs_order = if self.observer.sees_dequeues() {
            self.telemetry.needs_order()
        } else {
            !self.telemetry.restores_order()
        };
        !M::Order::BY_INSERTION
            && !self.observer.needs_order()
            && !telemetry_needs_order
            && !self.routing.reads_ports()
    }

    /// Chooses at the beginning of a run, when all ports are served up to the present, whether they
    /// have timers.
    #[inline]
    pub(super) fn choose_timers(&mut self) {
        let may_defer = self.has_independent_ports();
        if self.defers != may_defer {
            if self.defers {
                self.set_timers();
            } else if self.buffer.is_calm() || self.may_look_fuller() {
                self.drop_timers();
            }
        }
    }

    /// From now on the ports are served late.
    #[cold]
    fn drop_timers(&mut self) {
        self.defers = true;
        self.timers.clear();
        self.find_waiting();
    }

    /// Finds the ports that have packets to send later.
    pub(super) fn find_waiting(&mut self) {
        self.waiting.clear();
        self.next_due = Time::MAX;
        if !self.defers {
            return;
        }
        for (port, number) in self.ports.iter().zip(0..) {
            if port.due != Time::MAX {
                self.waiting.insert(number);
                self.next_due = self.next_due.min(port.due);
            }
        }
    }

    /// From now on the ports have timers.
    #[cold]
    fn set_timers(&mut self) {
        self.defers = false;
        self.waiting.clear();
        for (port, index) in self.ports.iter().zip(0..) {
            let at = port.due;
            if at != Time::MAX {
                self.timers.set(Timer {
                    at,
                    set: 0,
                    rank: 0,
                    index,
                });
            }
        }
    }

    /// Serves all ports up to `now`, and goes over to timers.
    #[cold]
    #[inline(never)]
    pub(super) fn stop_deferring(
        &mut self,
        now: Time,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        self.serve_all_until(now, send_buffer);
        self.set_timers();
    }

    /// Serves `port` up to `now`: what happens at `now` itself comes after what arrives then.
    #[inline(never)]
    pub(super) fn serve_until(
        &mut self,
        now: Time,
        port: usize,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        self.serve_due(now, port, send_buffer);
    }

    /// [`Self::serve_until`] as a part of its caller.
    #[inline(always)]
    pub(super) fn serve_due(
        &mut self,
        now: Time,
        port: usize,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        loop {
            let due = self.ports[port].due;
            if due >= now {
                return;
            }
            self.counters.events += 1;
            self.last = self.last.max(due);
            self.ports[port].due = Time::MAX;
            self.send_first(due, port, None, send_buffer);
        }
    }

    /// Serves all ports up to `now`.
    #[inline(never)]
    pub(super) fn serve_all_until(
        &mut self,
        now: Time,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        let (mut first, mut next) = (0, Time::MAX);
        while let Some(port) = self.waiting.from(first) {
            if self.ports[port].due < now {
                self.serve_until(now, port, send_buffer);
            }
            let due = self.ports[port].due;
            if due == Time::MAX {
                self.waiting.remove(port);
            }
            next = next.min(due);
            first = port + 1;
        }
        self.next_due = next;
    }
}
