//! Flows and events that a program adds.

use std::sync::Arc;

use fabricsim_base::flow::FlowRequest;
use fabricsim_base::id::NodeId;
use fabricsim_base::limits::MAX_SIZE;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_scenario::schema::event::Event;
use fabricsim_scenario::text::error::Error;

use super::{IdealFct, Simulation};

/// Rules of a simulation for flows that a program adds.
#[derive(Clone, Debug)]
pub(crate) struct FlowRules {
    /// By node, `true` if it is a host.
    hosts: Arc<[bool]>,
    ideal: IdealFct,
}

impl FlowRules {
    pub(crate) fn new(hosts: Arc<[bool]>, ideal: IdealFct) -> Self {
        Self { hosts, ideal }
    }

    pub(crate) fn is_host(&self, node: NodeId) -> bool {
        self.hosts.get(node.index()).copied().unwrap_or(false)
    }

    /// Checks a flow that is added at `now`.
    ///
    /// # Errors
    /// Returns the reason if it is impossible.
    pub(crate) fn check(&self, request: &FlowRequest, now: Time) -> Result<(), String> {
        let refuse = Err;
        if request.start < now {
            return refuse(format!(
                "it starts at {}, and it is {now} now",
                request.start
            ));
        }
        for (end, node) in [("source", request.src), ("destination", request.dst)] {
            if !self.is_host(node) {
                return refuse(format!("its {end}, node {node}, is not a host"));
            }
        }
        if request.src == request.dst {
            return refuse(format!("host {} sends to itself", request.src));
        }
        if request.size == Bytes::ZERO {
            return refuse("it has no bytes".to_owned());
        }
        if request.size > MAX_SIZE {
            return refuse(format!(
                "it has {}, and flows up to {MAX_SIZE}",
                request.size
            ));
        }
        if request.start > Time::HORIZON {
            return refuse(format!(
                "it starts at {}, beyond the end of simulated time, 53 days",
                request.start
            ));
        }
        if request.priority.is_control() {
            return refuse(format!(
                "its priority is {}, and flows use 1 to 7",
                request.priority
            ));
        }
        if let Some(tcp) = self.ideal.tcp()
            && !tcp.may_use(request.class, request.priority)
        {
            return refuse(format!(
                "its class {} and its priority {} are of different transports",
                request.class.0, request.priority
            ));
        }
        Ok(())
    }
}

impl Simulation {
    /// Adds a flow. It gets its number when it starts. To react to events of flows, a program
    /// [sends](Self::send) messages instead.
    ///
    /// # Errors
    /// Fails if the flow starts in the past, has no bytes, or does not have two different hosts as
    /// its ends.
    pub fn inject(&mut self, request: FlowRequest) -> Result<(), Error> {
        let frontier = self.runner.frontier();
        (self.rules.check(&request, frontier)).map_err(Error::Injection)?;
        self.sources.inject(request);
        Ok(())
    }

    /// Adds an event. Events at the same time happen in the order in which they were added.
    ///
    /// # Errors
    /// Fails if the event is in the past, if the network has no such link or switch, if its values
    /// are impossible, or if it creates paths or rates that exceed the room of this simulation's
    /// telemetry.
    pub fn schedule(&mut self, event: Event) -> Result<(), Error> {
        let refuse = |text: String| Err(Error::Event(text));
        let now = self.runner.frontier();
        if event.at < now {
            return refuse(format!("it is at {}, and it is {now} now", event.at));
        }
        if let Err(error) = event.validate(self.routes().topology()) {
            return refuse(format!("{}; {}", error.message, error.help));
        }
        let control = &self.control_plane.control;
        if let Some(room) = &self.telemetry {
            let rate = event.kind.rate();
            if let Some(rate) = rate.filter(|rate| !room.rates.contains(rate)) {
                return refuse(format!(
                    "the telemetry has no code for {rate}; use a rate that some link or event of the \
                     scenario has"
                ));
            }
            let longest = control.longest_path(Some(&event), self.control_plane.ideal.mtu());
            if longest > room.switches {
                return refuse(format!(
                    "paths would pass {longest} switches, and the telemetry was built for {}; put \
                     the event into the scenario",
                    room.switches
                ));
            }
        }
        self.control_plane.control.schedule(event);
        Ok(())
    }
}
