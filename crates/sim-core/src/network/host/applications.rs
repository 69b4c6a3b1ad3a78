//! Applications at a host: the host calls them, and starts the flows that they request.

use std::sync::Arc;

use super::{Host, RANK_APPLICATION};
use crate::network::applications::{AppNetwork, AppNews, Applications, Call, Cause, Made};
use crate::network::orders::{Hearing, Order};
use crate::packet::{Packet, PacketKind};
use crate::plugin::{Application, Endpoint, EventOrder, Model, Observer, Received, StartError};
use fabricsim_base::flow::{Completion, FlowRequest};
use fabricsim_base::id::{FlowId, NodeId};
use fabricsim_base::rng::Stream;
use fabricsim_base::units::Time;
use fabricsim_engine::{Message, SendBuffer, Timer};

impl<M: Model> Host<M> {
    /// Prepares the host for applications in the network; it is number `rank` of the hosts. If the
    /// host `is_alone`, it is the only one that uses its wires.
    pub(in crate::network) fn join(
        &mut self,
        network: &Arc<AppNetwork>,
        rank: u32,
        is_alone: bool,
    ) {
        let mut applications = Applications::new(Arc::clone(network), self.id, rank);
        if is_alone && !M::Order::BY_INSERTION {
            applications.let_slow_ports();
        }
        self.applications = Some(Box::new(applications));
    }

    /// Adds an application and calls it for the first time at `at`, which is now or later.
    pub(in crate::network) fn add_application(
        &mut self,
        at: Time,
        application: Box<dyn Application>,
        stream: Stream,
    ) {
        if let Some(applications) = &mut self.applications {
            applications.add(at, application, stream);
            self.arm_applications(at);
        }
    }

    /// Executes the request `order` at `now` on behalf of application number `index`. Returns the
    /// number of the flow if it starts one.
    pub(in crate::network) fn carry_out(
        &mut self,
        now: Time,
        index: usize,
        order: &Order,
    ) -> Result<Option<FlowId>, StartError> {
        let Some(applications) = &mut self.applications else {
            return Ok(None);
        };
        let number = applications.carry_out(now, index, order);
        self.arm_applications(now);
        number
    }

    pub(in crate::network) fn set_hearing(&mut self, hearing: Hearing) {
        if let Some(applications) = &mut self.applications {
            applications.hearing = hearing;
        }
    }

    /// Returns the time at which an application's next request is due.
    pub(in crate::network) fn next_application(&self) -> Time {
        let applications = self.applications.as_ref();
        applications.map_or(Time::MAX, |applications| applications.next_time())
    }

