//! Common parts of provider networks: switches with any links between them, and hosts at each
//! switch.

use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::units::{Duration, Rate};

use super::plan::{Plan, at_least, fits_ports};
use crate::graph::Topology;

/// Switches 0, 1, ... and the links between them, each with its one-way delay.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Backbone {
    pub(crate) switches: u32,
    pub(crate) links: Vec<(u32, u32, Duration)>,
}

/// The hosts of a backbone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hosts {
    /// Number of hosts at each switch.
    pub(crate) per_switch: u32,
    /// One-way delay of their links.
    pub(crate) delay: Duration,
}

impl Backbone {
    /// Builds the topology with `hosts`; all links have the rate `rate`. Nodes are numbered hosts
    /// of the first switch, hosts of the second, ..., then the switches.
    ///
    /// # Errors
    /// Fails if there are fewer than two hosts in all, or more nodes or links at a switch than the
    /// maximum; the error has the key `hosts_per_switch`.
    pub(crate) fn with_hosts(&self, hosts: Hosts, rate: Rate) -> Result<Topology, ConfigError> {
        const KEY: &str = "hosts_per_switch";
        let Hosts { per_switch, delay } = hosts;
        at_least(KEY, per_switch, if self.switches == 1 { 2 } else { 1 })?;
        let mut degree = vec![u64::from(per_switch); self.switches as usize];
        for &(a, b, _) in &self.links {
            degree[a as usize] += 1;
            degree[b as usize] += 1;
        }
        let most = degree.into_iter().max().unwrap_or(0);
        fits_ports(KEY, "a switch", most)?;
        let count = u64::from(self.switches) * u64::from(per_switch);
        let mut plan = Plan::new(KEY, count, self.switches.into())?;
        for switch in 0..self.switches {
            for host in switch * per_switch..(switch + 1) * per_switch {
                plan.link(NodeId(host), plan.switch(switch), rate, delay);
            }
        }
        for &(a, b, delay) in &self.links {
            plan.link(plan.switch(a), plan.switch(b), rate, delay);
        }
        plan.finish(KEY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle() -> Backbone {
        let [near, far] = [1, 20].map(Duration::from_us);
        Backbone {
            switches: 3,
            links: vec![(0, 1, near), (1, 2, near), (0, 2, far)],
        }
    }

    fn hosts(per_switch: u32) -> Hosts {
        Hosts {
            per_switch,
            delay: Duration::from_us(5),
        }
    }

    #[test]
    fn hosts_come_first() {
        let rate = Rate::from_gbps(10);
        let topology = triangle().with_hosts(hosts(2), rate).unwrap();
        let links = topology.links().iter();
        let found: Vec<_> = links.map(|l| (l.a.0, l.b.0, l.delay.as_ns())).collect();
        let wanted = [
            (0, 6, 5_000),
            (1, 6, 5_000),
            (2, 7, 5_000),
            (3, 7, 5_000),
            (4, 8, 5_000),
            (5, 8, 5_000),
            (6, 7, 1_000),
            (7, 8, 1_000),
            (6, 8, 20_000),
        ];
        assert_eq!(found, wanted);
        assert!(topology.links().iter().all(|link| link.rate == rate));
    }

    #[test]
    fn too_few_or_too_many_hosts_are_refused() {
        let refused = |backbone: &Backbone, per_switch| {
            let built = backbone.with_hosts(hosts(per_switch), Rate::from_gbps(10));
            built.map_err(|error| error.message).err()
        };
        let lone = Backbone {
            switches: 1,
            links: vec![],
        };
        assert_eq!(refused(&lone, 1).as_deref(), Some("1 is too few"));
        assert_eq!(refused(&lone, 2), None);
        assert_eq!(refused(&triangle(), 0).as_deref(), Some("0 is too few"));
        let message = refused(&triangle(), 65_534).expect("two links more than that");
        assert!(message.contains("65536 links"), "{message}");
    }
}
