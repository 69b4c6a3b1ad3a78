//! Kinds of networks that a simulation can run: the header of the packets, the telemetry that
//! switches write into it, and the transports of the hosts.
//!
//! Nodes, links, queues and congestion controls are generic, so that forwarding a packet makes no
//! dynamic call. This crate chooses the types of each kind of network and compiles it behind
//! [`Runner`]. It does not depend on the crates that read scenarios or write results, so that they
//! compile in parallel; a [`Plan`] describes the network to build.

mod assembly;
pub mod capture;
mod controllers;
mod decoder;
mod headers;
mod model;
mod node_log;
mod pause_log;
mod plan;
mod runner;
pub mod series;
mod timings;

pub use controllers::{AnyController, AnyFactory, ClassFactories, ViewedController};
pub use node_log::{AttachedObserver, NodeLog};
pub use pause_log::PauseEvent;
pub use plan::{Parts, Plan, QueuePlan, TcpPlan};
pub use runner::Runner;
pub use series::{QueueArea, QueueBin};
pub use timings::{Timings, loss_stream};
