//! The ratio of the downward to the upward rates of the switches of a tier.

use std::fmt;

use fabricsim_base::id::NodeId;
use fabricsim_base::units::Rate;
use fabricsim_topology::{Topology, levels, tier_names};
use serde::Serialize;

/// The oversubscription of the switches of a tier: the sum of the rates of their downward links
/// over the sum of the rates of their upward links.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TierOversubscription {
    /// The name of the tier, such as `leaf`.
    pub tier: String,
    /// The smallest ratio of its switches.
    pub least: f64,
    /// The largest ratio of its switches.
    pub most: f64,
}

impl fmt::Display for TierOversubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [least, most] = [self.least, self.most].map(ratio);
        match least == most {
            true => write!(f, "{} {least}", self.tier)?,
            false => write!(f, "{} {least} to {most}", self.tier)?,
        }
        // Rounded ratios decide, so that 1:1 is neither.
        let is_even = |ratio: &str| ratio == "1:1";
        if self.most > 1.0 && !is_even(&most) {
            f.write_str(" oversubscribed")
        } else if !is_even(&least) {
            f.write_str(" undersubscribed")
        } else {
            Ok(())
        }
    }
}

/// Formats a ratio with one on its smaller side and up to two decimals on the other: `3:1`, `1:8`.
fn ratio(value: f64) -> String {
    let digits = |value: f64| {
        let digits = format!("{value:.2}");
        digits
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned()
    };
    match value < 1.0 && value > 0.0 {
        true => format!("1:{}", digits(value.recip())),
        false => format!("{}:1", digits(value)),
    }
}

/// Returns the oversubscription of each tier of `topology` that has upward links, from the hosts
/// up. Returns nothing if switches of one tier are linked to one another.
#[must_use]
pub fn oversubscription(topology: &Topology) -> Vec<TierOversubscription> {
    let levels = levels(topology);
    let level = |node: NodeId| levels[node.index()];
    let mut links = topology.links().iter();
    if links.any(|link| level(link.a) == level(link.b)) {
        return Vec::new();
    }
    let names = tier_names(topology, &levels);
    let mut found: Vec<Option<TierOversubscription>> = vec![None; names.len()];
    for switch in topology.switches().filter(|&it| level(it) != usize::MAX) {
        let sum = |of: &dyn Fn(usize) -> bool| -> f64 {
            let ports = topology.ports(switch).iter();
            let wanted = ports.filter(|port| of(level(port.peer)));
            wanted.map(|port| Rate::as_bps_f64(port.rate)).sum()
        };
        let own = level(switch);
        let (down, up) = (sum(&|peer| peer < own), sum(&|peer| peer > own));
        if up <= 0.0 {
            continue;
        }
        let ratio = down / up;
        let tier = found[own].get_or_insert_with(|| TierOversubscription {
            tier: names[own].clone(),
            least: ratio,
            most: ratio,
        });
        tier.least = tier.least.min(ratio);
        tier.most = tier.most.max(ratio);
    }
    found.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use fabricsim_scenario::Scenario;

    use super::*;

    fn told(topology: &str) -> String {
        let text = format!(
            "[topology]\n{topology}\n[[workload]]\nkind = \"permutation\"\nsize = \"1KB\"\n\
             [cc]\nkind = \"hpcc\"\n"
        );
        let scenario = Scenario::from_toml(&text).expect("a scenario");
        let found = oversubscription(scenario.topology());
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        found.join(", ")
    }

    #[test]
    fn every_tier_with_uplinks_has_a_ratio() {
        let clos = "kind = \"clos\"\nhosts_per_rack = 6\nhost_rate = \"100Gbps\"\n";
        let two = "tiers = [{ switches = 4, uplinks = 2 }, { switches = 2 }]";
        assert_eq!(told(&format!("{clos}{two}")), "leaf 3:1 oversubscribed");
        let leaf_spine = "kind = \"leaf-spine\"\nleaves = 4\nhosts_per_leaf = 6\nspines = 2\n";
        let rates = "host_rate = \"100Gbps\"\nfabric_rate = \"400Gbps\"";
        assert_eq!(
            told(&format!("{leaf_spine}{rates}")),
            "leaf 1:1.33 undersubscribed"
        );
        let tree = told("kind = \"fat-tree\"\nk = 4");
        assert_eq!(tree, "ToR 1:4 undersubscribed, aggregation 1:1");
        assert_eq!(told("kind = \"rail\""), "leaf 1:1");
    }

    #[test]
    fn switches_of_one_tier_side_by_side_have_none() {
        assert_eq!(told("kind = \"dumbbell\""), "");
        assert_eq!(told("kind = \"star\"\nhosts = 4"), "");
    }
}
