//! The engine and the network model of fabricsim: time, epochs, packets, ports, hosts, switches,
//! and the traits that everything else plugs into. No protocol has a name here, nothing reads a
//! file or a clock.
//!
//! * [`units`], [`id`] and [`rng`]: exact integer time, sizes and rates; names of things; random
//!   streams that belong to things.
//! * [`engine`]: processes that are run alone for the length of an epoch, channels between them,
//!   and the threads that share the work. It does not know what a packet is.
//! * [`plugin`]: the traits of algorithms, transports, queues, buffers, routes, telemetry and
//!   observers.
//! * [`network`]: hosts and switches as processes, and the run from flows to completions.
//!
//! A scenario, which puts all this together, is the business of the crate `fabricsim`.
//!
//! Quantities are whole numbers of picoseconds, bytes and bits per second, so that physics has no
//! rounding that depends on the order of sums:
//!
//! ```
//! use fabricsim_core::engine::{Timer, Timers};
//! use fabricsim_core::units::{Bytes, Duration, Rate, Time};
//!
//! let wire: Rate = "100Gbps".parse()?;
//! let packet = Bytes::new(1_090);
//! assert_eq!(wire.transmission(packet), Duration::from_ps(87_200));
//! assert_eq!(wire.bytes_in("12.24us".parse()?), Bytes::new(153_000));
//!
//! // A process's own events come up in the order of (time, rank of the kind, port).
//! let mut timers = Timers::default();
//! for (ns, rank, index) in [(7, 0, 1), (5, 1, 0), (5, 0, 3)] {
//!     timers.set(Timer { at: Time::from_ns(ns), set: 0, rank, index });
//! }
//! let ports: Vec<u16> = std::iter::from_fn(|| timers.pop()).map(|timer| timer.index).collect();
//! assert_eq!(ports, [3, 0, 1]);
//! # Ok::<(), fabricsim_core::units::UnitError>(())
//! ```

extern crate self as fabricsim_core;

pub mod checkpoint;
pub mod engine;
pub mod fifo;
pub mod flow;
pub mod id;
pub mod input;
pub mod limits;
pub mod network;
pub mod packet;
pub mod plugin;
pub mod prefetch;
mod priority;
pub mod ranks;
pub mod rng;
pub mod units;
