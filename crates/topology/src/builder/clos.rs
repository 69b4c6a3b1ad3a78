//! Clos fabrics: tiers of switches in pods, with their own rates, delays and oversubscription.

mod racks;
mod shape;
#[cfg(test)]
mod tests;
mod uplinks;

use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::settings;
use fabricsim_base::units::{Duration, Rate};

use super::plan::{Plan, group_of, some_delay, whole_groups};
use crate::graph::Topology;
use crate::limits::MAX_LINKS;
use racks::Rack;
use shape::Shape;
use uplinks::Uplinks;

/// The key in errors that only show in the whole fabric.
const TIERS: &str = "tiers";

settings! {
    /// A Clos fabric of two or more tiers of switches.
    ///
    /// Each switch is linked to the switches of the tier above in its pod. Nodes are numbered
    /// hosts, then switches from the lowest tier up; links are listed host by host, then switch by
    /// switch. Names are paths: `pod1/tor3/host5`, `pod1/agg0`, `core2`.
    pub struct ClosConfig {
        /// Tiers of switches from the hosts up, such as [{ switches = 8, oversubscription = 3 },
        /// { switches = 2, pods = 4 }, { switches = 4 }].
        pub tiers: Vec<ClosTier> = required,
        /// Hosts under each switch of the lowest tier.
        ///
        /// If a host has several NICs, it counts under the switch of one of them; its other NICs
        /// are linked to neighboring switches.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub hosts_per_rack: u32 = 16,
        /// NICs of each host, each linked to another switch; divides the switches of a pod.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub nics_per_host: u32 = 1,
        /// Rate of host links.
        pub host_rate: Rate = "25Gbps",
        /// One-way delay of host links.
        pub host_delay: Duration = "1us",
        /// Racks that differ from the default, such as [{ at = ["pod3/tor*"], host_rate =
        /// "100Gbps" }].
        pub racks: Vec<ClosRack> = empty,
    }
}

settings! {
    /// A tier of switches of a [`ClosConfig`], and their links to the tier above.
    pub struct ClosTier {
        /// Switches in each pod; of the top tier, in all.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub switches: u32 = required,
        /// Name of its switches, which a number follows.
        #[note("(default: leaf and spine; tor, agg and core; tor, agg, spine and core)")]
        pub name: Option<String> = none,
        /// Pods of these switches and all below them, under the tier above.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub pods: u32 = 1,
        /// Name of these pods, which a number follows.
        pub pod_name: String = "pod",
        /// Planes of the switches; each switch below is linked to one plane.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        pub planes: u32 = 1,
        /// Links of each switch to the tier above, spread evenly over the switches there.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        #[note("(default: one to each)")]
        pub uplinks: Option<u32> = none,
        /// Ratio of a switch's rate downwards to its rate upwards, instead of `uplinks`.
        #[note("(default: none)")]
        pub oversubscription: Option<f64> = none,
        /// Rate of the links to the tier above.
        #[note("(default \"100Gbps\")")]
        pub uplink_rate: Option<Rate> = none,
        /// One-way delay of the links to the tier above.
        #[note("(default \"1us\")")]
        pub uplink_delay: Option<Duration> = none,
    }
}

settings! {
    /// Racks of a [`ClosConfig`] that differ from the default.
    pub struct ClosRack {
        /// Names of their switches, such as ["pod0/tor3", "pod1/tor*"]; `*` matches any characters
        /// but `/`.
        pub at: Vec<String> = required,
        /// Hosts under each of these switches.
        #[range(from 1)]
        #[refused("{value} is too few", "write at least 1")]
        #[note("(default: `hosts_per_rack`)")]
        pub hosts: Option<u32> = none,
        /// Rate of their host links.
        #[note("(default: `host_rate`)")]
        pub host_rate: Option<Rate> = none,
        /// Rate of the switches' links to the tier above.
        #[note("(default: the rate of the tier)")]
        pub uplink_rate: Option<Rate> = none,
    }
}

impl ClosTier {
    /// Returns the rate of the links to the tier above.
    fn up_rate(&self) -> Rate {
        self.uplink_rate.unwrap_or(Rate::from_gbps(100))
    }

