//! Driving a simulation from outside of the engine: a program that sends messages and reacts to what
//! becomes of them, at the exact instant at which it happens, and at any host.
//!
//! Another simulator embeds the network in this way. It [sends](crate::Simulation::send) messages,
//! sets timers, and hears of [events](Event): a message has been delivered to its receiver, its
//! sender has got the last acknowledgement, a timer has gone off. Events come one by one, in the
//! order of (time, host). What is asked for in reaction to an event happens at its instant: the
//! engine has let no host go beyond it. There is no quantum, and results do not depend on the number
//! of threads.
//!
//! There are two ways to hear of events. A program that has a loop of its own calls
//! [`Simulation::run_until_next`](crate::Simulation::run_until_next), which comes back with each:
//!
//! ```
//! use fabricsim::driver::{EventKind, Message, Next};
//! use fabricsim::prelude::*;
//! use fabricsim_scenario::kinds::Registry;
//!
//! let text = "[topology]\nkind = \"star\"\nhosts = 4\n[cc]\nkind = \"hpcc\"\n";
//! let scenario = Scenario::from_toml_with(text, Registry::default().with_optional_workloads())?;
//! let mut simulation = Simulation::new(&scenario, 1)?;
//! // A message goes round: each host passes it on when it has all of it.
//! simulation.send(&Message::new(NodeId(0), NodeId(1), Bytes::new(100_000)))?;
//! let mut hops = 1;
//! while let Next::Event(event) = simulation.run_until_next(Time::MAX) {
//!     if let EventKind::Delivered(message) = event.kind
//!         && hops < 8
//!     {
//!         let next = NodeId((message.dst.0 + 1) % 4);
//!         assert_eq!(simulation.now(), event.at);
//!         simulation.send(&Message::new(message.dst, next, message.size))?;
//!         hops += 1;
//!     }
//! }
//! assert_eq!(simulation.take_completions().len(), 8);
//! # Ok::<(), fabricsim::Error>(())
//! ```
//!
//! Or it hands a [`Driver`] to [`Simulation::attach`](crate::Simulation::attach), which is called
//! with each event. What a driver sends from the host of the event starts within the event, just as
//! an [`Application`](fabricsim_core::plugin::Application) of that host would start it: to the
//! picosecond, whatever else happens at that instant. All else that is asked for at an instant
//! happens after what the network does by itself at that host and instant.

mod actions;
mod cell;
mod local;
mod proxy;
mod rules;
mod state;

use std::any::Any;

use fabricsim_base::flow::FlowRequest;
use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::priority::Priority;
use fabricsim_base::units::{Bytes, Time};
use fabricsim_core::network::Stop;
use fabricsim_core::plugin::AppFlow;

pub use actions::Actions;
pub(crate) use cell::{Cell, OrderDesk, lock};
pub(crate) use proxy::Proxy;
pub use rules::MessageRules;
pub(crate) use state::Pausing;

/// A message from one host to another. It is a flow of its own.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Message {
    /// The sending host.
    pub src: NodeId,
    /// The receiving host.
    pub dst: NodeId,
    /// Payload bytes, at least one.
    pub size: Bytes,
    /// The flow class, by which results are told apart and which says transport and algorithm.
    pub class: ClassId,
    /// Priority queue of its packets, 1 to 7.
    pub priority: Priority,
    /// Destination port, which ECMP reads.
    pub dst_port: u16,
    /// A value of the program's own that comes back with the events of this message, such as what
    /// its receiver matches it by.
    pub tag: u64,
    /// A second value of the program's own, such as what tells it from other messages.
    pub token: u64,
}

impl Message {
    /// A message of class 0 with priority 3, destination port 100, tag 0 and token 0.
    #[must_use]
    pub const fn new(src: NodeId, dst: NodeId, size: Bytes) -> Self {
        Self {
            src,
            dst,
            size,
            class: ClassId(0),
            priority: Priority::new(3),
            dst_port: 100,
            tag: 0,
            token: 0,
        }
    }

    /// The same message with another tag and token.
    #[must_use]
    pub const fn labeled(mut self, tag: u64, token: u64) -> Self {
        self.tag = tag;
        self.token = token;
        self
    }

    /// The flow of the message; `key` tells it from others.
    pub(crate) const fn flow(&self, key: u64) -> AppFlow {
        AppFlow {
            dst: self.dst,
            size: self.size,
            class: self.class,
            priority: self.priority,
            dst_port: self.dst_port,
            tag: key,
            connection: None,
        }
    }

    /// The request of the flow when it starts at `at`.
    pub(crate) const fn request(&self, at: Time) -> FlowRequest {
        FlowRequest {
            src: self.src,
            dst: self.dst,
            size: self.size,
            start: at,
            class: self.class,
            priority: self.priority,
            src_port: None,
            dst_port: self.dst_port,
        }
    }
}

/// Something that a program which drives a simulation hears of.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Event {
    /// The exact time.
    pub at: Time,
    /// What has happened.
    pub kind: EventKind,
}

/// What has happened.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EventKind {
    /// The last byte of a message has been delivered to its receiver.
    Delivered(Message),
    /// The last byte of a message has been acknowledged to its sender: the message is complete.
    Acknowledged(Message),
    /// No route led to the receiver when the message was to start. It is lost.
    Unreachable(Message),
    /// The timer of this token has gone off, and is no longer set.
    Timer(u64),
}

/// A program that is called with each event.
pub trait Driver: Any + Send {
    /// Something has happened; what `actions` are told to do is done at that instant.
    fn on_event(&mut self, event: &Event, actions: &mut Actions<'_>);
}

/// What a run to the next event has come to.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Next {
    /// An event. The simulation stands at its time.
    Event(Event),
    /// There is no event before the time that was asked for, or nothing is left to happen.
    Stopped(Stop),
}
