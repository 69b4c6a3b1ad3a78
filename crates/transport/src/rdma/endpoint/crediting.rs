//! Credit at a host: grants to senders of arriving flows, and grants received for its own flows.

use std::cmp::Reverse;

use fabricsim_base::id::PortId;
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Rate, Time};
use fabricsim_core::packet::{Header, Packet, PacketKind};
use fabricsim_core::plugin::{CongestionControl, ControllerFactory, PortUpdate, Received};

use super::Rdma;
use crate::rdma::config::{RdmaSettings, Recovery};
use crate::rdma::credit::Pacer;
use crate::rdma::reply::Reply;

/// Returns the credit pacers of a host, one for each rate in `nics`. Their timers use slots from
/// `u32::MAX` down.
pub(super) fn pacers<H: Header, F>(settings: &RdmaSettings<F>, nics: &[Rate]) -> Vec<Pacer> {
    let rules = settings.credit.filter(|_| H::CREDIT);
    let pacer = |rules| nics.iter().map(|&rate| Pacer::new(&rules, rate)).collect();
    rules.map_or_else(Vec::new, pacer)
}

impl<H: Header, F: ControllerFactory<H>> Rdma<H, F> {
    /// Processes the credit request in `packet`, which gets the reply `reply`.
    pub(super) fn take_demand(&mut self, now: Time, nic: PortId, packet: &Packet<H>, reply: Reply) {
        let (flow, number) = (packet.flow, packet.telemetry.credit());
        if number == 0 {
            return;
        }
        if reply == Reply::Complete || self.receivers.received == Some(Received::Flow(flow)) {
            self.pacers.iter_mut().for_each(|pacer| pacer.end(flow));
            return;
        }
        let Some(pacer) = self.pacers.get_mut(nic.index()) else {
            return;
        };
        if pacer.is_new(flow) && self.receivers.is_complete(flow) {
            return;
        }
        let any_order = self.settings.config.recovery == Some(Recovery::AnyOrder);
        let lost = match reply {
            Reply::Trimmed { .. } => true,
            Reply::Nack { .. } | Reply::Silence => !any_order,
            Reply::Ack(_) | Reply::Complete => false,
        };
        let urgent = lost || packet.kind() == PacketKind::Request;
        pacer.ask(flow, &packet.key, number, urgent);
        if pacer.is_free() {
            self.grant(now, nic);
        }
    }

    /// Lets port `nic` issue a grant at `now`.
    fn grant(&mut self, now: Time, nic: PortId) {
        let Some(pacer) = self.pacers.get_mut(nic.index()) else {
            return;
        };
        let Some(grant) = pacer.turn(now) else {
            return;
        };
        self.timers
            .push(Reverse((pacer.next, u32::MAX - u32::from(nic.0))));
        let kind = PacketKind::Grant;
        let mut packet = Packet::<H>::new(kind, Priority::CONTROL, grant.key, grant.flow);
        packet.telemetry.set_credit(grant.number);
        packet.sent_at = now;
        packet.wire = self.settings.ack_header.max(self.settings.ack_least);
        self.nics[nic.index()].acks.push(Priority::CONTROL, &packet);
    }

    /// Handles the timer of `slot`: if it belongs to a credit pacer, the port issues a grant.
    /// Returns `true` if it does.
    pub(super) fn grant_in_turn(&mut self, now: Time, slot: u32) -> bool {
        let index = (u32::MAX - slot) as usize;
        let Some(pacer) = self.pacers.get(index) else {
            return false;
        };
        if pacer.next <= now {
            self.grant(now, PortId::from_index(index));
        }
        true
    }

    /// Handles a request for credit without data, and replies with the received bytes.
    pub(super) fn on_request(&mut self, now: Time, nic: PortId, packet: &Packet<H>) -> PortUpdate {
        let reply = self.receivers.on_request(packet);
        self.take_demand(now, nic, packet, reply);
        self.reply(nic, packet, reply, None::<fn(&Packet<H>) -> Time>)
    }

    /// Handles a grant for a flow of this host.
    pub(super) fn on_grant(&mut self, now: Time, packet: &Packet<H>) -> PortUpdate {
        // An ended flow needs no credit.
        if let Some(&slot) = self.slots.get(&packet.flow) {
            let number = packet.telemetry.credit();
            let sender = self.sender(slot);
            sender.cc.on_credit(now, number);
            sender.renew_limits(now);
            self.place(now, slot);
        }
        PortUpdate::Ready
    }

    /// Handles the timeout of the flow in `slot`, which waits for an acknowledgement or for credit.
    #[cold]
    pub(super) fn time_out(&mut self, now: Time, slot: u32) {
        let sender = self.senders[slot as usize]
            .as_mut()
            .expect("a listed slot holds a flow");
        if H::CREDIT && sender.in_flight() == 0 {
            sender.wait_longer(now);
        } else {
            self.counters.timeouts += 1;
            sender.on_timeout(now, &self.settings);
        }
        if H::CREDIT
            && sender.waits_for_credit::<H>()
            && let Some(request) = sender.request(now, &self.settings)
        {
            let nic = sender.nic.index();
            self.nics[nic].acks.push(Priority::CONTROL, &request);
        }
    }
}
