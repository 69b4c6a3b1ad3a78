//! Builds a network from a scenario.

pub(crate) mod control_plane;
pub(crate) mod ideal;
pub(crate) mod ideal_rpc;
pub(crate) mod idle_paths;
mod marking;
pub(crate) mod nic_rules;
pub(crate) mod parts;
pub(crate) mod sources;
