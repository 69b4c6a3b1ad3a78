//! Random packet spraying.

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::id::PortId;
use fabricsim_base::rng::{Purpose, Stream};
use fabricsim_core::plugin::{PathStability, PortStates};

use super::{Arrival, Chooser, NextHopChoice, PolicyContext, RoutingPolicy, position_below};

/// Sends each packet to a random next hop: random packet spraying (Dixit, Prakash, Hu, Kompella: On
/// the Impact of Packet Spraying in Data Center Networks, INFOCOM 2013).
///
/// A switch has one stream of draws for the packets of all flows. ACKs are sprayed like data.
#[derive(Clone, Copy, Debug)]
pub struct RandomSpray;

impl RoutingPolicy for RandomSpray {
    fn name(&self) -> &'static str {
        "random"
    }

    fn about(&self) -> &'static str {
        "each packet draws a next hop at random (random packet spraying)"
    }

    fn path_stability(&self) -> PathStability {
        PathStability::PerPacket
    }

    fn chooser(&self, at: &PolicyContext) -> Chooser {
        Chooser::new(Draws(at.stream()))
    }
}

#[derive(Checkpointed, Debug)]
struct Draws(Stream);

impl NextHopChoice for Draws {
    fn choose(&mut self, _: &Arrival<'_>, hops: &[PortId], _: &dyn PortStates) -> usize {
        position_below(&mut self.0, hops.len())
    }

    fabricsim_base::saves_state!();
}

impl PolicyContext {
    /// Returns the stream of the random draws that the switch makes for its packets.
    #[must_use]
    pub fn stream(&self) -> Stream {
        Stream::new(self.seed, u64::from(self.switch.0), Purpose::Routing)
    }
}

#[cfg(test)]
mod tests {
    use crate::policy::testing::{Ports, chooser, data};

    use super::*;

    #[test]
    fn packets_are_spread_evenly_whatever_waits() {
        let mut choice = chooser(&RandomSpray, 7);
        let mut ports = Ports::default();
        ports.queued[1] = 1_000_000;
        let mut taken = [0u32; 4];
        for number in 0..40_000 {
            taken[choice.at(&data(number), 4, &ports)] += 1;
        }
        // The standard deviation of each count is 87.
        assert!(
            taken.iter().all(|count| (9_600..10_400).contains(count)),
            "{taken:?}"
        );
    }

    #[test]
    fn each_switch_has_its_own_draws() {
        let draws = |switch| {
            let mut choice = chooser(&RandomSpray, switch);
            (0..64)
                .map(|number| choice.at(&data(number), 8, &Ports::default()))
                .collect::<Vec<_>>()
        };
        assert_eq!(draws(1), draws(1));
        assert_ne!(draws(1), draws(2));
    }
}
