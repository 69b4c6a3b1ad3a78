//! Studies of PINT: packets, errors and overhead of its queries.
//!
//! * [`trace`]: packets until a sink has decoded a path, in trials without a network.
//! * [`latency`]: errors of latency quantiles, from simulated latencies.
//! * [`compare`]: the loss of precision if queries share the bits of packets.

pub mod compare;
mod drive;
pub mod latency;
pub mod trace;
mod trials;

pub use drive::Unfinished;
pub use trials::{Paths, Summary, Trials};
