//! All partitions of an engine.

use super::exchange::Totals;
use super::partition::Partition;
use super::position::Position;
use super::process::LogicalProcess;
use fabricsim_base::units::Time;

/// Partitions, boxed because they move between threads.
pub(super) type Partitions<D> = Vec<Box<Partition<D>>>;

/// Returns the process at `position`.
pub(super) fn process_at<D: LogicalProcess>(
    partitions: &[Box<Partition<D>>],
    position: Position,
) -> &D {
    let Position { partition, place } = position;
    &partitions[partition as usize].members[place as usize].process
}

/// Returns the earliest next event of all processes in `partitions`.
pub(super) fn earliest<D: LogicalProcess>(partitions: &[Box<Partition<D>>]) -> Time {
    let next = partitions
        .iter()
        .map(|partition| partition.calendar.earliest().min(partition.sent));
    next.min().unwrap_or(Time::MAX)
}

/// Returns `true` if some process of this rank has results.
pub(super) fn has_results<D: LogicalProcess>(partitions: &[Box<Partition<D>>]) -> bool {
    let mut all = partitions.iter();
    all.any(|partition| !partition.results.is_empty())
}

/// Returns the number of process runs so far, and of messages that were due in them.
pub(super) fn work_done<D: LogicalProcess>(partitions: &[Box<Partition<D>>]) -> u64 {
    let all = partitions.iter();
    all.map(|partition| partition.steps + partition.messages)
        .sum()
}

/// Returns the totals of this rank's processes, for other ranks.
pub(super) fn totals<D: LogicalProcess>(partitions: &[Box<Partition<D>>]) -> Totals {
    Totals {
        next: earliest(partitions),
        steps: partitions.iter().map(|partition| partition.steps).sum(),
        messages: partitions.iter().map(|partition| partition.messages).sum(),
        is_broken: false,
        has_results: has_results(partitions),
    }
}
