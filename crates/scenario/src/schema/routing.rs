//! The `[routing]` table.

use fabricsim_base::units::Duration;
use fabricsim_base::{choices, settings};
use fabricsim_core::plugin::Quirks;
use fabricsim_core::plugin::quirks::EcmpRule;
use fabricsim_topology::{EcmpHash, NextHopOrder, Weights};

use crate::schema::nics::{NicChoice, NicRule};

choices! {
    /// Hash for spreading flows over equal-cost paths.
    pub enum HashName {
        /// A mixing hash of addresses, ports, switch and seed.
        Seeded = "seeded" ("default"),
        /// The published simulator's murmur3 hash, seeded by the switch's number.
        Ns3 = "ns3" ("default under profile ns3-hpcc"),
    }
}

choices! {
    /// The order of equal next hops.
    pub enum OrderName {
        /// Lowest node number first.
        Ascending = "ascending" ("default"),
        /// In the order in which a search from the destination reaches them, highest node number
        /// first.
        Descending = "descending",
    }
}

choices! {
    /// Shares of equal next hops.
    pub enum WeightsName {
        /// The same share for all.
        Equal = "equal",
        /// In proportion to the capacity beyond each of them.
        Capacity = "capacity" ("by the remaining capacity beyond each: WCMP"),
    }
}

settings! {
    /// The policy of one priority.
    pub struct PolicyRule {
        /// The priority.
        pub priority: u8 = required,
        /// Name of its policy; the keys of the policy have their defaults.
        pub policy: String = required,
    }
}

settings! {
    /// The `[routing]` table.
    pub struct RoutingSettings {
        /// Policy by which packets are spread over equal-cost next hops.
        #[note("(default \"ecmp\"; a name or a table such as { kind = \"flowlet\", gap = \"50us\" })")]
        pub policy: Option<String> = none,
        /// Policies of priorities that have one of their own: [{ priority = 4, policy = "random"
        /// }].
        pub priorities: Vec<PolicyRule> = empty,
        /// Hash by which flows are spread over equal paths.
        pub hash: Option<HashName> = none,
        /// Order of equal next hops.
        pub next_hops: Option<OrderName> = none,
        /// Shares of equal next hops.
        pub weights: WeightsName = "equal",
        /// Seed of the seeded hash.
        #[note("(default: the scenario's seed)")]
        pub seed: Option<u64> = none,
        /// Choice of the NIC by which a flow leaves a host with several.
        pub nic: NicChoice = "hash",
        /// NICs by class of flows: [{ class = 0, from = 0, to = 1 }].
        pub nics: Vec<NicRule> = empty,
        /// Delay from an event to the recomputation of routes.
        pub convergence: Duration = "0s",
    }
}

impl RoutingSettings {
    /// Returns the settings with all defaults filled in.
    #[must_use]
    pub fn resolved(&self, seed: u64, quirks: &Quirks) -> Self {
        let (hash, order) = match quirks.ecmp {
            EcmpRule::Seeded => (HashName::Seeded, OrderName::Ascending),
            EcmpRule::BySwitch => (HashName::Ns3, OrderName::Descending),
        };
        Self {
            policy: self.policy.clone(),
            priorities: self.priorities.clone(),
            hash: Some(self.hash.unwrap_or(hash)),
            next_hops: Some(self.next_hops.unwrap_or(order)),
            weights: self.weights,
            seed: Some(self.seed.unwrap_or(seed)),
            nic: self.nic,
            nics: self.nics.clone(),
            convergence: self.convergence,
        }
    }

    /// Returns the hash; call this on resolved settings.
    pub fn ecmp(&self) -> EcmpHash {
        match self.hash {
            Some(HashName::Ns3) => EcmpHash::Ns3,
            _ => EcmpHash::Seeded(self.seed.unwrap_or_default()),
        }
    }

    /// Returns the rule for the shares of equal next hops.
    pub const fn weights(&self) -> Weights {
        match self.weights {
            WeightsName::Equal => Weights::Equal,
            WeightsName::Capacity => Weights::Capacity,
        }
    }

    /// Returns the order of equal next hops; call this on resolved settings.
    pub const fn order(&self) -> NextHopOrder {
        match self.next_hops {
            Some(OrderName::Descending) => NextHopOrder::DescendingNode,
            _ => NextHopOrder::AscendingNode,
        }
    }
}
