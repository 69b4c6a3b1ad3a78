//! Studies of PINT: what its queries need, tell and cost.
//!
//! * [`trace`]: packets until a sink knows a path, in trials without a network.
//! * [`latency`]: errors of latency quantiles, on the latencies of a simulation.
//! * [`compare`]: what queries lose by sharing the bits of packets.

pub mod compare;
mod drive;
pub mod latency;
pub mod trace;
mod trials;

pub use drive::Unfinished;
pub use trials::{Paths, Summary, Trials};
