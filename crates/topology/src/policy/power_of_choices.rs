//! Adaptive routing by a few randomly drawn queues.

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
    /// Sends each packet to the shortest of a few queues: of some randomly drawn next hops and of
    /// the ports that were shortest before. This is DRILL(d, m) (Ghorbani et al., SIGCOMM 2017,
    /// section 3.2), where `d` is `choices` and `m` is `memory`.
    ///
    /// A switch has one memory for all of its packets. It ignores a remembered port that is not a
    /// next hop of the packet's destination. Among equal queues, the one drawn first wins. Every
    /// packet is routed in this way, including ACKs. Pauses do not count, and a port with a failed
    /// link is chosen only if all compared ports have failed links.
    ///
    /// Differs from the paper: a switch is one engine; DRILL's switches have several engines that
    /// do not know each other's packets.
    pub struct PowerOfTwo {
        /// Number of next hops that are drawn for a packet.
        #[range(from 1, to 64)]
        #[refused("{value} next hops cannot be drawn", "give a number from 1 to 64, such as 2")]
        pub choices: u32 = 2,
        /// Number of the shortest queues that are remembered and compared for the next packet, too.
        #[range(to 64)]
        #[refused("{value} queues are more than are remembered", "give a number up to 64, such as 1")]
        pub memory: u32 = 1,
        /// Interval at which compared queue lengths are updated; 0 compares present lengths.
        pub update_interval: Duration = "0s",
    }
}

impl PolicyKind for PowerOfTwo {
    const NAME: &'static str = "power-of-two";
    const ABOUT: &'static str =
        "each packet joins the shortest of a few queues: some drawn, some remembered (DRILL)";
    const KEYS: Keys = Self::KEYS;

    fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()
    }

    fn path_stability(&self) -> PathStability {
        PathStability::PerPacket
    }

    fn chooser(&self, at: &PolicyContext) -> Chooser {
        Chooser::new(Samples {
            choices: self.choices as usize,
            memory: self.memory as usize,
            lengths: QueueLengths::new(self.update_interval),
            remembered: Vec::new(),
            undrawn: Vec::new(),
            compared: Vec::new(),
            draws: at.stream(),
        })
    }
}

#[derive(Checkpointed, Debug)]
#[checkpoint(plain)]
struct Samples {
    #[checkpoint(rebuilt)]
    choices: usize,
    #[checkpoint(rebuilt)]
    memory: usize,
    lengths: QueueLengths,
    /// The ports of the shortest queues in the last comparison, the shortest first.
    remembered: Vec<PortId>,
    /// Positions not yet drawn for the current packet.
    undrawn: Vec<usize>,
    /// The comparison: the length of a queue and the position of its port.
    compared: Vec<(u64, usize)>,
    draws: Stream,
}

impl Samples {
    /// Compares the queue at `position`, unless it is already in the comparison.
    fn compare(
        &mut self,
        packet: &Arrival<'_>,
        (hops, position): (&[PortId], usize),
        ports: &dyn PortStates,
    ) {
        if self.compared.iter().all(|&(_, known)| known != position) {
            let length = self.lengths.of(packet.now, hops[position], ports);
            self.compared.push((length, position));
        }
    }
}

impl NextHopChoice for Samples {
    fn choose(&mut self, packet: &Arrival<'_>, hops: &[PortId], ports: &dyn PortStates) -> usize {
        self.compared.clear();
        self.undrawn.clear();
        self.undrawn.extend(0..hops.len());
        for _ in 0..self.choices.min(hops.len()) {
            let drawn = position_below(&mut self.draws, self.undrawn.len());
            let position = self.undrawn.swap_remove(drawn);
            self.compare(packet, (hops, position), ports);
        }
        for index in 0..self.remembered.len() {
            let port = self.remembered[index];
            if let Some(position) = hops.iter().position(|&hop| hop == port) {
                self.compare(packet, (hops, position), ports);
            }
        }
        // The sort is stable: equal queues stay in the order in which they were drawn.
        self.compared.sort_by_key(|&(length, _)| length);
        self.remembered.clear();
        let shortest = self.compared.iter().take(self.memory);
        self.remembered
            .extend(shortest.map(|&(_, position)| hops[position]));
        self.compared[0].1
    }

    fabricsim_base::saves_state!();
}

#[cfg(test)]
mod tests {
    use crate::policy::testing::{Ports, chooser, data};

    use super::*;

    fn shares(policy: &PowerOfTwo, queued: &[u64]) -> Vec<usize> {
        let mut choice = chooser(policy, 1);
        let mut ports = Ports::default();
        ports.queued[..queued.len()].copy_from_slice(queued);
        let mut taken = vec![0; queued.len()];
        for number in 0..12_000 {
            taken[choice.at(&data(number), queued.len(), &ports)] += 1;
        }
        taken
    }

    #[test]
    fn what_was_shortest_is_found_again() {
        // A draw must first meet the shortest queue, which takes a few packets.
        let taken = shares(&PowerOfTwo::default(), &[700, 600, 500, 400]);
        assert!(taken[3] > 11_980, "{taken:?}");
    }

    #[test]
    fn without_a_memory_the_longest_of_four_is_never_taken() {
        let policy = PowerOfTwo {
            memory: 0,
            ..PowerOfTwo::default()
        };
        // Of six possible pairs, three have the shortest queue, two more the next shortest.
        let taken = shares(&policy, &[700, 600, 500, 400]);
        assert_eq!(taken[0], 0);
        let thirds: Vec<f64> = taken.iter().map(|&count| count as f64 / 12_000.0).collect();
        for (share, wanted) in thirds.iter().zip([0.0, 1.0 / 6.0, 2.0 / 6.0, 3.0 / 6.0]) {
            assert!((share - wanted).abs() < 0.02, "{thirds:?}");
        }
    }

    #[test]
    fn equal_queues_share() {
        let taken = shares(&PowerOfTwo::default(), &[0; 6]);
        assert!(
            taken.iter().all(|count| (1_800..2_200).contains(count)),
            "{taken:?}"
        );
    }

    #[test]
    fn more_choices_than_next_hops_are_all_of_them() {
        let policy = PowerOfTwo {
            choices: 64,
            memory: 64,
            ..PowerOfTwo::default()
        };
        assert_eq!(shares(&policy, &[3, 2, 1]), [0, 0, 12_000]);
    }
}
