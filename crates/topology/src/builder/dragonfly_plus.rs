//! Dragonfly+: groups of leaves and spines, and links between the spines of all groups.

use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::settings;
use fabricsim_base::units::{Duration, Rate};

use super::global_links::{GlobalEnd, GlobalLinks};
use super::plan::{Plan, fits_ports, some_delay};
use crate::graph::Topology;

settings! {
    /// A Dragonfly+ (Shpiner, Haramaty, Eliad, Zdornov, Gafni, Zahavi, Dragonfly+: Low Cost
    /// Topology for Scaling Datacenters, HiPINEB 2017): in each group, every leaf is linked to
    /// every spine, and spines have links to other groups.
    ///
    /// Nodes are numbered hosts, then leaves, then spines, group by group. Names are paths:
    /// `group2/leaf1/host0`, `group2/leaf1`, `group2/spine0`. Links between groups use the absolute
    /// arrangement: the outer links of a group lead to all other groups in order, repeatedly if
    /// there are more links than groups.
    ///
    /// Packets take the shortest paths, which have one link between groups.
    pub struct DragonflyPlusConfig {
        /// Hosts at each leaf.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub hosts_per_leaf: u32 = 4,
        /// Leaves in each group.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub leaves_per_group: u32 = 4,
        /// Spines in each group.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub spines_per_group: u32 = 4,
        /// Links of each spine to other groups.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub global_links: u32 = 4,
        /// Groups; the outer links of all spines of a group spread evenly over the other groups.
        #[note("(default: one more than the outer links of a group)")]
        pub groups: Option<u32> = none,
        /// Rate of host links.
        pub host_rate: Rate = "400Gbps",
        /// Rate of links between leaves and spines.
        pub local_rate: Rate = "400Gbps",
        /// Rate of links between groups.
        pub global_rate: Rate = "400Gbps",
        /// One-way delay of host links and links within groups.
        pub local_delay: Duration = "1us",
        /// One-way delay of links between groups.
        pub global_delay: Duration = "1us",
    }
}

impl DragonflyPlusConfig {
    /// Builds the Dragonfly+. Links are listed host by host, then within groups, then between
    /// groups.
    ///
    /// # Errors
    /// Fails if a count is zero, outer links do not spread evenly over the groups, a delay is zero,
    /// or there are more nodes, links or ports than the simulator supports.
    pub fn build(&self) -> Result<Topology, ConfigError> {
        self.validate_ranges()?;
        some_delay("local_delay", self.local_delay)?;
        some_delay("global_delay", self.global_delay)?;
        let (leaves_per_group, spines_per_group) = (self.leaves_per_group, self.spines_per_group);
        let down = u64::from(self.hosts_per_leaf) + u64::from(spines_per_group);
        fits_ports("hosts_per_leaf", "a leaf", down)?;
        let up = u64::from(leaves_per_group) + u64::from(self.global_links);
        fits_ports("global_links", "a spine", up)?;
        let outer = spines_per_group * self.global_links;
        let groups = self.groups.unwrap_or(outer + 1);
        let global = GlobalLinks::new(groups, outer)?;
        let leaves = u64::from(groups) * u64::from(leaves_per_group);
        let spines = u64::from(groups) * u64::from(spines_per_group);
        let hosts = leaves * u64::from(self.hosts_per_leaf);
        let mut plan = Plan::new("groups", hosts, leaves + spines)?;
        let leaves = groups * leaves_per_group;
        for host in 0..leaves * self.hosts_per_leaf {
            let leaf = plan.switch(host / self.hosts_per_leaf);
            plan.link(NodeId(host), leaf, self.host_rate, self.local_delay);
        }
        let spine = |group: u32, number: u32| leaves + group * spines_per_group + number;
        for leaf in 0..leaves {
            for number in 0..spines_per_group {
                let spine = plan.switch(spine(leaf / leaves_per_group, number));
                plan.link(plan.switch(leaf), spine, self.local_rate, self.local_delay);
            }
        }
        let at = |end: GlobalEnd| spine(end.group, end.link / self.global_links);
        for (near, far) in global.all() {
            let (near, far) = (plan.switch(at(near)), plan.switch(at(far)));
            plan.link(near, far, self.global_rate, self.global_delay);
        }
        let names = self.names(groups);
        let fabric = plan.finish("groups")?.with_names(&names);
        Ok(fabric.expect("each place has a name of its own"))
    }

    /// Returns the names of all nodes, in the order of their numbers.
    fn names(&self, groups: u32) -> Vec<String> {
        let places = |kind: &'static str, each: u32| {
            (0..groups).flat_map(move |group| {
                (0..each).map(move |number| format!("group{group}/{kind}{number}"))
            })
        };
        let hosts = places("leaf", self.leaves_per_group).flat_map(|leaf| {
            (0..self.hosts_per_leaf).map(move |host| format!("{leaf}/host{host}"))
        });
        let leaves = places("leaf", self.leaves_per_group);
        hosts
            .chain(leaves)
            .chain(places("spine", self.spines_per_group))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::units::Bytes;

    use super::*;
    use crate::{EcmpHash, NextHopOrder, Routes};

    fn small() -> DragonflyPlusConfig {
        DragonflyPlusConfig {
            hosts_per_leaf: 2,
            leaves_per_group: 2,
            spines_per_group: 2,
            global_links: 2,
            ..DragonflyPlusConfig::default()
        }
    }

    #[test]
    fn groups_meet_at_their_spines() {
        let fabric = small().build().unwrap();
        let (hosts, leaves, spines) = (20, 10, 10);
        assert_eq!(
            (fabric.hosts().len(), fabric.len()),
            (hosts, hosts + leaves + spines)
        );
        assert_eq!(fabric.links().len(), hosts + 5 * 4 + 10);
        let routes = Routes::compute(&fabric, NextHopOrder::AscendingNode, EcmpHash::Seeded(1));
        // The path is leaf, spine, spine of the other group, leaf. With one link between two
        // groups, the second spine of a group has no part in it.
        assert_eq!(routes.path_stats(Bytes::new(1_000)).switches, 4);
        assert_eq!(fabric.name(NodeId(19)), "group4/leaf1/host1");
        assert_eq!(fabric.name(NodeId(20 + 9)), "group4/leaf1");
        assert_eq!(fabric.name(NodeId(20 + 10)), "group0/spine0");
        for switch in fabric.switches() {
            assert_eq!(fabric.ports(switch).len(), 4, "{}", fabric.name(switch));
        }
    }

    #[test]
    fn impossible_fabrics_are_refused_by_key() {
        let key = |config: DragonflyPlusConfig| config.build().unwrap_err().key;
        let groups = |groups| DragonflyPlusConfig {
            groups: Some(groups),
            ..small()
        };
        assert!(groups(3).build().is_ok());
        assert_eq!(key(groups(4)), "groups");
        let none = DragonflyPlusConfig {
            spines_per_group: 0,
            ..small()
        };
        assert_eq!(key(none), "spines_per_group");
        let still = DragonflyPlusConfig {
            global_delay: Duration::ZERO,
            ..small()
        };
        assert_eq!(key(still), "global_delay");
    }
}
