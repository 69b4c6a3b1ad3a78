//! An output-queued switch with one shared buffer.
//!
//! Store and forward: the switch routes a packet when its last byte arrives, without further delay.
//! It admits the packet to the buffer and queues it at the egress port; the packet leaves when the
//! wire is free. If the port is idle, the packet is [forwarded without queueing](departure), with
//! the same result. The [plan] of an epoch decides the order in which the switch handles its
//! packets.

mod by_port;
mod checkpoint;
mod departure;
mod failure;
mod forwarding;
mod late;
mod pauses;
pub(super) mod plan;
mod port;
mod port_set;
mod state;
mod storing;
#[cfg(test)]
mod testing;

use super::counters::Counters;
use super::egress::{Egress, LinkConfig};
use super::meter::Meter;
use super::pause_clock::PauseClock;
use crate::packet::{Kinds, Packet, PacketKind};
use crate::plugin::{DropReason, EventOrder, Model, Routing, SentPackets, Telemetry};
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::Time;
use fabricsim_engine::{Inbox, SendBuffer, Timers};
use plan::Arriving;
use port::{Port, SwitchPorts};
use port_set::PortSet;

/// Configuration of a switch.
#[derive(Clone, Debug)]
pub struct SwitchConfig<M: Model> {
    /// Link and queues of each port.
    pub ports: Vec<(LinkConfig, M::Queue)>,
    /// The shared buffer.
    pub buffer: M::Buffer,
    /// The forwarding table.
    pub routing: M::Routing,
    /// Telemetry that the switch writes into packets.
    pub telemetry: M::Telemetry,
    /// The observer of the switch.
    pub observer: M::Observer,
}

/// Packets that arrive at a switch, and packets that it sends.
type Arrivals<M> = Inbox<Packet<<M as Model>::Header>>;
type Sends<M> = SendBuffer<Packet<<M as Model>::Header>>;

/// Marks a packet if its egress port is not known in advance; no switch has this port number.
const NOT_FIXED: PortId = PortId(u16::MAX);

/// A switch.
#[derive(Debug)]
pub(super) struct Switch<M: Model> {
    id: NodeId,
    ports: Vec<Port<M::Queue>>,
    buffer: M::Buffer,
    routing: M::Routing,
    telemetry: M::Telemetry,
    observer: M::Observer,
    /// Pause times of each port.
    pauses: Vec<PauseClock>,
    /// Other counters of each port, stored apart from the state that every packet needs.
    meters: Vec<Meter>,
    /// Timers of the ports that are due, unless ports are served late.
    timers: Timers,
    /// `true` if ports are [served late](late).
    late: bool,
    /// Used only if ports are served late: every port that is due, perhaps with some that no longer
    /// are, and the earliest due time.
    waiting: PortSet,
    next_due: Time,
    /// Time at which the current event was set, in nanoseconds truncated to 32 bits. Used if the
    /// model orders simultaneous events by it.
    cause: u32,
    dropped: Vec<Packet<M::Header>>,
    counters: Counters,
    /// Time of the last event.
    last: Time,
    /// Summary of the packets that were [prepared](Self::prepare) for the next run.
    arriving: Arriving,
}

impl<M: Model> Switch<M> {
    pub(super) fn new(id: NodeId, config: SwitchConfig<M>) -> Self {
        let ports: Vec<Port<M::Queue>> = config
            .ports
            .into_iter()
            .map(|(link, queue)| Port {
                open_after: Time::ZERO,
                egress: Egress::new(link),
                due: Time::MAX,
                queue,
            })
            .collect();
        Self {
            id,
            pauses: vec![PauseClock::default(); ports.len()],
            meters: vec![Meter::default(); ports.len()],
            waiting: PortSet::new(ports.len()),
            ports,
            buffer: config.buffer,
            routing: config.routing,
            telemetry: config.telemetry,
            observer: config.observer,
            timers: Timers::default(),
            late: false,
            next_due: Time::MAX,
            cause: 0,
            dropped: Vec::new(),
            counters: Counters::default(),
            last: Time::ZERO,
            arriving: Arriving::default(),
        }
    }

    pub(super) const fn last_event(&self) -> Time {
        self.last
    }

    pub(super) fn next_event(&self) -> Time {
        if self.late {
            self.next_due
        } else {
            self.timers.next_time()
        }
    }

