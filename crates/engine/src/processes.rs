//! The processes between two epochs.

use super::exchange::{Exchange, Totals};
use super::mailboxes::{ChannelBatch, Mailboxes};
use super::partition::Partition;
use super::partitions::{earliest, process_at, totals};
use super::position::Position;
use super::process::LogicalProcess;
use fabricsim_base::ranks::Ranks;
use fabricsim_base::units::{Duration, Time};

/// The processes as the driver sees them between epochs.
#[derive(Debug)]
pub struct Processes<'a, D: LogicalProcess> {
    pub(super) partitions: &'a mut [Box<Partition<D>>],
    pub(super) mailboxes: &'a Mailboxes<D::Message>,
    /// The half of the mailboxes that the next epoch reads.
    pub(super) unread: usize,
    pub(super) positions: &'a [Position],
    pub(super) lazy: bool,
    pub(super) lookahead: Duration,
    pub(super) longest: Duration,
    /// Messages have been taken back since the next event was last asked for.
    pub(super) recalled: bool,
    /// What is shared with other ranks; nothing while an epoch is being ended.
    pub(super) exchange: Option<&'a mut Exchange<D::Message>>,
}

impl<D: LogicalProcess> Processes<'_, D> {
    /// Changes process `index`, which may move its next event. Does nothing where another rank holds
    /// the process.
    pub fn update<R>(&mut self, index: usize, change: impl FnOnce(&mut D) -> R) -> Option<R> {
        let position = self.positions[index];
        if !position.is_here() {
            return None;
        }
        let Position { partition, place } = position;
        let Partition {
            members, calendar, ..
        } = &mut *self.partitions[partition as usize];
        let place = place as usize;
        let member = &mut members[place];
        let result = change(&mut member.process);
        let next = member.process.next_event().saturating_add(member.margin);
        if next < calendar.time(place) {
            calendar.put(place, next);
        }
        Some(result)
    }

    /// Takes back every message that is on its way to process `index` over `channel`, as if it had
    /// never been sent, and shows it to `lost`. No process may be behind. Does nothing where another
    /// rank holds the process.
    pub fn recall(
        &mut self,
        index: usize,
        channel: usize,
        mut lost: impl FnMut(&mut D, &D::Message),
    ) {
        let position = self.positions[index];
        if !position.is_here() {
            return;
        }
        let Position { partition, place } = position;
        let partition = &mut self.partitions[partition as usize];
        let place = place as usize;
        // What has been put there is still ready, which costs a look into an empty mailbox.
        partition.fetch_own(place, self.unread);
        partition.fetch_others(place, self.unread, self.mailboxes);
        let Partition {
            members, calendar, ..
        } = &mut **partition;
        let member = &mut members[place];
        let process = &mut member.process;
        member
            .inbox
            .recall(channel, |message| lost(process, message));
        let next = member.inbox.first().min(process.next_event());
        calendar.put(place, next.saturating_add(member.margin));
        self.recalled = true;
    }

    /// Finds anew when the first of the messages arrives that wait in mailboxes, after some have been taken
    /// back. Which messages wait there depends on the number of threads, and the next event must not.
    fn find_first_sent(&mut self) {
        let mut earliest = Time::MAX;
        let mut look = |batches: &[ChannelBatch<D::Message>]| {
            let first = batches.iter().map(|batch| batch.first).min();
            earliest = earliest.min(first.unwrap_or(Time::MAX));
        };
        for partition in &mut *self.partitions {
            partition.sent = Time::MAX;
            for (place, member) in partition.members.iter().enumerate() {
                look(partition.mailboxes.shown(place, self.unread));
                self.mailboxes.show(member.mailbox, self.unread, &mut look);
            }
        }
        if let Some(partition) = self.partitions.first_mut() {
            partition.sent = earliest;
        }
    }

    /// The least next event over all processes, on all ranks.
    #[must_use]
    pub fn next_event(&mut self) -> Time {
        if std::mem::take(&mut self.recalled) {
            self.find_first_sent();
        }
        if self.exchange.is_none() {
            return earliest(self.partitions);
        }
        self.add_up();
        self.totals().next
    }

    /// Tells other ranks how far the processes here are.
    pub(super) fn add_up(&mut self) {
        let own = totals(self.partitions);
        if let Some(exchange) = &mut self.exchange {
            exchange.add_up(own);
        }
    }

    /// Sums over all processes, as of the end of the last epoch.
    fn totals(&self) -> Totals {
        match &self.exchange {
            Some(exchange) => exchange.totals,
            None => totals(self.partitions),
        }
    }

    /// The ranks of a run over several of them.
    #[must_use]
    pub fn ranks(&self) -> Option<&dyn Ranks> {
        let exchange = self.exchange.as_ref()?;
        Some(&*exchange.shares.ranks)
    }

    /// Returns whether two processes are on different ranks.
    #[must_use]
    pub fn are_apart(&self, one: usize, other: usize) -> bool {
        let exchange = self.exchange.as_ref();
        exchange.is_some_and(|exchange| {
            let owners = &exchange.shares.owners;
            owners[one] != owners[other]
        })
    }

    /// Calls `visit` with each process of this rank, in their order.
    pub fn for_each(&mut self, mut visit: impl FnMut(&mut D)) {
        for &Position { partition, place } in self.positions.iter().filter(|at| at.is_here()) {
            visit(&mut self.partitions[partition as usize].members[place as usize].process);
        }
    }

    /// Calls `visit` with each process that had results after the last epoch, in any order.
    pub fn for_each_result(&mut self, mut visit: impl FnMut(&mut D)) {
        for partition in &mut *self.partitions {
            let Partition {
                members, results, ..
            } = &mut **partition;
            // In an epoch with several turns a process may have had results in more than one.
            results.sort_unstable();
            results.dedup();
            for place in results.drain(..) {
                visit(&mut members[place as usize].process);
            }
        }
    }

    /// The processes of this rank, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &D> {
        let here = self.positions.iter().filter(|at| at.is_here());
        here.map(|&at| process_at(self.partitions, at))
    }

    /// Returns whether some processes are run lazily.
    #[must_use]
    pub const fn may_run_lazily(&self) -> bool {
        self.lazy
    }

    /// Returns how often processes have been run, in all epochs so far.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.totals().steps
    }

    /// Returns how many messages processes have taken in so far.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.totals().messages
    }

    /// Returns how many processes there are, on all ranks.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.positions.len()
    }

    /// The least time that a message takes to arrive: no message sent in an epoch of that length can
    /// arrive in it.
    #[must_use]
    pub const fn lookahead(&self) -> Duration {
        self.lookahead
    }

    /// The longest epoch: the lookahead or, where processes have two sides that take turns, several
    /// times as long.
    #[must_use]
    pub const fn longest_epoch(&self) -> Duration {
        self.longest
    }
}
