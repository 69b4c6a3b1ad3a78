//! The congestion-control algorithms that a scenario can select, for RDMA and for TCP.
//!
//! A new algorithm needs a configuration in its own file and a line in [`CONGESTION_CONTROLS`]. The
//! line adds it to the parser, did-you-mean, `fabricsim list` and the conformance tests.
//! [`CcRegistry`] accepts algorithms from outside the workspace.

mod config;
mod entry;
mod list;
mod tcp_class;

pub use config::AnyCcConfig;
pub use entry::{CcEntry, DynCcConfig};
pub use fabricsim_core::plugin::{TelemetryId, Transport};
pub use fabricsim_network::{AnyController, AnyFactory, ClassFactories, ViewedController};
pub use list::{CONGESTION_CONTROLS, CcRegistry};
pub use tcp_class::TcpClassKeys;