    /// Returns the delay of the links to the tier above.
    fn up_delay(&self) -> Duration {
        self.uplink_delay.unwrap_or(Duration::from_us(1))
    }
}

impl ClosConfig {
    /// Creates a fabric of `tiers` with the defaults of all other keys.
    #[must_use]
    pub fn new(tiers: Vec<ClosTier>) -> Self {
        Self::with_required(tiers)
    }

    /// Builds the fabric.
    ///
    /// # Errors
    /// Fails if there are fewer than two tiers, counts that do not divide, uplinks that do not
    /// spread evenly, a number of uplinks given in two ways, unknown racks, a zero delay, or more
    /// nodes or links than the simulator supports.
    pub fn build(&self) -> Result<Topology, ConfigError> {
        self.validate_ranges()?;
        some_delay("host_delay", self.host_delay)?;
        let shape = Shape::of(&self.tiers)?;
        let lowest = shape.levels[0].switches;
        whole_groups(self.nics_per_host, lowest, "switches of a pod")?;
        let racks = racks::resolve(self, &shape)?;
        let links = self.uplinks(&shape, &racks)?;
        let hosts: u64 = racks.iter().map(|rack| u64::from(rack.hosts)).sum();
        let mut plan = Plan::new(TIERS, hosts, shape.switch_count())?;
        let count =
            hosts * u64::from(self.nics_per_host) + links.iter().map(Uplinks::count).sum::<u64>();
        if count > u64::from(MAX_LINKS) {
            return Err(ConfigError::new(
                TIERS,
                format!(
                    "this makes {count} links, more than the {MAX_LINKS} that can be simulated"
                ),
                "choose fewer switches, hosts or uplinks",
            ));
        }
        self.wire_hosts(&mut plan, &racks);
        for (tier, uplinks) in links.iter().enumerate() {
            uplinks.wire(&mut plan, &shape, tier);
        }
        let named = plan.finish(TIERS)?.with_names(&names(&shape, &racks));
        let named = named.map_err(|error| {
            ConfigError::new(TIERS, error.to_string(), "give tiers and pods other names")
        })?;
        Ok(named.with_tier_names(shape.tier_names()))
    }

    /// Returns the links from each tier to the one above.
    fn uplinks(&self, shape: &Shape, racks: &[Rack]) -> Result<Vec<Uplinks>, ConfigError> {
        let nics = u64::from(self.nics_per_host);
        let mut down: Vec<u128> = racks
            .iter()
            .map(|rack| u128::from(u64::from(rack.hosts) * nics) * u128::from(rack.rate.as_bps()))
            .collect();
        let mut all = Vec::new();
        for (tier, settings) in self.tiers[..self.tiers.len() - 1].iter().enumerate() {
            let rate = |switch: usize| match tier {
                0 => racks[switch].uplink_rate,
                _ => settings.up_rate(),
            };
            let uplinks = Uplinks::resolve(settings, shape, tier, &down, rate)?;
            down = uplinks.rates_above(shape, tier);
            all.push(uplinks);
        }
        Ok(all)
    }

    fn wire_hosts(&self, plan: &mut Plan, racks: &[Rack]) {
        let mut host = 0;
        for (index, rack) in (0u32..).zip(racks) {
            for _ in 0..rack.hosts {
                for switch in group_of(index, self.nics_per_host) {
                    let switch = plan.switch(switch);
                    plan.link(NodeId(host), switch, rack.rate, self.host_delay);
                }
                host += 1;
            }
        }
    }
}

/// Returns the names of all nodes, in the order of their numbers.
fn names(shape: &Shape, racks: &[Rack]) -> Vec<String> {
    let mut names = Vec::new();
    for (index, rack) in (0u32..).zip(racks) {
        let switch = shape.switch_name(0, index);
        names.extend((0..rack.hosts).map(|host| format!("{switch}/host{host}")));
    }
    for (tier, level) in shape.levels.iter().enumerate() {
        names.extend((0..level.count()).map(|index| shape.switch_name(tier, index)));
    }
    names
}
