//! Ports without timers, which are served late.
//!
//! The departures of a port, and their times, follow from its arrivals. A port therefore needs no
//! timer for the end of each transmission if nothing else at the switch depends on the order in
//! which ports send. The port catches up when the next packet for it arrives, and at the end of the
//! epoch. Packets leave at the same times as with timers.
//!
//! If telemetry, routing and observer do not compare ports (see [the plan](super::plan)), ports
//! share only the buffer. A late port releases its bytes late, so the buffer counts more bytes than
//! it holds. This makes no difference while the buffer is [calm](crate::plugin::Slack::is_calm). As
//! soon as it is not, all ports catch up, and timers take over.

use super::{Sends, Switch};
use crate::plugin::{EventOrder, Model};
use fabricsim_base::id::PortId;
use fabricsim_base::units::Time;
use fabricsim_engine::Timer;

impl<M: Model> Switch<M> {
    /// Switches from timers to late service.
    #[cold]
    pub(super) fn drop_timers(&mut self) {
        self.late = true;
        self.timers.clear();
        self.find_waiting();
    }

    /// Finds the ports that have packets to send later.
    pub(super) fn find_waiting(&mut self) {
        self.waiting.clear();
        self.next_due = Time::MAX;
        if !self.late {
            return;
        }
        for (port, number) in self.ports.iter().zip(0..) {
            if port.due != Time::MAX {
                self.waiting.insert(number);
                self.next_due = self.next_due.min(port.due);
            }
        }
    }

    /// Switches from late service to timers.
    #[cold]
    pub(super) fn set_timers(&mut self) {
        self.late = false;
        self.waiting.clear();
        for port in 0..self.ports.len() {
            if self.ports[port].due != Time::MAX {
                self.set_timer(port);
            }
        }
    }

    /// Makes `port` send when its wire is free, but not before `now`.
    #[inline]
    pub(super) fn arm(&mut self, now: Time, port: usize) {
        let state = &mut self.ports[port];
        if state.due != Time::MAX {
            return;
        }
        state.set_due(state.egress.busy_until.max(now));
        if self.late {
            self.next_due = self.next_due.min(state.due);
            self.waiting.insert(port);
        } else {
            self.set_timer(port);
        }
    }

    #[inline]
    fn set_timer(&mut self, port: usize) {
        let state = &self.ports[port];
        let timer = Timer {
            at: state.due,
            set: M::Order::stamp(state.egress.busy_since),
            rank: 0,
            index: PortId::from_index(port).0,
        };
        self.timers.set(timer);
    }

    /// Sends from `port` now, triggered by the arrival at `by`, if its wire is free; otherwise when
    /// it becomes free.
    #[inline(always)]
    pub(super) fn kick(&mut self, now: Time, port: usize, by: PortId, send_buffer: &mut Sends<M>) {
        let state = &self.ports[port];
        if state.due != Time::MAX {
            return;
        }
        if state.egress.busy_until < now {
            self.send_now(now, port, Some(by), send_buffer);
        } else {
            self.arm(now, port);
        }
    }

    /// [`Self::send_next`], not inlined.
    #[inline(never)]
    fn send_now(&mut self, now: Time, port: usize, by: Option<PortId>, send_buffer: &mut Sends<M>) {
        self.send_next(now, port, by, send_buffer);
    }

    /// Sends the next packet of `port`, which is due at `at` because its wire has become free.
    #[inline(always)]
    pub(in crate::network) fn wire_is_free(
        &mut self,
        at: Time,
        port: usize,
        send_buffer: &mut Sends<M>,
    ) {
        self.last = self.last.max(at);
        self.ports[port].due = Time::MAX;
        self.send_next(at, port, None, send_buffer);
    }

    /// Serves all ports up to `now`, then switches to timers.
    #[cold]
    #[inline(never)]
    pub(super) fn stop_being_late(&mut self, now: Time, send_buffer: &mut Sends<M>) {
        self.serve_all_until(now, send_buffer);
        self.set_timers();
    }

    /// Serves `port` up to but not including `now`: arrivals at `now` are handled before the port's
    /// own event.
    #[inline(never)]
    pub(super) fn serve_until(&mut self, now: Time, port: usize, send_buffer: &mut Sends<M>) {
        self.serve_due(now, port, send_buffer);
    }

    /// [`Self::serve_until`], inlined.
    #[inline(always)]
    pub(super) fn serve_due(&mut self, now: Time, port: usize, send_buffer: &mut Sends<M>) {
        loop {
            let due = self.ports[port].due;
            if due >= now {
                return;
            }
            self.wire_is_free(due, port, send_buffer);
        }
    }

    /// Serves all ports up to but not including `now`.
    #[inline(never)]
    pub(super) fn serve_all_until(&mut self, now: Time, send_buffer: &mut Sends<M>) {
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
