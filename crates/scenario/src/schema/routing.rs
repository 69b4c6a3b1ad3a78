//! The `[routing]` table.

use fabricsim_core::plugin::Fidelity;
use fabricsim_core::units::Duration;
use fabricsim_topology::{EcmpHash, NextHopOrder};
use serde::{Deserialize, Serialize};

use crate::schema::keys::Keys;

/// How flows are spread over equal paths.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HashName {
    /// A mixing hash of addresses, ports, switch and seed.
    Seeded,
    /// The published simulator's murmur3 hash, seeded by the switch's number.
    Ns3,
}

/// The order of equal next hops.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OrderName {
    /// Lowest node number first.
    Ascending,
    /// Highest node number first.
    Descending,
}

/// The `[routing]` table.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct RoutingSettings {
    /// The policy that chooses among equal next hops; absent means `ecmp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// How flows are spread over equal paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<HashName>,
    /// The order of equal next hops.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_hops: Option<OrderName>,
    /// The seed of the `seeded` hash; absent means the scenario's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How long after a change of the network routes are recomputed, all at once.
    pub convergence: Duration,
}

impl RoutingSettings {
    /// The keys of the table.
    pub const KEYS: Keys = &[
        (
            "policy",
            "how packets are spread over equal next hops (default \"ecmp\"; `fabricsim list` shows all)",
        ),
        (
            "hash",
            "\"seeded\" (default) or \"ns3\" (default under profile ns3-hpcc)",
        ),
        (
            "next_hops",
            "order of equal next hops: \"ascending\" (default) or \"descending\"",
        ),
        (
            "seed",
            "seed of the seeded hash (default: the scenario's seed)",
        ),
        (
            "convergence",
            "how long after an event routes are recomputed (default \"0s\")",
        ),
    ];

    /// The settings with every default filled in.
    #[must_use]
    pub fn resolved(&self, seed: u64, fidelity: Fidelity) -> Self {
        let (hash, order) = match fidelity {
            Fidelity::Exact => (HashName::Seeded, OrderName::Ascending),
            Fidelity::Published => (HashName::Ns3, OrderName::Descending),
        };
        Self {
            policy: self.policy.clone(),
            hash: Some(self.hash.unwrap_or(hash)),
            next_hops: Some(self.next_hops.unwrap_or(order)),
            seed: Some(self.seed.unwrap_or(seed)),
            convergence: self.convergence,
        }
    }

    /// The hash; call it on resolved settings.
    pub fn ecmp(&self) -> EcmpHash {
        match self.hash {
            Some(HashName::Ns3) => EcmpHash::Ns3,
            _ => EcmpHash::Seeded(self.seed.unwrap_or_default()),
        }
    }

    /// The order of next hops; call it on resolved settings.
    pub const fn order(&self) -> NextHopOrder {
        match self.next_hops {
            Some(OrderName::Descending) => NextHopOrder::DescendingNode,
            _ => NextHopOrder::AscendingNode,
        }
    }
}
