//! Placement of processes in partitions, each of which is run by one thread.

use super::position::Position;
use super::process::{LogicalProcess, Wiring};
use super::sides::Side;
use fabricsim_base::ranks::{Link, Shares, walk};

/// Partitions of processes for each thread. A partition is what a thread takes on at once: with more of
/// them threads could even out better what they cost, and more messages would go from one to another.
pub const PARTITIONS_PER_THREAD: usize = 2;

/// Where processes are.
#[derive(Debug)]
pub(super) struct Placement {
    /// Position of each process.
    pub(super) positions: Vec<Position>,
    /// Number of processes in each partition.
    pub(super) sizes: Vec<u32>,
    /// The first so many partitions hold the processes with a channel to another rank.
    pub(super) borders: usize,
}

/// Processes with their channels and costs.
struct Ground<'a> {
    wiring: &'a [Vec<Wiring>],
    /// The cost of each process.
    weights: Vec<u64>,
}

impl Placement {
    /// Divides processes into at most `wanted` partitions of about the same weight, in which
    /// neighbors are together: what they send each other then stays in the cache of one thread.
    /// Over several ranks, those with a channel to another rank are in partitions of their own. If
    /// `sides` take turns, processes of the second side that hear from several partitions are divided
    /// by themselves, as they are run when all others have been.
    pub(super) fn new<D: LogicalProcess>(
        processes: &[Option<D>],
        wiring: &[Vec<Wiring>],
        wanted: usize,
        shares: Option<&Shares>,
        sides: Option<&[Side]>,
    ) -> Self {
        let weight = |process: &Option<D>| process.as_ref().map_or(0, D::weight).max(1);
        let ground = Ground {
            wiring,
            weights: processes.iter().map(weight).collect(),
        };
        let order = ground.order();
        let here = order.into_iter().filter(|&at| processes[at].is_some());
        let here: Vec<usize> = here.collect();
        let mut placement = Self {
            positions: vec![Position::ELSEWHERE; processes.len()],
            sizes: Vec::new(),
            borders: 0,
        };
        match (shares, sides) {
            (Some(shares), _) => {
                let is_border = |&at: &usize| {
                    let mut far_ends = wiring[at].iter();
                    far_ends.any(|channel| !shares.is_here(channel.process as usize))
                };
                let (border, inner): (Vec<usize>, Vec<usize>) =
                    here.into_iter().partition(is_border);
                placement.borders = placement.divide(&ground, &border, (0, wanted));
                placement.divide(&ground, &inner, (placement.borders, wanted));
            }
            (None, Some(sides)) => {
                placement.divide(&ground, &here, (0, wanted));
                let (across, within): (Vec<usize>, Vec<usize>) =
                    here.into_iter().partition(|&at| {
                        sides[at] == Side::Second && placement.hears_across(&ground, at)
                    });
                placement.divide(&ground, &within, (0, wanted));
                placement.divide(&ground, &across, (0, wanted));
            }
            (None, None) => {
                placement.divide(&ground, &here, (0, wanted));
            }
        }
        placement.number();
        placement
    }

    /// Divides the processes of `order` among up to `wanted` partitions, with numbers from `first` on.
    /// Returns the number after the last one.
    fn divide(
        &mut self,
        ground: &Ground<'_>,
        order: &[usize],
        (first, wanted): (usize, usize),
    ) -> usize {
        let weight = |index: usize| u128::from(ground.weights[index]);
        let total: u128 = order.iter().map(|&index| weight(index)).sum();
        let wanted = wanted.clamp(1, order.len().max(1)) as u128;
        let (mut before, mut partition, mut last) = (0, first, None);
        for &index in order {
            // The share of the weight in whose middle the process lies; a heavy one may skip some.
            let share = (2 * before + weight(index)) * wanted / (2 * total);
            before += weight(index);
            partition += usize::from(last.is_some_and(|last| last != share));
            last = Some(share);
            self.positions[index].partition = u32::try_from(partition).expect("partitions are few");
        }
        partition + usize::from(last.is_some())
    }

    /// Returns whether `process` hears from a partition that is not its own, or is heard there.
    fn hears_across(&self, ground: &Ground<'_>, process: usize) -> bool {
        let partition = |process: usize| self.positions[process].partition;
        let mut channels = ground.wiring[process].iter();
        channels.any(|channel| partition(channel.process as usize) != partition(process))
    }

    /// Gives each process its place, within a partition in the order of their numbers: that keeps
    /// processes of one kind together.
    fn number(&mut self) {
        for at in self
            .positions
            .iter_mut()
            .filter(|at| at.partition != u32::MAX)
        {
            let partition = at.partition as usize;
            if self.sizes.len() <= partition {
                self.sizes.resize(partition + 1, 0);
            }
            at.place = self.sizes[partition];
            self.sizes[partition] += 1;
        }
    }
}

impl Ground<'_> {
    /// All processes in an order in which neighbors are close together.
    fn order(&self) -> Vec<usize> {
        let link = |channel: &Wiring| Link {
            peer: channel.process,
            weight: 1,
        };
        let links = self
            .wiring
            .iter()
            .map(|channels| channels.iter().map(link).collect());
        walk(&links.collect::<Vec<Vec<Link>>>())
    }
}
