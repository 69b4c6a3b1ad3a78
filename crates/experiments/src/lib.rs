//! Experiments on top of the simulator.
//!
//! * [`sweep`] runs a scenario over many settings.
//! * [`reproduce`] runs the experiments of published figures and, with [`judge`], compares the
//!   results with the published curves.
//! * [`harm`] measures the harm of one congestion control to another.
//! * [`parallelism`] estimates the gain of more threads or ranks.
//! * [`pint`] studies the packets, errors and overhead of PINT's queries.

pub mod harm;
pub mod judge;
pub mod parallelism;
pub mod pint;
pub mod reproduce;
pub mod sweep;
#[cfg(test)]
mod testing;

pub use sweep::Sweep;
