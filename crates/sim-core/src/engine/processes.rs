//! The processes between two epochs.

use super::LogicalProcess;
use super::mailboxes::Mailboxes;
use super::partition::{Partition, earliest};
use super::placement::Position;
use crate::units::{Duration, Time};

/// The processes as the driver sees them between epochs.
#[derive(Debug)]
pub struct Processes<'a, D: LogicalProcess> {
    pub(super) partitions: &'a mut [Partition<D>],
    pub(super) mailboxes: &'a Mailboxes<D::Message>,
    /// The half of the mailboxes that the next epoch reads.
    pub(super) unread: usize,
    pub(super) positions: &'a [Position],
    pub(super) lazy: bool,
    pub(super) lookahead: Duration,
}

impl<D: LogicalProcess> Processes<'_, D> {
    /// Changes process `index`, which may move its next event.
    pub fn update<R>(&mut self, index: usize, change: impl FnOnce(&mut D) -> R) -> R {
        let Position { partition, place } = self.positions[index];
        let Partition {
            members, calendar, ..
        } = &mut self.partitions[partition as usize];
        let place = place as usize;
        let member = &mut members[place];
        let result = change(&mut member.process);
        let next = member.process.next_event().saturating_add(member.margin);
        if next < calendar.time(place) {
            calendar.put(place, next);
        }
        result
    }

    /// Takes back every message that is on its way to process `index` over `channel`, as if it had
    /// never been sent, and shows it to `lost`. No process may be behind.
    pub fn recall(
        &mut self,
        index: usize,
        channel: usize,
        mut lost: impl FnMut(&mut D, &D::Message),
    ) {
        let Position { partition, place } = self.positions[index];
        let Partition {
            members,
            calendar,
            spare,
            ..
        } = &mut self.partitions[partition as usize];
        let place = place as usize;
        let member = &mut members[place];
        // What has been put there is still ready, which costs a look into an empty mailbox.
        member
            .inbox
            .fetch(self.mailboxes, index, self.unread, spare);
        let process = &mut member.process;
        member
            .inbox
            .recall(channel, |message| lost(process, message));
        let next = member.inbox.first().min(process.next_event());
        calendar.put(place, next.saturating_add(member.margin));
    }

    /// The least next event over all processes.
    #[must_use]
    pub fn next_event(&self) -> Time {
        earliest(self.partitions)
    }

    /// Calls `visit` with each process, in their order.
    pub fn for_each(&mut self, mut visit: impl FnMut(&mut D)) {
        for &Position { partition, place } in self.positions {
            visit(&mut self.partitions[partition as usize].members[place as usize].process);
        }
    }

    /// Calls `visit` with each process that had results after the last epoch, in any order.
    pub fn for_each_result(&mut self, mut visit: impl FnMut(&mut D)) {
        for Partition {
            members, results, ..
        } in &mut *self.partitions
        {
            for place in results.drain(..) {
                visit(&mut members[place as usize].process);
            }
        }
    }

    /// All processes, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &D> {
        let positions = self.positions.iter();
        positions
            .map(|at| &self.partitions[at.partition as usize].members[at.place as usize].process)
    }

    /// Returns whether some processes are run lazily.
    #[must_use]
    pub const fn may_run_lazily(&self) -> bool {
        self.lazy
    }

    /// Returns how often processes have been run, in all epochs so far.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.partitions
            .iter()
            .map(|partition| partition.steps)
            .sum()
    }

    /// Returns how many messages processes have taken in so far.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.partitions
            .iter()
            .map(|partition| partition.messages)
            .sum()
    }

    /// Returns how many processes there are.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.positions.len()
    }

    /// The longest epoch: no message sent in it can arrive in it.
    #[must_use]
    pub const fn lookahead(&self) -> Duration {
        self.lookahead
    }
}
