//! The network model of fabricsim: packets, ports, hosts, switches, and the traits of everything
//! that plugs into them. This crate names no protocol, and reads neither files nor a clock.
//!
//! * [`packet`]: packets and their headers.
//! * [`plugin`]: the traits of algorithms, transports, queues, buffers, routes, telemetry and
//!   observers.
//! * [`network`]: hosts and switches as processes of the engine, and the run from flows to
//!   completions.
//!
//! The crate `fabricsim` builds a network from a scenario.

pub mod network;
pub mod packet;
pub mod plugin;
