//! Star: hosts around one switch.

use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::settings;
use fabricsim_base::units::{Duration, Rate};

use super::plan::{Plan, fits_ports, some_delay};
use crate::graph::Topology;

settings! {
    /// Hosts around one switch, for studying incast. The switch's id follows the hosts' ids.
    pub struct StarConfig {
        /// Hosts.
        #[range(from 2)]
        #[refused("{value} is too few", "write at least 2")]
        pub hosts: u32 = 16,
        /// Rate of every link.
        pub rate: Rate = "100Gbps",
        /// Rate at which the switch sends to hosts.
        #[range(from "1Kbps", to "100Tbps")]
        #[note("(default: `rate`)")]
        pub downlink_rate: Option<Rate> = null,
        /// One-way delay of every link.
        pub delay: Duration = "1us",
    }
}

impl StarConfig {
    /// Builds the star.
    ///
    /// # Errors
    /// Fails if there are fewer than two hosts or more hosts than a switch has ports, or the delay
    /// is zero.
    pub fn build(&self) -> Result<Topology, ConfigError> {
        self.validate_ranges()?;
        fits_ports("hosts", "the switch", self.hosts.into())?;
        some_delay("delay", self.delay)?;
        let mut plan = Plan::new("hosts", self.hosts.into(), 1)?;
        for host in 0..self.hosts {
            plan.link(NodeId(host), plan.switch(0), self.rate, self.delay);
        }
        let switch = plan.switch(0);
        let star = plan.finish("hosts")?;
        Ok(match self.downlink_rate {
            Some(rate) => star.sending_at(switch, rate),
            None => star,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn port_and_host_numbers_agree_at_the_switch() {
        let star = StarConfig {
            hosts: 5,
            ..StarConfig::default()
        }
        .build()
        .unwrap();
        let peers: Vec<u32> = star.ports(NodeId(5)).iter().map(|p| p.peer.0).collect();
        assert_eq!(peers, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn the_switch_may_send_at_a_rate_of_its_own() {
        let (fast, slow) = (Rate::from_gbps(10), Rate::from_mbps(50));
        let config = StarConfig {
            hosts: 2,
            rate: fast,
            downlink_rate: Some(slow),
            ..StarConfig::default()
        };
        let star = config.build().unwrap();
        assert!(star.ports(NodeId(2)).iter().all(|port| port.rate == slow));
        let host = &star.ports(NodeId(0))[0];
        assert_eq!((host.rate, star.fastest_rate(host)), (fast, fast));
        assert_eq!(star.fastest_rate(&star.ports(NodeId(2))[1]), fast);
        assert_eq!(star.rates().filter(|rate| *rate == slow).count(), 2);
        assert_eq!(star.links()[0].rate, fast);
    }

    #[test]
    fn impossible_stars_are_refused_by_key() {
        let key = |config: StarConfig| config.build().unwrap_err().key;
        assert_eq!(
            key(StarConfig {
                hosts: 1,
                ..Default::default()
            }),
            "hosts"
        );
        assert_eq!(
            key(StarConfig {
                hosts: 65_536,
                ..Default::default()
            }),
            "hosts"
        );
        assert_eq!(
            key(StarConfig {
                delay: Duration::ZERO,
                ..Default::default()
            }),
            "delay"
        );
        assert!(
            StarConfig {
                hosts: 65_535,
                ..Default::default()
            }
            .build()
            .is_ok()
        );
    }
}
