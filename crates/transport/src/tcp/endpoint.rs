//! The TCP of one host.

mod checkpoint;
mod lifecycle;
mod placing;
mod probes;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::sync::Arc;

use fabricsim_base::flow::{Completion, Flow};
use fabricsim_base::id::{ClassId, FlowId, NodeId, PortId};
use fabricsim_base::priority::PrioritySet;
use fabricsim_base::units::{Bytes, Rate, Time};
use fabricsim_core::packet::{Flags, Packet};
use fabricsim_core::plugin::{
    ClassActivity, Endpoint, EndpointCounters, LiveFlow, LivePart, PortUpdate, Received,
    TelemetryReader, Unfinished, Wait,
};
use rustc_hash::{FxHashMap, FxHashSet};

use self::placing::arm;
use self::probes::Content;
use super::connection::{Connection, Event, Task};
use super::header::HasTcp;
use super::pool::Pool;
use super::settings::TcpSettings;
use crate::rdma::nic::Nic;

/// The TCP of one host.
#[derive(Debug)]
pub struct Tcp<H> {
    settings: Arc<TcpSettings>,
    nics: Vec<Nic<H>>,
    nic_rates: Vec<Rate>,
    connections: Vec<Option<Connection>>,
    free: Vec<u32>,
    /// Slots by the flow that opened the connection.
    slots: FxHashMap<FlowId, u32>,
    /// Slot of the last packet's connection, because the next packet often belongs to the same one.
    recent: u32,
    /// Connections that serve one request after another.
    pools: BTreeMap<(ClassId, NodeId), Pool>,
    /// Ended connections, each with its expiry time.
    time_wait: VecDeque<(Time, FlowId)>,
    ended: FxHashSet<FlowId>,
    timers: BinaryHeap<Reverse<(Time, u32)>>,
    /// The flow last received in full, or the stream that has grown, until it is taken.
    received: Option<Received>,
    counters: EndpointCounters,
    /// Reactions of the controllers of ended connections.
    activity: ClassActivity,
    /// Decodes the telemetry of returned probes.
    reader: Option<Arc<dyn TelemetryReader<H>>>,
}

impl<H: HasTcp> Tcp<H> {
    /// Returns the TCP of a host. `nic_rates` are the rates of its NIC ports.
    #[must_use]
    pub fn new(settings: Arc<TcpSettings>, nic_rates: Vec<Rate>) -> Self {
        Self {
            settings,
            nics: nic_rates.iter().map(|_| Nic::default()).collect(),
            nic_rates,
            connections: Vec::new(),
            free: Vec::new(),
            slots: FxHashMap::default(),
            recent: 0,
            pools: BTreeMap::new(),
            time_wait: VecDeque::new(),
            ended: FxHashSet::default(),
            timers: BinaryHeap::new(),
            received: None,
            counters: EndpointCounters::default(),
            activity: ClassActivity::default(),
            reader: None,
        }
    }

    /// Returns the TCP with `reader`, which decodes the telemetry of probes for controllers.
    #[must_use]
    pub fn with_telemetry(mut self, reader: Arc<dyn TelemetryReader<H>>) -> Self {
        self.reader = Some(reader);
        self
    }

    /// Returns `true` if an ACK may leave through `nic`.
    #[inline]
    pub(crate) fn has_acks(&self, nic: PortId, paused: PrioritySet) -> bool {
        self.nics[nic.index()]
            .acks
            .any(PrioritySet::ALL.without(paused))
    }

    fn connection(&mut self, slot: u32) -> &mut Connection {
        self.connections[slot as usize]
            .as_mut()
            .expect("a listed slot holds a connection")
    }

    /// Returns the slot of the connection opened for `flow`, if there is one.
    #[inline]
    fn slot_of(&mut self, flow: FlowId) -> Option<u32> {
        let recent = self.connections.get(self.recent as usize);
        if !matches!(recent, Some(Some(connection)) if connection.id == flow) {
            self.recent = *self.slots.get(&flow)?;
        }
        Some(self.recent)
    }
}

