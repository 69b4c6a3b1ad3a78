//! The state of a switch that other parts of the network read.

use super::Switch;
use super::port::Port;
use crate::network::counters::Counters;
use crate::network::meter::PortSample;
use crate::network::pause_clock::PauseClock;
use crate::plugin::{Admission, BufferUse, Model, Qdisc, QueueReport};
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::priority::{Priority, PrioritySet};
use fabricsim_base::units::Time;

impl<M: Model> Switch<M> {
    pub(in crate::network) fn for_each_report(&self, visit: &mut dyn FnMut(PortId, &QueueReport)) {
        for (index, port) in self.ports.iter().enumerate() {
            let number = PortId::from_index(index);
            port.queue
                .for_each_report(&mut |report| visit(number, report));
        }
    }

    pub(in crate::network) fn counters(&self) -> Counters {
        let mut counters = self.counters;
        for pause in &self.pauses {
            counters.paused = counters.paused + pause.ended();
        }
        for port in &self.ports {
            port.egress.add_to(&mut counters);
        }
        counters.marked = self.meters.iter().map(|meter| meter.marked).sum();
        counters
    }

    /// Returns the sum of the rates of all ports, in bit/s.
    pub(in crate::network) fn capacity(&self) -> u64 {
        let rates = self.ports.iter().map(|port| port.egress.rate().as_bps());
        rates.sum()
    }

    /// Returns a sample of `port` at `now`, after all earlier events.
    pub(in crate::network) fn sample(&self, now: Time, port: PortId) -> PortSample {
        let index = port.index();
        let Port { egress, queue, .. } = &self.ports[index];
        PortSample {
            queue: queue.bytes(),
            ..self.meters[index].sample(now, (self.id, port), egress, &self.pauses[index])
        }
    }

    pub(in crate::network) fn largest_use(&self) -> Option<BufferUse> {
        self.buffer.largest_use()
    }

    /// Returns the bytes in the queues of all ports.
    pub(in crate::network) fn queued(&self) -> u64 {
        self.ports.iter().map(|port| port.queue.bytes().get()).sum()
    }

    pub(in crate::network) const fn id(&self) -> NodeId {
        self.id
    }

    /// Returns the bytes of `priority` that wait at `port`, in total or only the bytes that arrived
    /// at `ingress`.
    pub(in crate::network) fn waiting(
        &self,
        port: usize,
        priority: Priority,
        ingress: Option<PortId>,
    ) -> u64 {
        let mut bytes = 0;
        self.ports[port].queue.for_each(|packet| {
            if packet.priority() == priority && ingress.is_none_or(|only| only == packet.port) {
                bytes += packet.size().get();
            }
        });
        bytes
    }

    /// Returns `true` if the switch has paused `priority` at the neighbor of `ingress` and not yet
    /// resumed it.
    pub(in crate::network) fn has_paused(&self, ingress: PortId, priority: Priority) -> bool {
        self.buffer.has_paused(ingress, priority)
    }

    /// Returns the data priorities that are paused at each port by its neighbor.
    pub(in crate::network) fn paused_priorities(&self) -> impl Iterator<Item = (usize, Priority)> {
        self.ports.iter().enumerate().flat_map(|(index, port)| {
            let paused = port.egress.paused;
            let paused = paused.intersection(PrioritySet::DATA);
            paused.iter().map(move |priority| (index, priority))
        })
    }

    /// Returns the start of the longest pause that still lasts; [`Time::MAX`] if no port is paused.
    pub(in crate::network) fn paused_since(&self) -> Time {
        let starts = self.pauses.iter().map(PauseClock::since);
        starts.min().unwrap_or(Time::MAX)
    }

    /// Returns the ports at which the neighbor has paused some priority.
    pub(in crate::network) fn paused_ports(&self) -> impl Iterator<Item = PortId> {
        self.ports
            .iter()
            .enumerate()
            .filter(|(_, port)| !port.egress.paused.is_empty())
            .map(|(index, _)| PortId::from_index(index))
    }

    pub(in crate::network) const fn observer_mut(&mut self) -> &mut M::Observer {
        &mut self.observer
    }

    pub(in crate::network) const fn observer(&self) -> &M::Observer {
        &self.observer
    }
}