    /// Runs the switch up to `end`.
    ///
    /// Arrivals are handled before the switch's own events of the same time: a packet that arrives
    /// just when a wire becomes free takes part in the choice of the next packet. If the model
    /// orders events by insertion, simultaneous events are handled in the order they were set.
    pub(super) fn run(&mut self, end: Time, inbox: &mut Arrivals<M>, send_buffer: &mut Sends<M>) {
        self.choose_order();
        self.arriving = Arriving::default();
        if inbox.has_groups() {
            self.run_by_port(end, inbox, send_buffer);
            return;
        }
        loop {
            self.counters.events +=
                inbox.read_through(end, self.last_arrival(), |now, channel, packet| {
                    self.last = now;
                    self.on_arrival(now, channel, packet, send_buffer);
                    self.last_arrival()
                });
            let local = self.timers.next_time();
            if local >= end {
                break;
            }
            if M::Order::BY_INSERTION
                && inbox.next_time() == local
                && self.arrival_was_set_first(inbox)
            {
                self.counters.events += 1;
                self.last = local;
                inbox.read(|channel, packet| self.on_arrival(local, channel, packet, send_buffer));
                continue;
            }
            let timer = self.timers.pop().expect("a timer has just been seen");
            self.cause = timer.set;
            self.wire_is_free(local, usize::from(timer.index), send_buffer);
        }
        if self.late {
            self.serve_all_until(end, send_buffer);
        }
        self.telemetry.complete(&mut SentPackets::new(send_buffer));
    }

    /// Returns the time up to which arrivals are handled before the next timer, no matter when they
    /// were set.
    #[inline(always)]
    fn last_arrival(&self) -> Time {
        let local = self.timers.next_time();
        if M::Order::BY_INSERTION {
            local.just_before()
        } else {
            local
        }
    }

    fn arrival_was_set_first(&self, inbox: &Inbox<Packet<M::Header>>) -> bool {
        match (inbox.peek(), self.timers.peek()) {
            (Some(packet), Some(timer)) => M::Order::stamps(&packet.telemetry).set <= timer.set,
            _ => true,
        }
    }

    #[inline(always)]
    fn on_arrival(
        &mut self,
        now: Time,
        channel: usize,
        packet: &Packet<M::Header>,
        send_buffer: &mut Sends<M>,
    ) {
        if M::Order::BY_INSERTION {
            self.cause = M::Order::stamps(&packet.telemetry).set;
        }
        let ingress = PortId::from_index(channel);
        if packet.is(PacketKind::Pause) {
            self.on_pause(now, channel, packet, send_buffer);
            return;
        }
        let mut egress = packet.port;
        if egress.index() >= self.ports.len() {
            let Some(picked) = self.pick(now, packet) else {
                return;
            };
            egress = picked;
        }
        let out = egress.index();
        if self.ports[out].due < now && self.late {
            self.serve_until(now, out, send_buffer);
        }
        let is_open = self.ports[out].open_after < now;
        let lane = send_buffer.lane(out);
        if !is_open || !self.exit(out).pass((now, now), ingress, packet, lane) {
            self.store(now, out, ingress, packet, send_buffer);
        }
    }

    /// Stores the egress port in each of `packets` if the routing knows it in advance. The lookups
    /// of all packets then overlap in time because no other work waits for their results.
    #[inline]
    pub(super) fn prepare(&mut self, packets: &mut [Packet<M::Header>]) {
        let (mut bytes, mut kinds, mut all_fixed) = (0, Kinds::default(), true);
        for packet in packets {
            match self.routing.fixed(packet) {
                Some(port) => packet.port = port,
                None => {
                    packet.port = NOT_FIXED;
                    all_fixed = false;
                }
            }
            bytes += packet.size().get();
            packet.add_kind(&mut kinds);
        }
        self.arriving.bytes += bytes;
        self.arriving.is_mixed |= !all_fixed || kinds.have_pause();
    }

    /// Returns the egress port of a packet that has none in advance; drops the packet if there is
    /// no route.
    #[inline(never)]
    fn pick(&mut self, now: Time, packet: &Packet<M::Header>) -> Option<PortId> {
        let ports = SwitchPorts::<M>(&self.ports);
        let picked = self.routing.pick(now, packet, ports);
        if picked.is_none() {
            self.drop_packet(now, DropReason::NoRoute, packet);
        }
        picked
    }
}
