//! Placement of processes in partitions, each of which is run by one thread.

use super::{LogicalProcess, Wiring};

/// Position of a process: its partition, and its place there.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Position {
    pub(super) partition: u32,
    pub(super) place: u32,
}

/// Divides processes into at most `wanted` partitions of about the same weight, in which neighbors
/// are together: what they send each other then stays in the cache of one thread. Returns the place
/// of each process and the size of each partition.
pub(super) fn place<D: LogicalProcess>(
    processes: &[D],
    wiring: &[Vec<Wiring>],
    wanted: usize,
) -> (Vec<Position>, Vec<u32>) {
    let weight = |index: usize| u128::from(processes[index].weight().max(1));
    let total: u128 = (0..processes.len()).map(weight).sum();
    let wanted = wanted.clamp(1, processes.len().max(1)) as u128;
    let mut positions = vec![Position::default(); processes.len()];
    let (mut before, mut partition, mut last) = (0, 0, None);
    for index in walk(wiring) {
        // The share of the weight in whose middle the process lies; a heavy one may skip some.
        let share = (2 * before + weight(index)) * wanted / (2 * total);
        before += weight(index);
        partition += u32::from(last.is_some_and(|last| last != share));
        last = Some(share);
        positions[index].partition = partition;
    }
    // Within a partition in the order of their numbers: that keeps processes of one kind together.
    let mut sizes = vec![0; partition as usize + 1];
    for place in &mut positions {
        let size = &mut sizes[place.partition as usize];
        place.place = *size;
        *size += 1;
    }
    (positions, sizes)
}

/// All processes, each soon after one that it has a link to: depth first, from the first process
/// on.
fn walk(wiring: &[Vec<Wiring>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(wiring.len());
    let mut seen = vec![false; wiring.len()];
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for root in 0..wiring.len() {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        order.push(root);
        stack.push((root, 0));
        while let Some((process, channel)) = stack.last_mut() {
            let Some(far) = wiring[*process].get(*channel) else {
                stack.pop();
                continue;
            };
            *channel += 1;
            let next = far.process as usize;
            if !std::mem::replace(&mut seen[next], true) {
                order.push(next);
                stack.push((next, 0));
            }
        }
    }
    order
}
