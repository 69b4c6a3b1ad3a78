//! A host as a part of a [host that forwards](crate::network::forwarder), event by event.

use super::Host;
use crate::network::egress::Egress;
use crate::packet::Packet;
use crate::plugin::Model;
use fabricsim_base::units::Time;
use fabricsim_engine::SendBuffer;

impl<M: Model> Host<M> {
    /// Prepares the host for the events of an epoch.
    pub(in crate::network) fn begin(&mut self) {
        self.arm_by = self.latest_to_arm();
    }

    /// Starts the next flow, which is due at `now`.
    pub(in crate::network) fn on_start(
        &mut self,
        now: Time,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        self.note_event(now);
        self.start_flow(now);
        self.serve_all(now, send_buffer);
    }

    /// Handles the arrival of `packet`, which is for this host, at `now` by port `channel`.
    pub(in crate::network) fn receive(
        &mut self,
        now: Time,
        channel: usize,
        packet: &Packet<M::Header>,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        self.note_event(now);
        self.on_arrival(now, channel, packet, send_buffer);
    }

    /// Lets the transport use port `channel` after the neighbor there has resumed a priority.
    pub(in crate::network) fn on_resume(
        &mut self,
        now: Time,
        channel: usize,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        self.serve(now, channel, send_buffer);
        self.arm_deadline(now);
    }

    /// Executes the host's next own event, which is due at `now`.
    pub(in crate::network) fn on_local(
        &mut self,
        now: Time,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        self.note_event(now);
        self.run_local(now, send_buffer);
    }

    /// Returns the wires of all ports.
    pub(in crate::network) fn wires(&mut self) -> impl Iterator<Item = &mut Egress> {
        self.nics.iter_mut().map(|nic| &mut nic.egress)
    }

    fn note_event(&mut self, now: Time) {
        self.counters.events += 1;
        self.last = now;
    }
}
