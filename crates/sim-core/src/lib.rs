//! The network model of fabricsim: packets, ports, hosts, switches, and the traits that everything
//! else plugs into. No protocol has a name here, nothing reads a file or a clock.
//!
//! * [`packet`]: packets and their headers.
//! * [`plugin`]: the traits of algorithms, transports, queues, buffers, routes, telemetry and
//!   observers.
//! * [`network`]: hosts and switches as processes of the engine, and the run from flows to
//!   completions.
//!
//! A scenario, which puts all this together, is the business of the crate `fabricsim`.

pub mod network;
pub mod packet;
pub mod plugin;
