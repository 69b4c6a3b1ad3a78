//! The congestion-control algorithms that a scenario can name, of RDMA and of TCP.
//!
//! A new algorithm is a configuration in one file and a line in [`CONGESTION_CONTROLS`]: from the
//! line follow parsing, did-you-mean, `fabricsim list` and the conformance tests. [`CcRegistry`]
//! takes algorithms from outside of the workspace.

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
