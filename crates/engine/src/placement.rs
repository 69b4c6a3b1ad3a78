//! Placement of processes in partitions, each of which runs on one thread at a time.

use super::position::Position;
use super::process::{LogicalProcess, Wiring};
use fabricsim_base::ranks::{Link, Shares, walk};

/// Number of partitions per thread. A thread runs one partition at a time. With more partitions the
/// work would be shared more evenly, but more messages would cross between them.
pub const PARTITIONS_PER_THREAD: usize = 2;

/// The placement of processes.
#[derive(Debug)]
pub(super) struct Placement {
    /// Position of each process.
    pub(super) positions: Vec<Position>,
    /// Number of processes in each partition.
    pub(super) sizes: Vec<u32>,
    /// Number of partitions at the start of the list that contain the processes with a channel to
    /// another rank.
    pub(super) borders: usize,
}

impl Placement {
    /// Divides processes into at most `wanted` partitions of about equal weight. Neighbors are
    /// placed together, so that their messages stay in the cache of one thread. In a run over
    /// several ranks, processes with a channel to another rank are in separate partitions.
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
            // The middle of a process's weight decides its share; a heavy process may skip some
            // shares.
            let share = (2 * before + weight(index)) * wanted / (2 * total);
            before += weight(index);
            partition += u32::from(last.is_some_and(|last| last != share));
            last = Some(share);
            self.positions[index].partition = partition;
        }
        self.sizes.resize(partition as usize + 1, 0);
        // Within a partition, processes are in the order of their numbers. This keeps processes of
        // one kind together.
        for place in &mut self.positions {
            if place.partition >= first && place.partition <= partition {
                let size = &mut self.sizes[place.partition as usize];
                place.place = *size;
                *size += 1;
            }
        }
    }
}
