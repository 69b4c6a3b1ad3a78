//! A host or a switch as a domain of the engine.

use super::host::Host;
use super::switch::Switch;
use crate::engine::{Domain, Inbox, Outbox};
use crate::packet::Packet;
use crate::plugin::Model;
use crate::units::Time;

/// One node; each is a domain of its own.
#[derive(Debug)]
pub(super) enum Node<M: Model> {
    Host(Box<Host<M>>),
    Switch(Box<Switch<M>>),
}

impl<M: Model> Domain for Node<M> {
    type Message = Packet<M::Header>;

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
        outbox: &mut Outbox<Self::Message>,
    ) {
        match self {
            Self::Host(host) => host.run(end, inbox, outbox),
            Self::Switch(switch) => switch.run(end, inbox, outbox),
        }
    }

    fn has_results(&self) -> bool {
        match self {
            Self::Host(host) => host.has_results(),
            Self::Switch(_) => false,
        }
    }
}
