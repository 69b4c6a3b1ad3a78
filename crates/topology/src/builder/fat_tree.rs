//! Fat-trees: pods of top-of-rack and aggregation switches under a layer of cores.

use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::units::{Duration, Rate};
use fabricsim_base::{choices, settings};

use super::plan::{Plan, group_of, some_delay, whole_groups};
use crate::graph::Topology;

/// The largest supported `k`: 4,194,304 hosts.
const MAX_K: u32 = 256;

settings! {
    /// A three-layer fat-tree: the classic one of k-port switches, or a published fabric given by
    /// its name.
    ///
    /// The classic tree (Al-Fares, Loukissas, Vahdat, SIGCOMM 2008, section 2.2) has k pods of k/2
    /// top-of-rack and k/2 aggregation switches, (k/2)^2 cores, and k/2 hosts under each
    /// top-of-rack switch: k^3/4 hosts. Hosts with n NICs use n of these ports each, one at each of
    /// n consecutive top-of-rack switches. Nodes are numbered hosts, top-of-rack, aggregation,
    /// core; links are listed host by host, then switch by switch from the bottom up.
    pub struct FatTreeConfig {
        /// Ports of a switch, even, 2 to 256; makes k^3/4 hosts.
        ///
        /// Ignored if there is a preset.
        pub k: u32 = 8,
        /// NICs of each host, each linked to another switch; divides k/2, and makes as many times
        /// fewer hosts.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub nics_per_host: u32 = 1,
        /// Rate of host links.
        pub host_rate: Rate = "100Gbps",
        /// Rate of links between switches.
        pub fabric_rate: Rate = "400Gbps",
        /// One-way delay of every link.
        pub link_delay: Duration = "1us",
        /// Published fabric, which fixes all the other keys.
        pub preset: Option<Preset> = null,
    }
}

choices! {
    /// A fabric from a paper.
    pub enum Preset {
        /// 320 hosts at 100 Gbps, 20 top-of-rack, 20 aggregation and 16 core switches at 400 Gbps,
        /// every link 1 us (Li et al., HPCC, SIGCOMM 2019, section 5.1). The nodes and
        /// links, and their order, equal the published HPCC simulator's topology of that name.
        HpccFat320 = "hpcc-fat320",
    }
}

/// The numbers of a fat-tree's parts.
struct Shape {
    pods: u32,
    tors_per_pod: u32,
    aggs_per_pod: u32,
    /// Hosts with their first NIC under a top-of-rack switch.
    hosts_per_tor: u32,
    /// Links of a host, each to another top-of-rack switch of its group.
    nics_per_host: u32,
    cores_per_agg: u32,
}

impl Shape {
    const fn classic(k: u32, nics_per_host: u32) -> Self {
        let half = k / 2;
        Self {
            pods: k,
            tors_per_pod: half,
            aggs_per_pod: half,
            hosts_per_tor: half / nics_per_host,
            nics_per_host,
            cores_per_agg: half,
        }
    }

    const HPCC_FAT320: Self = Self {
        pods: 5,
        tors_per_pod: 4,
        aggs_per_pod: 4,
        hosts_per_tor: 16,
        nics_per_host: 1,
        cores_per_agg: 4,
    };
}

impl FatTreeConfig {
    /// Builds the fat-tree.
    ///
    /// # Errors
    /// Fails if `k` is odd or too large, a delay is zero, or a key contradicts the preset.
    pub fn build(&self) -> Result<Topology, ConfigError> {
        some_delay("link_delay", self.link_delay)?;
        let shape = match self.preset {
            None => {
                self.check_k()?;
                self.validate_ranges()?;
                whole_groups(
                    self.nics_per_host,
                    self.k / 2,
                    "top-of-rack switches of a pod",
                )?;
                Shape::classic(self.k, self.nics_per_host)
            }
            Some(Preset::HpccFat320) => {
                self.check_preset("hpcc-fat320")?;
                Shape::HPCC_FAT320
            }
        };
        self.wire(&shape)
    }

    fn check_k(&self) -> Result<(), ConfigError> {
        let k = self.k;
        if !k.is_multiple_of(2) || k == 0 {
            let message = format!("{k} ports cannot be split into equal halves up and down");
            return Err(ConfigError::new(
                "k",
                message,
                "write an even number such as 8",
            ));
        }
        if k > MAX_K {
            let hosts = u128::from(k).pow(3) / 4;
            let message = format!("k = {k} makes {hosts} hosts, more than can be simulated");
            return Err(ConfigError::new(
                "k",
                message,
                format!("write at most {MAX_K}"),
            ));
        }
        Ok(())
    }

    /// The preset's values are the defaults, so a key with another value contradicts it.
    fn check_preset(&self, name: &str) -> Result<(), ConfigError> {
        let fixed = Self::default();
        let contradictions = [
            ("k", self.k != fixed.k),
            ("nics_per_host", self.nics_per_host != fixed.nics_per_host),
            ("host_rate", self.host_rate != fixed.host_rate),
            ("fabric_rate", self.fabric_rate != fixed.fabric_rate),
            ("link_delay", self.link_delay != fixed.link_delay),
        ];
        match contradictions.into_iter().find(|&(_, differs)| differs) {
            None => Ok(()),
            Some((key, _)) => Err(ConfigError::new(
                key,
                format!("the preset \"{name}\" fixes this key"),
                "remove this key, or remove `preset`",
            )),
        }
    }

