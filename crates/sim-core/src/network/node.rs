//! A host or a switch as a process of the engine.

use super::counters::Counters;
use super::forwarder::Forwarder;
use super::host::Host;
use super::line::LineTiming;
use super::meter::PortSample;
use super::switch::Switch;
use crate::packet::Packet;
use crate::plugin::Model;
use crate::plugin::event_order::PacketOrder;
use fabricsim_base::id::PortId;
use fabricsim_base::rng::Stream;
use fabricsim_base::units::{Rate, Time};
use fabricsim_engine::{Inbox, LogicalProcess, SendBuffer};

/// Processing cost of a host relative to a switch with the same total rate of ports, because of
/// transport and congestion control. 3.9 was measured with HPCC on 320 hosts.
pub const HOST_COST: u64 = 4;

/// A node, which is one process of the engine.
#[derive(Debug)]
pub(super) enum Node<M: Model> {
    Host(Box<Host<M>>),
    Switch(Box<Switch<M>>),
    /// A host with a switch inside of it.
    Forwarder(Box<Forwarder<M>>),
}

impl<M: Model> Node<M> {
    /// Returns the host of this node, if it is one.
    pub(super) fn host(&self) -> Option<&Host<M>> {
        match self {
            Self::Host(host) => Some(host),
            Self::Switch(_) => None,
            Self::Forwarder(forwarder) => Some(forwarder.host()),
        }
    }

    /// Returns the host of this node, for changes that neither send packets nor notify the
    /// observer.
    pub(super) fn host_mut(&mut self) -> Option<&mut Host<M>> {
        match self {
            Self::Host(host) => Some(host),
            Self::Switch(_) => None,
            Self::Forwarder(forwarder) => Some(forwarder.host_mut()),
        }
    }

    /// Returns the switch of this node, if it forwards packets.
    pub(super) fn switch(&self) -> Option<&Switch<M>> {
        match self {
            Self::Host(_) => None,
            Self::Switch(switch) => Some(switch),
            Self::Forwarder(forwarder) => Some(forwarder.switch()),
        }
    }

    pub(super) fn counters(&self) -> Counters {
        match self {
            Self::Host(host) => host.counters(),
            Self::Switch(switch) => switch.counters(),
            Self::Forwarder(forwarder) => forwarder.counters(),
        }
    }

    pub(super) fn set_routing(&mut self, routing: M::Routing) {
        match self {
            Self::Host(_) => unreachable!("hosts have no forwarding table"),
            Self::Switch(switch) => switch.set_routing(routing),
            Self::Forwarder(forwarder) => forwarder.switch_mut().set_routing(routing),
        }
    }

    pub(super) fn observer(&self) -> &M::Observer {
        match self {
            Self::Host(host) => host.observer(),
            Self::Switch(switch) => switch.observer(),
            Self::Forwarder(forwarder) => forwarder.switch().observer(),
        }
    }

    pub(super) fn observer_mut(&mut self) -> &mut M::Observer {
        match self {
            Self::Host(host) => host.observer_mut(),
            Self::Switch(switch) => switch.observer_mut(),
            Self::Forwarder(forwarder) => forwarder.switch_mut().observer_mut(),
        }
    }

    /// Counts `packet`, which was on its way here when its link failed.
    pub(super) fn lose(&mut self, now: Time, packet: &Packet<M::Header>) {
        match self {
            Self::Host(host) => host.lose(now, packet),
            Self::Switch(switch) => switch.lose(now, packet),
            Self::Forwarder(forwarder) => forwarder.switch_mut().lose(now, packet),
        }
    }

    /// Counts `packets` that had left by `port` and were lost with its link.
    pub(super) fn count_lost(&mut self, port: PortId, packets: u64) {
        match self {
            Self::Host(host) => host.count_lost(port, packets),
            Self::Switch(switch) => switch.count_lost(port, packets),
            Self::Forwarder(forwarder) => forwarder.switch_mut().count_lost(port, packets),
        }
    }

    /// Returns a sample of `port` at `now`, after all earlier events.
    pub(super) fn sample(&self, now: Time, port: PortId) -> PortSample {
        match self {
            Self::Host(host) => host.sample(now, port),
            Self::Switch(switch) => switch.sample(now, port),
            Self::Forwarder(forwarder) => forwarder.switch().sample(now, port),
        }
    }

