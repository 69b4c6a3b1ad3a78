//! The NIC rules of `[routing]`: look-up by class, and checks.

use fabricsim_base::id::ClassId;
use fabricsim_base::input::ConfigError;
use fabricsim_topology::Topology;

use super::nics::{NicChoice, NicRule};
use super::routing::RoutingSettings;

impl RoutingSettings {
    /// Returns `true` if packets are sent to NICs instead of hosts.
    #[must_use]
    pub fn binds_nics(&self) -> bool {
        self.nic != NicChoice::Hash || !self.nics.is_empty()
    }

    /// Returns the NIC rule for flows of `class`.
    pub fn nics_of(&self, class: ClassId) -> Option<&NicRule> {
        self.nics.iter().find(|rule| rule.class == class.0)
    }

    /// Rejects rules for NICs that no host of `topology` has, and two rules for one class.
    pub(crate) fn validate_nics(&self, topology: &Topology) -> Result<(), ConfigError> {
        let hosts = topology.hosts().iter();
        let most = hosts.map(|&host| topology.ports(host).len()).max();
        let most = most.unwrap_or(0);
        for (index, rule) in self.nics.iter().enumerate() {
            let class = rule.class;
            for (key, nic) in [("from", rule.from), ("to", rule.to)] {
                if let Some(nic) = nic.filter(|&nic| usize::from(nic) >= most) {
                    return Err(ConfigError::new(
                        "nics",
                        format!("`{key}` of class {class} is {nic}, and no host has such a NIC"),
                        format!("NICs count from 0; the most that a host has here is {most}"),
                    ));
                }
            }
            if rule.from.is_none() && rule.to.is_none() {
                return Err(ConfigError::new(
                    "nics",
                    format!("the rule for class {class} names no NIC"),
                    "give `from`, `to` or both",
                ));
            }
            if self.nics[..index].iter().any(|other| other.class == class) {
                return Err(ConfigError::new(
                    "nics",
                    format!("class {class} has two rules"),
                    "give one rule with `from` and `to`",
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_topology::TestbedConfig;

    use super::*;

    fn rule(class: u16, from: Option<u16>, to: Option<u16>) -> NicRule {
        NicRule { class, from, to }
    }

    #[test]
    fn rules_without_a_meaning_are_refused() {
        let testbed = TestbedConfig::default().build().expect("defaults");
        let refused = |nics: Vec<NicRule>| {
            let routing = RoutingSettings {
                nics,
                ..RoutingSettings::default()
            };
            let checked = routing.validate_nics(&testbed);
            checked.err().map(|error| error.message)
        };
        assert_eq!(refused(vec![]), None);
        assert_eq!(
            refused(vec![rule(0, Some(1), Some(0)), rule(1, None, Some(1))]),
            None
        );
        let far = refused(vec![rule(0, None, Some(2))]).expect("two NICs");
        assert_eq!(far, "`to` of class 0 is 2, and no host has such a NIC");
        let twice = refused(vec![rule(3, Some(1), None), rule(3, None, Some(1))]);
        assert_eq!(twice.as_deref(), Some("class 3 has two rules"));
        let empty = refused(vec![rule(3, None, None)]);
        assert_eq!(empty.as_deref(), Some("the rule for class 3 names no NIC"));
    }
}
