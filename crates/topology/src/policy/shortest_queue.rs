//! Adaptive routing by the shortest queue.

use fabricsim_base::checkpoint::Checkpointed;
use fabricsim_base::id::PortId;
use fabricsim_base::input::{ConfigError, Keys};
use fabricsim_base::rng::Stream;
use fabricsim_base::settings;
use fabricsim_base::units::Duration;
use fabricsim_core::plugin::{PathStability, PortStates};

use super::queue_lengths::QueueLengths;
use super::{Arrival, Chooser, NextHopChoice, PolicyContext, PolicyKind, position_below};

settings! {
    /// Sends each packet to the next hop with the fewest bytes queued at its port, over all
    /// priorities; a random draw decides between equal ones.
    ///
    /// The rule is `adaptive_route` of htsim (`htsim/sim/datacenter/fat_tree_switch.cpp` of
    /// uet-htsim) with a comparison of queue lengths. Pauses do not count, because htsim compares
    /// only lengths. A port with a failed link is chosen only if all ports have failed links.
    ///
    /// Differs from the paper: htsim routes packets below 100 bytes by a hash; here, ACKs are
    /// routed like data.
    pub struct ShortestQueue {
        /// Interval at which compared queue lengths are updated; 0 compares present lengths.
        pub update_interval: Duration = "0s",
    }
}

impl PolicyKind for ShortestQueue {
    const NAME: &'static str = "shortest-queue";
    const ABOUT: &'static str =
        "each packet uses the next hop with the shortest queue (adaptive routing)";
    const KEYS: Keys = Self::KEYS;

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()
    }

    fn path_stability(&self) -> PathStability {
        PathStability::PerPacket
    }

    fn chooser(&self, at: &PolicyContext) -> Chooser {
        Chooser::new(Shortest {
            lengths: QueueLengths::new(self.update_interval),
            equal: Vec::new(),
            draws: at.stream(),
        })
    }
}

#[derive(Checkpointed, Debug)]
#[checkpoint(plain)]
struct Shortest {
    lengths: QueueLengths,
    /// Positions of the shortest queues found so far for the current packet.
    equal: Vec<usize>,
    draws: Stream,
}

impl NextHopChoice for Shortest {
    fn choose(&mut self, packet: &Arrival<'_>, hops: &[PortId], ports: &dyn PortStates) -> usize {
        let mut least = u64::MAX;
        self.equal.clear();
        for (position, &port) in hops.iter().enumerate() {
            let length = self.lengths.of(packet.now, port, ports);
            if length < least {
                least = length;
                self.equal.clear();
            }
            if length == least {
                self.equal.push(position);
            }
        }
        match self.equal[..] {
            [only] => only,
            _ => self.equal[position_below(&mut self.draws, self.equal.len())],
        }
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests {
    use crate::policy::testing::{Ports, chooser, data};

    use super::*;

    #[test]
    fn the_shortest_queue_is_taken_and_draws_decide_between_equal_ones() {
        let mut choice = chooser(&ShortestQueue::default(), 1);
        let mut ports = Ports::default();
        ports.queued[..4].copy_from_slice(&[900, 100, 300, 200]);
        for number in 0..20 {
            assert_eq!(choice.at(&data(number), 4, &ports), 1);
        }
        ports.queued[3] = 100;
        let taken: Vec<usize> = (0..400)
            .map(|number| choice.at(&data(number), 4, &ports))
            .collect();
        let third = taken.iter().filter(|&&position| position == 3).count();
        assert!(taken.iter().all(|position| [1, 3].contains(position)));
        assert!((150..250).contains(&third), "{third} of 400");
    }

    #[test]
    fn a_link_that_is_down_attracts_nothing() {
        let mut choice = chooser(&ShortestQueue::default(), 1);
        let mut ports = Ports::default();
        ports.queued[1] = 5_000;
        ports.down[0] = true;
        assert_eq!(choice.at(&data(0), 2, &ports), 1);
        ports.down[1] = true;
        assert!(choice.at(&data(1), 2, &ports) < 2);
    }
}
