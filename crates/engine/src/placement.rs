//! Placement of processes in partitions, each of which is run by one thread.

use super::position::Position;
use super::process::{LogicalProcess, Wiring};
use fabricsim_base::ranks::{Link, Shares, walk};

/// Partitions of processes for each thread. A thread takes on one
/// partition at once. More of them would share the work more evenly, but more messages would cross.
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

impl Placement {
    /// Divides processes into at most `wanted` partitions of about the same weight, in which
    /// neighbors are together: what they send each other then stays in the cache of one thread.
    /// Over several ranks, those with a channel to another rank are in partitions of their own.
    pub(super) fn new<D: LogicalProcess>(
        processes: &[Option<D>],
        wiring: &[Vec<Wiring>],
        wanted: usize,
        shares: Option<&Shares>,
    ) -> Self {
        let link = |channel: &Wiring| Link {
            peer: channel.process,
            weight: 1,
        };
        let links: Vec<Vec<Link>> = wiring
            .iter()
            .map(|channels| channels.iter().map(link).collect())
            .collect();
        let order = walk(&links);
        let mut placement = Self {
            positions: vec![Position::ELSEWHERE; processes.len()],
            sizes: Vec::new(),
            borders: 0,
        };
        let here = order.iter().copied().filter(|&at| processes[at].is_some());
        let Some(shares) = shares else {
            placement.add(processes, &here.collect::<Vec<_>>(), wanted);
            return placement;
        };
        let is_border = |&at: &usize| {
            let mut far_ends = wiring[at].iter();
            far_ends.any(|channel| !shares.is_here(channel.process as usize))
        };
        let (border, inner): (Vec<usize>, Vec<usize>) = here.partition(is_border);
        if !border.is_empty() {
            placement.add(processes, &border, wanted);
        }
        placement.borders = placement.sizes.len();
        if !inner.is_empty() {
            placement.add(processes, &inner, wanted);
        }
        placement
    }

    /// Adds partitions with the processes of `order`.
    fn add<D: LogicalProcess>(&mut self, processes: &[Option<D>], order: &[usize], wanted: usize) {
        let weight = |index: usize| {
            let process = processes[index].as_ref();
            u128::from(process.map_or(0, D::weight).max(1))
        };
        let total: u128 = order.iter().map(|&index| weight(index)).sum();
        let wanted = wanted.clamp(1, order.len().max(1)) as u128;
        let first = u32::try_from(self.sizes.len()).expect("partitions are few");
        let (mut before, mut partition, mut last) = (0, first, None);
        for &index in order {
            // The share of the weight in whose middle the process lies; a heavy one may skip some.
            let share = (2 * before + weight(index)) * wanted / (2 * total);
            before += weight(index);
            partition += u32::from(last.is_some_and(|last| last != share));
            last = Some(share);
            self.positions[index].partition = partition;
        }
        self.sizes.resize(partition as usize + 1, 0);
        // Within a partition in the order of their numbers: that keeps processes of one kind
        // together.
        for place in &mut self.positions {
            if place.partition >= first && place.partition <= partition {
                let size = &mut self.sizes[place.partition as usize];
                place.place = *size;
                *size += 1;
            }
        }
    }
}
