//! Size that the routes of a network would have, determined before they are found.

use super::addresses::Addresses;
use super::groups::Groups;
use super::switch::SwitchTable;
use crate::down_links::DownLinks;
use crate::graph::Topology;

/// The size of the routes of a network.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RoutesSize {
    /// Switches: each has a table.
    pub switches: u64,
    /// Groups of hosts: each has an entry in every table.
    pub groups: u64,
}

impl RoutesSize {
    /// The size of the routes of `topology`, found in a time that is linear in its links.
    #[must_use]
    pub fn of(topology: &Topology) -> Self {
        let groups = Groups::of(
            topology,
            &DownLinks::none(topology),
            &Addresses::of_hosts(topology),
        );
        Self {
            switches: topology.switches().count() as u64,
            groups: u64::from(groups.count()),
        }
    }

    /// Entries of all tables.
    #[must_use]
    pub const fn entries(&self) -> u64 {
        self.switches.saturating_mul(self.groups)
    }

    /// The memory of all tables, in bytes.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.entries()
            .saturating_mul(SwitchTable::ENTRY_BYTES as u64)
    }
}
