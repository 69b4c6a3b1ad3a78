//! The RDMA transport of one host.

mod checkpoint;
mod crediting;
mod opening;
mod replies;
mod waiting;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use fabricsim_base::flow::{Completion, Flow};
use fabricsim_base::id::{ClassId, FlowId, PortId};
use fabricsim_base::priority::PrioritySet;
use fabricsim_base::units::{Bytes, Rate, Time};
use fabricsim_core::packet::{Flags, Header, Packet, PacketKind};
use fabricsim_core::plugin::quirks::NicTimer;
use fabricsim_core::plugin::{
    ClassActivity, CongestionControl, ControllerFactory, Endpoint, EndpointCounters, LiveFlow,
    LivePart, PortUpdate, Received, SendLimits, Unfinished, Wait,
};
use rustc_hash::FxHashMap;

use super::config::RdmaSettings;
use super::credit::Pacer;
use super::nic::Nic;
use super::receiver::Receivers;
use super::sender::RdmaSender;

/// Bytes that Ethernet adds to an IP packet.
const LINK_HEADER: u64 = 14;

/// The RDMA transport of one host.
#[derive(Debug)]
pub struct Rdma<H: Header, F: ControllerFactory<H>> {
    settings: Arc<RdmaSettings<F>>,
    nics: Vec<Nic<H>>,
    nic_rates: Vec<Rate>,
    senders: Vec<Option<RdmaSender<F::Controller>>>,
    free: Vec<u32>,
    slots: FxHashMap<FlowId, u32>,
    /// Slot of the last acknowledgement, because the next one often belongs to the same flow.
    recent: u32,
    receivers: Receivers,
    /// Scratch packet for a reply that leaves immediately.
    reply: Packet<H>,
    /// Credit pacers of the ports; empty if no congestion control uses credit.
    pacers: Vec<Pacer>,
    /// Timeouts, timers of controllers, and timers of credit pacers.
    timers: BinaryHeap<Reverse<(Time, u32)>>,
    counters: EndpointCounters,
    /// Reactions of the controllers of ended flows.
    activity: ClassActivity,
}

impl<H: Header, F: ControllerFactory<H>> Rdma<H, F> {
    /// Returns the transport of a host. `nic_rates` are the rates of its NIC ports.
    #[must_use]
    pub fn new(settings: Arc<RdmaSettings<F>>, nic_rates: Vec<Rate>) -> Self {
        Self {
            pacers: crediting::pacers::<H, F>(&settings, &nic_rates),
            settings,
            nics: nic_rates.iter().map(|_| Nic::default()).collect(),
            nic_rates,
            senders: Vec::new(),
            free: Vec::new(),
            slots: FxHashMap::default(),
            recent: 0,
            receivers: Receivers::default(),
            reply: replies::blank(),
            timers: BinaryHeap::new(),
            counters: EndpointCounters::default(),
            activity: ClassActivity::default(),
        }
    }

    /// Returns the queues with ACKs that may leave.
    #[inline]
    fn acks_allowed(&self, paused: PrioritySet) -> PrioritySet {
        if self.settings.ack_high_priority {
            PrioritySet::ALL
        } else {
            PrioritySet::ALL.without(paused)
        }
    }

    /// Returns `true` if an ACK may leave through `nic`.
    #[inline]
    pub(crate) fn has_acks(&self, nic: PortId, paused: PrioritySet) -> bool {
        let allowed = self.acks_allowed(paused);
        self.nics[nic.index()].acks.any(allowed)
    }

    fn sender(&mut self, slot: u32) -> &mut RdmaSender<F::Controller> {
        self.senders[slot as usize]
            .as_mut()
            .expect("a listed slot holds a flow")
    }

    #[inline]
    fn on_data(
        &mut self,
        now: Time,
        nic: PortId,
        packet: &Packet<H>,
        send: Option<impl FnOnce(&Packet<H>) -> Time>,
    ) -> PortUpdate {
        self.counters.arrived += Bytes::new(u64::from(packet.payload));
        let config = &self.settings.config;
        let (reply_kind, delivered) = self.receivers.on_data(now, packet, config);
        self.counters.delivered += Bytes::new(delivered);
        if H::CREDIT {
            self.take_demand(now, nic, packet, reply_kind);
        }
        self.reply(nic, packet, reply_kind, send)
    }

