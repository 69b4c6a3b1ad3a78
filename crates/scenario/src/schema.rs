//! The tables of a scenario that belong to no plugin.

pub mod capture;
pub mod class;
pub mod ecn;
pub mod event;
pub mod far_end;
pub mod host;
pub mod name;
mod nic_rules;
pub mod nics;
pub mod observe;
pub mod part;
pub mod port_group;
pub mod profile;
pub mod queries;
pub mod queue;
pub mod root;
pub mod routing;
pub mod run;
pub mod switch;

use fabricsim_base::input::Keys;

/// Returns every queue discipline of a `[[queue]]` table: its name, description and keys.
#[must_use]
pub const fn discipline_kinds() -> &'static [(&'static str, &'static str, Keys)] {
    fabricsim_qdisc::KINDS
}

/// Returns every routing policy of `[routing]`: its name, description and keys.
#[must_use]
pub fn policy_kinds() -> Vec<(&'static str, &'static str, Keys)> {
    let policies = fabricsim_topology::routing_policies();
    let policies = policies.iter();
    policies
        .map(|policy| (policy.name(), policy.about(), policy.keys()))
        .collect()
}

/// Returns the keys of the `[tcp]` table.
#[must_use]
pub const fn tcp_keys() -> Keys {
    fabricsim_transport::tcp::TcpConfig::KEYS
}

/// Returns the keys of the `[rdma]` table.
#[must_use]
pub const fn rdma_keys() -> Keys {
    fabricsim_transport::rdma::RdmaConfig::KEYS
}
