//! A switch as a part of a [host that forwards](crate::network::forwarder), event by event.
//!
//! The host takes the wires in turn with the switch, so ports always have timers, and a timer may
//! be left over from a wire that the host has taken.

use super::{NOT_FIXED, Sends, Switch};
use crate::network::egress::Egress;
use crate::packet::Packet;
use crate::plugin::{Model, SentPackets, Telemetry};
use fabricsim_base::units::Time;

impl<M: Model> Switch<M> {
    /// Handles the arrival of `packet` at `now` by port `channel`.
    pub(in crate::network) fn receive(
        &mut self,
        now: Time,
        channel: usize,
        packet: &Packet<M::Header>,
        send_buffer: &mut Sends<M>,
    ) {
        self.note_event(now);
        self.on_arrival(now, channel, packet, send_buffer);
    }

    /// Counts an event at `now`.
    pub(in crate::network) fn note_event(&mut self, now: Time) {
        self.counters.events += 1;
        self.last = self.last.max(now);
    }

    /// Handles the next timer: sends from its port unless the host has taken the wire.
    pub(in crate::network) fn on_wire(&mut self, send_buffer: &mut Sends<M>) {
        let timer = self.timers.pop().expect("a timer has just been seen");
        let port = usize::from(timer.index);
        if self.ports[port].due == timer.at {
            self.wire_is_free(timer.at, port, send_buffer);
        }
    }

    /// Returns the port of the next timer, if a packet waits there for it.
    pub(in crate::network) fn next_wire(&self) -> Option<usize> {
        let timer = self.timers.peek()?;
        let port = usize::from(timer.index);
        (self.ports[port].due == timer.at).then_some(port)
    }

    /// Returns the time at which a packet is to leave by `port`; [`Time::MAX`] if none waits for
    /// the wire.
    pub(in crate::network) fn due(&self, port: usize) -> Time {
        self.ports[port].due
    }

    /// Returns the number of packets that have left by `port`.
    pub(in crate::network) fn sent(&self, port: usize) -> u64 {
        self.ports[port].egress.packets
    }

    /// Adapts `port` to its wire, on which the host has sent at `now`.
    pub(in crate::network) fn follow_wire(&mut self, now: Time, port: usize) {
        let waits = self.ports[port].due != Time::MAX;
        self.ports[port].due = Time::MAX;
        if waits {
            self.arm(now, port);
        } else {
            self.ports[port].note_state();
        }
    }

    /// Returns the wires of all ports.
    pub(in crate::network) fn wires(&mut self) -> impl Iterator<Item = &mut Egress> {
        self.ports.iter_mut().map(|port| &mut port.egress)
    }

    /// Returns a copy of `packet` whose egress port is chosen later.
    pub(in crate::network) fn unrouted(packet: &Packet<M::Header>) -> Packet<M::Header> {
        let mut copy = *packet;
        copy.port = NOT_FIXED;
        copy
    }

    /// Completes the telemetry of the packets in `send_buffer`, at the end of an epoch.
    pub(in crate::network) fn end_epoch(&mut self, send_buffer: &mut Sends<M>) {
        self.telemetry.complete(&mut SentPackets::new(send_buffer));
    }
}
