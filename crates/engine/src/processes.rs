//! The processes between two epochs.

use super::exchange::{Exchange, Totals};
use super::mailboxes::{ChannelBatch, Mailboxes};
use super::partition::Partition;
use super::partitions::{earliest, process_at, totals};
use super::position::Position;
use super::process::LogicalProcess;
use fabricsim_base::ranks::Ranks;
use fabricsim_base::units::{Duration, Time};

/// Access to the processes between epochs, for the driver.
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
    /// `true` if messages were recalled since the next event was last computed.
    pub(super) recalled: bool,
    /// State shared with other ranks; `None` at the end of an epoch.
    pub(super) exchange: Option<&'a mut Exchange<D::Message>>,
}

impl<D: LogicalProcess> Processes<'_, D> {
    /// Changes process `index`. This may move its next event. Does nothing if the process is on
    /// another rank.
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

    /// Recalls every message in transit to process `index` over `channel`, as if it had never been
    /// sent, and passes it to `lost`. No process may be behind. Ranks recall the same messages;
    /// the rank of the process passes them.
    pub fn recall(
        &mut self,
        index: usize,
        channel: usize,
        mut lost: impl FnMut(&mut D, &D::Message),
    ) {
        // The rank that sent a message has counted its arrival, so each rank counts anew.
        self.recalled = true;
        let position = self.positions[index];
        if !position.is_here() {
            return;
        }
        let Position { partition, place } = position;
        let partition = &mut self.partitions[partition as usize];
        let place = place as usize;
        // The ready bits of fetched mailboxes stay set; that only costs a check of an empty
        // mailbox.
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
    }

    /// Recomputes the earliest arrival of the messages in mailboxes after a recall. We compute it
    /// over all mailboxes because the number of threads decides which messages wait there, and the
    /// next event must not depend on that.
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

    /// Returns the earliest next event over all processes, on all ranks.
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

    /// Sends the progress of this rank's processes to other ranks.
    pub(super) fn add_up(&mut self) {
        let own = totals(self.partitions);
        if let Some(exchange) = &mut self.exchange {
            exchange.add_up(own);
        }
    }

    /// Returns the sums over all processes at the end of the last epoch.
    fn totals(&self) -> Totals {
        match &self.exchange {
            Some(exchange) => exchange.totals,
            None => totals(self.partitions),
        }
    }

    /// Returns the ranks of a run over several ranks.
    #[must_use]
    pub fn ranks(&self) -> Option<&dyn Ranks> {
        let exchange = self.exchange.as_ref()?;
        Some(&*exchange.shares.ranks)
    }

    /// Returns `true` if two processes are on different ranks.
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
            // In an epoch with several phases, a process may have had results in more than one.
            results.sort_unstable();
            results.dedup();
            for place in results.drain(..) {
                visit(&mut members[place as usize].process);
            }
        }
    }

    /// Returns the processes of this rank, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &D> {
        let here = self.positions.iter().filter(|at| at.is_here());
        here.map(|&at| process_at(self.partitions, at))
    }

    /// Returns process `index`.
    ///
    /// # Panics
    /// Panics if the process is on another rank.
    #[must_use]
    pub fn process(&self, index: usize) -> &D {
        process_at(self.partitions, self.positions[index])
    }

    /// Returns `true` if some processes run lazily.
    #[must_use]
    pub const fn may_run_lazily(&self) -> bool {
        self.lazy
    }

    /// Returns the number of process runs in all epochs so far.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.totals().steps
    }

    /// Returns the number of messages that processes have received so far.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.totals().messages
    }

    /// Returns the number of processes, on all ranks.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.positions.len()
    }

    /// Returns the shortest time between sending and arrival: a message sent in an epoch of that
    /// length cannot arrive in it.
    #[must_use]
    pub const fn lookahead(&self) -> Duration {
        self.lookahead
    }

    /// Returns the longest epoch: the lookahead or, if processes have two sides that take turns, a
    /// multiple of it.
    #[must_use]
    pub const fn longest_epoch(&self) -> Duration {
        self.longest
    }
}
