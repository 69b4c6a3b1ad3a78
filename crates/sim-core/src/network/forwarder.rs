//! A host that forwards: packets for other hosts pass through it as through a switch.
//!
//! Hosts that are linked to hosts alone, as GPUs in a ring, reach distant hosts only if the hosts
//! between them forward. Such a node is a [host](super::host) and a [switch](super::switch) with
//! the same ports. Each link has one wire, which both of them use: packets of the host's own
//! transport leave by the host, all other packets pass the switch, with its buffer, its queues and
//! its pause frames. If no packet passes through, the node has the times of a host.
//!
//! If packets of both wait for the same wire, they take turns, packet by packet.

use std::collections::VecDeque;
use std::mem;

use super::counters::Counters;
use super::host::{Host, HostConfig};
use super::line::LineTiming;
use super::switch::{Switch, SwitchConfig};
use crate::packet::{Packet, PacketKind, PauseChange};
use crate::plugin::{EventOrder, Model};
use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Stored, Writer};
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::rng::Stream;
use fabricsim_base::units::{Duration, Rate, Time};
use fabricsim_engine::{Inbox, SendBuffer};

/// Configuration of a host that forwards.
#[derive(Debug)]
pub struct ForwarderConfig<M: Model> {
    /// The host. Nothing is told to its observer.
    pub host: HostConfig<M>,
    /// The switch inside of it, with the same ports. Its observer observes both.
    pub switch: SwitchConfig<M>,
    /// Time that a packet for another host takes through the node before it is queued.
    pub delay: Duration,
}

/// A packet for another host on its way to the switch: the time at which it is there, and its
/// ingress port.
#[derive(Clone, Debug, Stored)]
#[checkpoint(plain)]
struct Passing<P> {
    at: Time,
    ingress: PortId,
    packet: P,
}

/// A host that forwards.
///
/// The wires and the observer are in the switch. They are swapped into the host while it handles
/// an event.
#[derive(Debug)]
pub(super) struct Forwarder<M: Model> {
    id: NodeId,
    host: Host<M>,
    switch: Switch<M>,
    delay: Duration,
    /// Packets in the order of their arrival.
    passing: VecDeque<Passing<Packet<M::Header>>>,
    /// For each port, the number of packets that had left by it after the host's last one; more
    /// than have left if that is unknown.
    own: Vec<u64>,
    /// For each port, the number of packets that had left by it before the host's current event.
    before: Vec<u64>,
}

impl<M: Model> Forwarder<M> {
    /// # Panics
    /// Panics if simultaneous events are ordered by insertion: the order of the two halves of a
    /// node would not be known.
    pub(super) fn new(id: NodeId, config: ForwarderConfig<M>) -> Self {
        assert!(
            !M::Order::BY_INSERTION,
            "scenarios with events ordered by insertion have no hosts that forward"
        );
        let mut config = config;
        let ports = config.host.ports.len();
        // The switch has the wires, and with them their losses.
        for link in &mut config.host.ports {
            link.loss = None;
        }
        assert_eq!(ports, config.switch.ports.len(), "the halves share ports");
        Self {
            id,
            host: Host::new(id, config.host),
            switch: Switch::new(id, config.switch),
            delay: config.delay,
            passing: VecDeque::new(),
            own: vec![0; ports],
            before: vec![0; ports],
        }
    }

    pub(super) const fn host(&self) -> &Host<M> {
        &self.host
    }

    /// Returns the host, for changes that neither send packets nor notify the observer.
    pub(super) const fn host_mut(&mut self) -> &mut Host<M> {
        &mut self.host
    }

    pub(super) const fn switch(&self) -> &Switch<M> {
        &self.switch
    }

    pub(super) const fn switch_mut(&mut self) -> &mut Switch<M> {
        &mut self.switch
    }

    pub(super) fn counters(&self) -> Counters {
        let mut counters = self.host.counters();
        counters += self.switch.counters();
        counters
    }

    pub(super) fn next_event(&self) -> Time {
        let passing = self.passing.front().map_or(Time::MAX, |first| first.at);
        self.host
            .next_event()
            .min(self.switch.next_event())
            .min(passing)
    }

    pub(super) fn last_event(&self) -> Time {
        self.host.last_event().max(self.switch.last_event())
    }

    /// Runs the node up to `end`.
    ///
    /// Events of the same time have the order of a host: starts of flows, arrivals, then other
    /// events. A packet that has taken its way through the node counts as an arrival.
    pub(super) fn run(
        &mut self,
        end: Time,
        inbox: &mut Inbox<Packet<M::Header>>,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        self.lend();
        self.host.begin();
        self.lend();
        loop {
            let (start, own) = (self.host.next_start(), self.host.next_local());
            let (arrival, wire) = (inbox.next_time(), self.switch.next_event());
            let passed = self.passing.front().map_or(Time::MAX, |first| first.at);
            let now = start.min(own).min(arrival).min(wire).min(passed);
            if now >= end {
                break;
            }
            if start == now {
                self.with_host(now, send_buffer, |host, send_buffer| {
                    host.on_start(now, send_buffer);
                });
            } else if arrival == now {
                inbox.read(|channel, packet| self.on_arrival(now, channel, packet, send_buffer));
            } else if passed == now {
                let first = self.passing.pop_front();
                let first = first.expect("a packet has just been seen");
                let channel = first.ingress.index();
                self.switch
                    .receive(now, channel, &first.packet, send_buffer);
            } else if wire == now && !(own == now && self.is_hosts_turn()) {
                self.switch.on_wire(send_buffer);
            } else {
                self.with_host(now, send_buffer, |host, send_buffer| {
                    host.on_local(now, send_buffer);
                });
            }
        }
        self.switch.end_epoch(send_buffer);
    }