    /// Adds the arrival times of all `packets` that may complete a message here or at their sender.
    pub(in crate::network) fn add_stops<'a>(
        &self,
        packets: impl Iterator<Item = &'a Packet<M::Header>> + Clone,
        stops: &mut Vec<Time>,
    ) {
        let hearing = self.applications.as_ref().map(|own| own.hearing);
        let heard = |packet: &Packet<M::Header>| match packet.kind() {
            PacketKind::Data => true,
            PacketKind::Ack | PacketKind::Nack => hearing == Some(Hearing::Everything),
            PacketKind::Pause | PacketKind::Grant | PacketKind::Request => false,
        };
        // Data that arrives after the last packet of its flow, which has overtaken it, may complete
        // the flow.
        let mut lasts: Vec<(FlowId, Time)> = Vec::new();
        for packet in packets.clone() {
            if heard(packet) && self.endpoint.may_complete(packet) {
                stops.push(packet.arrival());
                if packet.kind() == PacketKind::Data {
                    lasts.push((packet.flow, packet.arrival()));
                }
            }
        }
        if lasts.is_empty() {
            return;
        }
        for packet in packets.filter(|packet| packet.kind() == PacketKind::Data) {
            let at = packet.arrival();
            let overtaken = |&(flow, last): &(FlowId, Time)| flow == packet.flow && last <= at;
            if lasts.iter().any(overtaken) && !self.endpoint.may_complete(packet) {
                stops.push(at);
            }
        }
    }

    /// Notifies the applications of the ended flows with index `ended` or higher, and of the data
    /// `received` from an address. Starts the requested flows, and returns `true` if there were any.
    #[cold]
    #[inline(never)]
    pub(super) fn call_applications(
        &mut self,
        now: Time,
        ended: usize,
        received: Option<(NodeId, Received)>,
    ) -> bool {
        let Some(applications) = &mut self.applications else {
            return false;
        };
        let done = &self.completions[ended..];
        if received.is_none() && done.is_empty() {
            return false;
        }
        if applications.foresees() {
            let cause = Cause::network(done, received);
            let call = applications.foreseen(now, &cause);
            return call.is_some_and(|call| self.repeat(now, call));
        }
        let is_delivered = applications.on_network(now, done, received);
        let is_call = is_delivered || !done.is_empty();
        let cause = (is_call && applications.records()).then(|| Cause::network(done, received));
        self.start_ready(now, cause)
    }

    /// Handles the event for the applications' due requests.
    #[cold]
    #[inline(never)]
    pub(super) fn on_application_timer(
        &mut self,
        now: Time,
        send_buffer: &mut SendBuffer<Packet<M::Header>>,
    ) {
        let Some(applications) = &mut self.applications else {
            return;
        };
        let any = if applications.foresees() {
            let call = applications.foreseen(now, &Cause::Due);
            call.is_some_and(|call| self.repeat(now, call))
        } else if applications.armed == now {
            applications.armed = Time::MAX;
            applications.on_due(now);
            let cause = applications.records().then_some(Cause::Due);
            self.start_ready(now, cause)
        } else {
            false
        };
        if any {
            self.serve_all(now, send_buffer);
        }
    }

    /// Starts the flows that the applications have requested, and sets an event for their next due
    /// request. Records the call if there is a `cause`. Returns `true` if a flow has started.
    fn start_ready(&mut self, now: Time, cause: Option<Cause>) -> bool {
        let Some(applications) = &mut self.applications else {
            return false;
        };
        let (observer, id) = (&mut self.observer, self.id);
        let mut starts = Vec::new();
        let any = applications.start_ready(
            &mut self.endpoint,
            |endpoint, class| endpoint.message_alignment(class),
            |endpoint, flow, nic| {
                observer.on_start(now, id, flow);
                endpoint.start(now, flow, nic);
                if cause.is_some() {
                    starts.push((*flow, nic));
                }
            },
        );
        let armed = applications.arm();
        let factor = applications.take_factor();
        if let Some(cause) = cause {
            let made = Made {
                starts,
                armed,
                factor,
            };
            applications.note(Call {
                at: now,
                cause,
                made,
            });
        }
        if let Some(factor) = factor {
            self.slow_ports(factor);
        }
        self.set_application_timer(now, armed);
        any
    }

    /// Does in the network what the applications have requested in `call`, which was made before
    /// the network has reached this time. Returns `true` if a flow has started.
    fn repeat(&mut self, now: Time, call: Call) -> bool {
        for (flow, nic) in &call.made.starts {
            self.observer.on_start(now, self.id, flow);
            self.endpoint.start(now, flow, *nic);
        }
        if let Some(factor) = call.made.factor {
            self.slow_ports(factor);
        }
        self.set_application_timer(now, call.made.armed);
        let any = !call.made.starts.is_empty();
        if let Some(applications) = &mut self.applications {
            applications.note(call);
        }
        any
    }

    /// Calls the applications because of `cause`, which the network does not simulate; `done` are the
    /// flows that end. Returns their requests, or `None` if the cause is a due request and there is
    /// none.
    pub(in crate::network) fn call_only(
        &mut self,
        now: Time,
        cause: &Cause,
        done: &[Completion],
    ) -> Option<Made> {
        let applications = self.applications.as_mut()?;
        match cause {
            Cause::Network { received, .. } => {
                applications.on_network(now, done, *received);
            }
            Cause::Due if applications.armed == now => {
                applications.armed = Time::MAX;
                applications.on_due(now);
            }
            Cause::Due => return None,
        }
        let mut starts = Vec::new();
        applications.start_ready(
            &mut self.endpoint,
            |endpoint, class| endpoint.message_alignment(class),
            |_, flow, nic| starts.push((*flow, nic)),
        );
        let armed = applications.arm();
        Some(Made {
            starts,
            armed,
            factor: applications.take_factor(),
        })
    }

    /// Handles a change of the network at `now`, before any other event of that time.
    pub(in crate::network) fn on_network_change(&mut self, now: Time) {
        let applications = self.applications.as_mut();
        if applications.is_some_and(|applications| applications.on_change(now)) {
            self.arm_applications(now);
        }
    }

    /// Returns the messages of connections that wait for a route.
    pub(in crate::network) fn held(&self) -> impl Iterator<Item = (FlowId, &FlowRequest)> {
        self.applications.iter().flat_map(|own| own.held())
    }

    /// Sets an event for the next due request unless an earlier one is set.
    fn arm_applications(&mut self, now: Time) {
        let armed = (self.applications.as_mut()).and_then(|applications| applications.arm());
        self.set_application_timer(now, armed);
    }

    fn set_application_timer(&mut self, now: Time, at: Option<Time>) {
        if let Some(at) = at {
            self.timers.set(Timer {
                at,
                set: M::Order::stamp(now),
                rank: RANK_APPLICATION,
                index: 0,
            });
        }
    }

    /// Returns the applications with their calls, for the search for periods.
    pub(in crate::network) fn own_applications(&self) -> Option<&Applications> {
        self.applications.as_deref()
    }

    /// Same as [`Self::own_applications`], to change them.
    pub(in crate::network) fn own_applications_mut(&mut self) -> Option<&mut Applications> {
        self.applications.as_deref_mut()
    }

    /// Returns the activity of the applications since the last call, if there was any.
    pub(in crate::network) fn take_app_news(&mut self) -> Option<AppNews> {
        let applications = self.applications.as_mut()?;
        applications.has_news().then(|| applications.take_news())
    }

    /// Describes the event for which each application waits.
    pub(in crate::network) fn applications_wait_for(&self) -> Vec<String> {
        let applications = self.applications.iter();
        applications.flat_map(|own| own.waits_for()).collect()
    }

    /// Returns the applications, in the order they were added.
    pub(in crate::network) fn applications(&self) -> impl Iterator<Item = &dyn Application> {
        self.applications.iter().flat_map(|own| own.iter())
    }
}
