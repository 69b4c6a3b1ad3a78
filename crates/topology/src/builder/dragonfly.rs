//! Dragonfly: groups of fully meshed routers, and links between all groups.

use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::settings;
use fabricsim_base::units::{Duration, Rate};

use super::global_links::{GlobalEnd, GlobalLinks};
use super::plan::{Plan, fits_ports, some_delay};
use crate::graph::Topology;

settings! {
    /// A dragonfly (Kim, Dally, Scott, Abts, Technology-Driven, Highly-Scalable Dragonfly Topology,
    /// ISCA 2008, section 3): p hosts at each of a routers in a group, h links of each router to
    /// other groups. It is balanced with a = 2p = 2h, and largest with a h + 1 groups.
    ///
    /// Nodes are numbered hosts, then routers, group by group. Names are paths: `group2/router1`
    /// and its `group2/router1/host0`. Links between groups use the absolute arrangement: the outer
    /// links of a group lead to all other groups in order, repeatedly if there are more links than
    /// groups.
    ///
    /// Differs from the paper: packets take the paths with the fewest links, choosing among the
    /// next hops at each switch. Minimal routing (section 4) has exactly one link between groups;
    /// here, a path has two through a third group if this saves a link. Detours for load balancing
    /// (Valiant, UGAL) are not modeled.
    pub struct DragonflyConfig {
        /// Hosts at each router (p).
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub hosts_per_router: u32 = 2,
        /// Routers in each group (a).
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub routers_per_group: u32 = 4,
        /// Links of each router to other groups (h).
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub global_links: u32 = 2,
        /// Groups; the a h outer links of each spread evenly over the other groups.
        #[note("(default: a h + 1)")]
        pub groups: Option<u32> = none,
        /// Rate of host links.
        pub host_rate: Rate = "400Gbps",
        /// Rate of links within groups.
        pub local_rate: Rate = "400Gbps",
        /// Rate of links between groups.
        pub global_rate: Rate = "400Gbps",
        /// One-way delay of host links and links within groups.
        pub local_delay: Duration = "1us",
        /// One-way delay of links between groups.
        pub global_delay: Duration = "1us",
    }
}

impl DragonflyConfig {
    /// Builds the dragonfly. Links are listed host by host, then within groups, then between
    /// groups.
    ///
    /// # Errors
    /// Fails if a count is zero, outer links do not spread evenly over the groups, a delay is zero,
    /// or there are more nodes, links or ports than the simulator supports.
    pub fn build(&self) -> Result<Topology, ConfigError> {
        self.validate_ranges()?;
        some_delay("local_delay", self.local_delay)?;
        some_delay("global_delay", self.global_delay)?;
        let (hosts_per_router, per_group) = (self.hosts_per_router, self.routers_per_group);
        let ports =
            u64::from(hosts_per_router) + u64::from(per_group - 1) + u64::from(self.global_links);
        fits_ports("routers_per_group", "a router", ports)?;
        let outer = per_group * self.global_links;
        let groups = self.groups.unwrap_or(outer + 1);
        let global = GlobalLinks::new(groups, outer)?;
        let routers = u64::from(groups) * u64::from(per_group);
        let hosts = routers * u64::from(hosts_per_router);
        let mut plan = Plan::new("groups", hosts, routers)?;
        let routers = groups * per_group;
        for host in 0..routers * hosts_per_router {
            let router = plan.switch(host / hosts_per_router);
            plan.link(NodeId(host), router, self.host_rate, self.local_delay);
        }
        for group in 0..groups {
            let members = group * per_group..(group + 1) * per_group;
            for a in members.clone() {
                for b in a + 1..members.end {
                    let (a, b) = (plan.switch(a), plan.switch(b));
                    plan.link(a, b, self.local_rate, self.local_delay);
                }
            }
        }
        let router = |end: GlobalEnd| end.group * per_group + end.link / self.global_links;
        for (near, far) in global.all() {
            let (near, far) = (plan.switch(router(near)), plan.switch(router(far)));
            plan.link(near, far, self.global_rate, self.global_delay);
        }
        let dragonfly = plan.finish("groups")?.with_names(&self.names(routers));
        Ok(dragonfly.expect("each place has a name of its own"))
    }

    /// Returns the names of all nodes, in the order of their numbers.
    fn names(&self, routers: u32) -> Vec<String> {
        let place = |router: u32| {
            let (group, router) = (
                router / self.routers_per_group,
                router % self.routers_per_group,
            );
            format!("group{group}/router{router}")
        };
        let host = |host: u32| {
            let (router, host) = (host / self.hosts_per_router, host % self.hosts_per_router);
            format!("{}/host{host}", place(router))
        };
        let hosts = (0..routers * self.hosts_per_router).map(host);
        hosts.chain((0..routers).map(place)).collect()
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::units::Bytes;

    use super::*;
    use crate::{EcmpHash, NextHopOrder, Routes};

    /// The example of the paper's section 3.1, figure 5: p = h = 2, a = 4.
    #[test]
    fn the_example_of_the_paper_has_72_hosts_in_9_groups() {
        let dragonfly = DragonflyConfig::default().build().unwrap();
        assert_eq!((dragonfly.hosts().len(), dragonfly.len()), (72, 72 + 36));
        assert_eq!(dragonfly.links().len(), 72 + 9 * 6 + 36);
        assert!((dragonfly.switches()).all(|router| dragonfly.ports(router).len() == 2 + 3 + 2));
        let routes = Routes::compute(&dragonfly, NextHopOrder::AscendingNode, EcmpHash::Seeded(1));
        // At most one link within the first group, one between groups, one within the second group.
        assert_eq!(routes.path_stats(Bytes::new(1_000)).switches, 4);
    }

    #[test]
    fn fewer_groups_have_several_links_between_them() {
        let config = DragonflyConfig {
            groups: Some(3),
            ..DragonflyConfig::default()
        };
        let dragonfly = config.build().unwrap();
        assert_eq!(
            (dragonfly.hosts().len(), dragonfly.links().len()),
            (24, 24 + 18 + 12)
        );
        assert_eq!(dragonfly.name(NodeId(23)), "group2/router3/host1");
        assert_eq!(dragonfly.name(NodeId(24 + 11)), "group2/router3");
    }

    #[test]
    fn impossible_dragonflies_are_refused_by_key() {
        let key = |config: DragonflyConfig| config.build().unwrap_err().key;
        let base = DragonflyConfig::default;
        let groups = |groups| DragonflyConfig {
            groups: Some(groups),
            ..base()
        };
        assert_eq!(key(groups(1)), "groups");
        assert_eq!(key(groups(4)), "groups");
        assert_eq!(key(groups(10)), "groups");
        let none = DragonflyConfig {
            global_links: 0,
            ..base()
        };
        assert_eq!(key(none), "global_links");
        let huge = DragonflyConfig {
            routers_per_group: 60_000,
            global_links: 5_000,
            ..base()
        };
        assert_eq!(key(huge), "groups");
    }
}