    fn on_ack_packet(
        &mut self,
        now: Time,
        packet: &Packet<H>,
        done: &mut Vec<Completion>,
    ) -> PortUpdate {
        // A late copy of an ACK to a flow that has ended.
        let Some(slot) = self.slot_of(packet.flow) else {
            return PortUpdate::Ready;
        };
        let sender = self.senders[slot as usize]
            .as_mut()
            .expect("a listed slot holds a flow");
        let cumulative = if packet.flags.has(Flags::COMPLETE) {
            sender.written()
        } else {
            packet.cumulative()
        };
        let rtt = now.since(packet.sent_at);
        let newly_acked = sender.acknowledge(now, cumulative, rtt);
        self.counters.acknowledged += newly_acked;
        // With precise timing, the flow ends immediately; the published NIC updates its controller
        // first.
        if sender.is_complete() {
            if sender.is_stream() {
                sender.complete_messages(now, done);
            } else if self.settings.nic_timer == NicTimer::Precise {
                self.finish(now, slot, done);
                return PortUpdate::Ready;
            }
        }
        if packet.kind() == PacketKind::Nack {
            sender.on_nack(now, packet, &self.settings);
        }
        let ack = sender.ack(now, cumulative, newly_acked, rtt, packet);
        let mut limits = SendLimits::NONE;
        let reschedules = sender.cc.acknowledge(&ack, &mut limits);
        sender.follow_ack(now, &limits);
        let (nic, mut moved) = (sender.nic, Time::MAX);
        if reschedules {
            sender.follow_rate(self.settings.pacing);
            moved = sender.next_send;
        }
        if sender.is_complete() {
            self.finish(now, slot, done);
            return PortUpdate::Rescheduled { nic, at: moved };
        }
        // If everything is acknowledged, the remaining bytes may wait for credit.
        let all = H::CREDIT && sender.in_flight() == 0;
        let due = self.nics[nic.index()].place(now, slot, sender);
        if all || limits.deadline < sender.timer_at {
            self.set_timer(slot);
        }
        PortUpdate::Flow { nic, due, moved }
    }
}

impl<H: Header, F: ControllerFactory<H>> Endpoint<H> for Rdma<H, F> {
    fn start(&mut self, now: Time, flow: &Flow, nic: PortId) {
        if let Some(place) = flow.stream {
            self.write(now, flow, place, nic);
        } else {
            self.open(now, flow, nic);
        }
    }

    #[inline]
    fn on_packet(
        &mut self,
        now: Time,
        nic: PortId,
        packet: &Packet<H>,
        done: &mut Vec<Completion>,
        send: Option<impl FnOnce(&Packet<H>) -> Time>,
    ) -> PortUpdate {
        match packet.kind() {
            PacketKind::Data => self.on_data(now, nic, packet, send),
            PacketKind::Ack | PacketKind::Nack => self.on_ack_packet(now, packet, done),
            PacketKind::Grant if H::CREDIT => self.on_grant(now, packet),
            PacketKind::Request if H::CREDIT => self.on_request(now, nic, packet),
            PacketKind::Pause | PacketKind::Grant | PacketKind::Request => {
                debug_assert!(false, "the host keeps pause frames to itself");
                PortUpdate::Ready
            }
        }
    }

    #[inline]
    fn poll(
        &mut self,
        now: Time,
        nic: PortId,
        paused: PrioritySet,
        send: impl FnOnce(&Packet<H>) -> Time,
    ) -> bool {
        let acks = &self.nics[nic.index()].acks;
        let ack = acks.turn(self.acks_allowed(paused));
        // There is a single call of `send`, so that the compiler inlines it.
        let (own, slot, again, first_of_flight);
        let packet = if let Some(priority) = ack {
            (slot, again, first_of_flight) = (0, false, false);
            acks.first(priority)
        } else {
            slot = match self.only_due(now, nic, paused) {
                Some(slot) => slot,
                None => match self.turn(now, nic, paused) {
                    Some(slot) => slot,
                    None => return false,
                },
            };
            (own, again, first_of_flight) = self.next_packet(now, nic, slot);
            &own
        };
        let payload = Bytes::new(u64::from(packet.payload));
        let free = send(packet);
        let port = &mut self.nics[nic.index()];
        port.free = free;
        if let Some(priority) = ack {
            port.acks.pop(priority);
            return true;
        }
        self.counters.sent += payload;
        self.counters.packets += 1;
        if again {
            self.counters.retransmitted += payload;
        }
        let sender = self.senders[slot as usize].as_mut();
        port.place(now, slot, sender.expect("a flow that sends is there"));
        if first_of_flight {
            self.set_timer(slot);
        }
        true
    }

