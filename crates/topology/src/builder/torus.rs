//! Torus and mesh: a grid of switches, each linked to its neighbors along every dimension.

use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::settings;
use fabricsim_base::units::{Duration, Rate};

use super::grid::{GridEnds, check_dims, grid_links, place};
use super::plan::{Plan, fits_ports, some_delay};
use crate::graph::Topology;

settings! {
    /// A grid of switches of one or more dimensions, either closed into rings (a torus, or k-ary
    /// n-cube) or open (a mesh); Dally and Towles, Principles and Practices of Interconnection
    /// Networks, chapter 5.
    ///
    /// Nodes are numbered hosts, then switches; the first coordinate varies fastest. Names are
    /// coordinates: `switch2-0-1` and its `switch2-0-1/host0`.
    ///
    /// Packets take the shortest paths, and at each switch [`RoutingPolicy`](crate::RoutingPolicy)
    /// chooses among them. There are no virtual channels to break a cyclic buffer dependency, so
    /// with PFC, a loaded torus can deadlock; the run reports this.
    pub struct TorusConfig {
        /// Switches along each dimension, such as [4, 4, 2].
        pub dims: Vec<u32> = [4, 4, 4],
        /// Ends of each dimension.
        pub ends: GridEnds = "joined",
        /// Hosts at each switch.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub hosts_per_switch: u32 = 1,
        /// Rate of host links.
        pub host_rate: Rate = "400Gbps",
        /// Rate of links between switches.
        pub fabric_rate: Rate = "400Gbps",
        /// One-way delay of host links.
        pub host_delay: Duration = "1us",
        /// One-way delay of links between switches.
        pub link_delay: Duration = "1us",
    }
}

impl TorusConfig {
    /// Builds the grid. Links are listed host by host, then switch by switch, along the first
    /// dimension first.
    ///
    /// # Errors
    /// Fails if there are no dimensions or more than 8, a dimension has no switches, a delay is
    /// zero, or there are more nodes or links than the simulator supports.
    pub fn build(&self) -> Result<Topology, ConfigError> {
        self.validate_ranges()?;
        let switches = check_dims(&self.dims)?;
        some_delay("host_delay", self.host_delay)?;
        some_delay("link_delay", self.link_delay)?;
        let per_switch = u64::from(self.hosts_per_switch);
        fits_ports(
            "hosts_per_switch",
            "a switch",
            per_switch + 2 * self.dims.len() as u64,
        )?;
        let hosts = switches.saturating_mul(per_switch);
        let mut plan = Plan::new("dims", hosts, switches)?;
        let switches =
            u32::try_from(switches).expect("a plan has as many nodes as can be numbered");
        for switch in 0..switches {
            for host in 0..self.hosts_per_switch {
                plan.link(
                    NodeId(switch * self.hosts_per_switch + host),
                    plan.switch(switch),
                    self.host_rate,
                    self.host_delay,
                );
            }
        }
        for (a, b, _) in grid_links(&self.dims, self.ends) {
            let (a, b) = (plan.switch(a), plan.switch(b));
            plan.link(a, b, self.fabric_rate, self.link_delay);
        }
        let grid = plan.finish("dims")?.with_names(&self.names(switches));
        Ok(grid.expect("each place has a name of its own"))
    }

    /// Returns the names of all nodes, in the order of their numbers.
    fn names(&self, switches: u32) -> Vec<String> {
        let places: Vec<String> = (0..switches)
            .map(|switch| place("switch", &self.dims, switch))
            .collect();
        let hosts = places.iter().flat_map(|place| {
            (0..self.hosts_per_switch).map(move |host| format!("{place}/host{host}"))
        });
        hosts.chain(places.iter().cloned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::units::Bytes;

    use super::*;
    use crate::{EcmpHash, NextHopOrder, Routes};

    fn grid(dims: &[u32], ends: GridEnds) -> Topology {
        TorusConfig {
            dims: dims.to_vec(),
            ends,
            ..TorusConfig::default()
        }
        .build()
        .unwrap()
    }

    /// Returns the largest number of switches between two hosts.
    fn farthest(topology: &Topology) -> u16 {
        let routes = Routes::compute(topology, NextHopOrder::AscendingNode, EcmpHash::Seeded(1));
        routes.path_stats(Bytes::new(1_000)).switches
    }

    #[test]
    fn a_torus_has_a_link_per_switch_and_dimension() {
        let torus = grid(&[4, 3, 5], GridEnds::Joined);
        assert_eq!((torus.hosts().len(), torus.len()), (60, 120));
        assert_eq!(torus.links().len(), 60 + 3 * 60);
        assert!(
            torus
                .switches()
                .all(|switch| torus.ports(switch).len() == 7)
        );
        // Half of each ring, plus the switch at which the path begins.
        assert_eq!(farthest(&torus), 2 + 1 + 2 + 1);
    }

    #[test]
    fn a_mesh_has_no_links_around() {
        let mesh = grid(&[4, 3], GridEnds::Open);
        assert_eq!(mesh.links().len(), 12 + 3 * 3 + 4 * 2);
        assert_eq!(farthest(&mesh), 3 + 2 + 1);
    }

    #[test]
    fn two_switches_have_one_link_and_one_has_none() {
        let cube = grid(&[2, 2, 2, 1], GridEnds::Joined);
        assert_eq!(cube.links().len(), 8 + 12);
        assert_eq!(cube, grid(&[2, 2, 2, 1], GridEnds::Open));
    }

    #[test]
    fn names_are_coordinates() {
        let torus = grid(&[3, 2], GridEnds::Joined);
        let (host, switch) = (NodeId(5), NodeId(6 + 5));
        assert_eq!(torus.name(host), "switch2-1/host0");
        assert_eq!(torus.name(switch), "switch2-1");
        assert_eq!(torus.ports(host)[0].peer, switch);
    }

    #[test]
    fn impossible_grids_are_refused_by_key() {
        let key = |config: TorusConfig| config.build().unwrap_err().key;
        let of = |dims: &[u32]| TorusConfig {
            dims: dims.to_vec(),
            ..TorusConfig::default()
        };
        assert_eq!(key(of(&[])), "dims");
        assert_eq!(key(of(&[4, 0])), "dims");
        assert_eq!(key(of(&[1; 9])), "dims");
        assert_eq!(key(of(&[1 << 31, 1 << 31, 1 << 31])), "dims");
        let still = TorusConfig {
            link_delay: Duration::ZERO,
            ..TorusConfig::default()
        };
        assert_eq!(key(still), "link_delay");
    }
}
