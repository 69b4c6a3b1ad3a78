//! The state of a network in a checkpoint.

use super::change::apply;
use super::node::Node;
use super::{Change, Network};
use crate::plugin::Model;
use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Stored, Writer};
use fabricsim_base::units::Time;

impl<M: Model> Network<M> {
    /// Appends the state of the network to `out`: flows, packets, hosts and switches.
    ///
    /// A run that continues from the state has the same results as if it had never stopped. Call
    /// this after a run has returned. Fails if some component cannot be saved, and in the middle
    /// of an epoch.
    pub fn save(&mut self, out: &mut Writer) {
        if !self.steered_by.is_empty() {
            out.refuse(
                "the run",
                "that a program drives from outside, event by event,",
            );
            return;
        }
        self.synchronize();
        let Self {
            engine,
            state,
            stall_after: _,
            room: _,
            wiring: _,
            reached,
            stop,
            steered_by: _,
            hosts: _,
            remote: _,
        } = self;
        out.section(|out| {
            reached.store(out);
            stop.store(out);
            state.save(out);
            state.applications.is_some().store(out);
            if let Some(applications) = &state.applications {
                applications.save(out);
            }
        });
        out.section(|out| engine.save(out, Node::save));
    }

    /// Loads the state that [`Self::save`] has written into a network that was built from the same
    /// configuration and has not run. `changes` turn the network as built into the network of the
    /// checkpoint: other link rates, and other routes.
    ///
    /// # Errors
    /// Fails if `input` contains the state of another network.
    pub fn load(
        &mut self,
        input: &mut Reader<'_>,
        changes: Vec<Change<M::Routing>>,
    ) -> Result<(), LoadError> {
        for change in changes {
            apply(&mut self.engine.between(), Time::ZERO, change);
        }
        let Self {
            engine,
            state,
            reached,
            stop,
            ..
        } = self;
        input.section("flows", |input| {
            reached.load(input)?;
            stop.load(input)?;
            state.load(input)?;
            match (bool::fetch(input)?, &state.applications) {
                (true, Some(applications)) => applications.load(input),
                (false, None) => Ok(()),
                (true, None) => Err(LoadError::new("there are no applications here")),
                (false, Some(_)) => Err(LoadError::new("it has no applications")),
            }
        })?;
        input.section("network", |input| {
            engine.load(input, |index| format!("node {index}"), Node::load)
        })
    }
}

impl<M: Model> Node<M> {
    pub(super) fn save(&self, out: &mut Writer) {
        match self {
            Self::Host(host) => host.save(out),
            Self::Switch(switch) => switch.save(out),
            Self::Forwarder(forwarder) => forwarder.save(out),
        }
    }

    pub(super) fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        match self {
            Self::Host(host) => host.load(input),
            Self::Switch(switch) => switch.load(input),
            Self::Forwarder(forwarder) => forwarder.load(input),
        }
    }
}
