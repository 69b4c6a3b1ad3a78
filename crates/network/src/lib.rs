//! The kinds of networks that a simulation can run: which header packets carry, what switches write
//! into it, and which transports hosts have.
//!
//! Nodes, links, queues and congestion controls are generic, so that a packet-hop makes no dynamic
//! call. This crate chooses the types of each kind of network and compiles it, behind [`Runner`]. It
//! knows nothing of scenarios: a [`Plan`] says what to build. So it is compiled while the crates that
//! read scenarios and write results are.

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
