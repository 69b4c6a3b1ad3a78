//! Driving a simulation from outside the engine: a program sends messages and reacts to their
//! events, at the exact instants of the events, and at any host.
//!
//! Another simulator embeds the network in this way. It [sends](crate::Simulation::send) messages,
//! sets timers, and receives [events](Event): a message has been delivered to its receiver, its
//! sender has received the last acknowledgement, a timer has fired. Events arrive one by one, in
//! the order of (time, host). Reactions to an event take effect at its instant, because the engine
//! has let no host advance beyond it. There is no quantum, and results do not depend on the number
//! of threads.
//!
//! There are two ways to receive events. A program with its own loop calls
//! [`Simulation::run_until_next`](crate::Simulation::run_until_next), which returns at each event:
//!
//! ```
//! use fabricsim::driver::{EventKind, Message, Next};
//! use fabricsim::prelude::*;
//! use fabricsim_scenario::kinds::Registry;
//!
//! let text = "[topology]\nkind = \"star\"\nhosts = 4\n[cc]\nkind = \"hpcc\"\n";
//! let scenario = Scenario::from_toml_with(text, Registry::default().with_optional_workloads())?;
//! let mut simulation = Simulation::new(&scenario, 1)?;
//! // A message travels around: each host forwards it after receiving all of it.
//! simulation.send(&Message::new(NodeId(0), NodeId(1), Bytes::new(100_000)))?;
//! let mut hops = 1;
//! while let Next::Event(event) = simulation.run_until_next(Time::MAX) {
//!   if let EventKind::Delivered(message) = event.kind
//!       && hops < 8
//!   {
//!       let next = NodeId((message.dst.0 + 1) % 4);
//!       assert_eq!(simulation.now(), event.at);
//!       simulation.send(&Message::new(message.dst, next, message.size))?;
//!       hops += 1;
//!   }
//! }
//! assert_eq!(simulation.take_completions().len(), 8);
//! # Ok::<(), fabricsim::Error>(())
//! ```
//!
//! Alternatively, the program passes a [`Driver`] to
//! [`Simulation::attach`](crate::Simulation::attach), and the simulation calls it with each event.
//! If the driver sends a message from the host of the event, the message starts immediately, before
//! anything else at that host, as if an [`Application`](fabricsim_core::plugin::Application) of the
//! host had started it. All other requests made at an instant take effect after the network's own
//! actions at that host and instant.

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

/// A message from one host to another. Each message is a separate flow.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Message {
    /// The sending host.
    pub src: NodeId,
    /// The receiving host.
    pub dst: NodeId,
    /// Payload bytes, at least one.
    pub size: Bytes,
    /// The flow class. It separates the flows in the results, and determines transport and
    /// algorithm.
    pub class: ClassId,
    /// Priority queue of its packets, 1 to 7.
    pub priority: Priority,
    /// Destination port, which ECMP hashes.
    pub dst_port: u16,
    /// A value of the program's choice, repeated in the events of this message, such as the tag by
    /// which its receiver matches it.
    pub tag: u64,
    /// A second value of the program's choice, such as a unique number of the message.
    pub token: u64,
}

impl Message {
    /// Returns a message of class 0 with priority 3, destination port 100, tag 0 and token 0.
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

    /// Returns the same message with another tag and token.
    #[must_use]
    pub const fn labeled(mut self, tag: u64, token: u64) -> Self {
        self.tag = tag;
        self.token = token;
        self
    }

    /// Returns the flow of the message; `key` identifies it.
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

    /// Returns the request of the flow if it starts at `at`.
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

/// An event of a message or a timer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Event {
    /// The exact time.
    pub at: Time,
    /// The kind of the event.
    pub kind: EventKind,
}

/// The kind of an event.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum EventKind {
    /// The last byte of a message has been delivered to its receiver.
    Delivered(Message),
    /// The last byte of a message has been acknowledged to its sender: the message is complete.
    Acknowledged(Message),
    /// No route led to the receiver when the message was due to start, so it is lost.
    Unreachable(Message),
    /// The timer with this token has fired, and is no longer set.
    Timer(u64),
}

/// A program that receives each event.
pub trait Driver: Any + Send {
    /// Handles an event. Requests made through `actions` take effect at the instant of the event.
    fn on_event(&mut self, event: &Event, actions: &mut Actions<'_>);
}

/// The result of a run to the next event.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Next {
    /// The next event. The simulation is at the time of the event.
    Event(Event),
    /// No event is left before the given time.
    Stopped(Stop),
}