    fn wire(&self, shape: &Shape) -> Result<Topology, ConfigError> {
        let Shape {
            pods,
            tors_per_pod,
            aggs_per_pod,
            hosts_per_tor,
            nics_per_host,
            cores_per_agg,
        } = *shape;
        let (tors, aggs) = (pods * tors_per_pod, pods * aggs_per_pod);
        let cores = aggs_per_pod * cores_per_agg;
        let hosts = tors * hosts_per_tor;
        let mut plan = Plan::new("k", hosts.into(), (tors + aggs + cores).into())?;
        plan.name_switches(&[("tor", tors), ("agg", aggs), ("core", cores)]);
        for host in 0..hosts {
            for tor in group_of(host / hosts_per_tor, nics_per_host) {
                plan.link(
                    NodeId(host),
                    plan.switch(tor),
                    self.host_rate,
                    self.link_delay,
                );
            }
        }
        for tor in 0..tors {
            let pod = tor / tors_per_pod;
            for agg in 0..aggs_per_pod {
                let agg = plan.switch(tors + pod * aggs_per_pod + agg);
                plan.link(plan.switch(tor), agg, self.fabric_rate, self.link_delay);
            }
        }
        for agg in 0..aggs {
            let first = agg % aggs_per_pod * cores_per_agg;
            for core in first..first + cores_per_agg {
                let core = plan.switch(tors + aggs + core);
                plan.link(
                    plan.switch(tors + agg),
                    core,
                    self.fabric_rate,
                    self.link_delay,
                );
            }
        }
        plan.finish("k")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_classic_tree_has_k_ports_everywhere() {
        for (k, ports) in [(2, 2), (4, 4), (8, 8)] {
            let tree = FatTreeConfig {
                k,
                ..FatTreeConfig::default()
            }
            .build()
            .unwrap();
            assert_eq!(tree.hosts().len(), ports * ports * ports / 4);
            assert_eq!(tree.switches().count(), 5 * ports * ports / 4);
            assert!(tree.switches().all(|s| tree.ports(s).len() == ports));
        }
    }

    #[test]
    fn hosts_with_two_nics_take_two_ports_each() {
        let config = FatTreeConfig {
            k: 8,
            nics_per_host: 2,
            ..FatTreeConfig::default()
        };
        let tree = config.build().unwrap();
        assert_eq!(tree.hosts().len(), 64);
        assert!(tree.switches().all(|s| tree.ports(s).len() == 8));
        for &host in tree.hosts() {
            let tors: Vec<u32> = tree.ports(host).iter().map(|p| p.peer.0 - 64).collect();
            let first = host.0 / 4 * 2;
            assert_eq!(tors, [first, first + 1], "host {host}");
        }
        for nics_per_host in [0, 3, 8] {
            let config = FatTreeConfig {
                nics_per_host,
                ..config.clone()
            };
            assert_eq!(config.build().unwrap_err().key, "nics_per_host");
        }
    }

    /// The published list has 16 hosts to a top-of-rack switch, and pods of four top-of-rack and
    /// four aggregation switches, fully meshed. Each aggregation switch has four cores, the same in
    /// each pod.
    #[test]
    fn the_preset_lists_the_links_of_the_published_fabric_in_its_order() {
        let config = FatTreeConfig {
            preset: Some(Preset::HpccFat320),
            ..FatTreeConfig::default()
        };
        let fabric = config.build().unwrap();
        let access = (0..320).map(|h| (h, 320 + h / 16, 100));
        let pods = (0..80).map(|i| (320 + i / 4, 340 + i / 16 * 4 + i % 4, 400));
        let spine = (0..80).map(|i| (340 + i / 4, 360 + i % 16, 400));
        let expected: Vec<(u32, u32, u64)> = access.chain(pods).chain(spine).collect();
        let links: Vec<_> = fabric
            .links()
            .iter()
            .map(|l| (l.a.0, l.b.0, l.rate.as_bps() / 1_000_000_000))
            .collect();
        assert_eq!(links, expected);
        assert!(
            fabric
                .links()
                .iter()
                .all(|l| l.delay == Duration::from_us(1))
        );
        assert_eq!(fabric.hosts(), (0..320).map(NodeId).collect::<Vec<_>>());
    }

    #[test]
    fn impossible_trees_are_refused_by_key() {
        let key = |config: FatTreeConfig| config.build().unwrap_err().key;
        let base = FatTreeConfig::default;
        assert_eq!(key(FatTreeConfig { k: 7, ..base() }), "k");
        assert_eq!(key(FatTreeConfig { k: 0, ..base() }), "k");
        assert_eq!(
            key(FatTreeConfig {
                k: 4_000_000_000,
                ..base()
            }),
            "k"
        );
        assert_eq!(
            key(FatTreeConfig {
                link_delay: Duration::ZERO,
                ..base()
            }),
            "link_delay"
        );
        let preset = || FatTreeConfig {
            preset: Some(Preset::HpccFat320),
            ..base()
        };
        assert_eq!(key(FatTreeConfig { k: 16, ..preset() }), "k");
        let fast = Rate::from_gbps(800);
        assert_eq!(
            key(FatTreeConfig {
                fabric_rate: fast,
                ..preset()
            }),
            "fabric_rate"
        );
    }
}
