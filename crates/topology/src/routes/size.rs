//! Size of the routes of a network, predicted before they are computed.

use super::addresses::Addresses;
use super::groups::Groups;
use super::switch::SwitchTable;
use crate::down_links::DownLinks;
use crate::graph::Topology;

/// The size of the routes of a network.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RoutesSize {
    /// Number of switches and hosts that forward: each has a table.
    pub switches: u64,
    /// Number of groups of hosts: each has an entry in every table.
    pub groups: u64,
}

impl RoutesSize {
    /// Predicts the size of the routes of `topology`, in time linear in its links.
    #[must_use]
    pub fn of(topology: &Topology) -> Self {
        let groups = Groups::of(
            topology,
            &DownLinks::none(topology),
            &Addresses::of_hosts(topology),
        );
        Self {
            switches: topology.forwarders().count() as u64,
            groups: u64::from(groups.count()),
        }
    }

    /// Returns the number of entries in all tables.
    #[must_use]
    pub const fn entries(&self) -> u64 {
        self.switches.saturating_mul(self.groups)
    }

    /// Returns the memory of all tables, in bytes.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.entries()
            .saturating_mul(SwitchTable::ENTRY_BYTES as u64)
    }
}
