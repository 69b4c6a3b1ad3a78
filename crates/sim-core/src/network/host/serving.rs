//! The ports of a host, and the times at which the transport is polled for packets.

use super::{Host, RANK_DEADLINE, RANK_FREE, RANK_SEND};
use crate::network::egress::Egress;
use crate::packet::Packet;
use crate::plugin::{DropReason, Endpoint, EventOrder, Interest, Model, Observer, PortUpdate};
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::Time;
use fabricsim_engine::{SendBuffer, Timer};

/// A port of a host through which its transport may send a packet within one event.
// The transport borrows it as one reference. A closure with several references would be built in
// memory for each packet, and read back before all of it has reached the cache.
pub(super) struct Exit<'a, M: Model> {
    pub(super) now: Time,
    pub(super) host: NodeId,
    pub(super) port: usize,
    /// Time at which the event that causes the transmission was set, like `Host::cause`.
    pub(super) cause: u32,
    pub(super) egress: &'a mut Egress,
    pub(super) observer: &'a mut M::Observer,
    pub(super) send_buffer: &'a mut SendBuffer<Packet<M::Header>>,
}

impl<M: Model> Exit<'_, M> {
    /// Sends `packet` on the free wire. Returns the time at which the wire is free again.
    #[inline(always)]
    pub(super) fn send(&mut self, packet: &Packet<M::Header>) -> Time {
        let lane = self.send_buffer.lane(self.port);
        let sent = self.egress.transmit::<M::Order, _>(
            self.egress.byte_ps(),
            (self.now, self.cause),
            packet,
            lane,
        );
        if sent.is_none() {
            self.observer
                .on_drop(self.now, self.host, DropReason::Link, packet);
        }
        if self.observer.interest().has(Interest::SENDS) {
            let seen = sent.as_deref().unwrap_or(packet);
            let port = PortId::from_index(self.port);
            self.observer.on_send(self.now, self.host, port, seen);
        }
        self.egress.busy_until
    }
}

impl<M: Model> Host<M> {
    /// Returns `true` if a reply may leave by `port` within the event that causes it, because the
    /// transport has no other packet to send now.
    #[inline]
    pub(super) fn may_reply(&self, now: Time, port: usize) -> bool {
        let egress = &self.nics[port].egress;
        !M::Order::BY_INSERTION
            && egress.busy_until <= now
            && self.next_local() > now
            && egress.paused.is_empty()
            && !egress.is_down()
            && !self.unasked
    }

    #[inline]
    pub(super) fn serve_all(&mut self, now: Time, send_buffer: &mut SendBuffer<Packet<M::Header>>) {
        for port in 0..self.nics.len() {
            self.serve(now, port, send_buffer);
        }
        self.unasked = false;
        self.arm_deadline(now);
    }

    /// Lets the transport use the ports after a packet has caused `update`.
    #[inline]
    pub(super) fn follow(
        &mut self,
        now: Time,
        update: PortUpdate,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        if M::Order::BY_INSERTION {
            match update {
                PortUpdate::Rescheduled { nic, at } | PortUpdate::Flow { nic, moved: at, .. } => {
                    self.advance_timer(now, nic, at);
                }
                PortUpdate::Ready | PortUpdate::Replied | PortUpdate::Unchanged => {}
            }
        } else if update == PortUpdate::Replied {
            return;
        } else if let PortUpdate::Flow { nic, due, .. } = update
            && self.waits_until(now, nic, due)
        {
            self.arm_deadline(now);
            return;
        }
        self.serve_all(now, send_buffer);
    }

    /// Polls the transport again at `due` if only one flow has changed, which may then send by
    /// `nic`. Returns `true` if this is sufficient because no packet may leave before.
    #[inline]
    fn waits_until(&mut self, now: Time, nic: PortId, due: Time) -> bool {
        if due <= now || self.next_local() <= now || self.unasked {
            return false;
        }
        let nic = &mut self.nics[nic.index()];
        if due <= nic.egress.busy_until || nic.egress.is_down() {
            return false;
        }
        if due < nic.wake {
            nic.wake = due;
            self.next_wake = self.next_wake.min(due);
        }
        true
    }

    /// Ends an event: sets an event for the transport's deadline unless an earlier one is set, and
    /// shows the event to an observer that watches events.
    #[inline]
    pub(super) fn arm_deadline(&mut self, now: Time) {
        let deadline = self.endpoint.deadline();
        if deadline <= self.arm_by {
            self.attend(now, deadline);
        }
    }

