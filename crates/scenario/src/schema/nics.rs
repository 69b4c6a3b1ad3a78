//! The NICs of flows, for hosts with several.

use fabricsim_base::id::PortId;
use fabricsim_base::{choices, settings};

choices! {
    /// Rule for the NIC through which a flow leaves a host with several.
    pub enum NicChoice {
        /// By a hash of addresses and ports. Acknowledgements may return to any NIC.
        Hash = "hash",
        /// Each host's NICs in turn, flow by flow. Acknowledgements return to the same NIC.
        RoundRobin = "round-robin" ("in turn at each host"),
    }
}

settings! {
    /// NICs that flows of one class use, by their numbers at each host.
    pub struct NicRule {
        /// The class: a workload's place in the scenario from 0 on.
        pub class: u16 = required,
        /// NIC by which the flows leave their hosts, and to which acknowledgements return.
        #[note("(default: by `nic`)")]
        pub from: Option<u16> = none,
        /// NIC by which the flows reach their hosts.
        #[note("(default: as switches route)")]
        pub to: Option<u16> = none,
    }
}

impl NicRule {
    /// Returns the NIC through which flows leave, if the rule names it.
    pub fn from(&self) -> Option<PortId> {
        self.from.map(PortId)
    }

    /// Returns the NIC at which flows arrive, if the rule names it.
    pub fn to(&self) -> Option<PortId> {
        self.to.map(PortId)
    }
}