    /// Returns the time of its last executed event.
    pub(super) fn last_event(&self) -> Time {
        match self {
            Self::Host(host) => host.last_event(),
            Self::Switch(switch) => switch.last_event(),
            Self::Forwarder(forwarder) => forwarder.last_event(),
        }
    }

    pub(super) fn link_down(&mut self, now: Time, port: PortId) {
        match self {
            Self::Host(host) => host.link_down(now, port),
            Self::Switch(switch) => switch.link_down(now, port),
            Self::Forwarder(forwarder) => forwarder.link_down(now, port),
        }
    }

    pub(super) fn link_up(&mut self, now: Time, port: PortId) {
        match self {
            Self::Host(host) => host.link_up(now, port),
            Self::Switch(switch) => switch.link_up(port),
            Self::Forwarder(forwarder) => forwarder.link_up(now, port),
        }
    }

    pub(super) fn set_rate(&mut self, port: PortId, rate: Rate, timing: LineTiming) {
        match self {
            Self::Host(host) => host.set_rate(port, rate, timing),
            Self::Switch(switch) => switch.set_rate(port, rate, timing),
            Self::Forwarder(forwarder) => forwarder.set_rate(port, rate, timing),
        }
    }

    pub(super) fn set_loss(&mut self, port: PortId, probability: f64, stream: Stream) {
        match self {
            Self::Host(host) => host.egress(port).set_loss(probability, stream),
            Self::Switch(switch) => switch.egress(port).set_loss(probability, stream),
            Self::Forwarder(forwarder) => forwarder.set_loss(port, probability, stream),
        }
    }
}

impl<M: Model> LogicalProcess for Node<M> {
    type Message = Packet<M::Header>;
    type Order = PacketOrder<M::Order>;

    fn next_event(&self) -> Time {
        match self {
            Self::Host(host) => host.next_event(),
            Self::Switch(switch) => switch.next_event(),
            Self::Forwarder(forwarder) => forwarder.next_event(),
        }
    }

    fn run(
        &mut self,
        end: Time,
        inbox: &mut Inbox<Self::Message>,
        send_buffer: &mut SendBuffer<Self::Message>,
    ) {
        match self {
            Self::Host(host) => host.run(end, inbox, send_buffer),
            Self::Switch(switch) => switch.run(end, inbox, send_buffer),
            Self::Forwarder(forwarder) => forwarder.run(end, inbox, send_buffer),
        }
    }

    #[inline]
    fn prepare(&mut self, messages: &mut [Self::Message]) {
        match self {
            Self::Host(_) => {}
            Self::Switch(switch) => switch.prepare(messages),
            Self::Forwarder(forwarder) => forwarder.prepare(messages),
        }
    }

    #[inline]
    fn groups(&self) -> usize {
        match self {
            Self::Host(_) | Self::Forwarder(_) => 0,
            Self::Switch(switch) => switch.groups(),
        }
    }

    fn has_results(&self) -> bool {
        self.host().is_some_and(Host::has_results)
    }

    fn weight(&self) -> u64 {
        match self {
            Self::Host(host) => host.capacity().saturating_mul(HOST_COST),
            Self::Switch(switch) => switch.capacity(),
            Self::Forwarder(forwarder) => {
                let capacity = forwarder.host().capacity();
                capacity.saturating_mul(HOST_COST + 1)
            }
        }
    }

    fn may_run_lazily(&self) -> bool {
        match self {
            Self::Host(_) | Self::Forwarder(_) => false,
            Self::Switch(_) => true,
        }
    }

    fn is_steered(&self) -> bool {
        self.host().is_some()
    }

    fn next_stop(&self) -> Time {
        self.host().map_or(Time::MAX, Host::next_application)
    }

    fn add_stops<'a>(
        &self,
        messages: impl Iterator<Item = &'a Self::Message> + Clone,
        stops: &mut Vec<Time>,
    ) where
        Self::Message: 'a,
    {
        match self {
            Self::Host(host) => host.add_stops(messages, stops),
            Self::Switch(_) => {}
            Self::Forwarder(forwarder) => {
                let host = forwarder.host();
                let id = host.id();
                host.add_stops(messages.filter(move |packet| packet.key.dst == id), stops);
            }
        }
    }
}