    /// Sets an event for `deadline` unless an earlier one is set, and shows the event that ends now
    /// to the observer.
    // Kept out of line, because the end of every event runs through the callers.
    #[inline(never)]
    fn attend(&mut self, now: Time, deadline: Time) {
        if deadline < self.deadline {
            let at = deadline.max(now);
            self.deadline = at;
            self.timers.set(Timer {
                at,
                set: M::Order::stamp(now),
                rank: RANK_DEADLINE,
                index: 0,
            });
        }
        self.arm_by = self.latest_to_arm();
        self.observe_event(now, false);
    }

    /// Sends the transport's next packet on the free wire of `port`. Returns `true` if there was
    /// one.
    #[inline]
    fn poll(
        &mut self,
        now: Time,
        port: usize,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) -> bool {
        let egress = &mut self.nics[port].egress;
        let paused = egress.paused;
        let exit = &mut Exit::<M> {
            now,
            host: self.id,
            port,
            cause: self.cause,
            egress,
            observer: &mut self.observer,
            send_buffer,
        };
        let nic = PortId::from_index(port);
        self.endpoint
            .poll(now, nic, paused, |packet| exit.send(packet))
    }

    /// Lets the transport use `port` if its wire is free, and polls it again when it next has a
    /// packet. The end of a transmission needs no event if no packet waits for it.
    #[inline]
    pub(super) fn serve(
        &mut self,
        now: Time,
        port: usize,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        if M::Order::BY_INSERTION {
            self.serve_by_events(now, port, send_buffer);
            return;
        }
        let nic_id = PortId::from_index(port);
        let nic = &mut self.nics[port];
        if nic.egress.is_down() {
            return;
        }
        if nic.egress.busy_until <= now {
            self.poll(now, port, send_buffer);
        }
        let nic = &mut self.nics[port];
        let free = nic.egress.busy_until;
        if nic.wake <= free && nic.wake > now {
            return;
        }
        let next = self
            .endpoint
            .next_send(free.max(now), nic_id, nic.egress.paused);
        if next == Time::MAX {
            return;
        }
        let wake = next.max(free);
        if wake < nic.wake {
            nic.wake = wake;
            self.next_wake = self.next_wake.min(wake);
        }
    }

    /// Polls the transport at the first port with a due `wake`.
    #[inline]
    pub(super) fn on_wake(&mut self, now: Time, send_buffer: &mut SendBuffer<Packet<M::Header>>) {
        let due = self.nics.iter().position(|nic| nic.wake == now);
        if let Some(port) = due {
            self.nics[port].wake = Time::MAX;
            self.serve(now, port, send_buffer);
        }
        self.find_next_wake();
        self.arm_deadline(now);
    }

    /// Recomputes the earliest `wake`.
    #[inline]
    pub(super) fn find_next_wake(&mut self) {
        let wakes = self.nics.iter().map(|nic| nic.wake);
        self.next_wake = wakes.min().unwrap_or(Time::MAX);
    }

    /// [`serve`](Self::serve) for events ordered by insertion, with the events of the published
    /// simulator's NIC: one at the end of each transmission, and one timer. The timer is set when
    /// the free wire finds no packet to send, and moves only to earlier times.
    fn serve_by_events(
        &mut self,
        now: Time,
        port: usize,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        let nic_id = PortId::from_index(port);
        let nic = &mut self.nics[port];
        let stamp = M::Order::stamp(now);
        if nic.transmitting || nic.egress.is_down() {
            return;
        }
        if self.poll(now, port, send_buffer) {
            let nic = &mut self.nics[port];
            nic.transmitting = true;
            let free = nic.egress.busy_until;
            self.timers.set(Timer {
                at: free,
                set: stamp,
                rank: RANK_FREE,
                index: nic_id.0,
            });
        } else if self.nics[port].wake == Time::MAX {
            let nic = &mut self.nics[port];
            let first = self.endpoint.next_send(now, nic_id, nic.egress.paused);
            if first > now && first != Time::MAX {
                nic.wake = first;
                self.timers.set(Timer {
                    at: first,
                    set: stamp,
                    rank: RANK_SEND,
                    index: nic_id.0,
                });
            }
        }
    }

    /// Moves the timer of `port` to `at` if that is earlier, because its waiting packet was
    /// rescheduled.
    pub(super) fn advance_timer(&mut self, now: Time, port: PortId, at: Time) {
        let nic = &mut self.nics[port.index()];
        if nic.wake != Time::MAX && at < nic.wake {
            nic.wake = at.max(now);
            self.timers.set(Timer {
                at: nic.wake,
                set: M::Order::stamp(now),
                rank: RANK_SEND,
                index: port.0,
            });
        }
    }
}
