//! Experiments on top of the simulator.
//!
//! * [`sweep`] runs a scenario over many settings.
//! * [`reproduce`] runs the experiments of published figures and, with [`judge`], compares the
//!   results with the published curves.
//! * [`harm`] measures what one congestion control does to another.
//! * [`parallelism`] measures what more threads would gain.
//! * [`pint`] asks what PINT's queries need, tell and cost.

pub mod harm;
pub mod judge;
pub mod parallelism;
pub mod pint;
pub mod reproduce;
pub mod sweep;
#[cfg(test)]
mod testing;

pub use sweep::Sweep;
