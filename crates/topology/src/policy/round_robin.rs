//! Packet spraying in turn.

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::id::PortId;
use fabricsim_base::rng::Stream;
use fabricsim_core::plugin::{PathStability, PortStates};

use super::{Arrival, Chooser, NextHopChoice, PolicyContext, RoutingPolicy, position_below};

/// Sends each packet to the next of the equal next hops, in turn.
///
/// A switch takes turns over all of its packets, for all flows and destinations: two packets of a
/// flow take neighboring turns only if no other packet passes the switch between them. Each round
/// has a random order, as in the strategy `RR` of htsim (`htsim/sim/datacenter/fat_tree_switch.cpp`
/// of uet-htsim), so that the turns of switches do not stay in step.
///
/// Differs from the paper: htsim routes packets below 128 bytes by a hash; here, ACKs take turns
/// like data.
#[derive(Clone, Copy, Debug)]
pub struct RoundRobin;

impl RoutingPolicy for RoundRobin {
    fn name(&self) -> &'static str {
        "round-robin"
    }

    fn about(&self) -> &'static str {
        "packets rotate over the equal next hops, in a new order each round (packet spraying)"
    }

    fn path_stability(&self) -> PathStability {
        PathStability::PerPacket
    }

    fn chooser(&self, at: &PolicyContext) -> Chooser {
        Chooser::new(Turns {
            order: Vec::new(),
            next: 0,
            draws: at.stream(),
        })
    }
}

#[derive(Checkpointed, Debug)]
#[checkpoint(plain)]
struct Turns {
    /// The positions of the next hops, in the order of this round.
    order: Vec<usize>,
    /// Index of the next turn in `order`.
    next: usize,
    draws: Stream,
}

impl Turns {
    /// Begins a round over `count` next hops (Fisher-Yates shuffle).
    fn begin(&mut self, count: usize) {
        self.next = 0;
        self.order.clear();
        self.order.extend(0..count);
        for last in (1..count).rev() {
            let other = position_below(&mut self.draws, last + 1);
            self.order.swap(last, other);
        }
    }
}

impl NextHopChoice for Turns {
    fn choose(&mut self, _: &Arrival<'_>, hops: &[PortId], _: &dyn PortStates) -> usize {
        if self.next >= self.order.len() || self.order.len() != hops.len() {
            self.begin(hops.len());
        }
        self.next += 1;
        self.order[self.next - 1]
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::policy::testing::{Ports, chooser, data};

    use super::*;

    #[test]
    fn each_round_has_every_next_hop_once_in_an_order_of_its_own() {
        let mut choice = chooser(&RoundRobin, 3);
        let rounds: Vec<Vec<usize>> = (0..50)
            .map(|_| {
                (0..8)
                    .map(|turn| choice.at(&data(turn), 8, &Ports::default()))
                    .collect()
            })
            .collect();
        for round in &rounds {
            let taken: BTreeSet<usize> = round.iter().copied().collect();
            assert_eq!(taken.len(), 8, "{round:?}");
        }
        let orders: BTreeSet<_> = rounds.iter().collect();
        assert!(orders.len() > 40, "{} orders in 50 rounds", orders.len());
    }

    #[test]
    fn another_number_of_next_hops_begins_a_round() {
        let mut choice = chooser(&RoundRobin, 3);
        choice.at(&data(0), 8, &Ports::default());
        for turn in 0..9 {
            assert!(choice.at(&data(turn), 3, &Ports::default()) < 3);
        }
    }
}