impl<H: HasTcp> Endpoint<H> for Tcp<H> {
    fn start(&mut self, now: Time, flow: &Flow, nic: PortId) {
        self.start_flow(now, flow, nic);
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
        let known = self.slot_of(packet.flow);
        let Some(slot) = known.or_else(|| self.meet(now, nic, packet)) else {
            return PortUpdate::Ready;
        };
        let probes = packet.flags.has(Flags::PROBE);
        if probes && self.on_probe(now, slot, packet) == Content::Probe {
            return PortUpdate::Ready;
        }
        let first_deadline = self.deadline();
        let Self {
            connections,
            nics,
            counters,
            timers,
            ..
        } = self;
        let connection = connections[slot as usize]
            .as_mut()
            .expect("a listed slot holds a connection");
        let (own, priority) = (connection.nic, connection.priority);
        let acks = &mut nics[own.index()].acks;
        // A reply may leave immediately, without a poll, unless ACKs are queued before it.
        let mut send = send.filter(|_| own == nic && acks.is_empty());
        let (mut replied, mut queued) = (false, probes);
        let outcome = connection.on_packet(now, packet, counters, |ack| {
            if let Some(send) = send.take() {
                send(ack);
                acks.pass(priority);
                replied = true;
            } else {
                acks.push(priority, ack);
                queued = true;
            }
        });
        if outcome.event != Event::Nothing {
            self.follow(now, slot, outcome.event, done);
            return PortUpdate::Ready;
        }
        // If the sending half is unchanged, at most the timer of the delayed ACK needs an update.
        let due = if outcome.only_received && !probes {
            debug_assert_eq!(
                connection.due,
                connection.next_send(),
                "sending is as it was"
            );
            let ack_by = connection.receiver.ack_by;
            arm(timers, ack_by, slot, &mut connection.timer_at);
            connection.due
        } else {
            self.settle_inline(now, slot)
        };
        // Report as precisely as possible, because every other report makes the host poll this
        // port.
        if queued {
            PortUpdate::Ready
        } else if !replied {
            PortUpdate::Flow {
                nic: own,
                due,
                moved: Time::MAX,
            }
        } else if due == Time::MAX && self.deadline() >= first_deadline {
            PortUpdate::Replied
        } else {
            PortUpdate::Ready
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
        let allowed = PrioritySet::ALL.without(paused);
        let port = &mut self.nics[nic.index()];
        if port.acks.any(allowed) {
            return port.acks.serve(allowed, send).is_some();
        }
        self.promote(now, nic.index());
        let port = &mut self.nics[nic.index()];
        let Some(slot) = port.turn(allowed) else {
            return false;
        };
        port.last = slot;
        let (packet, again) = self.connection(slot).send(now);
        let payload = Bytes::new(u64::from(packet.payload));
        self.counters.sent += payload;
        self.counters.packets += 1;
        if again {
            self.counters.retransmitted += payload;
        }
        self.settle_inline(now, slot);
        // Send last: the packet is copied in wider parts than it was written in, and the processor
        // would wait for these writes to reach the cache.
        send(&packet);
        true
    }

    #[inline]
    fn next_send(&mut self, at: Time, nic: PortId, paused: PrioritySet) -> Time {
        let allowed = PrioritySet::ALL.without(paused);
        let waits = |port: &Nic<H>| {
            port.acks.any(allowed) || !port.occupied.intersection(allowed).is_empty()
        };
        if waits(&self.nics[nic.index()]) {
            return at;
        }
        let next = self.promote(at, nic.index());
        if waits(&self.nics[nic.index()]) {
            at
        } else {
            next
        }
    }

    fn take_received(&mut self) -> Option<Received> {
        self.received.take()
    }

    #[inline]
    fn deadline(&self) -> Time {
        self.timers.peek().map_or(Time::MAX, |&Reverse((at, _))| at)
    }

    fn on_deadline(&mut self, now: Time, _done: &mut Vec<Completion>) -> PortUpdate {
        while let Some(&Reverse((at, slot))) = self.timers.peek() {
            if at > now {
                break;
            }
            self.timers.pop();
            let Self {
                connections,
                nics,
                counters,
                ..
            } = self;
            let Some(connection) = connections[slot as usize]
                .as_mut()
                .filter(|connection| connection.timer_at == at)
            else {
                continue;
            };
            connection.timer_at = Time::MAX;
            if connection.deadline() <= now {
                let (nic, priority) = (connection.nic.index(), connection.priority);
                let timeout = connection.on_deadline(now, |ack| {
                    nics[nic].acks.push(priority, ack);
                });
                counters.timeouts += u64::from(timeout);
            }
            self.settle(now, slot);
        }
        PortUpdate::Ready
    }

    fn wait(&self, now: Time, flow: FlowId) -> Option<Wait> {
        let slot = *self.slots.get(&flow)?;
        self.connections[slot as usize].as_ref()?.wait(now)
    }

    fn unfinished(&self) -> Vec<Unfinished> {
        let carried = self.connections.iter().flatten().filter_map(|connection| {
            let (flow, acknowledged) = (connection.flow()?, connection.progress());
            Some(Unfinished::new(flow, acknowledged, connection.waits_for()))
        });
        let waiting = self
            .pools
            .values()
            .flat_map(Pool::waiting)
            .map(|flow| Unfinished::new(flow, Bytes::ZERO, self.waits_for_dial(flow.id)));
        let messages = self.connections.iter().flatten();
        let messages = messages.flat_map(Connection::unfinished_messages);
        let mut flows: Vec<Unfinished> = carried.chain(waiting).chain(messages).collect();
        Unfinished::sort(&mut flows);
        flows
    }

    fn for_each_live(&self, mut visit: impl FnMut(&LivePart)) {
        for connection in self.connections.iter().flatten() {
            let line_rate = || self.nic_rates[connection.nic.index()];
            let rate = connection.sender.pacing_rate().unwrap_or_else(line_rate);
            let window = Some(connection.sender.window_bytes());
            let round_trip = connection.sender.round_trip();
            if connection.task == Task::Serve {
                visit(&LivePart::Serving(connection.id, rate, window, round_trip));
            }
            let own = connection.flow().map(|flow| (flow, connection.progress()));
            let Some((flow, acknowledged)) = own.or_else(|| connection.first_message()) else {
                continue;
            };
            let live = LiveFlow {
                flow: *flow,
                rate,
                window,
                acknowledged,
                round_trip,
            };
            visit(&match connection.task {
                Task::Fetch(_) => LivePart::Fetched(live, connection.id),
                _ => LivePart::Sent(live),
            });
        }
    }

    fn waiting_acks(&self) -> usize {
        self.nics.iter().map(|nic| nic.acks.len()).sum()
    }

    fn counters(&self) -> EndpointCounters {
        self.counters
    }

    fn activity(&self, _now: Time) -> ClassActivity {
        // The receiving side of a connection sends nothing.
        let live = self.connections.iter().flatten();
        let live = live.filter(|own| own.task != Task::Receive);
        (self.activity).with(live.map(|own| (own.class, own.sender.activity())))
    }

    fabricsim_base::saves_state!();
}