    #[inline]
    fn next_send(&mut self, at: Time, nic: PortId, paused: PrioritySet) -> Time {
        let port = &self.nics[nic.index()];
        if port.acks.any(self.acks_allowed(paused)) {
            return at;
        }
        if !port.occupied.without(paused).is_empty() {
            return at;
        }
        if self.settings.nic_timer == NicTimer::FirstWithBytes {
            return self.first_with_bytes(nic);
        }
        if let Some(next) = self.next_paced(at, nic) {
            return next;
        }
        let next = self.promote(at, nic.index());
        if !self.nics[nic.index()].occupied.without(paused).is_empty() {
            at
        } else {
            next
        }
    }

    fn message_alignment(&self, _class: ClassId) -> Bytes {
        self.settings.config.mtu
    }

    fn take_received(&mut self) -> Option<Received> {
        self.receivers.received.take()
    }

    fn may_complete(&self, packet: &Packet<H>) -> bool {
        match packet.kind() {
            PacketKind::Data => self.receivers.may_complete(packet, &self.settings.config),
            PacketKind::Ack | PacketKind::Nack => {
                let slot = self.slots.get(&packet.flow);
                let sender = slot.and_then(|&slot| self.senders[slot as usize].as_ref());
                sender.is_some_and(|sender| {
                    packet.flags.has(Flags::COMPLETE)
                        || sender.is_stream()
                        || packet.cumulative() >= sender.written()
                })
            }
            PacketKind::Pause | PacketKind::Grant | PacketKind::Request => false,
        }
    }

    #[inline]
    fn deadline(&self) -> Time {
        self.timers.peek().map_or(Time::MAX, |&Reverse((at, _))| at)
    }

    fn on_deadline(&mut self, now: Time, _done: &mut Vec<Completion>) -> PortUpdate {
        let rto_min = self.settings.rto_min;
        let pacing = self.settings.pacing;
        let mut update = PortUpdate::Unchanged;
        while let Some(&Reverse((at, slot))) = self.timers.peek() {
            if at > now {
                break;
            }
            self.timers.pop();
            if H::CREDIT && self.grant_in_turn(now, slot) {
                update = PortUpdate::Ready;
                continue;
            }
            let Some(sender) = self.senders[slot as usize]
                .as_mut()
                .filter(|s| s.timer_at == at)
            else {
                continue;
            };
            sender.timer_at = Time::MAX;
            if sender.timeout_at(rto_min) <= now {
                self.time_out(now, slot);
                update = PortUpdate::Ready;
            }
            let sender = self.sender(slot);
            if sender.cc.deadline() <= now {
                sender.cc.on_timer(now);
            }
            sender.renew_limits(now);
            if sender.cc.reschedules() {
                sender.follow_rate(pacing);
            }
            self.place(now, slot);
            self.set_timer(slot);
        }
        update
    }

    fn wait(&self, now: Time, flow: FlowId) -> Option<Wait> {
        let slot = *self.slots.get(&flow)?;
        let sender = self.senders[slot as usize].as_ref()?;
        Some(sender.wait(now))
    }

    fn unfinished(&self) -> Vec<Unfinished> {
        let mut flows = Vec::new();
        for sender in self.senders.iter().flatten() {
            let mut reason = sender.waits_for();
            sender.for_each_flow(|flow, acknowledged| {
                flows.push(Unfinished::new(flow, acknowledged, reason.clone()));
                reason = format!("the messages before it on connection {}", sender.flow.id);
            });
        }
        Unfinished::sort(&mut flows);
        flows
    }

    fn for_each_live(&self, mut visit: impl FnMut(&LivePart)) {
        for sender in self.senders.iter().flatten() {
            let line_rate = || self.nic_rates[sender.nic.index()];
            if let Some((flow, acknowledged)) = sender.first_flow() {
                visit(&LivePart::Sent(LiveFlow {
                    flow,
                    rate: sender.cc.pacing_rate().unwrap_or_else(line_rate),
                    window: sender.cc.window(),
                    acknowledged,
                    round_trip: None,
                }));
            }
        }
    }

    fn waiting_acks(&self) -> usize {
        self.nics.iter().map(|nic| nic.acks.len()).sum()
    }

    fn counters(&self) -> EndpointCounters {
        self.counters
    }

    fn activity(&self, now: Time) -> ClassActivity {
        let live = self.senders.iter().flatten();
        (self.activity).with(live.map(|sender| {
            let line = self.nic_rates[sender.nic.index()];
            (sender.flow.request.class, sender.activity(now, line))
        }))
    }

    fabricsim_base::saves_state!();
}
