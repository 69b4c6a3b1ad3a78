//! Testbed: the small cluster of a study of buffers, with two NICs per server.

use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::settings;
use fabricsim_base::units::{Duration, Rate};

use super::plan::{Plan, fits_ports, some_delay};
use crate::graph::Topology;

settings! {
    /// The testbed of "Buffer sizing with HPCC" (Miao, Li, Liu, Zhang, BS'19, section 2.1): two
    /// pods of two top-of-rack and two aggregation switches, two core switches, and eight servers
    /// with two NICs of 25 Gbps.
    ///
    /// The paper gives these numbers and the rates of NICs and of the links in a pod. We assume the
    /// placement of the servers (the same number in each pod, NIC i of each at top-of-rack switch
    /// i), the links of cores (one to every aggregation switch, at the rate of the links in a pod)
    /// and all delays. The default delays give RDMA packets of 1000 bytes base round trips of 5.4
    /// us between servers at one switch, and 8.5 us through an aggregation switch.
    ///
    /// Nodes are numbered servers, top-of-rack, aggregation, core, pod by pod; links are listed
    /// server by server, then switch by switch from the bottom up.
    pub struct TestbedConfig {
        /// Pods.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub pods: u32 = 2,
        /// Servers in each pod.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub servers_per_pod: u32 = 4,
        /// Top-of-rack switches in each pod, and so NICs of each server: one to each of them.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub tors_per_pod: u32 = 2,
        /// Aggregation switches in each pod, linked to every top-of-rack switch there.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub aggs_per_pod: u32 = 2,
        /// Core switches, linked to every aggregation switch.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub cores: u32 = 2,
        /// Rate of each NIC.
        pub host_rate: Rate = "25Gbps",
        /// Rate of links between switches.
        pub fabric_rate: Rate = "100Gbps",
        /// One-way delay of links of servers.
        pub host_delay: Duration = "1.2us",
        /// One-way delay of links between switches.
        pub link_delay: Duration = "725ns",
    }
}

impl TestbedConfig {
    /// Builds the testbed.
    ///
    /// # Errors
    /// Fails if a count is zero, there is only one server, a switch has too many links, or a delay
    /// is zero.
    pub fn build(&self) -> Result<Topology, ConfigError> {
        self.validate_ranges()?;
        some_delay("host_delay", self.host_delay)?;
        some_delay("link_delay", self.link_delay)?;
        let [pods, servers, tors, aggs, cores] = [
            self.pods,
            self.servers_per_pod,
            self.tors_per_pod,
            self.aggs_per_pod,
            self.cores,
        ]
        .map(u64::from);
        if pods * servers < 2 {
            return Err(ConfigError::new(
                "servers_per_pod",
                "a single server has no destination",
                "write at least 2",
            ));
        }
        let key = "servers_per_pod";
        fits_ports(key, "a top-of-rack switch", servers + aggs)?;
        fits_ports("tors_per_pod", "a server", tors)?;
        fits_ports("cores", "an aggregation switch", tors + cores)?;
        fits_ports("pods", "a core switch", pods.saturating_mul(aggs))?;
        let plan = Plan::new("pods", pods * servers, pods * (tors + aggs) + cores)?;
        self.wire(plan).finish("pods")
    }

