//! A packet-level discrete-event simulator of datacentre networks.
pub(crate) mod directory;
pub(crate) mod document;
pub mod error;
pub(crate) mod model;
pub mod outcome;
pub(crate) mod overrides;
pub mod registry;
pub mod scenario;
pub mod settings;
pub mod simulation;

pub use error::Error;
pub use scenario::Scenario;
pub use simulation::Simulation;

/// The keys of the `[transport]` table, each with what it means.
#[must_use]
pub const fn transport_keys() -> settings::Keys {
    fabricsim_transport::rdma::RdmaConfig::KEYS
}