    fn on_arrival(
        &mut self,
        now: Time,
        channel: usize,
        packet: &Packet<M::Header>,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        if packet.is(PacketKind::Pause) {
            self.switch.receive(now, channel, packet, send_buffer);
            self.tell_state(channel);
            if packet.pause_change() == PauseChange::Resume {
                self.with_host(now, send_buffer, |host, send_buffer| {
                    host.on_resume(now, channel, send_buffer);
                });
            }
        } else if packet.key.dst == self.id {
            self.with_host(now, send_buffer, |host, send_buffer| {
                host.receive(now, channel, packet, send_buffer);
            });
        } else if self.delay == Duration::ZERO {
            self.switch.receive(now, channel, packet, send_buffer);
        } else {
            self.switch.note_event(now);
            self.passing.push_back(Passing {
                at: now + self.delay,
                ingress: PortId::from_index(channel),
                packet: Switch::<M>::unrouted(packet),
            });
        }
    }

    /// Lets the host handle an event at `now` with its wires and its observer.
    fn with_host(
        &mut self,
        now: Time,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
        event: impl FnOnce(&mut Host<M>, &mut SendBuffer<Packet<M::Header>>),
    ) {
        // A waiting packet whose turn it is takes the wire before the host can.
        for port in 0..self.own.len() {
            if self.switch.due(port) <= now && !self.was_passed_last(port) {
                self.switch.wire_is_free(now, port, send_buffer);
            }
        }
        for (port, before) in (0..).zip(&mut self.before) {
            *before = self.switch.sent(port);
        }
        self.lend();
        event(&mut self.host, send_buffer);
        self.lend();
        for (port, own) in self.own.iter_mut().enumerate() {
            let sent = self.switch.sent(port);
            if sent != self.before[port] {
                *own = sent;
                self.switch.follow_wire(now, port);
            }
        }
    }

    /// Returns `true` if the last packet that left by `port` was not the host's own.
    fn was_passed_last(&self, port: usize) -> bool {
        self.own[port] != self.switch.sent(port)
    }

    /// Returns `true` if the next wire that becomes free has last carried a packet that passed
    /// through.
    fn is_hosts_turn(&self) -> bool {
        self.switch
            .next_wire()
            .is_some_and(|port| self.was_passed_last(port))
    }

    /// Swaps the wires and the observer between the host and the switch.
    fn lend(&mut self) {
        for (own, other) in self.host.wires().zip(self.switch.wires()) {
            mem::swap(own, other);
        }
        mem::swap(self.host.observer_mut(), self.switch.observer_mut());
    }

    /// Tells the host the state of the link at `port`, which it reads while it has no wires.
    fn tell_state(&mut self, port: usize) {
        let number = PortId::from_index(port);
        let own = self.switch.egress(number);
        let (paused, state) = (own.paused, own.state);
        let told = self.host.egress(number);
        told.paused = paused;
        told.state = state;
    }

    /// Stores the egress port in each of `packets` if the routing knows it in advance.
    pub(super) fn prepare(&mut self, packets: &mut [Packet<M::Header>]) {
        self.switch.prepare(packets);
    }

    pub(super) fn link_down(&mut self, now: Time, port: PortId) {
        self.switch.link_down(now, port);
        self.tell_state(port.index());
    }

    pub(super) fn link_up(&mut self, now: Time, port: PortId) {
        self.switch.link_up(port);
        self.host.link_up(now, port);
    }

    pub(super) fn set_rate(&mut self, port: PortId, rate: Rate, timing: LineTiming) {
        self.host.egress(port).set_rate(rate, timing.clone());
        self.switch.set_rate(port, rate, timing);
    }

    pub(super) fn set_loss(&mut self, port: PortId, probability: f64, stream: Stream) {
        self.switch.egress(port).set_loss(probability, stream);
    }

    pub(super) fn save(&self, out: &mut Writer) {
        let Self {
            id: _,
            host,
            switch,
            delay: _,
            passing,
            own,
            before: _,
        } = self;
        host.save(out);
        switch.save(out);
        passing.store(out);
        let passed: Vec<bool> = (0..own.len())
            .map(|port| self.was_passed_last(port))
            .collect();
        passed.store(out);
    }

    pub(super) fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        self.host.load(input)?;
        self.switch.load(input)?;
        self.passing.load(input)?;
        let passed = Vec::<bool>::fetch(input)?;
        for (port, (own, passed)) in self.own.iter_mut().zip(passed).enumerate() {
            *own = if passed {
                u64::MAX
            } else {
                self.switch.sent(port)
            };
        }
        Ok(())
    }
}
