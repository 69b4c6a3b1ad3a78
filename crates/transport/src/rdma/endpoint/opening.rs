//! Starting flows and messages, and ending flows.

use fabricsim_base::flow::{Completion, Flow, StreamPlace};
use fabricsim_base::id::PortId;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::packet::Header;
use fabricsim_core::plugin::quirks::FlowTurns;
use fabricsim_core::plugin::{ControllerFactory, Feedback, FlowStart};

use super::{LINK_HEADER, Rdma};
use crate::rdma::sender::RdmaSender;

impl<H: Header, F: ControllerFactory<H>> Rdma<H, F> {
    /// Starts a separate flow.
    pub(super) fn open(&mut self, now: Time, flow: &Flow, nic: PortId) {
        let sender = self.sender_of(now, flow, nic);
        let slot = self.insert(sender);
        self.place(now, slot);
        self.set_timer(slot);
    }

    /// Starts the message `flow`. The first message of a connection opens it.
    pub(super) fn write(&mut self, now: Time, flow: &Flow, place: StreamPlace, nic: PortId) {
        let slot = match self.slots.get(&place.connection) {
            Some(&slot) => slot,
            None => {
                let mut first = *flow;
                first.id = place.connection;
                let sender = self.sender_of(now, &first, nic);
                self.insert(sender.into_stream(self.settings.config.mtu))
            }
        };
        self.sender(slot).write(flow, place);
        self.place(now, slot);
        self.set_timer(slot);
    }

    pub(super) fn sender_of(
        &self,
        now: Time,
        flow: &Flow,
        nic: PortId,
    ) -> RdmaSender<F::Controller> {
        let line_rate = self.nic_rates[nic.index()];
        let (base_rtt, bdp) = self.settings.base.of(&flow.path, line_rate);
        let mtu = self.settings.config.mtu;
        let wire = mtu + Bytes::new(u64::from(self.settings.data_header));
        let start = FlowStart {
            id: flow.id,
            class: flow.request.class,
            flow: flow.stream.is_none().then_some(*flow),
            now,
            line_rate,
            base_rtt,
            bdp,
            mtu,
            paths: self.settings.paths,
            wire,
            ip: Bytes::new(wire.get().saturating_sub(LINK_HEADER)),
            initial_window: bdp,
            feedback: Feedback::Accurate,
            network: &self.settings.network,
        };
        let cc = self.settings.factory.build(&start);
        let rates = (line_rate, self.settings.factory.lowest_rate_of(&start));
        RdmaSender::new(*flow, cc, nic, now, rates, bdp).with_entropies(&self.settings)
    }

    /// Ends the flow in `slot`.
    pub(super) fn finish(&mut self, now: Time, slot: u32, done: &mut Vec<Completion>) {
        let sender = self.senders[slot as usize]
            .take()
            .expect("a listed slot holds a flow");
        self.nics[sender.nic.index()].end(sender.flow.request.priority, slot);
        let line = self.nic_rates[sender.nic.index()];
        (self.activity).add(sender.flow.request.class, sender.activity(now, line));
        self.slots.remove(&sender.flow.id);
        self.free.push(slot);
        done.push(Completion {
            flow: sender.flow,
            finish: now,
            retransmitted: Bytes::new(sender.retransmitted),
        });
    }

    fn insert(&mut self, sender: RdmaSender<F::Controller>) -> u32 {
        let (id, nic) = (sender.flow.id, sender.nic);
        let slot = match self.free.pop() {
            Some(slot) => {
                self.senders[slot as usize] = Some(sender);
                slot
            }
            None => {
                // Most hosts never have more than one or two flows at a time.
                if self.senders.len() == self.senders.capacity() {
                    self.senders.reserve_exact(1 + self.senders.len() / 2);
                }
                self.senders.push(Some(sender));
                u32::try_from(self.senders.len() - 1).expect("fewer than 2^32 live flows at a host")
            }
        };
        self.slots.insert(id, slot);
        if self.settings.turns == FlowTurns::Listed {
            let circle = &mut self.nics[nic.index()].circle;
            circle.get_or_insert_default().join(slot);
        }
        slot
    }
}
