//! Policies by the priority of packets.

use std::sync::Arc;

use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Writer};
use fabricsim_base::id::PortId;
use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::priority::Priority;
use fabricsim_core::plugin::{EntropyRecycling, PathStability, PortStates};

use super::{Arrival, Choice, Chooser, NextHopChoice, PolicyContext, RoutingPolicy};

/// Gives some priorities their own policies; all other priorities use the default policy, which
/// also provides the name and keys. Each policy has its own state at each switch.
#[derive(Debug)]
pub struct ByPriority {
    others: Arc<dyn RoutingPolicy>,
    own: Vec<(Priority, Arc<dyn RoutingPolicy>)>,
}

impl ByPriority {
    /// Creates the policy: packets with a priority in `own` use its policy, all other packets use
    /// `others`.
    #[must_use]
    pub fn new(
        others: Arc<dyn RoutingPolicy>,
        own: Vec<(Priority, Arc<dyn RoutingPolicy>)>,
    ) -> Self {
        Self { others, own }
    }
}

impl RoutingPolicy for ByPriority {
    fn name(&self) -> &'static str {
        self.others.name()
    }

    fn about(&self) -> &'static str {
        self.others.about()
    }

    fn keys(&self) -> Keys {
        self.others.keys()
    }

    fn value(&self) -> serde_json::Value {
        self.others.value()
    }

    fn validate(&self) -> Result<(), ConfigError> {
        self.others.validate()
    }

    /// One policy with a choice per packet is enough for `PerPacket`, because a host has one kind
    /// of receiver for all priorities.
    fn path_stability(&self) -> PathStability {
        let own = self.own.iter().map(|(_, policy)| policy);
        let mut all = own.chain([&self.others]);
        match all.any(|policy| policy.path_stability() == PathStability::PerPacket) {
            true => PathStability::PerPacket,
            false => PathStability::PerFlow,
        }
    }

    fn entropy(&self) -> Option<EntropyRecycling> {
        self.others.entropy()
    }

    fn chooser(&self, at: &PolicyContext) -> Chooser {
        let own = self.own.iter();
        Chooser::new(Choices {
            others: self.others.chooser(at).0,
            own: own
                .map(|(priority, policy)| (*priority, policy.chooser(at).0))
                .collect(),
        })
    }
}

#[derive(Debug)]
struct Choices {
    others: Choice,
    own: Vec<(Priority, Choice)>,
}

impl Checkpointed for Choices {
    fn save(&self, out: &mut Writer) {
        let Self { others, own } = self;
        others.save(out);
        own.iter().for_each(|(_, choice)| choice.save(out));
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let Self { others, own } = self;
        others.load(input)?;
        (own.iter_mut()).try_for_each(|(_, choice)| choice.load(input))
    }
}

impl NextHopChoice for Choices {
    fn choose(&mut self, packet: &Arrival<'_>, hops: &[PortId], ports: &dyn PortStates) -> usize {
        let mut own = self.own.iter_mut();
        let own = own.find(|(priority, _)| *priority == packet.priority);
        match own.map_or(&mut self.others, |(_, choice)| choice) {
            Choice::Hash(hash) => {
                let count = u32::try_from(hops.len()).expect("a switch has fewer than 2^32 ports");
                hash.choose(packet.key, count) as usize
            }
            Choice::Own(choice) => choice.choose(packet, hops, ports),
        }
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::policy::testing::{Ports, chooser, data};
    use crate::policy::{Ecmp, RandomSpray};

    use super::*;

    /// Returns the ports taken if `own` is sprayed; the packets have priority 3.
    fn taken(own: u8) -> BTreeSet<usize> {
        let policy = ByPriority::new(
            Arc::new(Ecmp),
            vec![(Priority::new(own), Arc::new(RandomSpray))],
        );
        assert_eq!(policy.path_stability(), PathStability::PerPacket);
        let mut choice = chooser(&policy, 1);
        (0..100)
            .map(|number| choice.at(&data(number), 8, &Ports::default()))
            .collect()
    }

    #[test]
    fn packets_have_the_policy_of_their_priority() {
        assert_eq!(taken(3).len(), 8);
        assert_eq!(taken(4).len(), 1);
    }
}
