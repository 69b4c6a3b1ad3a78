//! Leaf-spine: every leaf has a link to every spine.

use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::limits::{MAX_RATE, MIN_RATE};
use fabricsim_base::settings;
use fabricsim_base::units::{Duration, Rate};

use super::plan::{Plan, fits_ports, group_of, some_delay, whole_groups};
use crate::graph::Topology;

/// The rate between switches if neither `fabric_rate` nor `oversubscription` is given.
const DEFAULT_FABRIC_RATE: Rate = Rate::from_gbps(400);

settings! {
    /// Two layers of switches, fully meshed. Nodes are numbered hosts, leaves, spines.
    ///
    /// Hosts with n NICs share n consecutive leaves: NIC i of each is linked to leaf i of them.
    pub struct LeafSpineConfig {
        /// Hosts under each leaf.
        ///
        /// If a host has several NICs, it counts under the leaf of one of them; its other NICs are
        /// linked to neighboring leaves.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub hosts_per_leaf: u32 = 16,
        /// NICs of each host, each linked to another leaf; divides `leaves`.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub nics_per_host: u32 = 1,
        /// Leaf switches.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub leaves: u32 = 4,
        /// Spine switches.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub spines: u32 = 4,
        /// Rate of host links.
        pub host_rate: Rate = "100Gbps",
        /// Rate of links between switches.
        #[note("(default \"400Gbps\")")]
        pub fabric_rate: Option<Rate> = null,
        /// Ratio of a leaf's host rate to its uplink rate, instead of `fabric_rate`.
        #[note("(default: none)")]
        pub oversubscription: Option<f64> = null,
        /// One-way delay of links between switches.
        pub link_delay: Duration = "1us",
        /// One-way delay of host links.
        #[note("(default: `link_delay`)")]
        pub host_delay: Option<Duration> = null,
    }
}

impl LeafSpineConfig {
    /// Returns the rate of the links between leaves and spines, from `fabric_rate` or
    /// `oversubscription`.
    ///
    /// # Errors
    /// Fails if both are given, or the oversubscription is not a positive number.
    pub fn resolved_fabric_rate(&self) -> Result<Rate, ConfigError> {
        let Some(ratio) = self.oversubscription else {
            return Ok(self.fabric_rate.unwrap_or(DEFAULT_FABRIC_RATE));
        };
        if self.fabric_rate.is_some() {
            return Err(ConfigError::new(
                "oversubscription",
                "`fabric_rate` is given too, and each of the two sets the rate between switches",
                "keep one of them",
            ));
        }
        if !(ratio.is_finite() && ratio > 0.0) {
            return Err(ConfigError::new(
                "oversubscription",
                format!("{ratio} is not a ratio of rates"),
                "write a positive number such as 2.0: hosts offer a leaf twice what its uplinks carry",
            ));
        }
        let down = f64::from(self.hosts_per_leaf)
            * f64::from(self.nics_per_host)
            * self.host_rate.as_bps_f64();
        let uplink = Rate::from_bps_f64(down / (f64::from(self.spines) * ratio));
        let refuse = |bound: String, other: &str| {
            Err(ConfigError::new(
                "oversubscription",
                format!("{ratio} gives each link between switches {bound}"),
                format!("write a {other} ratio"),
            ))
        };
        if uplink < MIN_RATE {
            return refuse(format!("less than {MIN_RATE}"), "smaller");
        }
        if uplink > MAX_RATE {
            return refuse(format!("more than {MAX_RATE}"), "larger");
        }
        Ok(uplink)
    }

