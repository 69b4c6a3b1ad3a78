//! A host or a switch as a process of the engine.

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
}

impl<M: Model> Node<M> {
    pub(super) fn observer(&self) -> &M::Observer {
        match self {
            Self::Host(host) => host.observer(),
            Self::Switch(switch) => switch.observer(),
        }
    }

    pub(super) fn observer_mut(&mut self) -> &mut M::Observer {
        match self {
            Self::Host(host) => host.observer_mut(),
            Self::Switch(switch) => switch.observer_mut(),
        }
    }

    /// Counts `packet`, which was on its way here when its link failed.
    pub(super) fn lose(&mut self, now: Time, packet: &Packet<M::Header>) {
        match self {
            Self::Host(host) => host.lose(now, packet),
            Self::Switch(switch) => switch.lose(now, packet),
        }
    }

    /// Counts `packets` that had left by `port` and were lost with its link.
    pub(super) fn count_lost(&mut self, port: PortId, packets: u64) {
        match self {
            Self::Host(host) => host.count_lost(port, packets),
            Self::Switch(switch) => switch.count_lost(port, packets),
        }
    }

    /// Returns a sample of `port` at `now`, after all earlier events.
    pub(super) fn sample(&self, now: Time, port: PortId) -> PortSample {
        match self {
            Self::Host(host) => host.sample(now, port),
            Self::Switch(switch) => switch.sample(now, port),
        }
    }

    /// Returns the time of its last executed event.
    pub(super) fn last_event(&self) -> Time {
        match self {
            Self::Host(host) => host.last_event(),
            Self::Switch(switch) => switch.last_event(),
        }
    }

    pub(super) fn link_down(&mut self, now: Time, port: PortId) {
        match self {
            Self::Host(host) => host.link_down(now, port),
            Self::Switch(switch) => switch.link_down(now, port),
        }
    }

    pub(super) fn link_up(&mut self, now: Time, port: PortId) {
        match self {
            Self::Host(host) => host.link_up(now, port),
            Self::Switch(switch) => switch.link_up(port),
        }
    }

    pub(super) fn set_rate(&mut self, port: PortId, rate: Rate, timing: LineTiming) {
        match self {
            Self::Host(host) => host.set_rate(port, rate, timing),
            Self::Switch(switch) => switch.set_rate(port, rate, timing),
        }
    }

    pub(super) fn set_loss(&mut self, port: PortId, probability: f64, stream: Stream) {
        let egress = match self {
            Self::Host(host) => host.egress(port),
            Self::Switch(switch) => switch.egress(port),
        };
        egress.set_loss(probability, stream);
    }
}

impl<M: Model> LogicalProcess for Node<M> {
    type Message = Packet<M::Header>;
    type Order = PacketOrder<M::Order>;

    fn next_event(&self) -> Time {
        match self {
            Self::Host(host) => host.next_event(),
            Self::Switch(switch) => switch.next_event(),
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
        }
    }

    #[inline]
    fn prepare(&mut self, messages: &mut [Self::Message]) {
        if let Self::Switch(switch) = self {
            switch.prepare(messages);
        }
    }

    #[inline]
    fn groups(&self) -> usize {
        match self {
            Self::Host(_) => 0,
            Self::Switch(switch) => switch.groups(),
        }
    }

    fn has_results(&self) -> bool {
        match self {
            Self::Host(host) => host.has_results(),
            Self::Switch(_) => false,
        }
    }

    fn weight(&self) -> u64 {
        match self {
            Self::Host(host) => host.capacity().saturating_mul(HOST_COST),
            Self::Switch(switch) => switch.capacity(),
        }
    }

    fn may_run_lazily(&self) -> bool {
        match self {
            Self::Host(_) => false,
            Self::Switch(_) => true,
        }
    }

    fn is_steered(&self) -> bool {
        matches!(self, Self::Host(_))
    }

    fn next_stop(&self) -> Time {
        match self {
            Self::Host(host) => host.next_application(),
            Self::Switch(_) => Time::MAX,
        }
    }

    fn add_stops<'a>(
        &self,
        messages: impl Iterator<Item = &'a Self::Message> + Clone,
        stops: &mut Vec<Time>,
    ) where
        Self::Message: 'a,
    {
        if let Self::Host(host) = self {
            host.add_stops(messages, stops);
        }
    }
}
