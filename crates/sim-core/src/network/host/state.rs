//! The state of a host that other parts of the network set or read.

use super::Host;
use crate::network::counters::Counters;
use crate::network::egress::Egress;
use crate::network::meter::PortSample;
use crate::plugin::Model;
use fabricsim_base::flow::{Completion, Flow};
use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::units::Time;

impl<M: Model> Host<M> {
    pub(in crate::network) const fn id(&self) -> NodeId {
        self.id
    }

    pub(in crate::network) const fn last_event(&self) -> Time {
        self.last
    }

    /// Returns the sum of the rates of all ports, in bit/s.
    pub(in crate::network) fn capacity(&self) -> u64 {
        self.nics.iter().map(|nic| nic.egress.rate().as_bps()).sum()
    }

    pub(in crate::network) fn egress(&mut self, port: PortId) -> &mut Egress {
        &mut self.nics[port.index()].egress
    }

    /// Returns a sample of `port` at `now`, after all earlier events.
    pub(in crate::network) fn sample(&self, now: Time, port: PortId) -> PortSample {
        let nic = &self.nics[port.index()];
        let meter = &self.meters[port.index()];
        meter.sample(now, (self.id, port), &nic.egress, &nic.pauses)
    }

    pub(in crate::network) fn has_results(&self) -> bool {
        !self.completions.is_empty()
            || self
                .applications
                .as_ref()
                .is_some_and(|applications| applications.has_news())
    }

    pub(in crate::network) fn drain_completions(&mut self) -> std::vec::Drain<'_, Completion> {
        self.completions.drain(..)
    }

    pub(in crate::network) fn counters(&self) -> Counters {
        let mut counters = self.counters;
        for nic in &self.nics {
            counters.paused = counters.paused + nic.pauses.ended();
            nic.egress.add_to(&mut counters);
        }
        counters
    }

    pub(in crate::network) const fn endpoint(&self) -> &M::Endpoint {
        &self.endpoint
    }

    /// Returns the added flows that have not started.
    pub(in crate::network) fn waiting(&self) -> impl Iterator<Item = &Flow> {
        self.starts.iter().map(|(flow, _)| flow)
    }

    pub(in crate::network) const fn observer_mut(&mut self) -> &mut M::Observer {
        &mut self.observer
    }

    pub(in crate::network) const fn observer(&self) -> &M::Observer {
        &self.observer
    }

    /// Returns `true` if the link of some port is down.
    pub(in crate::network) fn is_cut(&self) -> bool {
        self.nics.iter().any(|nic| nic.egress.is_down())
    }

    pub(in crate::network) fn is_paused(&self) -> bool {
        self.nics.iter().any(|nic| !nic.egress.paused.is_empty())
    }

    /// Adds a flow that starts no earlier than the flows added before.
    pub(in crate::network) fn add_flow(&mut self, flow: Flow, nic: PortId) {
        debug_assert!(
            self.starts
                .back()
                .is_none_or(|(last, _)| last.request.start <= flow.request.start),
            "flows are added in the order of their starts"
        );
        self.starts.push_back((flow, nic));
    }

    pub(in crate::network) fn next_start(&self) -> Time {
        self.starts
            .front()
            .map_or(Time::MAX, |(flow, _)| flow.request.start)
    }

    pub(in crate::network) fn next_event(&self) -> Time {
        self.next_start().min(self.next_local())
    }
}