    fn wire(&self, mut plan: Plan) -> Plan {
        let all_tors = self.pods * self.tors_per_pod;
        let all_aggs = self.pods * self.aggs_per_pod;
        let first_core = all_tors + all_aggs;
        plan.name_switches(&[("tor", all_tors), ("agg", all_aggs), ("core", self.cores)]);
        for server in 0..self.pods * self.servers_per_pod {
            let first = server / self.servers_per_pod * self.tors_per_pod;
            for tor in first..first + self.tors_per_pod {
                let tor = plan.switch(tor);
                plan.link(NodeId(server), tor, self.host_rate, self.host_delay);
            }
        }
        for tor in 0..all_tors {
            let first = all_tors + tor / self.tors_per_pod * self.aggs_per_pod;
            for agg in first..first + self.aggs_per_pod {
                let (tor, agg) = (plan.switch(tor), plan.switch(agg));
                plan.link(tor, agg, self.fabric_rate, self.link_delay);
            }
        }
        for agg in all_tors..first_core {
            for core in first_core..first_core + self.cores {
                let (agg, core) = (plan.switch(agg), plan.switch(core));
                plan.link(agg, core, self.fabric_rate, self.link_delay);
            }
        }
        plan
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::flow::FlowKey;
    use fabricsim_base::id::PortId;
    use fabricsim_base::units::Bytes;

    use super::*;
    use crate::down_links::DownLinks;
    use crate::ecmp::EcmpHash;
    use crate::routes::{NextHopOrder, Routes};

    /// Servers 0 to 7, top-of-rack switches 8 to 11, aggregation 12 to 15, core 16 and 17.
    #[test]
    fn the_links_are_those_of_the_study() {
        let testbed = TestbedConfig::default().build().unwrap();
        let found: Vec<(u32, u32, u64)> = (testbed.links().iter())
            .map(|link| (link.a.0, link.b.0, link.rate.as_bps() / 1_000_000_000))
            .collect();
        let servers = (0..16).map(|i| (i / 2, 8 + i / 8 * 2 + i % 2, 25));
        let pods = (0..8).map(|i| (8 + i / 2, 12 + i / 4 * 2 + i % 2, 100));
        let cores = (0..8).map(|i| (12 + i / 2, 16 + i % 2, 100));
        let wanted: Vec<_> = servers.chain(pods).chain(cores).collect();
        assert_eq!(found, wanted);
    }

    #[test]
    fn base_round_trips_are_those_of_the_defaults() {
        let testbed = TestbedConfig::default().build().unwrap();
        let routes = Routes::compute(&testbed, NextHopOrder::AscendingNode, EcmpHash::Seeded(1));
        let rtt = |from, to| {
            let path = routes.path_info(NodeId(from), NodeId(to), Bytes::new(1_000));
            path.unwrap().base_rtt
        };
        assert_eq!(rtt(0, 3), Duration::from_ns(5_440));
        assert_eq!(
            rtt(0, 4),
            Duration::from_ns(2 * (2_400 + 2_900) + 640 + 320)
        );
    }

    /// Packets reach a NIC with an address through its own switch, even across the pod if they have
    /// left through another switch.
    #[test]
    fn a_nic_with_an_address_is_the_end_of_its_own_paths() {
        let testbed = TestbedConfig::default().build().unwrap();
        let plain = Routes::compute(&testbed, NextHopOrder::AscendingNode, EcmpHash::Seeded(1));
        assert_eq!(plain.nic_address(NodeId(3), PortId(1)), None);
        let routes = plain.clone().with_nic_addresses();
        let address = routes.nic_address(NodeId(3), PortId(1)).unwrap();
        assert_eq!(routes.host_of(address), NodeId(3));
        assert_eq!(routes.nic_address(NodeId(3), PortId(2)), None);
        let path = |src, nic| {
            let path = routes.path_info_from(NodeId(src), PortId(nic), address, Bytes::new(1_000));
            path.unwrap()
        };
        assert_eq!(path(0, 1).base_rtt, Duration::from_ns(5_440));
        assert_eq!(path(0, 0).base_rtt, Duration::from_ns(8_500));
        assert_eq!((path(0, 0).switches, path(5, 0).switches), (3, 5));
        assert_eq!(routes.nics(NodeId(0), address), [PortId(1)]);
        assert_eq!(routes.nics(NodeId(5), address), [PortId(0), PortId(1)]);
        for src_port in 0..64 {
            let key = FlowKey {
                src: NodeId(5),
                dst: address,
                src_port,
                dst_port: 100,
            };
            let nodes = routes.trace(&key);
            assert_eq!(
                nodes[nodes.len() - 2..],
                [NodeId(9), NodeId(3)],
                "{src_port}"
            );
        }
        let back = FlowKey {
            src: address,
            dst: NodeId(5),
            src_port: 100,
            dst_port: 1,
        };
        assert_eq!(routes.trace(&back)[..2], [NodeId(3), NodeId(9)]);
        // Without its link, the NIC is unreachable, but its host is not.
        let mut down = DownLinks::none(&testbed);
        down.insert(7);
        let cut = routes.without(&down);
        assert!(cut.nics(NodeId(0), address).is_empty());
        assert_eq!(cut.nics(NodeId(0), NodeId(3)), [PortId(0)]);
        // Routes to hosts do not change.
        assert_eq!(
            routes.path_stats(Bytes::new(1_000)),
            plain.path_stats(Bytes::new(1_000))
        );
        let pod = TestbedConfig {
            pods: 1,
            ..TestbedConfig::default()
        };
        let pod = Routes::compute(
            &pod.build().unwrap(),
            NextHopOrder::AscendingNode,
            EcmpHash::Seeded(1),
        )
        .with_nic_addresses();
        assert_eq!(pod.path_stats(Bytes::new(1_000)).switches, 1);
        assert_eq!(pod.nic_path_stats(Bytes::new(1_000)).switches, 3);
    }

    #[test]
    fn impossible_testbeds_are_refused_by_key() {
        let key = |config: TestbedConfig| config.build().unwrap_err().key;
        let base = TestbedConfig::default;
        assert_eq!(key(TestbedConfig { pods: 0, ..base() }), "pods");
        assert_eq!(key(TestbedConfig { cores: 0, ..base() }), "cores");
        let lone = TestbedConfig {
            pods: 1,
            servers_per_pod: 1,
            ..base()
        };
        assert_eq!(key(lone), "servers_per_pod");
        let many = TestbedConfig {
            servers_per_pod: 65_534,
            ..base()
        };
        assert_eq!(key(many), "servers_per_pod");
        let still = TestbedConfig {
            host_delay: Duration::ZERO,
            ..base()
        };
        assert_eq!(key(still), "host_delay");
    }
}
