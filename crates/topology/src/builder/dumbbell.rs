//! Dumbbell: two switches with hosts on both sides of one link.

use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::settings;
use fabricsim_base::units::{Duration, Rate};

use super::plan::{Plan, fits_ports, some_delay};
use crate::graph::Topology;

settings! {
    /// Two switches with hosts on each side. Nodes are numbered hosts of the left side, hosts of
    /// the right side, the left switch, the right switch.
    pub struct DumbbellConfig {
        /// Hosts on each side.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub hosts_per_side: u32 = 2,
        /// Rate of host links.
        pub host_rate: Rate = "100Gbps",
        /// Rate of the link between the switches.
        pub bottleneck_rate: Rate = "100Gbps",
        /// One-way delay of host links.
        pub host_delay: Duration = "1us",
        /// One-way delay of the link between the switches.
        pub bottleneck_delay: Duration = "1us",
    }
}

impl DumbbellConfig {
    /// Builds the dumbbell; its last link is the bottleneck.
    ///
    /// # Errors
    /// Fails if there is no host or there are more hosts than a switch has ports, or a delay is
    /// zero.
    pub fn build(&self) -> Result<Topology, ConfigError> {
        let side = self.hosts_per_side;
        self.validate_ranges()?;
        fits_ports("hosts_per_side", "a switch", u64::from(side) + 1)?;
        some_delay("host_delay", self.host_delay)?;
        some_delay("bottleneck_delay", self.bottleneck_delay)?;
        let mut plan = Plan::new("hosts_per_side", 2 * u64::from(side), 2)?;
        for host in 0..2 * side {
            plan.link(
                NodeId(host),
                plan.switch(host / side),
                self.host_rate,
                self.host_delay,
            );
        }
        let (left, right) = (plan.switch(0), plan.switch(1));
        plan.link(left, right, self.bottleneck_rate, self.bottleneck_delay);
        plan.finish("hosts_per_side")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sides_meet_at_the_bottleneck() {
        let config = DumbbellConfig {
            bottleneck_rate: Rate::from_gbps(40),
            ..DumbbellConfig::default()
        };
        let dumbbell = config.build().unwrap();
        let ends: Vec<_> = dumbbell.links().iter().map(|l| (l.a.0, l.b.0)).collect();
        assert_eq!(ends, [(0, 4), (1, 4), (2, 5), (3, 5), (4, 5)]);
        assert_eq!(dumbbell.links()[4].rate, Rate::from_gbps(40));
    }

    #[test]
    fn impossible_dumbbells_are_refused_by_key() {
        let key = |config: DumbbellConfig| config.build().unwrap_err().key;
        assert_eq!(
            key(DumbbellConfig {
                hosts_per_side: 0,
                ..Default::default()
            }),
            "hosts_per_side"
        );
        assert_eq!(
            key(DumbbellConfig {
                hosts_per_side: 65_535,
                ..Default::default()
            }),
            "hosts_per_side"
        );
        assert_eq!(
            key(DumbbellConfig {
                bottleneck_delay: Duration::ZERO,
                ..Default::default()
            }),
            "bottleneck_delay"
        );
    }
}