    /// Builds the leaf-spine fabric.
    ///
    /// # Errors
    /// Fails if a count is zero or too large for a switch, a delay is zero, or the rate between
    /// switches is given twice.
    pub fn build(&self) -> Result<Topology, ConfigError> {
        let Self {
            hosts_per_leaf,
            nics_per_host,
            leaves,
            spines,
            host_rate,
            link_delay,
            ..
        } = *self;
        self.validate_ranges()?;
        whole_groups(nics_per_host, leaves, "leaves")?;
        fits_ports(
            "spines",
            "a leaf",
            (u64::from(hosts_per_leaf).saturating_mul(u64::from(nics_per_host)))
                .saturating_add(u64::from(spines)),
        )?;
        fits_ports("leaves", "a spine", leaves.into())?;
        let host_delay = self.host_delay.unwrap_or(link_delay);
        some_delay("link_delay", link_delay)?;
        some_delay("host_delay", host_delay)?;
        let fabric_rate = self.resolved_fabric_rate()?;

        let hosts = u64::from(hosts_per_leaf) * u64::from(leaves);
        let mut plan = Plan::new("leaves", hosts, u64::from(leaves) + u64::from(spines))?;
        plan.name_switches(&[("leaf", leaves), ("spine", spines)]);
        for leaf in 0..leaves {
            for host in leaf * hosts_per_leaf..(leaf + 1) * hosts_per_leaf {
                for leaf in group_of(leaf, nics_per_host) {
                    plan.link(NodeId(host), plan.switch(leaf), host_rate, host_delay);
                }
            }
        }
        for leaf in 0..leaves {
            for spine in 0..spines {
                let spine = plan.switch(leaves + spine);
                plan.link(plan.switch(leaf), spine, fabric_rate, link_delay);
            }
        }
        plan.finish("leaves")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_leaf_meets_every_spine() {
        let config = LeafSpineConfig {
            hosts_per_leaf: 3,
            leaves: 2,
            spines: 4,
            ..Default::default()
        };
        let fabric = config.build().unwrap();
        assert_eq!(
            (fabric.hosts().len(), fabric.len(), fabric.links().len()),
            (6, 12, 14)
        );
        let peers: Vec<u32> = fabric.ports(NodeId(7)).iter().map(|p| p.peer.0).collect();
        assert_eq!(peers, [3, 4, 5, 8, 9, 10, 11]);
    }

    #[test]
    fn each_nic_has_a_leaf_of_its_own() {
        let config = LeafSpineConfig {
            hosts_per_leaf: 2,
            nics_per_host: 2,
            leaves: 4,
            spines: 1,
            oversubscription: Some(1.0),
            ..Default::default()
        };
        assert_eq!(config.resolved_fabric_rate(), Ok(Rate::from_gbps(400)));
        let fabric = config.build().unwrap();
        let leaves = |host: u32| -> Vec<u32> {
            (fabric.ports(NodeId(host)).iter())
                .map(|port| port.peer.0)
                .collect()
        };
        for host in 0..4 {
            assert_eq!(leaves(host), [8, 9], "host {host}");
            assert_eq!(leaves(host + 4), [10, 11], "host {}", host + 4);
        }
        for nics_per_host in [0, 3, 8] {
            let config = LeafSpineConfig {
                nics_per_host,
                ..config.clone()
            };
            assert_eq!(config.build().unwrap_err().key, "nics_per_host");
        }
    }

    #[test]
    fn oversubscription_sets_the_uplinks() {
        let config = LeafSpineConfig {
            oversubscription: Some(2.0),
            ..Default::default()
        };
        assert_eq!(config.resolved_fabric_rate(), Ok(Rate::from_gbps(200)));
        let both = LeafSpineConfig {
            fabric_rate: Some(Rate::from_gbps(400)),
            ..config.clone()
        };
        assert_eq!(both.build().unwrap_err().key, "oversubscription");
        for ratio in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e30] {
            let config = LeafSpineConfig {
                oversubscription: Some(ratio),
                ..Default::default()
            };
            assert_eq!(config.build().unwrap_err().key, "oversubscription");
        }
    }

    #[test]
    fn hosts_may_have_shorter_cables() {
        let config = LeafSpineConfig {
            host_delay: Some(Duration::from_ns(100)),
            link_delay: Duration::from_ns(500),
            ..Default::default()
        };
        let fabric = config.build().unwrap();
        assert_eq!(fabric.links()[0].delay, Duration::from_ns(100));
        assert_eq!(
            fabric.links().last().map(|l| l.delay),
            Some(Duration::from_ns(500))
        );
    }

    #[test]
    fn impossible_counts_are_refused_by_key() {
        let key = |config: LeafSpineConfig| config.build().unwrap_err().key;
        assert_eq!(
            key(LeafSpineConfig {
                spines: 0,
                ..Default::default()
            }),
            "spines"
        );
        assert_eq!(
            key(LeafSpineConfig {
                spines: 70_000,
                ..Default::default()
            }),
            "spines"
        );
        assert_eq!(
            key(LeafSpineConfig {
                hosts_per_leaf: 0,
                ..Default::default()
            }),
            "hosts_per_leaf"
        );
        let many = LeafSpineConfig {
            leaves: 60_000,
            hosts_per_leaf: 60_000,
            ..Default::default()
        };
        assert_eq!(key(many), "leaves");
    }
}
