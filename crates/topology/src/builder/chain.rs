//! Chain: switches in a row with hosts at each, also called a parking lot.

use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::settings;
use fabricsim_base::units::{Duration, Rate};

use super::plan::{Plan, at_least, fits_ports, some_delay};
use crate::graph::Topology;

settings! {
    /// Switches in a row, each with the same number of hosts, for studying fairness between flows
    /// that cross one, two or many bottlenecks.
    ///
    /// Nodes are numbered hosts of the first switch, hosts of the second, …, then the switches.
    pub struct ChainConfig {
        /// Switches in the row.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub switches: u32 = 3,
        /// Hosts at each switch.
        ///
        /// A single switch needs two.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub hosts_per_switch: u32 = 2,
        /// Rate of every link.
        pub rate: Rate = "100Gbps",
        /// One-way delay of every link.
        pub delay: Duration = "1us",
    }
}

impl ChainConfig {
    /// Builds the chain.
    ///
    /// # Errors
    /// Fails if there are fewer than two hosts in all or more hosts than a switch has ports, or a
    /// delay is zero.
    pub fn build(&self) -> Result<Topology, ConfigError> {
        let Self {
            switches,
            hosts_per_switch,
            rate,
            delay,
        } = *self;
        self.validate_ranges()?;
        at_least(
            "hosts_per_switch",
            hosts_per_switch,
            if switches == 1 { 2 } else { 1 },
        )?;
        fits_ports(
            "hosts_per_switch",
            "a switch",
            u64::from(hosts_per_switch) + 2,
        )?;
        some_delay("delay", delay)?;
        let hosts = u64::from(switches) * u64::from(hosts_per_switch);
        let mut plan = Plan::new("switches", hosts, switches.into())?;
        for switch in 0..switches {
            for host in switch * hosts_per_switch..(switch + 1) * hosts_per_switch {
                plan.link(NodeId(host), plan.switch(switch), rate, delay);
            }
        }
        for switch in 1..switches {
            plan.link(plan.switch(switch - 1), plan.switch(switch), rate, delay);
        }
        plan.finish("switches")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_stand_in_a_row() {
        let chain = ChainConfig {
            switches: 3,
            hosts_per_switch: 1,
            ..Default::default()
        };
        let ends: Vec<_> = chain
            .build()
            .unwrap()
            .links()
            .iter()
            .map(|l| (l.a.0, l.b.0))
            .collect();
        assert_eq!(ends, [(0, 3), (1, 4), (2, 5), (3, 4), (4, 5)]);
    }

    #[test]
    fn impossible_chains_are_refused_by_key() {
        let key = |config: ChainConfig| config.build().unwrap_err().key;
        assert_eq!(
            key(ChainConfig {
                switches: 0,
                ..Default::default()
            }),
            "switches"
        );
        let lone = ChainConfig {
            switches: 1,
            hosts_per_switch: 1,
            ..Default::default()
        };
        assert_eq!(key(lone), "hosts_per_switch");
        let huge = ChainConfig {
            switches: u32::MAX,
            ..Default::default()
        };
        assert_eq!(key(huge), "switches");
        assert_eq!(
            key(ChainConfig {
                delay: Duration::ZERO,
                ..Default::default()
            }),
            "delay"
        );
    }
}
