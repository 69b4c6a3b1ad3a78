//! Networks like a typical internet service provider's: long, sparse, and mostly chains.

mod sketch;

use fabricsim_base::input::ConfigError;
use fabricsim_base::settings;
use fabricsim_base::units::{Duration, Rate};

use super::backbone::{Backbone, Hosts};
use super::plan::{at_least, some_delay};
use crate::graph::Topology;
use sketch::Sketch;

settings! {
    /// A random network of a service provider, with a given number of switches on its longest
    /// shortest path.
    ///
    /// The builder starts with a row of `longest_path` switches. It adds chains of new switches
    /// from a switch at one place of the row to a switch further along; a chain is as long as the
    /// row between both ends. A few switches have only one link. The number of chains is such that
    /// there are about 1.2 links for each switch, as in the networks of US Carrier (158 switches,
    /// 36 on the longest shortest path) and Kentucky Datalink (754 and 59) in the Internet Topology
    /// Zoo. There are fewer links if `switches` is hardly more than `longest_path`, and more if
    /// paths are too short for chains.
    ///
    /// Nodes are numbered hosts of the first switch, hosts of the second, ..., then the switches,
    /// starting with the row.
    pub struct IspConfig {
        /// Switches in all, up to 100000.
        pub switches: u32 = 158,
        /// Switches on the longest shortest path, both ends counted.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub longest_path: u32 = 36,
        /// Seed that selects one of the networks with these numbers.
        pub seed: u64 = 1,
        /// Hosts at each switch.
        pub hosts_per_switch: u32 = 1,
        /// Rate of every link.
        pub rate: Rate = "100Gbps",
        /// One-way delay of every link.
        pub delay: Duration = "1ms",
    }
}

/// Each switch with one link requires a search through the network, so more switches would take
/// minutes.
const MOST_SWITCHES: u32 = 100_000;

impl IspConfig {
    /// Builds the network.
    ///
    /// # Errors
    /// Fails if no network has these numbers, the delay is zero, or there are too few or too many
    /// hosts.
    pub fn build(&self) -> Result<Topology, ConfigError> {
        self.validate_ranges()?;
        at_least("switches", self.switches, self.longest_path)?;
        if self.switches > MOST_SWITCHES {
            return Err(ConfigError::new(
                "switches",
                format!("{} switches would take too long to generate", self.switches),
                format!("write at most {MOST_SWITCHES}"),
            ));
        }
        if self.longest_path < 3 && self.switches > self.longest_path {
            return Err(ConfigError::new(
                "longest_path",
                format!(
                    "{} switches with at most {} on a path would all be linked with each other",
                    self.switches, self.longest_path
                ),
                "write at least 3",
            ));
        }
        some_delay("delay", self.delay)?;
        let mut sketch = Sketch::row(self.longest_path, self.seed);
        sketch.grow(self.switches);
        let links = sketch.links.iter();
        let backbone = Backbone {
            switches: self.switches,
            links: links.map(|&(a, b)| (a, b, self.delay)).collect(),
        };
        let hosts = Hosts {
            per_switch: self.hosts_per_switch,
            delay: self.delay,
        };
        backbone.with_hosts(hosts, self.rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(switches: u32, longest_path: u32, seed: u64) -> Topology {
        let config = IspConfig {
            switches,
            longest_path,
            seed,
            ..IspConfig::default()
        };
        config.build().unwrap()
    }

    /// Returns the number of links of each switch to other switches.
    fn degrees(topology: &Topology) -> Vec<usize> {
        let switches = topology.switches();
        let links = switches.map(|switch| {
            let ports = topology.ports(switch).iter();
            ports.filter(|port| !topology.is_host(port.peer)).count()
        });
        links.collect()
    }

    #[test]
    fn both_numbers_are_exact() {
        for (switches, longest) in [
            (1, 1),
            (2, 2),
            (3, 3),
            (40, 3),
            (9, 4),
            (59, 59),
            (60, 59),
            (61, 59),
            (100, 59),
            (158, 36),
            (754, 59),
            (1_000, 12),
        ] {
            for seed in 1..=5 {
                let hosts_per_switch = if switches == 1 { 2 } else { 1 };
                let config = IspConfig {
                    switches,
                    longest_path: longest,
                    seed,
                    hosts_per_switch,
                    ..IspConfig::default()
                };
                let topology = config.build().unwrap();
                assert_eq!(topology.switches().count(), switches as usize);
                let path = topology.longest_switch_path();
                assert_eq!(
                    path.len(),
                    longest as usize,
                    "{switches} switches, seed {seed}"
                );
            }
        }
    }

    /// Kentucky Datalink has 2.4 links for each switch; 64% of its switches have two, 6% have one.
    /// US Carrier has 2.4, 64% and 5%. No switch of either has more than 7.
    #[test]
    fn most_switches_are_parts_of_chains() {
        for (switches, longest) in [(754, 59), (158, 36)] {
            for seed in 1..=5 {
                let degrees = degrees(&network(switches, longest, seed));
                let count = degrees.len() as f64;
                let mean = degrees.iter().sum::<usize>() as f64 / count;
                assert!((2.3..2.5).contains(&mean), "{mean}");
                let share = |links| degrees.iter().filter(|&&n| n == links).count() as f64 / count;
                assert!((0.55..0.75).contains(&share(2)), "{}", share(2));
                assert!((0.01..0.08).contains(&share(1)), "{}", share(1));
                assert!(degrees.iter().all(|&links| links <= 8));
            }
        }
    }

    #[test]
    fn the_seed_chooses_the_network() {
        assert_eq!(network(158, 36, 1), network(158, 36, 1));
        assert_ne!(network(158, 36, 1), network(158, 36, 2));
    }

    #[test]
    fn what_no_network_has_is_refused_by_key() {
        let key = |config: IspConfig| config.build().unwrap_err().key;
        let numbers = |switches, longest_path| IspConfig {
            switches,
            longest_path,
            ..IspConfig::default()
        };
        assert_eq!(key(numbers(0, 0)), "longest_path");
        assert_eq!(key(numbers(35, 36)), "switches");
        assert_eq!(key(numbers(3, 2)), "longest_path");
        assert_eq!(key(numbers(u32::MAX, 36)), "switches");
        assert_eq!(key(numbers(1, 1)), "hosts_per_switch");
        let still = IspConfig {
            delay: Duration::ZERO,
            ..IspConfig::default()
        };
        assert_eq!(key(still), "delay");
    }
}
