//! Dependency graphs of operations at ranks: messages, receipts and computations. An operation
//! starts as soon as its dependencies have ended or started.
//!
//! A [`Program`] has the operations of one rank, or of all ranks with the same role in a collective.
//! A rank is the application of a host ([`RankApplication`]). It starts messages at the exact
//! instants at which their dependencies are met.

mod builder;
mod ended;
mod foreseen;
mod mailbox;
mod overlap;
mod pace;
mod plan;
mod program;
mod progress;
mod rank;
mod rank_state;
mod recording;
mod streams;

pub(crate) use builder::ProgramBuilder;
pub use overlap::Overlap;
pub(crate) use overlap::Slowdown;
pub(crate) use pace::Pace;
pub use pace::SlowRanks;
pub use plan::{Connections, GraphInfo, Instance, SendEnd};
pub(crate) use plan::{Manner, Plan, Programs};
pub(crate) use program::{Blocks, OF_A_COLLECTIVE, Operation, Program, Step, place_of_tag};
pub(crate) use rank::applications;
pub use rank::{IterationRecord, RankApplication, SpanRecord};
pub use recording::{OperationKind, OperationRecord};

#[cfg(test)]
mod tests;
