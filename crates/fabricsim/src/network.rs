//! From a scenario to a network.

pub(crate) mod assembly;
pub(crate) mod control_plane;
pub(crate) mod headers;
pub(crate) mod ideal;
pub(crate) mod ideal_rpc;
pub(crate) mod model;
pub(crate) mod nic_rules;
mod node_log;
pub(crate) mod pause_log;
pub(crate) mod queue_times;
pub(crate) mod runner;
pub(crate) mod sources;
