//! Dependency graphs of operations at ranks: messages, receipts and computations. An operation
//! starts as soon as its dependencies have ended or started.
//!
//! A [`Program`] has the operations of one rank. A rank is the application of a host
//! ([`RankApplication`]). It starts messages at the exact instants at which their dependencies are
//! met.

mod builder;
mod mailbox;
mod plan;
mod program;
mod rank;
mod rank_state;
mod streams;

pub(crate) use builder::ProgramBuilder;
pub use plan::{Connections, GraphInfo, Instance, SendEnd};
pub(crate) use plan::{Manner, Plan, Programs};
pub(crate) use program::OF_A_COLLECTIVE;
pub use program::{Operation, Program};
pub(crate) use rank::applications;
pub use rank::{RankApplication, SpanRecord};

#[cfg(test)]
mod tests;
